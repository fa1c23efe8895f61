/**
 * Makes the heap snapshot of a policy folder: `node hold.cjs [--soon] DIR USER|'' AGENT…`, in a process of its own, with next to
 * nothing in its environment: what is there could end up in the snapshot. It is made beside and moved into place; the facts about
 * it are written last, so that half of one is never started. Ends with 1 if there is none to be had, which is no loss but of time.
 * With `--soon` the folder was changed just now, and the place for it was made: it waits a moment, and ends if that is gone.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockLater } from '../../base/file-lock.ts';
import { machineHost } from '../../base/host.ts';
import { replaceFile } from '../../base/own-file.ts';
import { randomHex } from '../../base/random.ts';
import { forgetSessions } from '../../policy/state-folder.ts';
import { withoutNodeCode } from './lean-heap.ts';
import { forgetSnapshot, forgetUnused, makingLock, openSnapshotFolder, snapshotFolder } from './place.ts';

/** Put in by the build. */
declare const HARNESS_VERSION: string;

/** Where the layers of a policy are found; nothing else is anybody's business. */
const PASSED = ['HOME', 'PATH', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];
const MOST_MS = 120_000;

const SOON_MS = 1000;
const NICE = 10;

const words = process.argv.slice(2);
const soon = words[0] === '--soon';
const [dir = '', user = '', ...agents] = soon ? words.slice(1) : words;
void hold()
  .catch(() => false)
  .then((made) => {
    process.exitCode = made ? 0 : 1;
  });

async function hold(): Promise<boolean> {
  if (soon) {
    setPriority(NICE);
    await sleep(SOON_MS);
    if (!existsSync(snapshotFolder(machineHost, dir) ?? '')) return false;
  }
  const folder = openSnapshotFolder(machineHost, dir);
  const making = makingLock(machineHost);
  if (folder === null || making === null) return false;
  const lock = await lockLater(making, MOST_MS);
  if ('heldBy' in lock) return false;
  try {
    return await make(folder);
  } finally {
    lock.release();
  }
}

async function make(folder: string): Promise<boolean> {
  // What is made of its files is kept first: then nothing that reads or compiles them is in the heap.
  const { keptByBuild } = await import('../hook/kept.ts');
  const { policyNow } = await import('../hook/session-policy.ts');
  const kept = keptByBuild(machineHost);
  await policyNow({ dir, user: user || null }, dir, machineHost, kept);
  kept?.save();
  const entries = dirname(process.argv[1]!);
  const heap = join(folder, 'heap');
  const beside = join(folder, `heap.${randomHex(8)}`);
  // The policy is looked at with this there, and it is in no folder that the look goes into.
  const scratch = `${beside}.d`;
  try {
    mkdirSync(scratch, { mode: 0o700 });
    const built = [join(entries, 'boot.cjs'), entries, dir, user, scratch, ...agents];
    if (shell(['--build', process.execPath, beside, ...built], entries) === null) return false;
    chmodSync(beside, 0o600);
    makeLean(beside, entries);
    forgetSnapshot(dir);
    renameSync(beside, heap);
    const facts = shell(['--facts', folder, process.execPath, join(entries, 'hook.cjs')], entries);
    if (facts === null) return false;
    replaceFile(join(folder, 'facts'), facts);
    forgetUnused(machineHost);
    forgetSessions(machineHost);
    return true;
  } finally {
    for (const file of [beside, leanBeside(beside)]) rmSync(file, { force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** How the file is laid out is Node's own affair: what is left out is gone only if a process starts from what remains. */
function makeLean(heap: string, entries: string): void {
  const lean = withoutNodeCode(readFileSync(heap));
  if (lean === null) return;
  const beside = leanBeside(heap);
  writeFileSync(beside, lean, { mode: 0o600, flag: 'wx' });
  const said = shell(['--try', process.execPath, beside, join(entries, 'harness.cjs')], entries);
  if (said?.trim() === HARNESS_VERSION) renameSync(beside, heap);
}

function leanBeside(heap: string): string {
  return `${heap}.lean`;
}

/** What the script that starts snapshots says, or null if it failed: how they are made and told apart is written down there alone. */
function shell(line: readonly string[], entries: string): string | null {
  const env = Object.fromEntries(PASSED.map((name) => [name, machineHost.env(name)]));
  const { status, stdout } = spawnSync('/bin/sh', [join(entries, 'start.sh'), ...line], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  });
  return status === 0 ? stdout : null;
}
