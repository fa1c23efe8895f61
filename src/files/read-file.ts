/**
 * Reads one artifact from disk. Whatever is wrong with the file is a value: reading never throws, never blocks on a pipe
 * and never takes in more than the size limit. It is synchronous, because a handful of small files is read sooner than
 * it is waited for.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { type ErrorCode, lateCrypto } from '../base/index.ts';

export const MAX_ARTIFACT_BYTES = 1024 * 1024;
/** A larger file stays on disk: only its digest is taken. */
const MAX_CONTENT_BYTES = 8 * 1024 * 1024;
/** Of a larger one the digest covers the beginning and the size. */
const MAX_HASHED_BYTES = 512 * 1024 * 1024;

export type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** What one reading of a file gave. */
export interface FileContent {
  /** Null if it cannot be read, or is too large to be held in memory. */
  readonly bytes: Buffer | null;
  /** Of a file that is too large, SHA-256 of what was read; otherwise it is computed from `bytes`. */
  readonly digest: string | null;
  /** Whether the digest covers all of it. */
  readonly whole: boolean;
  /** Permission bits; 0 if the file cannot be opened. */
  readonly mode: number;
  /** Why there are no bytes. */
  readonly fault: Unread | null;
}

type Unread = Extract<ReadText, { readonly ok: false }>;

/** What an editor holds and has not saved, by absolute path. */
export type Unsaved = (path: string) => string | undefined;

let unsaved: Unsaved | null = null;

/** For the language server alone, whose process looks and never guards: files then read as they stand in the editor. */
export function readAsEdited(held: Unsaved | null): void {
  unsaved = held;
}

/** The text of `path` under `dir`, without byte order mark and with every line ending as `\n`. */
export function readArtifact(dir: string, path: string): ReadText {
  return artifactText(readContent(resolve(join(dir, path)), MAX_ARTIFACT_BYTES));
}

/** The same of a file that was read. */
export function artifactText({ bytes, fault }: FileContent): ReadText {
  if (bytes === null) return fault!;
  return bytes.length > MAX_ARTIFACT_BYTES ? tooLarge(bytes.length, MAX_ARTIFACT_BYTES) : decode(bytes);
}

/** `full` is absolute. */
export function readContent(full: string, most = MAX_CONTENT_BYTES): FileContent {
  const edited = unsaved?.(full);
  if (edited !== undefined)
    return { bytes: Buffer.from(edited), digest: null, whole: true, mode: 0o600, fault: null };
  return withOpenFile<FileContent>(
    full,
    (file) => {
      const stat = fstatSync(file);
      const mode = stat.mode & 0o777;
      const read = readOpen(file, stat, most);
      if (read instanceof Uint8Array) return { bytes: read, digest: null, whole: true, mode, fault: null };
      if (read.code !== 'FILE_TOO_LARGE') return unopened(read);
      const whole = stat.size <= MAX_HASHED_BYTES;
      // A caller that takes less wants the text alone.
      const digest = most < MAX_CONTENT_BYTES ? null : digestOpen(file, stat.size, whole);
      return { bytes: null, digest, whole, mode, fault: tooLarge(stat.size, MAX_ARTIFACT_BYTES) };
    },
    unopened,
  );
}

function unopened(fault: Unread): FileContent {
  return { bytes: null, digest: null, whole: true, mode: 0, fault };
}

/** The bytes of `path` under `dir` as they are on disk, or why it cannot be read. */
export function readBytes(dir: string, path: string, most = MAX_ARTIFACT_BYTES): Buffer | Unread {
  return withOpenFile<Buffer | Unread>(
    join(dir, path),
    (file) => readOpen(file, fstatSync(file), most),
    (fault) => fault,
  );
}

