/** The page: a bar with its views, a mark where a guard is off, and the view that the address names. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import type { About } from '../src/page/server/api.ts';
import './page.css';
import { atHub, readOnly, waiting } from './about.ts';
import { path } from './address.ts';
import { enter, useLoad } from './api.ts';
import { ApprovalsPage, useApprovals } from './approvals.tsx';
import { BacktestPage } from './backtest.tsx';
import { ComparePage } from './compare.tsx';
import { HomePage } from './home.tsx';
import { Help, helpOpen } from './keys.tsx';
import { LivePage } from './live.tsx';
import { MachinesPage } from './machines.tsx';
import { PlaygroundPage } from './playground.tsx';
import { PolicyPage } from './policy.tsx';
import { RunPage } from './run.tsx';
import { RunsPage } from './runs.tsx';
import { openWarnings } from './warnings.tsx';
import { count, Problem, Text } from './words.tsx';

interface PlaceSpec {
  readonly name: string;
  /** What has it; absent: machines. */
  readonly on?: 'both' | 'hub';
  readonly title: string;
  readonly href: string;
  readonly page: () => preact.JSX.Element;
}

const PAGES: readonly PlaceSpec[] = [
  { name: '', on: 'both', title: 'Home', href: '/', page: HomePage },
  { name: 'machines', on: 'hub', title: 'Machines', href: '/machines', page: MachinesPage },
  { name: 'runs', on: 'both', title: 'Runs', href: '/runs', page: RunsPage },
  { name: 'live', title: 'Live', href: '/live', page: LivePage },
  { name: 'policy', title: 'Policy', href: '/policy', page: PolicyPage },
  { name: 'playground', title: 'Playground', href: '/playground', page: PlaygroundPage },
  { name: 'backtest', title: 'Backtest', href: '/backtest', page: BacktestPage },
  { name: 'approvals', title: 'Approvals', href: '/approvals', page: ApprovalsPage },
];

/** Opened from a run. */
const COMPARE: PlaceSpec = {
  name: 'compare',
  on: 'both',
  title: 'Compare',
  href: '/compare',
  page: ComparePage,
};

function Page() {
  const [first = '', run] = path.value;
  const { data: about, error } = useLoad<About>('/about', () => 10_000);
  useApprovals();
  const source = about?.source ?? (first === 'machines' ? 'hub' : 'machine');
  const places = PAGES.filter(({ on = 'machine' }) => on === 'both' || on === source);
  const place = [...places, COMPARE].find(({ name }) => name === first);
  const isRun = first === 'runs' && run !== undefined;
  const title = isRun ? 'Run' : (place?.title ?? 'Not here');
  const doubts = openWarnings(about?.warnings ?? []).length;
  useEffect(() => {
    readOnly.value = about?.readOnly !== false;
    atHub.value = about?.source === 'hub';
  }, [about?.readOnly, about?.source]);
  useEffect(() => {
    document.title = `${waiting.value > 0 ? `(${waiting.value}) ` : ''}${title} · Harness`;
  }, [title, waiting.value]);
  return (
    <>
      <header class="top">
        <a class="brand" href="/">
          harness
        </a>
        <nav aria-label="Pages">
          {places.map(({ name, title: text, href }) => (
            <a
              key={name}
              href={href}
              aria-current={name === (first === 'compare' ? 'runs' : first) ? 'page' : undefined}
            >
              {text}
              {name === '' && doubts > 0 && (
                <span class="mark" title={`${count(doubts, 'guard')} to look at`}>
                  <span class="hidden">, {count(doubts, 'guard')} to look at</span>
                </span>
              )}
              {name === 'approvals' && waiting.value > 0 && <b class="badge">{waiting.value}</b>}
            </a>
          ))}
        </nav>
        <span class="grow" />
        <span class="quiet mono dir" title={about?.dir}>
          <Text of={about?.dir ?? ''} />
        </span>
        {about?.readOnly === true && <span class="tag">read-only</span>}
        <button type="button" class="plain-button" aria-label="Keys" onClick={() => (helpOpen.value = true)}>
          ?
        </button>
      </header>
      {error !== null && <Problem>{closed ?? error}</Problem>}
      {isRun ? (
        <RunPage />
      ) : place === undefined ? (
        <main>
          <h1>There is nothing here</h1>
          <p>
            <a href="/">Home</a>
          </p>
        </main>
      ) : (
        <place.page />
      )}
      <Help />
    </>
  );
}

/** Why the link opened nothing. */
const closed = await enter().then(
  () => null,
  (error: Error) => error.message,
);
render(<Page />, document.getElementById('page')!);
