/** `harness fleet verify`: proves that the hub has the tapes. Exits 1 where something is missing or differs. */
import {
  enrolled,
  type FleetVerification,
  HubClient,
  outboxOf,
  tapesOfFolder,
  verifyTapes,
} from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { runFolders } from '../../project/index.ts';
import { countOf, type Output, onOneLine, type Run, thousands } from '../../terminal/index.ts';

export const run: Run = async (args, output) => {
  const machine = enrolled(machineHost);
  const client = new HubClient(machine, { host: machineHost });
  const all = args.has('all');
  const outbox = all ? outboxOf(machineHost) : runFolders().flatMap(tapesOfFolder);
  const here = new Set(outbox.map(({ place, session }) => `${place}/${session}`));
  const known = await client.tapes();
  const wanted = all ? known : known.filter(({ place, session }) => here.has(`${place}/${session}`));
  const results: FleetVerification[] = [];
  for await (const result of verifyTapes(client, outbox, wanted)) {
    results.push(result);
    if (!args.has('json')) printOne(result, output);
  }
  const ok = results.every((result) => result.ok);
  const entries = results.reduce((sum, result) => sum + result.entries, 0);
  if (args.has('json')) output.line(JSON.stringify({ ok, entries, tapes: results }));
  else if (results.length === 0)
    output.line(all ? 'No tapes on this machine or at the hub.' : 'No tapes here. See --all.');
  else output.line(`${countOf(results.length, 'tape')}, ${thousands(entries)} entries proven at the hub`);
  return ok ? 0 : 1;
};

function printOne({ ok, file, session, entries, missing, problem }: FleetVerification, output: Output): void {
  const name = onOneLine(file ?? `session ${session}, which only the hub has`);
  const count = `${thousands(entries)} entries`;
  if (ok) output.line(`${output.paint('green', 'ok')}  ${name}: ${count}`);
  else if (problem !== null) output.line(`${output.paint('red', 'differs')}  ${name}: ${onOneLine(problem)}`);
  else
    output.line(
      `${output.paint('yellow', 'behind')}  ${name}: the hub has ${count}, ${thousands(missing)} are missing. Run: harness fleet agent --once`,
    );
}
