/**
 * Makes the heap snapshot of a policy folder: `node hold.cjs DIR USER|'' AGENT…`, in a process of its own, with next to nothing in
 * its environment: what is there could end up in the snapshot. It is made beside and moved into place; the facts about it are
 * written last, so that half of one is never started. Ends with 1 if there is none to be had, which is no loss but of time.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { machineHost } from '../../base/host.ts';
import { replaceFile } from '../../base/own-file.ts';
import { randomHex } from '../../base/random.ts';
import { forgetGone, forgetSnapshot, openSnapshotFolder } from './place.ts';

/** Where the layers of a policy are found; nothing else is anybody's business. */
const PASSED = ['HOME', 'PATH', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];
const MOST_MS = 120_000;

const [dir = '', user = '', ...agents] = process.argv.slice(2);
process.exitCode = hold() ? 0 : 1;

function hold(): boolean {
  const folder = openSnapshotFolder(machineHost, dir);
  if (folder === null) return false;
  const entries = dirname(process.argv[1]!);
  const heap = join(folder, 'heap');
  const beside = join(folder, `heap.${randomHex(8)}`);
  // The policy is looked at with this there, and it is in no folder that the look goes into.
  const scratch = `${beside}.d`;
  try {
    mkdirSync(scratch, { mode: 0o700 });
    const words = [join(entries, 'boot.cjs'), entries, dir, user, scratch, ...agents];
    if (shell(['--build', process.execPath, beside, ...words], entries) === null) return false;
    chmodSync(beside, 0o600);
    forgetSnapshot(dir);
    renameSync(beside, heap);
    const facts = shell(['--facts', folder, process.execPath, join(entries, 'hook.cjs')], entries);
    if (facts === null) return false;
    replaceFile(join(folder, 'facts'), facts);
    forgetGone(machineHost);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(beside, { force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What the script that starts snapshots says, or null if it failed: how they are made and told apart is written down there alone. */
function shell(words: readonly string[], entries: string): string | null {
  const env = Object.fromEntries(PASSED.map((name) => [name, machineHost.env(name)]));
  const { status, stdout } = spawnSync('/bin/sh', [join(entries, 'start.sh'), ...words], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  });
  return status === 0 ? stdout : null;
}
