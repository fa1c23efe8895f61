/**
 * The user's own copy of the engine and its client: what every guard runs first, so that `npm ci`, a checkout or an emptied cache of npx
 * takes no guard away. Each copy stands in a folder named by the digest of its files, closed to others; `current` leads to
 * the one in use.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openRecords, stateAt, USER_COPY } from '../agents/index.ts';
import { sha256Hex } from '../base/index.ts';
import { machineHost, syncFile, syncFolder } from '../machine/index.ts';
import { openFolder } from '../policy/index.ts';
import { UsageError } from '../terminal/index.ts';

const CURRENT = basename(USER_COPY);
const CLIENT = 'harness-client';

/** Of the package: what the command, the launcher, the daemon and its page load. */
const PARTS = ['dist/cli', 'dist/lib', 'dist/base/typescript', 'dist/web', 'dist/pure.js', 'package.json'];
const LEFT_OUT: ReadonlySet<string> = new Set(['dist/cli/cache']);

/** Static starts faster; not every system has the libraries for it. */
const COMPILING = [['-O2', '-static'], ['-O2']] as const;
const COMPILE_MS = 60_000;

export function engineFolder(): string {
  return dirname(userCopy());
}

/** Where guards look for it. */
export function userCopy(): string {
  return join(stateAt(), USER_COPY);
}

/** Puts this package in the user's folder, if it is not there, and makes it the one in use. */
export async function copyEngine(): Promise<void> {
  const root = packageRoot();
  const top = engineFolder();
  const problem = openRecords(stateAt()) ?? openFolder(top);
  if (problem !== null) throw new UsageError(problem);
  const digest = digestOf(root);
  const folder = join(top, digest);
  // A copy that a loss of power damaged is made anew.
  if (existsSync(folder) && digestOf(folder) !== digest) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(folder)) {
    const scratch = mkdtempSync(join(top, 'copy-'));
    try {
      for (const path of filesOf(root)) {
        mkdirSync(dirname(join(scratch, path)), { recursive: true, mode: 0o700 });
        copyFileSync(join(root, path), join(scratch, path), constants.COPYFILE_FICLONE);
        syncFile(join(scratch, path));
      }
      await placeClient(root, scratch);
      for (const path of new Set(filesOf(root).map(dirname))) syncFolder(join(scratch, path));
      renameSync(scratch, folder);
      syncFolder(top);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  link(process.execPath, join(folder, 'node'));
  const before = linkTarget(userCopy());
  link(digest, userCopy());
  // A process of the copy before may still load from it.
  const kept = [CURRENT, digest, before];
  for (const name of readdirSync(top).filter((each) => !kept.includes(each))) {
    rmSync(join(top, name), { recursive: true, force: true });
  }
}

/**
 * The engine of a machine, for everybody to run and for root alone to write. `here`: it is for this machine, so that it takes its Node.
 */
export function placeEngine(top: string, here: boolean): void {
  const root = packageRoot();
  mkdirSync(top, { recursive: true, mode: 0o755 });
  const scratch = mkdtempSync(join(top, 'copy-'));
  try {
    chmodSync(scratch, 0o755);
    for (const path of filesOf(root)) {
      mkdirSync(dirname(join(scratch, path)), { recursive: true, mode: 0o755 });
      copyFileSync(join(root, path), join(scratch, path), constants.COPYFILE_FICLONE);
      chmodSync(join(scratch, path), 0o644);
    }
    if (here) symlinkSync(process.execPath, join(scratch, 'node'));
    // Between these two a guard finds no engine, and refuses.
    rmSync(join(top, CURRENT), { recursive: true, force: true });
    renameSync(scratch, join(top, CURRENT));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Why guards cannot rely on the copy, or null. One that is missing is none: a guard then runs the package of its project. */
export function copyProblem(): string | null {
  const name = linkTarget(userCopy());
  if (name === null) return null;
  const folder = join(engineFolder(), name);
  if (!existsSync(folder)) return `${folder}, the user's copy of Harness, is missing`;
  return digestOf(folder) === name ? null : `${folder}, the user's copy of Harness, was changed`;
}

/** The version of the copy that guards run, or null. */
export function copyVersion(): string | null {
  try {
    return String(JSON.parse(readFileSync(join(userCopy(), 'package.json'), 'utf8')).version);
  } catch {
    return null;
  }
}

export function removeCopies(): void {
  rmSync(engineFolder(), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

/** The package that this command belongs to. */
export function packageRoot(): string {
  return join(dirname(realpathSync(process.argv[1] ?? '.')), '..', '..');
}

/** The client for this system: one that ships, or one that is compiled here. Without it, Node asks the daemon. */
async function placeClient(root: string, folder: string): Promise<void> {
  const shipped = join(root, 'dist/native', `${process.platform}-${process.arch}`, CLIENT);
  const client = join(folder, CLIENT);
  if (existsSync(shipped)) copyFileSync(shipped, client);
  else await compileClient(join(root, 'native/harness-hook.c'), client);
  if (!existsSync(client)) return;
  chmodSync(client, 0o700);
  if (!(await runs(client))) rmSync(client);
}

async function compileClient(source: string, client: string): Promise<void> {
  if (!existsSync(source)) return;
  for (const way of COMPILING) {
    const program = { argv: ['cc', ...way, '-o', client, source] };
    const request = { program, cwd: dirname(client), env: {}, stdin: '', timeoutMs: COMPILE_MS };
    const { exitCode } = await machineHost.run(request, null);
    if (exitCode === 0 && existsSync(client)) return;
  }
}

/** A program for another system is not started, and would leave every call without an answer. */
async function runs(client: string): Promise<boolean> {
  const request = { cwd: dirname(client), env: {}, stdin: '', timeoutMs: COMPILE_MS };
  const { exitCode, stderr } = await machineHost.run({ ...request, program: { argv: [client] } }, null);
  return exitCode === 2 && stderr.startsWith('harness client: ');
}

/** Of the files of the package that are copied: names and contents. */
function digestOf(root: string): string {
  const parts = filesOf(root).map((path) => `${path} ${sha256Hex(readFileSync(join(root, path)))}\n`);
  return sha256Hex(parts.join('')).slice(0, 32);
}

function filesOf(root: string): string[] {
  return PARTS.flatMap((part) => filesBelow(root, part)).sort();
}

function filesBelow(root: string, path: string): string[] {
  const found = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined || LEFT_OUT.has(path) || path.endsWith('.d.ts')) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => filesBelow(root, `${path}/${name}`));
}

/** In one step, whatever stood there. */
function link(target: string, path: string): void {
  if (linkTarget(path) === target) return;
  const beside = `${path}.${process.pid}.tmp`;
  rmSync(beside, { force: true });
  symlinkSync(target, beside);
  renameSync(beside, path);
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
