/** Runs: every session, the newest first, or every decision; narrowed by what the address bar says. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Row, RunRow, Runs } from '../src/page/server/api.ts';
import { go, pathTo, query, withQuery } from './address.ts';
import { useLoad } from './api.ts';
import { FirstSteps } from './home.tsx';
import { List, useMove, useRowHeight } from './list.tsx';
import { Plots } from './plots.tsx';
import { clock, count, moment, Problem, share, Text, Verdict, Waiting } from './words.tsx';

const FIELDS: readonly (readonly [name: string, label: string, hint: string])[] = [
  ['agent', 'agent', 'claude-code'],
  ['tool', 'tool', 'run_*'],
  ['hook', 'hook', 'command_guard'],
  ['event', 'event', 'tool.pre'],
  ['since', 'since', '7d, 2026-01-31'],
  ['until', 'until', '2026-02-01'],
];

const DECISIONS = ['', 'block', 'ask', 'modify', 'allow', 'permit', 'delegate'];

export function RunsPage() {
  const view = query.value.get('view') === 'decisions' ? 'decisions' : 'runs';
  const search = filterQuery();
  const zone = new Date().getTimezoneOffset();
  const { data, error } = useLoad<Runs>(
    `/runs?zone=${zone}${search === '' ? '' : `&${search}`}`,
    ({ done }) => (done ? 5000 : 400),
  );
  const [found, setFound] = useState('');
  return (
    <main class="fill">
      <h1 class="hidden">Runs</h1>
      <Filters />
      {error !== null && <Problem>{error}</Problem>}
      {data === null && error === null && <Waiting what="Reading the tapes" />}
      {data !== null && (
        <>
          <Plots plots={data.plots} />
          <div class="bar">
            <nav class="tabs" aria-label="What is listed">
              <a href={withQuery({ view: '' })} aria-current={view === 'runs' ? 'page' : undefined}>
                Runs
              </a>
              <a
                href={withQuery({ view: 'decisions' })}
                aria-current={view === 'decisions' ? 'page' : undefined}
              >
                Decisions
              </a>
            </nav>
            <span class="quiet" role="status">
              {view === 'runs' ? summary(data) : found}
              {data.done ? '' : ', reading…'}
            </span>
          </div>
          {view === 'runs' ? (
            <RunList runs={data.runs} searched={search !== ''} />
          ) : (
            <List
              from={`/decisions${search === '' ? '' : `?${search}`}`}
              label="Decisions"
              href={(row) => pathTo('runs', row.run, row.seq)}
              row={(row) => <DecisionLine row={row} withRun />}
              onTotal={(total, _done, capped) =>
                setFound(`${count(total, 'decision')}${capped ? ', and more: narrow the search' : ''}`)
              }
            />
          )}
        </>
      )}
    </main>
  );
}

/** The words of the search, in one order. */
export function filterQuery(): string {
  const words = new URLSearchParams();
  for (const name of ['q', ...FIELDS.map(([field]) => field), 'decision', 'failures']) {
    const value = query.value.get(name);
    if (value !== null && value !== '') words.set(name, value);
  }
  return words.toString();
}

function summary({ runs, tapes }: Runs): string {
  const decisions = runs.reduce((sum, run) => sum + (run.hits ?? run.decisions), 0);
  const of = runs.length === tapes ? '' : ` of ${tapes.toLocaleString('en')}`;
  return `${runs.length.toLocaleString('en')}${of} run${tapes === 1 ? '' : 's'}, ${count(decisions, 'decision')}`;
}

function Filters() {
  const more = FIELDS.some(([name]) => query.value.has(name)) || query.value.has('failures');
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        (document.activeElement as HTMLElement | null)?.blur();
      }}
    >
      <Field name="q" label="Search" hint="text of a call, a reason, a hook" type="search" />
      <label>
        <span class="hidden">decision</span>
        <select
          aria-label="decision"
          value={query.value.get('decision') ?? ''}
          onChange={(event) => go(withQuery({ decision: event.currentTarget.value }), 'replace')}
        >
          {DECISIONS.map((name) => (
            <option key={name} value={name}>
              {name === '' ? 'any decision' : name}
            </option>
          ))}
        </select>
      </label>
      <details class="more" open={more}>
        <summary>Filters</summary>
        <div class="fields">
          {FIELDS.map(([name, label, hint]) => (
            <Field key={name} name={name} label={label} hint={hint} type="text" />
          ))}
          <label class="check">
            <input
              type="checkbox"
              checked={query.value.has('failures')}
              onChange={(event) =>
                go(withQuery({ failures: event.currentTarget.checked ? '1' : '' }), 'replace')
              }
            />{' '}
            a hook failed
          </label>
        </div>
      </details>
    </form>
  );
}

