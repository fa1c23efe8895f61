/** `harness fleet machines`: every machine of the hub: its policy, what waits there, since when it is silent. */
import { warningsOf } from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { alignColumns, type Cell, harmless, type Run } from '../../terminal/index.ts';
import { hubView } from './view-options.ts';

export const run: Run = async (args, output) => {
  const now = machineHost.now();
  const machines = (await hubView(args).machines()).map((machine) => ({
    ...machine,
    doubts: warningsOf(machine, now),
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
