/** Runs: every session, the newest first, or every decision; narrowed by what the address bar says. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { Row, RunRow, Runs } from '../src/page/server/api.ts';
import { go, pathTo, query, withQuery } from './address.ts';
import { useLoad } from './api.ts';
import { dayName, dollars, span, tokens } from './figures.ts';
import { FirstSteps } from './home.tsx';
import { List, useMove, useRowHeight } from './list.tsx';
import { Plots } from './plots.tsx';
import { stored } from './stored.ts';
import { clock, count, day, moment, Problem, share, sinceToday, Text, Verdict, Waiting } from './words.tsx';

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
  const height = useRowHeight();
  return (
    <main class="fill">
      <h1 class="hidden">Runs</h1>
      <Filters />
      <Saved search={search} />
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
            <span class="grow" />
            {view === 'runs' && <Grouping />}
          </div>
          {view === 'runs' ? (
            <RunList runs={data.runs} searched={search !== ''} />
          ) : (
            <List<Row>
              height={height}
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

const GROUPS = [
  ['day', 'by day'],
  ['agent', 'by agent'],
  ['person', 'by person'],
  ['none', 'without groups'],
] as const;

type Group = (typeof GROUPS)[number][0];

function grouping(): Group {
  const asked = query.value.get('group');
  return GROUPS.find(([name]) => name === asked)?.[0] ?? 'day';
}

function Grouping() {
  return (
    <label>
      <span class="hidden">grouped</span>
      <select
        aria-label="grouped"
        value={grouping()}
        onChange={(event) =>
          go(
            withQuery({ group: event.currentTarget.value === 'day' ? '' : event.currentTarget.value }),
            'replace',
          )
        }
      >
        {GROUPS.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface Heading {
  readonly heading: string;
  readonly runs: number;
  readonly stopped: number;
}

/** The newest group first, each in the order of the runs. */
function grouped(runs: readonly RunRow[], by: Group): readonly (RunRow | Heading)[] {
  if (by === 'none') return runs;
  const today = day(Date.now());
  const nameOf = ({ last, started, agent, person }: RunRow) =>
    by === 'day'
      ? dayName(day(last ?? started), today)
      : by === 'agent'
        ? agent
        : (person ?? 'without a name');
  const groups = new Map<string, RunRow[]>();
  for (const run of runs) {
    const name = nameOf(run);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [run]);
    else group.push(run);
  }
  return [...groups].flatMap(([heading, members]) => [
    { heading, runs: members.length, stopped: members.reduce((sum, { blocks }) => sum + blocks, 0) },
    ...members,
  ]);
}

