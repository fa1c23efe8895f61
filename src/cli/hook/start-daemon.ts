/**
 * Begins the user's daemon from a launcher that found none, where the user's layer says `daemon: on-demand`. It gets little of the
 * agent's environment: each call brings its own. At most one is tried in a while; of several at once, one gets the lock.
 */
import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startDetached } from '../../base/detached-process.ts';
import { lockHolder, tryLock } from '../../base/file-lock.ts';
import { machineHost } from '../../base/host.ts';
import { replaceFile } from '../../base/own-file.ts';
import { daemonLock, SOCKET } from '../../daemon/place.ts';
import { openFolder } from '../../policy/state-folder.ts';

const AGAIN_MS = 30_000;

const PASSED = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

/** Takes away the socket of one that is gone. With the lock, which every daemon holds before it listens. Never throws. */
export function clearSocket(folder: string): void {
  try {
    const lock = tryLock(daemonLock(folder));
    if ('heldBy' in lock) return;
    rmSync(join(folder, SOCKET), { force: true });
    lock.release();
  } catch {
    // Calls are then answered as this one was.
  }
}

/** Never throws, and waits for nothing. */
export function startDaemon(folder: string, entry: string): void {
  try {
    // One that was killed leaves its socket; the lock tells whether a process is there.
    if (openFolder(folder) !== null || lockHolder(daemonLock(folder)) !== null) return;
    const tried = join(folder, 'on-demand');
    const last = statSync(tried, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(machineHost.now() - last) < AGAIN_MS) return;
    replaceFile(tried, '');
    const env = Object.fromEntries(PASSED.map((name) => [name, machineHost.env(name)]));
    const argv = [process.execPath, join(dirname(entry), 'harness.cjs'), 'daemon', 'serve'];
    void startDetached({ argv, cwd: '/', env, log: join(folder, 'log') }).catch(() => {});
  } catch {
    // It is never needed.
  }
}
