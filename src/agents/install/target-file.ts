/**
 * A configuration file on disk: found through its links, read whole, replaced in one step. A crash leaves either the old file
 * or the new one. Mode and owner stay. A link out of the project is not followed, one of the user's own is, and it is said.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isRoot, makeFolder, ownedByMe } from '../../machine/index.ts';

const MAX_BYTES = 4 * 1024 * 1024;

export interface TargetFile {
  /** As the agent names it. */
  readonly file: string;
  /** Where it really stands, or will stand. */
  readonly real: string;
  readonly linked: boolean;
  /** Null if there is no file. */
  readonly text: string | null;
  readonly stats: Stats | null;
}

export interface Unusable {
  readonly problem: string;
}

/** `followOut`: a link may lead out of `within` to a file that is the user's own. */
export function openTarget(file: string, within: string, followOut: boolean): TargetFile | Unusable {
  const place = locate(file);
  if ('problem' in place) return place;
  const { real, existing } = place;
  const root = locate(within);
  const inside = 'real' in root && (real === root.real || real.startsWith(`${root.real}${sep}`));
  const linked = real !== file;
  if (!inside && !followOut)
    return { problem: `${file} leads to ${real}, out of ${within}; it is not followed` };
  const { uid: owner } = statSync(existing);
  // Root's folders are as good as one's own, as for policies; a link that leads elsewhere has to be one's own.
  if (!ownedByMe({ uid: owner }) && (linked && !inside ? true : owner !== 0 && !isRoot())) {
    return { problem: `${existing} belongs to user ${owner}, not to you` };
  }
  if (existing !== real) return { file, real, linked, text: null, stats: null };
  return readTarget(file, real, linked);
}

function readTarget(file: string, real: string, linked: boolean): TargetFile | Unusable {
  const stats = statSync(real);
  if (!stats.isFile()) return { problem: `${file} is not a file` };
  if (stats.size > MAX_BYTES) return { problem: `${file} is larger than ${MAX_BYTES} bytes` };
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { file, real, linked, text: decoder.decode(readFileSync(real)), stats };
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8 text' : message;
    return { problem: `${file} cannot be read: ${why}` };
  }
}

/** The real path, and the deepest part of it that exists. */
function locate(path: string): { readonly real: string; readonly existing: string } | Unusable {
  try {
    const real = realpathSync(path);
    return { real, existing: real };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return { problem: `${path} cannot be opened (${code})` };
  }
  if (isLink(path)) return { problem: `${path} is a link to nothing` };
  const above = locate(dirname(path));
  return 'problem' in above ? above : { real: join(above.real, basename(path)), existing: above.existing };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Makes the folders above the file; gives those that were not there, the outermost first. */
export function makeFolders(real: string, mode?: number): string[] {
  const missing: string[] = [];
  for (let folder = dirname(real); !pathExists(folder); folder = dirname(folder)) missing.unshift(folder);
  makeFolder(dirname(real), mode);
  return missing;
}

/** Takes away folders that are empty, the innermost first; others stay. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** What a new file is to be like: another one, or a program. */
export interface Likeness {
  readonly stats: Stats | null;
  readonly executable?: boolean;
}

/** Puts the text in the place of the file. Throws if it cannot; then the file is as it was. */
export function replaceFile(target: TargetFile, text: string, { stats, executable }: Likeness): void {
  const { real } = target;
  const { path, fd } = openBeside(real);
  try {
    try {
      const bytes = Buffer.from(text, 'utf8');
      for (let sent = 0; sent < bytes.length; ) sent += writeSync(fd, bytes, sent);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (stats !== null) {
      if (!ownedByMe(stats) || stats.gid !== process.getgid?.()) {
        chownSync(path, stats.uid, stats.gid);
      }
      chmodSync(path, stats.mode & 0o7777);
    } else if (executable === true) chmodSync(path, 0o755);
    demandUnchanged(target);
    renameSync(path, real);
  } catch (thrown) {
    rmSync(path, { force: true });
    throw thrown;
  }
}

export function removeFile(target: TargetFile): void {
  demandUnchanged(target);
  unlinkSync(target.real);
}

/** Somebody may have written the file since it was read. */
function demandUnchanged({ real, file, stats }: TargetFile): void {
  const now = pathExists(real) ? statSync(real) : null;
  const same =
    now === null || stats === null
      ? now === stats
      : now.ino === stats.ino && now.mtimeMs === stats.mtimeMs && now.size === stats.size;
  if (!same) throw new Error(`${file} was changed by somebody else meanwhile; try again`);
}

function openBeside(real: string): { path: string; fd: number } {
  clearBeside(real);
  for (let attempt = 0; ; attempt++) {
    const path = join(dirname(real), `.${basename(real)}.harness-${process.pid}-${attempt}`);
    try {
      return { path, fd: openSync(path, 'wx', 0o666) };
    } catch (thrown) {
      // Left behind by a process that was killed.
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 20) throw thrown;
    }
  }
}

/** What a process that was killed has left of its own file beside this one. */
function clearBeside(real: string): void {
  const begin = `.${basename(real)}.harness-`;
  for (const name of readdirSync(dirname(real))) {
    const pid = name.startsWith(begin)
      ? Number(/^(\d+)-\d+$/.exec(name.slice(begin.length))?.[1])
      : Number.NaN;
    if (pid > 0 && pid !== process.pid && !isAlive(pid)) rmSync(join(dirname(real), name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function pathExists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
