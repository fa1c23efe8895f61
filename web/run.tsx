/** A run: what was stopped in it and by which line, its timeline, and one decision in full beside it. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { RunDetail, Seal, Stopped } from '../src/page/server/api.ts';
import { go, path, pathTo, query, withQuery } from './address.ts';
import { useLoad } from './api.ts';
import { DecisionPane } from './decision.tsx';
import { onEscape } from './keys.tsx';
import { List } from './list.tsx';
import { DecisionLine } from './runs.tsx';
import { count, moment, Problem, share, Text, Verdict, Waiting } from './words.tsx';

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
  if (data === null)
    return (
      <main>
        <Waiting what="Reading the run" />
      </main>
    );
  return (
    <main class={`run ${seq === null ? '' : 'with-pane'}`}>
      <div class="run-side">
        <Head detail={data} id={id} />
        {data.run.problem !== null && (
          <Problem>
            The tape is broken: <Text of={data.run.problem} />
          </Problem>
        )}
        <StoppedList stopped={data.stopped} selected={seq} run={data.run} />
        <Timeline id={id} seq={seq} running={data.run.state === 'open'} size={data.run.entries} />
      </div>
      {seq !== null && <DecisionPane key={`${id}/${seq}`} id={id} seq={seq} />}
    </main>
  );
}

function Head({ detail: { run, policy, samePolicy, file }, id }: { detail: RunDetail; id: string }) {
  return (
    <header class="run-head">
      <h1>
        <Text of={run.host} />{' '}
        <span class="mono quiet">
          <Text of={run.session.slice(0, 8)} />
        </span>
      </h1>
      <dl class="facts">
        <div>
          <dt>started</dt>
          <dd>{moment(run.started)}</dd>
        </div>
        <div>
          <dt>decisions</dt>
          <dd>
            {run.decisions.toLocaleString('en')}
            {run.read < 1 && <span class="quiet"> so far, {share(run.read)} read</span>}
          </dd>
        </div>
        <div>
          <dt>policy</dt>
          <dd class="mono" title={visible(policy)}>
            {visible(policy.slice(0, 12))}{' '}
            {samePolicy === null ? '' : samePolicy ? '(the one here)' : '(another than here)'}
          </dd>
        </div>
        <div>
          <dt>seal</dt>
          <dd>
            <SealBadge id={id} size={run.entries} />
          </dd>
        </div>
        <div class="wide">
          <dt>tape</dt>
          <dd class="mono">
            <Text of={file} />
          </dd>
        </div>
      </dl>
    </header>
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

function StoppedList({
  stopped,
  selected,
  run: { read, blocks, asks },
}: {
  stopped: readonly Stopped[];
  selected: number | null;
  run: RunDetail['run'];
}) {
  // The run is asked for again while it is read; these seldom change.
  const lines = useMemo(
    () => stopped.map((each) => <StoppedLine key={each.seq} each={each} open={each.seq === selected} />),
    [JSON.stringify(stopped), selected],
  );
  if (stopped.length === 0)
    return (
      <p class="quiet pad">
        {read === 1 ? 'Nothing was stopped in this run.' : 'Nothing was stopped in what is read so far.'}
      </p>
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

function StoppedLine({ each, open }: { each: Stopped; open: boolean }) {
  return (
    <li>
      <a href={pathTo('runs', each.run, each.seq)} aria-current={open ? 'true' : undefined}>
        <Verdict action={each.action} word={each.word} />{' '}
        <span class="what">
          <b>
            <Text of={each.tool ?? each.event} />
          </b>{' '}
          <span class="mono">
            <Text of={each.text} />
          </span>
        </span>
        <PlaceLine place={each.place} hook={each.hook} />
        <span class="reason">
          <Text of={each.reason ?? ''} />
        </span>
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

function Timeline({
  id,
  seq,
  running,
  size,
}: {
  id: string;
  seq: number | null;
  running: boolean;
  size: number;
}) {
  const only = query.value.get('decision') ?? '';
  const [total, setTotal] = useState('reading…');
  const words = new URLSearchParams();
  if (only !== '') words.set('decision', only);
  // Another size is another list: a run that goes on is read again.
  if (running) words.set('size', String(size));
  return (
    <section class="timeline" aria-labelledby="timeline">
      <div class="bar">
        <h2 id="timeline">Timeline</h2>
        <label>
          <span class="hidden">show</span>
          <select
            aria-label="show"
            value={only}
            onChange={(event) => go(withQuery({ decision: event.currentTarget.value }), 'replace')}
          >
            <option value="">everything</option>
            {['block', 'ask', 'modify', 'allow'].map((name) => (
              <option key={name} value={name}>
                {name} only
              </option>
            ))}
          </select>
        </label>
        <span class="quiet" role="status">
          {total}
        </span>
      </div>
      <List
        from={`${pathTo('runs', id, 'rows')}?${words}`}
        label="Timeline"
        href={(row) => (row.note ? pathTo('runs', id) : pathTo('runs', id, row.seq)) + window.location.search}
        row={(row) => <DecisionLine row={row} />}
        selected={seq}
        follow={running && seq === null}
        onTotal={(all, _done, capped) =>
          setTotal(
            `${count(all, 'entry').replace('entrys', 'entries')}${capped ? ', the first of more' : ''}`,
          )
        }
      />
    </section>
  );
}
