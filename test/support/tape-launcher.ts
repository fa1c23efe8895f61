/**
 * What an agent's launcher does, as a process of its own: one decision on a tape that other processes write to as well. It
 * does so several times over, each time from the beginning, and says on stdout what it was given.
 */
import { writeSync } from 'node:fs';
import { Engine } from '../../src/engine/engine.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { machineHost } from '../../src/machine/host.ts';
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
  writeSync(1, `${reason}\n`);
}
