/** A run as a conversation over time; beside it what was stopped and by which line, or one entry in full. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { Row, RunDetail, RunRow, Seal, Stopped, StoppedView, TurnView } from '../src/page/server/api.ts';
import { inConditional } from '../src/page/would.ts';
import { encoded, go, path, pathTo, query, withQuery } from './address.ts';
import { useLoad } from './api.ts';
import { DecisionPane } from './decision.tsx';
import { dollars, span, tokens } from './figures.ts';
import { onEscape } from './keys.tsx';
import { List, showLine, useRowHeight } from './list.tsx';
import { DecisionLine } from './runs.tsx';
import { Conversation } from './steps.tsx';
import { count, moment, Problem, share, shortWhy, Text, Verdict, Waiting } from './words.tsx';

export function RunPage() {
  const [, id = '', seqText] = path.value;
  const seq = seqText !== undefined && /^\d+$/.test(seqText) ? Number(seqText) : null;
  const { data, error } = useLoad<RunDetail>(`${pathTo('runs', id)}`, ({ run }) =>
    run.state === 'open' || run.read < 1 ? 1500 : null,
  );
  // At once: the next key may come before the page is painted.
  useLayoutEffect(() => {
    onEscape.value = () => (seq === null ? go('/runs') : go(pathTo('runs', id)));
    return () => {
      onEscape.value = null;
    };
  }, [id, seq]);
  if (error !== null && data === null)
    return (
      <main>
        <Problem>{error}</Problem>
      </main>
    );
  return (
    <main class={`run ${seq === null ? '' : 'with-pane'}`}>
      <div class="run-side">
        <Head detail={data} id={id} />
        {data !== null && data.run.problem !== null && (
          <Problem>
            The tape is broken: <Text of={data.run.problem} />
          </Problem>
        )}
        <TimeBar turns={data?.turns ?? []} />
        <Timeline run={data?.run ?? null} stopLines={data?.stopLines ?? []} id={id} seq={seq} />
      </div>
      {seq !== null ? (
        <DecisionPane key={`${id}/${seq}`} id={id} seq={seq} />
      ) : (
        <StoppedPane id={id} run={data?.run ?? null} />
      )}
    </main>
  );
}

function Head({ detail, id }: { detail: RunDetail | null; id: string }) {
  if (detail === null)
    return (
      <header class="run-head">
        <div class="bar flush">
          <h1 class="quiet">Reading the run…</h1>
        </div>
        <p class="facts">…</p>
        <p class="facts">…</p>
      </header>
    );
  const { run, policy, file } = detail;
  const facts = [
    [run.model ?? '', 'model'],
    [run.person ?? '', 'person'],
    [span(run.ms), 'how long'],
    [run.calls === 0 ? '' : count(run.calls, 'call'), 'tool calls'],
    [tokens(run.tokens), 'tokens, both ways'],
    [dollars(run.costUsd), 'cost'],
  ].filter(([text]) => text !== '');
  return (
    <header class="run-head">
      <div class="bar flush">
        <h1 class="cut" title={visible(run.title ?? run.session)}>
          <Text of={run.title ?? `${run.agent} ${run.session.slice(0, 8)}`} />
        </h1>
        <span class="grow" />
        <a class="button" href={`/compare?a=${encoded(id)}`}>
          Compare
        </a>
      </div>
      <p class="facts">
        <b>
          <Text of={run.agent} />
        </b>
        {facts.map(([text, title]) => (
          <span key={title} title={title}>
            <Text of={text!} />
          </span>
        ))}
        <span title="started">{moment(run.started)}</span>
        <SealBadge id={id} size={run.entries} />
        {run.read < 1 && <span class="quiet">so far, {share(run.read)} read</span>}
      </p>
      <details class="more-facts">
        <summary class="quiet">Tape and policy</summary>
        <dl class="facts">
          <div>
            <dt>session</dt>
            <dd class="mono">
              <Text of={run.session} />
            </dd>
          </div>
          {run.folder !== null && (
            <div>
              <dt>folder</dt>
              <dd class="mono">
                <Text of={run.folder} />
              </dd>
            </div>
          )}
          <div>
            <dt>tape</dt>
            <dd class="mono">
              <Text of={file} />
            </dd>
          </div>
          <div>
            <dt>policy</dt>
            <dd class="mono" title={visible(policy)}>
              {visible(policy.slice(0, 12))}
            </dd>
          </div>
        </dl>
      </details>
    </header>
  );
}

/** Each turn as long as it took; what was stopped in it is marked. */
function TimeBar({ turns }: { turns: readonly TurnView[] }) {
  if (turns.length < 2) return null;
  return (
    <nav class="turns" aria-label="Turns">
      {turns.map(({ seq, title, line, from, until, calls, stops }, i) => (
        <button
          key={seq}
          type="button"
          class={stops > 0 ? 'has-stops' : ''}
          style={{ flexGrow: Math.max(1, until - from) }}
          title={visible(
            `${title ?? 'a prompt'}: ${span(until - from)}, ${count(calls, 'call')}${stops > 0 ? `, ${stops} stopped or asked` : ''}`,
          )}
          aria-label={`Turn ${i + 1}`}
          onClick={() => showLine(line)}
        />
      ))}
    </nav>
  );
}

