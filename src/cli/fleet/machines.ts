/** `harness fleet machines`: every machine of the hub: its policy, what waits there, since when it is silent. */
import type { MachineOnHub } from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { alignColumns, type Cell, harmless, type Run } from '../../terminal/index.ts';
import { hubView } from './view-options.ts';

/** A machine tells of itself every minute. */
const SILENT_MS = 5 * 60 * 1000;
const SKEWED_MS = 60 * 1000;

export const run: Run = async (args, output) => {
  const now = machineHost.now();
  const machines = (await hubView(args).machines()).map((machine) => ({
    ...machine,
    doubts: doubtsOf(machine, now),
  }));
  const wrong = machines.some(({ doubts }) => doubts.length > 0);
  if (args.has('json')) output.line(JSON.stringify({ machines }));
  else if (machines.length === 0)
    output.line('No machine has joined yet. Make a token: harness hub token --join');
  else {
    const rows = machines.map(({ name, labels, state, status, entries, doubts }): Cell[] => [
      { text: harmless(name), style: 'bold' },
      { text: state, style: state === 'active' ? 'green' : 'red' },
      { text: status?.policy?.version == null ? 'no policy' : `policy ${status.policy.version}` },
      { text: `${entries} entries`, right: true },
      { text: `${status?.waiting.entries ?? '?'} waiting`, right: true },
      { text: harmless(status?.build ?? '') },
      {
        text: Object.entries(labels)
          .map(([label, value]) => `${label}=${value}`)
          .join(' '),
      },
      { text: doubts.map(harmless).join('; '), style: 'red' },
    ]);
    for (const line of alignColumns(rows, output.paint)) output.line(line);
  }
  return wrong ? 1 : 0;
};

function doubtsOf({ state, problem, status, statusAt }: MachineOnHub, now: number): string[] {
  const doubts: string[] = problem === null ? [] : [problem];
  if (state !== 'active' && problem === null) doubts.push(`it is ${state}`);
  if (status === null || statusAt === null)
    return [...doubts, 'it never told how it is: run harness fleet agent there'];
  if (now - statusAt > SILENT_MS) doubts.push(`silent since ${timeText(statusAt)}`);
  if (Math.abs(status.time - statusAt) > SKEWED_MS)
    doubts.push(`its clock is ${Math.round((status.time - statusAt) / 1000)} s off`);
  const { policy, unjudged } = status;
  if (policy?.problem != null) doubts.push(`policy not taken: ${policy.problem}`);
  if (policy?.staleSince != null) doubts.push(`policy stale since ${timeText(policy.staleSince)}`);
  if (unjudged !== null && unjudged > 0) doubts.push(`${unjudged} sessions were not judged`);
  return doubts;
}

function timeText(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
