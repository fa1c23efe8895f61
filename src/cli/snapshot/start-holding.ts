/** Has the heap snapshot of a policy folder made, in a process of its own that nobody waits for. */
import { dirname, join, resolve } from 'node:path';
import { startDetached } from '../../base/detached-process.ts';
import { machineHost } from '../../base/host.ts';
import type { PolicyScope } from '../hook/surroundings.ts';
import { openSnapshotFolder, wantsSnapshot } from './place.ts';

const PASSED = ['HOME', 'PATH', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

/** If it is time for it. Never throws. */
export function startHolding(entry: string, { dir, user }: PolicyScope, agents: readonly string[]): void {
  try {
    const root = resolve(dir ?? '.');
    const wanted = wantsSnapshot(root, join(dirname(entry), 'snapshot.cjs'));
    // A registered line asks for one as soon as the folder is quiet: that is counted from here.
    const folder = wanted || agents.length > 0 ? openSnapshotFolder(machineHost, root) : null;
    if (wanted && folder !== null) start(entry, folder, [root, user ?? '', ...agents]);
  } catch {
    // It is never needed.
  }
}

/** What was just registered is to start from one at its first call. Never throws. */
export function holdSoon(entry: string, dir: string, user: string | null, agents: readonly string[]): void {
  try {
    const folder = openSnapshotFolder(machineHost, dir);
    if (folder !== null) start(entry, folder, ['--soon', dir, user ?? '', ...agents]);
  } catch {
    // Then it is made when calls have come.
  }
}

function start(entry: string, folder: string, words: readonly string[]): void {
  const env = Object.fromEntries(PASSED.map((name) => [name, machineHost.env(name)]));
  const argv = [process.execPath, join(dirname(entry), 'hold.cjs'), ...words];
  void startDetached({ argv, cwd: '/', env, log: join(folder, 'log') }).catch(() => {});
}
