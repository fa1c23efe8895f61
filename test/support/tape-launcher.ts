/**
 * What an agent's launcher does, as a process of its own: one decision on a tape, and one count in run state, that other processes write
 * to as well. It does so several times over, each time from the beginning, and writes to stdout `REASON COUNT`.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../src/engine/engine.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { machineHost } from '../../src/machine/host.ts';
import { FileRunStore } from '../../src/policy/stores/file-run-store.ts';
import { FileTapeStore } from '../../src/tape/file-store.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { decisions, hook } from './plain-hook.ts';

const [dir, name, times] = process.argv.slice(2) as [string, string, string];

const hooks = [
  hook({ name: 'waits', body: async () => undefined }),
  hook({ name: 'blocks', priority: 1, body: (seen) => decisions.block(`not ${String(seen.id)}`) }),
];

for (let i = 0; i < Number(times); i++) {
  const store = new FileTapeStore(dir, { waitMs: 20_000 });
  const tape = openTape(store, { session: 'one', hooks, host: machineHost, shared: true });
  const engine = new Engine({ hooks, host: machineHost, run: new RunState(), recorder: tape.recorder });
  const { reason } = await engine.decide('tool.pre', { id: `${name}-${i}`, name: 'x', args: {} });
  const run = new FileRunStore(join(dir, 'state'), { waitMs: 20_000 });
  const counted = run.user().incr('n');
  run.close();
  writeSync(1, `${reason} ${counted.ok ? counted.value : counted.error?.message}\n`);
}
