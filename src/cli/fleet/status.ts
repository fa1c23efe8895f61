/** `harness fleet status`: which hub, what waits to be sent, and since when the hub is away. It looks at files only. */
import {
  type AgentStatus,
  type Enrolled,
  enrolled,
  policyPlace,
  STATUS,
  unsentEntries,
} from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { readFleetCheck, readFleetPolicy, staleSince, type WhenStale } from '../../policy/index.ts';
import { countOf, harmless, type Output, type Run, thousands } from '../../terminal/index.ts';

export const run: Run = (args, output) => {
  const machine = enrolled(machineHost);
  const { hub, name, machine: id, labels } = machine.enrolment;
  const status = machine.read<AgentStatus>(STATUS);
  const waiting = unsentEntries(machine, machineHost);
  const away = status?.failingSince ?? null;
  const policy = policyStatus(machine);
  const wrong = away !== null || waiting.problems.length > 0 || policy?.problem != null;
  if (args.has('json')) {
    const { lastSuccess = null, failingSince = null, error = null, state = 'active' } = status ?? {};
    output.line(
      JSON.stringify({
        hub,
        name,
        machine: id,
        labels,
        state,
        lastSuccess,
        failingSince,
        error,
        waiting,
        policy,
      }),
    );
    return wrong ? 1 : 0;
  }
  output.line(`${output.paint('bold', name)} (${id}) of ${hub}`);
  if (status === null) output.line('Nothing was sent yet: harness fleet agent --once');
  else if (away !== null)
    output.line(
      `${output.paint('red', 'hub away')}  since ${timeText(away)}: ${harmless(status.error ?? '')}`,
    );
  else output.line(`${output.paint('green', 'in touch')}  last at ${timeText(status.lastSuccess ?? 0)}`);
  if (status !== null && status.state !== 'active')
    output.line(
      `${output.paint('yellow', status.state)}  what this machine sends is marked until a person decides at the hub`,
    );
  if (policy !== null) printPolicy(policy, output);
  const { tapes, entries, bytes } = waiting;
  output.line(
    entries === 0
      ? 'Everything is sent.'
      : `${thousands(entries)} entries of ${countOf(tapes, 'tape')} wait (${thousands(bytes)} bytes)`,
  );
  for (const { file, problem } of waiting.problems)
    output.line(`${output.paint('red', 'not taken')}  ${harmless(file)}: ${harmless(problem)}`);
  return wrong ? 1 : 0;
};

interface PolicyStatus {
  /** Null: none is in force yet. */
  readonly version: number | null;
  readonly since: number | null;
  readonly managed: boolean;
  /** When the hub last confirmed it. */
  readonly confirmed: number | null;
  /** Why the last answer of the hub was not taken, and since when. */
  readonly problem: string | null;
  readonly problemSince: number | null;
  readonly staleSince: number | null;
  readonly whenStale: WhenStale | null;
}

function policyStatus(machine: Enrolled): PolicyStatus | null {
  const place = policyPlace(machine, machineHost);
  if (place === null) return null;
  const [policy, check] = [readFleetPolicy(place), readFleetCheck(place)];
  return {
    version: policy?.version ?? null,
    since: policy?.since ?? null,
    managed: machine.enrolment.managed === true,
    confirmed: policy === null ? null : (check?.at ?? null),
    problem: check?.problem ?? null,
    problemSince: check?.problemSince ?? null,
    staleSince: staleSince(place, machineHost.now()),
    whenStale: policy?.whenStale ?? null,
  };
}

const WHEN_STALE_WORDS: Readonly<Record<WhenStale, string>> = {
  keep: 'it stays in force',
  ask: 'tool calls are asked about',
  block: 'tool calls are blocked',
};

function printPolicy(policy: PolicyStatus, output: Output): void {
  const { version, since, managed, confirmed, problem, problemSince, whenStale } = policy;
  if (version === null) output.line('No policy of the fleet is in force yet.');
  else
    output.line(
      `Policy version ${version} since ${timeText(since!)}, ${managed ? 'for every user' : 'for this user'}; confirmed ${timeText(confirmed ?? since!)}`,
    );
  if (policy.staleSince !== null)
    output.line(
      `${output.paint('red', 'stale')}  since ${timeText(policy.staleSince)}: ${WHEN_STALE_WORDS[whenStale!]}`,
    );
  if (problem !== null)
    output.line(
      `${output.paint('red', 'policy not taken')}  since ${timeText(problemSince!)}: ${harmless(problem)}`,
    );
}

function timeText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