function withOpenFile<T>(full: string, read: (file: number) => T, failed: (fault: Unread) => T): T {
  let file: number;
  try {
    // Non-blocking, so that a named pipe in the folder cannot hang the load.
    file = openSync(full, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    return failed(unreadable(explainOpen(full, thrown)));
  }
  try {
    return read(file);
  } catch (thrown) {
    return failed(unreadable(reason(thrown)));
  } finally {
    closeSync(file);
  }
}

const PIECE = 1024 * 1024;

function digestOpen(file: number, size: number, whole: boolean): string {
  const hash = lateCrypto().createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE);
  const end = whole ? size : MAX_CONTENT_BYTES;
  for (let at = 0; at < end; ) {
    const read = readSync(file, piece, 0, Math.min(PIECE, end - at), at);
    if (read === 0) break;
    hash.update(piece.subarray(0, read));
    at += read;
  }
  if (!whole) hash.update(`\n${size} bytes`);
  return hash.digest('hex');
}

function readOpen(file: number, stat: Stats, most: number): Buffer | Unread {
  if (stat.isDirectory()) return unreadable('it is a folder, not a file');
  if (!stat.isFile()) return unreadable('it is not a regular file');
  if (stat.size > most) return tooLarge(stat.size, most);
  // One byte more than expected tells a file that has grown since it was measured.
  let buffer = Buffer.alloc(stat.size + 1);
  let length = fill(file, buffer, stat.size);
  if (length > stat.size) {
    buffer = Buffer.alloc(most + 1);
    length = fill(file, buffer, buffer.length);
  }
  return length > most ? tooLarge(length, most) : buffer.subarray(0, length);
}

/** Until the file ends. It has where more was asked for than the `expected` bytes and they are what was there. */
function fill(file: number, buffer: Buffer, expected: number): number {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, length);
    length += read;
    if (read === 0 || length === expected) break;
  }
  return length;
}

/** One for all: to make one takes longer than to read a hook with it. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** As `readArtifact` gives it. */
export function decode(bytes: Uint8Array): ReadText {
  try {
    const text = UTF_8.decode(bytes);
    return { ok: true, text: text.replaceAll('\r\n', '\n') };
  } catch {
    const at = firstInvalidByte(bytes);
    const hex = bytes[at]?.toString(16).padStart(2, '0');
    return { ok: false, code: 'FILE_ENCODING', message: `not valid UTF-8: byte 0x${hex} at offset ${at}` };
  }
}

/** The offset at which decoding fails, found by halving: every prefix before it decodes, none after it does. */
function firstInvalidByte(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (decodesAsPrefix(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  // A sequence cut off by the end of the file is still a good prefix; the fault is where that sequence begins.
  if (low === bytes.length) while (low > 0 && (bytes[--low]! & 0xc0) === 0x80);
  return low;
}

function decodesAsPrefix(bytes: Uint8Array): boolean {
  try {
    // Streaming mode forgives a sequence that has not ended yet.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function explainOpen(full: string, thrown: unknown): string {
  if (codeOf(thrown) !== 'ENOENT') return reason(thrown);
  const link = lstatSync(full, { throwIfNoEntry: false });
  return link?.isSymbolicLink() ? 'it is a link to a file that does not exist' : 'it does not exist';
}

/** A dangling link is not absent: it is read, and reported as what it is. */
export function isAbsent(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === 'ENOENT';
  }
}

/** Whether a path under `dir` is not there because a link on the way leads nowhere. */
export function dangles(dir: string, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, at) => {
    const part = join(dir, ...parts.slice(0, at + 1));
    return lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(part);
  });
}

/** For files whose whole content a script sees: a checkout must not lend its scripts a file of the person who opened it. */
export function leadsOut(dir: string, path: string): boolean {
  try {
    return !realpathSync(join(dir, path)).startsWith(realpathSync(dir) + sep);
  } catch {
    // Not there: reading it says so.
    return false;
  }
}

export const LEADS_OUT = 'it is a link that leads out of the policy folder';

/** How the operating system's refusals read to a person. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its links go in a circle',
  ENXIO: 'it is not a regular file',
  EMFILE: 'too many open files',
};

export function reason(thrown: unknown): string {
  const code = codeOf(thrown);
  return REASONS[code] ?? (code === '' ? String(thrown) : code);
}

export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

function unreadable(message: string): Unread {
  return { ok: false, code: 'FILE_UNREADABLE', message: `cannot be read: ${message}` };
}

function tooLarge(size: number, most: number): Unread {
  return {
    ok: false,
    code: 'FILE_TOO_LARGE',
    message: `${size} bytes are more than an artifact may have (${most})`,
  };
}
