/** The machines of a fleet: which policy each has, what waits there, since when it is silent, and what a person should look at. */
import type { FleetMachine, FleetMachines } from '../src/page/server/api.ts';
import { useLoad } from './api.ts';
import { ago, span } from './figures.ts';
import { count, Problem, Text, Waiting } from './words.tsx';

/** A clock that differs by less is not worth a word. */
const SKEW_MS = 2000;

export function MachinesPage() {
  const { data, error } = useLoad<FleetMachines>('/machines', () => 5000);
  return (
    <main class="scroll">
      <h1>Machines</h1>
      {error !== null && <Problem>{error}</Problem>}
      {data === null && error === null && <Waiting what="Asking the hub" />}
      {data !== null && data.machines.length === 0 && (
        <p class="empty">
          No machine has joined. Where the hub runs: <code>harness hub token --join</code>
        </p>
      )}
      {data !== null && data.machines.length > 0 && <Table {...data} />}
    </main>
  );
}

const COLUMNS = [
  'Machine',
  'State',
  'Policy',
  'At the hub',
  'Waits there',
  'Not judged',
  'Seen',
  'To look at',
];

function Table({ machines, now }: FleetMachines) {
  return (
    <div class="table" role="region" aria-label="Machines" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {COLUMNS.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {machines.map((machine) => (
            <MachineLine key={machine.id} machine={machine} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MachineLine({ machine, now }: { machine: FleetMachine; now: number }) {
  const { name, labels, state, build, version, since, tapes, entries, backlog, unjudged, clockMs, seen } =
    machine;
  const named = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return (
    <tr>
      <th scope="row">
        <Text of={name} />
        {named.length > 0 && (
          <div class="quiet">
            <Text of={named.join(' ')} />
          </div>
        )}
      </th>
      <td class={state === 'active' ? 'v-allow' : 'v-block'}>{state}</td>
      <td>
        {version === null ? 'none' : `version ${version}`}
        <div class="quiet">
          {since !== null && `since ${ago(since, now)}`} <Text of={build ?? ''} />
        </div>
      </td>
      <td>
        {count(entries, 'entry', 'entries')}
        <div class="quiet">{count(tapes, 'tape')}</div>
      </td>
      <td>{backlog === null ? 'unknown' : backlog === 0 ? 'nothing' : count(backlog, 'entry', 'entries')}</td>
      <td class={unjudged ? 'v-block' : ''}>{unjudged === null ? 'unknown' : count(unjudged, 'session')}</td>
      <td>
        {ago(seen, now)}
        {clockMs !== null && Math.abs(clockMs) > SKEW_MS && (
          <div class="quiet">
            clock {span(Math.abs(clockMs))} {clockMs > 0 ? 'ahead' : 'behind'}
          </div>
        )}
      </td>
      <td class="v-ask">
        {machine.doubts.map((doubt) => (
          <div key={doubt}>
            <Text of={doubt} />
          </div>
        ))}
      </td>
    </tr>
  );
}