const SEALS = {
  verified: 'verified',
  signed: 'verified and signed',
  open: 'holds so far, being written',
  broken: 'broken',
} as const;

export function SealBadge({ id, size }: { id: string; size: number }) {
  const { data, error } = useLoad<Seal>(`${pathTo('runs', id, 'seal')}?size=${size}`);
  if (error !== null) return <span class="v-block">{error}</span>;
  if (data === null) return <span class="quiet">checking…</span>;
  const { state, entries, firstBroken, problem, key } = data;
  if (state === 'broken')
    return (
      <strong class="v-block">
        ✗ broken{firstBroken === null ? '' : ` at entry ${firstBroken}`}: <Text of={problem ?? ''} />
      </strong>
    );
  const unsigned = state === 'signed' ? ` (key ${key})` : ', unsigned';
  return (
    <span
      class={state === 'open' ? 'v-ask' : 'v-allow'}
      title={`${entries} entries hang together; head ${data.head ?? ''}`}
    >
      ✓ {SEALS[state]}
      {unsigned}
    </span>
  );
}

function StoppedPane({ id, run }: { id: string; run: RunRow | null }) {
  const { data, error } = useLoad<StoppedView>(
    run === null ? null : `${pathTo('runs', id, 'stopped')}?of=${run.blocks + run.asks}`,
  );
  return (
    <aside class="beside" aria-label="What was stopped">
      {error !== null && <Problem>{error}</Problem>}
      {data === null || run === null ? (
        <Waiting what="Looking for what was stopped" />
      ) : (
        <StoppedList stopped={data.stopped} run={run} />
      )}
      {data?.samePolicy === false && (
        <p class="quiet">This run was recorded under a policy that is not the one here.</p>
      )}
    </aside>
  );
}

function StoppedList({ stopped, run: { read, blocks, asks } }: { stopped: readonly Stopped[]; run: RunRow }) {
  // The run is asked for again while it is read; these seldom change.
  const lines = useMemo(
    () => stopped.map((each) => <StoppedLine key={each.seq} each={each} />),
    [JSON.stringify(stopped)],
  );
  if (stopped.length === 0)
    return (
      <div class="empty">
        <h2>
          {read === 1 ? 'Nothing was stopped in this run.' : 'Nothing was stopped in what is read so far.'}
        </h2>
        <p>Open a line to see what was asked of the policy, and what each hook said.</p>
      </div>
    );
  return (
    <section class="stopped" aria-labelledby="stopped">
      <h2 id="stopped">
        {wordsOf(stopped)}, and the line that did it
        {blocks + asks > stopped.length && ` (the first of ${(blocks + asks).toLocaleString('en')})`}
      </h2>
      <ol>{lines}</ol>
    </section>
  );
}

