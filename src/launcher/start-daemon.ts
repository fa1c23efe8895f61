/**
 * Starts the user's daemon: a launcher that found none does so after its answer, `harness daemon start` at once. The daemon is one
 * process a user, by its lock; it runs in a session of its own in `/`, without the descriptors and the environment of its starter.
 */
import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Host, lockHolder, machineHost, replaceFile, startDetached, tryLock } from '../machine/index.ts';
import { openFolder } from '../policy/index.ts';
import { daemonLock, SOCKET } from './daemon/place.ts';

/** Launchers try at most once in this time: a daemon that cannot start must not cost every call. */
const AGAIN_MS = 30_000;

/** Names of folders, where the daemon finds its socket and what agents wrote; each call brings its own environment. */
const FOLDERS = /^(?:HOME|XDG_\w+_HOME|CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|PI_CODING_AGENT_DIR)$/;

/** The environment of a daemon that is asked over its socket only. */
export function daemonEnvironment(host: Pick<Host, 'variables'>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(host.variables()).filter(([name]) => FOLDERS.test(name)));
}

/** `command` is the entry of the command line. The number of the process, or why there is none. */
export function spawnDaemon(
  folder: string,
  command: string,
  options: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number | string> {
  const argv = [process.execPath, command, 'daemon', 'serve', ...options];
  return startDetached({ argv, cwd: '/', env, log: join(folder, 'log') });
}

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

/** After the answer of a launcher. Never throws, and waits for nothing. */
export function startDaemon(folder: string, entry: string): void {
  try {
    // One that was killed leaves its socket; the lock tells whether a process is there.
    if (openFolder(folder) !== null || lockHolder(daemonLock(folder)) !== null) return;
    const tried = join(folder, 'started');
    const last = statSync(tried, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(machineHost.now() - last) < AGAIN_MS) return;
    replaceFile(tried, '', { flush: false });
    const command = join(dirname(entry), 'harness.cjs');
    void spawnDaemon(folder, command, [], daemonEnvironment(machineHost)).catch(() => {});
  } catch {
    // Without a daemon every call is decided as this one was.
  }
}
