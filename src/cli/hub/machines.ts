/** `harness hub machines`: who has joined, and a person's word about one of them. */
import { openAdmin } from '../../hub/index.ts';
import { alignColumns, type Cell, type Run, UsageError } from '../../terminal/index.ts';
import { hubPlace } from './place.ts';

export const run: Run = async (args, output) => {
  const [activate, revoke] = [args.value('activate'), args.value('revoke')];
  if (activate !== undefined && revoke !== undefined)
    throw new UsageError('want --activate or --revoke, got both');
  const admin = await openAdmin(hubPlace(args));
  try {
    if (activate !== undefined) await admin.setState(activate, 'active');
    if (revoke !== undefined) await admin.setState(revoke, 'revoked');
    const machines = await admin.machines();
    if (args.has('json')) {
      output.line(JSON.stringify({ machines }));
      return 0;
    }
    if (machines.length === 0)
      output.line('No machine has joined yet. Make a token: harness hub token --join');
    const rows = machines.map(({ id, name, state, tapes, entries, seen, problem }): Cell[] => [
      { text: id },
      { text: name, style: 'bold' },
      { text: state, style: state === 'active' ? 'green' : 'red' },
      { text: `${tapes} tapes`, right: true },
      { text: `${entries} entries`, right: true },
      { text: `seen ${new Date(seen).toISOString().slice(0, 16).replace('T', ' ')}` },
      { text: problem ?? '' },
    ]);
    for (const line of alignColumns(rows, output.paint)) output.line(line);
    const waiting = machines.filter(({ state }) => state === 'suspended');
    if (waiting.length > 0)
      output.note(
        'A suspended machine still delivers, marked. After a look at both: harness hub machines --activate ID',
      );
  } finally {
    await admin.close();
  }
  return 0;
};