function StoppedLine({ each }: { each: Stopped }) {
  return (
    <li>
      <a href={pathTo('runs', each.run, each.seq)} class={each.action === 'ask' ? 'asked' : ''}>
        <span class="what">
          <Verdict action={each.action} word={each.word} />{' '}
          <b class="mono">
            <Text of={each.tool ?? each.event} />
          </b>{' '}
          <span class="mono">
            <Text of={each.text} />
          </span>
        </span>
        {each.does.length > 0 && (
          <span class="does">
            <Text of={inConditional(each.does)} />
          </span>
        )}
        <span class="reason">
          <Text of={shortWhy(each.reason, each.rule)} />
        </span>
        <PlaceLine place={each.place} hook={each.hook} />
      </a>
    </li>
  );
}

/** `4 blocked, 1 sent back`. */
function wordsOf(stopped: readonly Stopped[]): string {
  const times = new Map<string, number>();
  for (const { word } of stopped) times.set(word, (times.get(word) ?? 0) + 1);
  return [...times].map(([word, number]) => `${number} ${visible(word)}`).join(', ');
}

export function PlaceLine({ place, hook }: { place: Stopped['place']; hook: string | null }) {
  return (
    <span class="place">
      <span class="mono where">
        <Text
          of={place === null ? (hook ?? '') : `${place.file}${place.line === null ? '' : `:${place.line}`}`}
        />
      </span>{' '}
      {place?.text != null && (
        <code>
          <Text of={place.text} />
        </code>
      )}
      {place?.same === false && <span class="v-ask"> the file has changed since</span>}
    </span>
  );
}

/** The conversation, or every entry of the tape as it is. */
function Timeline({
  run,
  stopLines,
  id,
  seq,
}: {
  run: RunRow | null;
  stopLines: readonly number[];
  id: string;
  seq: number | null;
}) {
  const [stop, setStop] = useState(-1);
  const nextStop = () => {
    const next = (stop + 1) % stopLines.length;
    setStop(next);
    showLine(stopLines[next]!);
  };
  const running = run?.state === 'open';
  const entries = run?.entries ?? 0;
  const only = query.value.get('decision') ?? '';
  const plumbing = query.value.get('view') === 'entries' || only !== '';
  const [total, setTotal] = useState('reading…');
  const height = useRowHeight();
  const words = new URLSearchParams();
  if (only !== '') words.set('decision', only);
  if (running) words.set('size', String(entries));
  return (
    <section class="timeline" aria-labelledby="timeline">
      <div class="bar">
        <h2 id="timeline" class="hidden">
          {plumbing ? 'Entries' : 'Conversation'}
        </h2>
        <label class="check">
          <input
            type="checkbox"
            checked={plumbing}
            onChange={(event) =>
              go(withQuery({ view: event.currentTarget.checked ? 'entries' : '', decision: '' }), 'replace')
            }
          />{' '}
          Every entry
        </label>
        {plumbing && (
          <label>
            <span class="hidden">show</span>
            <select
              aria-label="show"
              value={only}
              onChange={(event) =>
                go(withQuery({ decision: event.currentTarget.value, view: 'entries' }), 'replace')
              }
            >
              <option value="">all of them</option>
              {['block', 'ask', 'modify', 'allow'].map((name) => (
                <option key={name} value={name}>
                  {name} only
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="quiet" role="status">
          {plumbing ? total : ''}
        </span>
        <span class="grow" />
        {!plumbing && stopLines.length > 0 && (
          <button type="button" onClick={nextStop}>
            {stop === -1 ? count(stopLines.length, 'stop') : `Stop ${stop + 1} of ${stopLines.length}`} ↓
          </button>
        )}
      </div>
      {plumbing ? (
        <List<Row>
          from={`${pathTo('runs', id, 'rows')}?${words}`}
          label="Timeline"
          height={height}
          href={(row) => pathTo('runs', id, row.seq) + window.location.search}
          row={(row) => <DecisionLine row={row} />}
          isSelected={(row) => row.seq === seq}
          follow={running && seq === null}
          onTotal={(all, _done, capped) =>
            setTotal(
              `${count(all, 'entry').replace('entrys', 'entries')}${capped ? ', the first of more' : ''}`,
            )
          }
        />
      ) : (
        <Conversation id={id} selected={seq} size={entries} running={running} />
      )}
    </section>
  );
}