const TYPING_MS = 250;

function Field({
  name,
  label,
  hint,
  type,
}: {
  name: string;
  label: string;
  hint: string;
  type: 'search' | 'text';
}) {
  const given = query.value.get(name) ?? '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  useEffect(() => {
    if (text === given) return;
    const timer = setTimeout(() => go(withQuery({ [name]: text }), 'replace'), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class={`field f-${name}`}>
      <span class={type === 'search' ? 'hidden' : ''}>{label}</span>
      <input
        {...{ type: type as 'text' }}
        value={text}
        placeholder={type === 'search' ? `Search: ${hint}  ( / )` : hint}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

function RunList({ runs, searched }: { runs: readonly RunRow[]; searched: boolean }) {
  const height = useRowHeight();
  const [view, setView] = useState({ top: 0, height: 800 });
  const box = useRef<HTMLDivElement>(null);
  useMove(box, runs.length, height, setView);
  const first = Math.max(0, Math.floor(view.top / height) - 8);
  const last = Math.min(runs.length, Math.ceil((view.top + view.height) / height) + 8);
  if (runs.length === 0)
    return searched ? (
      <p class="quiet pad">No run fits.</p>
    ) : (
      <div class="pad">
        <p>There are no runs here yet. What makes some:</p>
        <FirstSteps />
      </div>
    );
  return (
    <div
      class="list"
      ref={box}
      onScroll={(event) =>
        setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
      }
    >
      <div class="rows" role="list" aria-label="Runs" style={{ height: `${runs.length * height}px` }}>
        {runs.slice(first, last).map((run, i) => (
          <div
            key={run.id}
            class="row"
            role="listitem"
            aria-setsize={runs.length}
            aria-posinset={first + i + 1}
            style={{ top: `${(first + i) * height}px`, height: `${height}px` }}
          >
            <a href={`${pathTo('runs', run.id)}`} data-index={first + i}>
              <RunLine run={run} />
            </a>
          </div>
        ))}
      </div>
    </div>
  );
}

function RunLine({ run }: { run: RunRow }) {
  return (
    <>
      <span class="c-time">{moment(run.started)}</span>
      <span class="c-host">
        <Text of={run.host} />
      </span>
      <span class="c-id mono">
        <Text of={run.session.slice(0, 8)} />
      </span>
      <span class="c-counts">
        {run.hits !== null && <b>{count(run.hits, 'hit')} </b>}
        {run.blocks > 0 && <span class="v-block">✗ {run.blocks} stopped </span>}
        {run.asks > 0 && <span class="v-ask">? {run.asks} asked </span>}
        {run.rewrites > 0 && <span class="v-modify">~ {run.rewrites} rewritten </span>}
        {run.failOpens > 0 && <span class="v-block">! {run.failOpens} not judged </span>}
        {run.failures > run.failOpens && <span class="v-ask">! {run.failures - run.failOpens} failed </span>}
        <span class="quiet">of {run.decisions.toLocaleString('en')}</span>
      </span>
      <span class={`c-state s-${run.state}`}>
        {run.read < 1 ? `reading, ${share(run.read)}` : STATES[run.state]}
      </span>
    </>
  );
}

const STATES = { closed: '', open: 'running', cut: 'cut off', broken: 'broken' } as const;

export function DecisionLine({ row, withRun = false }: { row: Row; withRun?: boolean }) {
  const quiet = row.note || row.action === 'allow';
  return (
    <>
      <span class={withRun ? 'c-time c-day' : 'c-time'} title={row.at === null ? undefined : moment(row.at)}>
        {row.at === null ? '' : withRun ? moment(row.at) : clock(row.at)}
      </span>
      {withRun && (
        <span class="c-id mono quiet">
          <Text of={row.run.slice(0, 8)} />
        </span>
      )}
      <span class="c-verdict">
        {row.note && row.action === null ? <span class="quiet">·</span> : <Verdict action={row.action} />}
      </span>
      <span class={`c-event ${row.note ? 'quiet' : ''}`}>
        <Text of={row.event} />
      </span>
      <span class={`c-text ${quiet ? '' : 'strong'}`}>
        {row.tool !== null && (
          <b class="tool">
            <Text of={row.tool} />{' '}
          </b>
        )}
        <span class="mono">
          <Text of={row.text} />
        </span>
      </span>
      <span class="c-why quiet">
        {row.failed && <span class="v-block">! failed </span>}
        {row.hook !== null && (
          <b>
            <Text of={row.hook} />{' '}
          </b>
        )}
        {row.reason !== null && <Text of={row.reason} />}
      </span>
    </>
  );
}