function RunList({ runs, searched }: { runs: readonly RunRow[]; searched: boolean }) {
  const height = useRowHeight(34, 58);
  const [view, setView] = useState({ top: 0, height: 800 });
  const box = useRef<HTMLDivElement>(null);
  const by = grouping();
  const rows = useMemo(() => grouped(runs, by), [runs, by]);
  useMove(box, rows.length, height, setView);
  const first = Math.max(0, Math.floor(view.top / height) - 8);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / height) + 8);
  if (runs.length === 0)
    return searched ? (
      <div class="empty">
        <h2>No run fits</h2>
        <p>
          Take away a word of the search, or <a href="/runs">see all runs</a>.
        </p>
      </div>
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
      <div class="rows" role="list" aria-label="Runs" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, last).map((row, i) => (
          <div
            key={'heading' in row ? `h ${row.heading}` : row.id}
            class="row"
            role="listitem"
            aria-setsize={rows.length}
            aria-posinset={first + i + 1}
            style={{ top: `${(first + i) * height}px`, height: `${height}px` }}
          >
            {'heading' in row ? (
              <div class="heading">
                <b>
                  <Text of={row.heading} />
                </b>{' '}
                <span class="quiet">
                  {count(row.runs, 'run')}
                  {row.stopped > 0 && `, ${row.stopped} stopped`}
                </span>
              </div>
            ) : (
              <a href={`${pathTo('runs', row.id)}`} data-index={first + i}>
                <RunLine run={row} withDay={by !== 'day'} />
              </a>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function RunLine({ run, withDay }: { run: RunRow; withDay: boolean }) {
  const at = run.last ?? run.started;
  return (
    <>
      <span class="c-time" title={moment(at)}>
        {withDay ? moment(at).slice(5, 16) : clock(typeof at === 'number' ? at : Date.parse(at)).slice(0, 5)}
      </span>
      <span class="c-title cut">
        <Text of={run.title ?? run.session} />
      </span>
      <span class="c-counts">
        {run.hits !== null && <b>{count(run.hits, 'hit')} </b>}
        {run.blocks > 0 && (
          <span class="mark-of v-block" title="stopped">
            ✗ {run.blocks}
            <span class="hidden"> stopped</span>{' '}
          </span>
        )}
        {run.asks > 0 && (
          <span class="mark-of v-ask" title="asked">
            ? {run.asks}
            <span class="hidden"> asked</span>{' '}
          </span>
        )}
        {run.rewrites > 0 && (
          <span class="mark-of v-modify" title="rewritten">
            ~ {run.rewrites}
            <span class="hidden"> rewritten</span>{' '}
          </span>
        )}
        {(run.failOpens ?? 0) > 0 && <span class="mark-of v-block">! {run.failOpens} not judged </span>}
        {(run.failures ?? 0) > (run.failOpens ?? 0) && (
          <span class="mark-of v-ask">! {(run.failures ?? 0) - (run.failOpens ?? 0)} failed </span>
        )}
      </span>
      <span class="c-agent cut">
        <Text of={run.agent} />
        {run.model !== null && (
          <span class="quiet">
            {' '}
            <Text of={run.model} />
          </span>
        )}
      </span>
      <span class="c-person cut quiet">
        <Text of={[run.person, run.machine].filter((each) => each !== null).join(', ')} />
      </span>
      <span class="c-num quiet" title="tool calls">
        {run.calls === 0 ? '' : count(run.calls, 'call')}
      </span>
      <span class="c-num quiet c-spent" title="tokens and cost">
        {[tokens(run.tokens), dollars(run.costUsd)].filter((text) => text !== '').join(' · ')}
      </span>
      <span class={`c-num c-state s-${run.state}`}>
        {run.read < 1 ? `reading, ${share(run.read)}` : STATES[run.state] || span(run.ms)}
      </span>
    </>
  );
}

/** Searches that come with the page, and those this browser remembers. */
const COMING: readonly SavedFilter[] = [
  { name: 'Stopped this week', search: 'decision=block&since=7d' },
  { name: 'Asked this week', search: 'decision=ask&since=7d' },
  { name: 'A hook failed', search: 'failures=1' },
];

interface SavedFilter {
  readonly name: string;
  readonly search: string;
}

const isFilters = (value: unknown): value is readonly SavedFilter[] =>
  Array.isArray(value) &&
  value.every((each) => typeof each?.name === 'string' && typeof each?.search === 'string');
const savedFilters = stored<readonly SavedFilter[]>('harness-filters', [], isFilters);

function Saved({ search }: { search: string }) {
  const own = savedFilters.value.value;
  const isOn = (filter: SavedFilter) => sameSearch(filter.search, search);
  const known = [...COMING, ...own].some(isOn);
  const view = query.value.get('view') === 'decisions' ? '&view=decisions' : '';
  const chip = (filter: SavedFilter) => (
    <a
      href={isOn(filter) ? `/runs${view.replace('&', '?')}` : `/runs?${filter.search}${view}`}
      class="chip"
      aria-current={isOn(filter) ? 'true' : undefined}
    >
      <Text of={filter.name} />
    </a>
  );
  return (
    <div class="saved" role="group" aria-label="Saved filters">
      {COMING.map((filter) => (
        <span key={filter.name}>{chip(filter)}</span>
      ))}
      {own.map((filter) => (
        <span key={filter.name} class="own">
          {chip(filter)}
          <button
            type="button"
            class="plain-button"
            aria-label={visible(`Forget ${filter.name}`)}
            onClick={() => savedFilters.save(own.filter(({ name }) => name !== filter.name))}
          >
            ×
          </button>
        </span>
      ))}
      {search !== '' && !known && (
        <button
          type="button"
          class="chip"
          onClick={() =>
            savedFilters.save([
              ...own.filter(({ name }) => name !== nameOf(search)),
              { name: nameOf(search), search },
            ])
          }
        >
          + Save this filter
        </button>
      )}
    </div>
  );
}

/** `path_guard, block`: the values, which say most. */
function nameOf(search: string): string {
  return [...new URLSearchParams(search)]
    .map(([name, value]) => (name === 'failures' ? 'a hook failed' : value))
    .join(', ');
}

function sameSearch(one: string, two: string): boolean {
  const sorted = (text: string) =>
    [...new URLSearchParams(text)]
      .map((pair) => pair.join('='))
      .sort()
      .join('&');
  return sorted(one) === sorted(two);
}

const STATES = { closed: '', open: 'running', cut: 'cut off', broken: 'broken' } as const;

export function DecisionLine({ row, withRun = false }: { row: Row; withRun?: boolean }) {
  const quiet = row.note || row.action === 'allow';
  return (
    <>
      <span class={withRun ? 'c-time c-day' : 'c-time'} title={row.at === null ? undefined : moment(row.at)}>
        {row.at === null ? '' : withRun ? sinceToday(row.at) : clock(row.at)}
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
