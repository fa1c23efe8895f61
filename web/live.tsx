/** Live: running sessions as they happen, the newest line at the end. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveMessage, Row, RunningRow } from '../src/page/server/api.ts';
import { pathTo } from './address.ts';
import { addressOf } from './api.ts';
import { DecisionLine } from './runs.tsx';
import { count, moment, Text } from './words.tsx';

const MOST = 400;

/** What people and agents say and do. */
const STEPS = new Set(['turn.start', 'completion.post', 'tool.pre', 'delegation.pre', 'delegation.post']);

/** What only carries these along (requests, settings, counters) is there for who asks for it. */
const SHOWN = {
  steps: ({ note, action, event }: Row) => !note && (action !== 'allow' || STEPS.has(event)),
  stopped: ({ note, action }: Row) => !note && action !== 'allow',
  entries: () => true,
} as const;

type Shown = keyof typeof SHOWN;

export function LivePage() {
  const [running, setRunning] = useState<readonly RunningRow[] | null>(null);
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [connected, setConnected] = useState(false);
  const [held, setHeld] = useState(false);
  const [only, setOnly] = useState<Shown>('steps');
  const box = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const source = new EventSource(addressOf('/live'));
    source.onopen = () => {
      // After a break everything is told again.
      setConnected(true);
      setRows([]);
    };
    source.onerror = () => setConnected(false);
    source.onmessage = (event) => {
      const message = JSON.parse(event.data as string) as LiveMessage;
      if (message.kind === 'running') setRunning(message.runs);
      else setRows((old) => [...old, ...message.rows].slice(-MOST));
    };
    return () => source.close();
  }, []);
  useEffect(() => {
    if (!held && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [rows, held, only]);
  const shown = rows.filter(SHOWN[only]);
  return (
    <main class="fill">
      <div class="bar">
        <h1>Live</h1>
        <span class="quiet" role="status">
          {connected ? '' : 'not connected; trying again. '}
          {running === null
            ? ''
            : running.length === 0
              ? 'nothing is running'
              : count(running.length, 'session')}
        </span>
        <span class="grow" />
        <label>
          <span class="hidden">show</span>
          <select
            aria-label="show"
            value={only}
            onChange={(event) => setOnly(event.currentTarget.value as Shown)}
          >
            <option value="steps">what agents do</option>
            <option value="stopped">what was not allowed</option>
            <option value="entries">every entry</option>
          </select>
        </label>
        <button type="button" onClick={() => setHeld(!held)} aria-pressed={held}>
          {held ? 'Go on' : 'Hold'}
        </button>
      </div>
      {running !== null && running.length > 0 && (
        <ul class="running" aria-label="Running">
          {running.map((run) => (
            <li key={run.id}>
              <a href={pathTo('runs', run.id)}>
                <span class="dot" aria-hidden="true" /> <Text of={run.host} />{' '}
                <span class="mono quiet">
                  <Text of={run.session.slice(0, 8)} />
                </span>{' '}
                <span class="quiet">since {moment(run.started)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {shown.length === 0 && (
        <p class="quiet pad">
          Nothing yet. Whatever an agent does here, through <code>harness run</code> or an installed guard,
          appears by itself.
        </p>
      )}
      <ol class="list flow" ref={box} aria-label="What happens" tabIndex={0}>
        {shown.map((row) => (
          <li key={`${row.run} ${row.seq}`} class="row-flow">
            <a href={row.note ? pathTo('runs', row.run) : pathTo('runs', row.run, row.seq)}>
              <DecisionLine row={row} withRun />
            </a>
          </li>
        ))}
      </ol>
    </main>
  );
}
