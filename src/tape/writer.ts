/**
 * Writes a tape: one append-only file, one writer, each line bound to the one before. What was acknowledged survives the end
 * of this process at any byte; a line that cannot be written is an error the host sees, never a gap in the record.
 */

import type { KeyObject } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Canonical, HarnessError, type Json } from '../base/index.ts';
import {
  type Attempt,
  lockLater,
  lockWithin,
  machineHost,
  makeFolder,
  openOwn,
  type Release,
  randomHex,
  replaceFile,
  syncFolder,
  tryLock,
  uptimeMs,
} from '../machine/index.ts';
import {
  closing,
  type EntryBody,
  entryBody,
  entryLine,
  hashLine,
  headerLine,
  MAX_LINE_BYTES,
  textBody,
} from './chain.ts';
import { cleanRecord, cleanWritten } from './clean.ts';
import type { DecisionEvent } from './decision-text.ts';
import type { Header, TapeRecord } from './entry.ts';
import { containsEntry, type EntryMark, isLostToPower, mayBeLostToPower, unsignedGaps } from './go-on.ts';
import type { Redact } from './redact.ts';
import { checkedTail, cutTorn, readHeader } from './repair.ts';
import { type Gap, writeSignedHead } from './sign.ts';
import { FileUnchangedCheck } from './still-there.ts';
import { readLines } from './tape-file.ts';

/**
 * What holds for an entry once it is acknowledged. `buffered`: it is in this process and will be written within a moment.
 * `written`: the operating system has it, so it survives a kill of this process. `synced`: the disk has it, so it survives
 * the loss of power.
 */
export type Acknowledge = 'buffered' | 'written' | 'synced';

export interface TapeOptions {
  /** Of a tape that does not exist yet. One that does must be of the same session; null only ends what is there. */
  readonly header: Header | null;
  /** By default `written`. */
  readonly acknowledge?: Acknowledge;
  /** Takes secrets out of a record before it is written. */
  readonly redact?: Redact;
  /** The time of day; by default the machine's. */
  readonly now?: () => number;
  /** False: a policy that is not the one in the header is put on record by the host itself. */
  readonly notePolicy?: boolean;
  /** How long to wait for another process to let go of the file, blocking this one; by default not at all. */
  readonly waitMs?: number;
  /** Signs the head when the tape is closed, and every so many entries (by default 1000). */
  readonly sign?: { readonly key: KeyObject; readonly every?: number };
  /** The signer vouches for what is there already, no matter who signed it. Otherwise the signature says what it is not about. */
  readonly vouch?: boolean;
  /** An entry that the caller remembers: a tape that has it no more is not gone on with, nor made anew. */
  readonly after?: EntryMark;
  /**
   * Told once, when the tape cannot be written any more; what follows is then not recorded. Without it every append throws,
   * so that a session that may not go unrecorded stops.
   */
  readonly onBroken?: (error: HarnessError) => void;
}

/** So much may wait in memory under `buffered`, and so long. */
const BUFFER_BYTES = 64 * 1024;
const BUFFER_MS = 100;

const SIGN_EVERY = 1000;

export class TapeWriter {
  readonly path: string;
  readonly header: Header;
  private readonly options: TapeOptions;
  private readonly file: number;
  private release: Release;
  private readonly there: FileUnchangedCheck;
  /** Number and hash of the last entry, written or waiting. */
  private seq: number;
  private prev: string;
  /** Bytes of the file up to the last line written whole. */
  private size: number;
  /** Lines that wait to be written. */
  private readonly waiting = new WaitingLines();
  private timer: NodeJS.Timeout | null = null;
  private signedAt: number;
  private readonly gaps: readonly Gap[];
  private state: 'open' | 'resting' | 'closed' | HarnessError = 'open';
  /** The file as it was left at rest. */
  private rested: Stats | null = null;
  /** The file was just looked at. */
  private isChecked = false;

  /**
   * Makes the tape, or goes on with the one that is there: a torn last line is cut off first, and the tape says so. Throws
   * TAPE_LOCKED, TAPE_INVALID or TAPE_WRITE_FAILED.
   */
  static open(path: string, options: TapeOptions): TapeWriter {
    const full = placeOf(path, options);
    return openLocked(
      path,
      full,
      options,
      attempt(path, () => lockWithin(full, options.waitMs ?? 0)),
    );
  }

  /** The same, waiting without blocking the process. */
  static async openLater(path: string, options: TapeOptions): Promise<TapeWriter> {
    const full = placeOf(path, options);
    const locked = await lockLater(full, options.waitMs ?? 0).catch((thrown) => {
      throw failed(path, thrown);
    });
    return openLocked(path, full, options, locked);
  }

  /** For `open` and `openLater`, which hold the lock. */
  constructor(
    path: string,
    options: TapeOptions,
    { file, found, made, release }: { file: number; found: Stats; made: boolean; release: Release },
  ) {
    this.path = path;
    this.options = options;
    this.file = file;
    this.release = release;
    this.there = new FileUnchangedCheck(file, path, found);
    this.header = readHeader(file, path);
    const wanted = options.header;
    if (wanted !== null && wanted.session !== this.header.session) {
      const whose = `is the tape of session ${this.header.session}, not of ${wanted.session}`;
      throw new HarnessError('TAPE_INVALID', `${path} ${whose}`);
    }
    const tail = checkedTail(file, path);
    const { after, sign, vouch = made } = options;
    const isGone = after !== undefined && !containsEntry(file, tail, after);
    if (isGone && !isLostToPower(file, tail, after))
      throw new HarnessError(
        'RECORD_CHANGED',
        `${path} is no record any more: entry ${after.seq} is not what it was`,
      );
    this.gaps =
      sign === undefined || vouch ? [] : unsignedGaps(file, path, this.header.session, tail, sign.key);
    cutTorn(file, tail);
    this.seq = tail.seq;
    this.prev = tail.head;
    this.size = tail.size;
    this.signedAt = tail.seq;
    // A tape that was cut off says so from here on, also where no byte of it was lost.
    if (tail.torn > 0 || (tail.seq > 0 && !tail.closed)) this.note('repaired', { bytes: tail.torn });
    if (isGone && tail.seq < after.seq) this.note('lost', { head: after.head, to: after.seq });
    const noted = options.notePolicy !== false;
    if (noted && wanted !== null && wanted.policy.digest !== this.header.policy.digest) {
      const [from, to] = [this.header.policy.digest, wanted.policy.digest];
      this.append({ accepted: true, from, policy: wanted.policy, to, type: 'policy.changed' });
    }
    watchExit(this);
  }

  /** How many entries it has, those that wait to be written included. */
  get entries(): number {
    return this.seq;
  }

  /** The hash of the last of them. */
  get head(): string {
    return this.prev;
  }

  get end(): EntryMark {
    return { seq: this.seq, head: this.prev };
  }

  /** Why nothing is recorded any more, or null. */
  get broken(): HarnessError | null {
    return this.state instanceof HarnessError ? this.state : null;
  }

  /** Adds an entry and acknowledges it. Gives its number. */
  append(record: TapeRecord, ms?: number | readonly number[]): number {
    const seq = this.add(record, ms);
    this.commit();
    return seq;
  }

  note(kind: string, data: Json): number {
    return this.append({ type: 'session', kind, data });
  }

  /** Adds an entry that is acknowledged only by the next `commit`: one write serves a whole dispatch. */
  add(record: TapeRecord, ms?: number | readonly number[]): number {
    if (this.state !== 'open') return this.refuse();
    const { redact } = this.options;
    const cleaned = redact === undefined ? record : cleanRecord(record, redact);
    return this.addBody(entryBody(cleaned, this.timeOfDay(), ms));
  }

  addDecision(written: Canonical, told: DecisionEvent, ms: readonly number[]): number {
    if (this.state !== 'open') return this.refuse();
    return this.addBody(textBody(cleanWritten(written, told, this.options.redact), this.timeOfDay(), ms));
  }

  /** The same for an entry that is text already. */
  addBody(body: EntryBody): number {
    if (this.state !== 'open') return this.refuse();
    const seq = this.seq + 1;
    const bytes = this.waiting.add(entryLine(seq, this.prev, body));
    if (bytes === null) {
      throw new HarnessError('TAPE_WRITE_FAILED', `entry ${seq} is longer than ${MAX_LINE_BYTES} bytes`);
    }
    this.prev = hashLine(bytes);
    this.seq = seq;
    return seq;
  }

  private timeOfDay(): number {
    return (this.options.now ?? machineHost.now)();
  }

  /** When it returns, all that was added is acknowledged. */
  commit(): void {
    if (this.waiting.size === 0) return;
    if (this.options.acknowledge !== 'buffered') this.write();
    else if (this.waiting.size >= BUFFER_BYTES) this.write();
    else this.timer ??= setTimeout(() => this.flushQuietly(), BUFFER_MS).unref();
    const { sign } = this.options;
    if (sign !== undefined && this.seq - this.signedAt >= (sign.every ?? SIGN_EVERY)) this.sign(sign.key);
  }

  /** Writes what waits, whatever the level. */
  flush(): void {
    if (this.state === 'open') this.write();
  }

  /** Leaves the closing entry and gives the file free. Throws where that entry cannot be written. */
  close(): void {
    if (this.state === 'closed') return;
    try {
      this.writeClosing();
    } finally {
      this.letGo();
    }
  }

  /** The same with the file still open: others may write, and `resume` goes on if nobody did. */
  rest(): void {
    try {
      this.writeClosing();
      if (this.state === 'open') this.rested = fstatSync(this.file);
    } finally {
      if (this.rested === null) this.letGo();
      else {
        this.state = 'resting';
        forgetExit(this);
        this.release();
      }
    }
  }

  /**
   * Takes the lock again. False: another process has the lock or has written, the file is another one, or it does not have the
   * entry `after`; then the tape has to be opened anew. `path` is the name it was opened by: its folder may lead elsewhere by now.
   */
  resume(path: string, after?: EntryMark): boolean {
    const { rested } = this;
    if (this.state !== 'resting' || rested === null) return false;
    const locked = attempt(path, () => tryLock(this.path));
    if ('heldBy' in locked) return false;
    const found = lstatSync(path, { throwIfNoEntry: false });
    const end = { seq: this.seq, head: this.prev, size: this.size };
    if (
      found === undefined ||
      !isSameFile(rested, found) ||
      (after && !containsEntry(this.file, end, after))
    ) {
      locked.release();
      return false;
    }
    this.release = locked.release;
    this.rested = null;
    this.isChecked = true;
    this.state = 'open';
    watchExit(this);
    return true;
  }

  private writeClosing(): void {
    if (this.state !== 'open') return;
    this.addBody(entryBody(closing(this.seq + 1), null));
    this.write();
    if (this.options.sign !== undefined) this.sign(this.options.sign.key);
  }

  /** Lets go without the closing entry: the tape then shows that it was cut short. */
  abandon(): void {
    if (this.state === 'closed') return;
    this.flushQuietly();
    this.letGo();
  }

  private letGo(): void {
    const isLocked = this.state !== 'resting';
    if (!(this.state instanceof HarnessError)) this.state = 'closed';
    if (this.timer !== null) clearTimeout(this.timer);
    forgetExit(this);
    try {
      closeSync(this.file);
    } catch {
      // Closed before, or the system has nothing to close: either way it is no longer ours.
    }
    if (isLocked) this.release();
  }

  private refuse(): number {
    if (this.state === 'closed' || this.state === 'resting')
      throw new HarnessError('TAPE_CLOSED', `${this.path} is closed`);
    if (this.options.onBroken === undefined) throw this.state;
    return this.seq;
  }

  private write(): void {
    const { waiting } = this;
    if (this.state !== 'open' || waiting.size === 0) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    try {
      const changed = this.isChecked ? null : this.there.changed(this.size);
      this.isChecked = false;
      if (changed !== null)
        throw new HarnessError('RECORD_CHANGED', `${this.path} is no record any more: ${changed}`);
      for (let sent = 0; sent < waiting.size; )
        sent += writeSync(this.file, waiting.bytes, sent, waiting.size - sent);
      if (this.options.acknowledge === 'synced') fdatasyncSync(this.file);
      this.size += waiting.size;
      waiting.clear();
    } catch (thrown) {
      this.breakOff(thrown);
    }
  }

  /** What was acknowledged stays; the part of a line that may have got through is taken back where that is possible. */
  private breakOff(thrown: unknown): void {
    this.state = thrown instanceof HarnessError ? thrown : failed(this.path, thrown);
    this.waiting.clear();
    try {
      // Never made longer: what somebody cut off is not there any more. Nor is what somebody else added ours to cut.
      const torn = this.state.code !== 'RECORD_CHANGED' && fstatSync(this.file).size > this.size;
      if (torn) ftruncateSync(this.file, this.size);
    } catch {
      // Then it is a torn line, which the next one to open the tape cuts off.
    }
    if (this.options.onBroken === undefined) throw this.state;
    this.options.onBroken(this.state);
  }

  /** For the moments when nobody is there to be told; the next append tells. */
  flushQuietly(): void {
    try {
      this.write();
    } catch {
      // `broken` holds the reason.
    }
  }

  private sign(key: KeyObject): void {
    this.write();
    if (this.state !== 'open') return;
    try {
      const { session, tape } = this.header;
      const { seq: entries, prev: head, gaps } = this;
      writeSignedHead(
        this.path,
        { session, tape, entries, head, gaps },
        key,
        this.options.acknowledge === 'synced',
      );
      this.signedAt = this.seq;
    } catch (thrown) {
      this.breakOff(thrown);
    }
  }
}

/** Lines as bytes, one after the other in one buffer: what is hashed is what is written. */
class WaitingLines {
  bytes = Buffer.allocUnsafe(LINES_BYTES);
  size = 0;

  /** Gives the bytes of the line without its end, until the next call; null if they are too many. */
  add(line: string): Uint8Array | null {
    // Nothing is longer in bytes than three times its UTF-16 length.
    if (line.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES) return null;
    const most = this.size + line.length * 3 + 1;
    if (most > this.bytes.length) this.grow(most);
    const start = this.size;
    const end = start + this.bytes.write(line, start, 'utf8');
    this.bytes[end] = 0x0a;
    this.size = end + 1;
    return this.bytes.subarray(start, end);
  }

  clear(): void {
    this.size = 0;
    // One large line must not keep its room for the rest of the session.
    if (this.bytes.length > BUFFER_BYTES * 4) this.bytes = Buffer.allocUnsafe(LINES_BYTES);
  }

  private grow(most: number): void {
    const larger = Buffer.allocUnsafe(Math.max(most, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.size);
    this.bytes = larger;
  }
}

/** Room for a decision of a few hooks, whatever its characters. */
const LINES_BYTES = 16 * 1024;

/** Tapes that may hold lines not yet written when the process exits. */
const open = new Set<TapeWriter>();

function flushAll(): void {
  for (const tape of open) tape.flushQuietly();
}

function watchExit(tape: TapeWriter): void {
  if (open.size === 0) process.on('exit', flushAll);
  open.add(tape);
}

function forgetExit(tape: TapeWriter): void {
  open.delete(tape);
  if (open.size === 0) process.off('exit', flushAll);
}

/** Two names of one folder must meet at one lock. The tape itself may be no link: it would be written somewhere else. */
function realPath(path: string, mayCreate: boolean): string {
  const full = join(realFolder(dirname(path), mayCreate), basename(path));
  if (lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new HarnessError('TAPE_INVALID', `${path} is a link: name the file it stands for`);
  }
  return full;
}

function realFolder(folder: string, mayCreate: boolean): string {
  if (mayCreate && !existsSync(folder)) makeFolder(folder);
  return realpathSync.native(folder);
}

function placeOf(path: string, { header }: TapeOptions): string {
  return attempt(path, () => realPath(path, header !== null));
}

function openLocked(path: string, full: string, options: TapeOptions, locked: Attempt): TapeWriter {
  if ('heldBy' in locked) {
    throw new HarnessError('TAPE_LOCKED', `${path} is being written by ${locked.heldBy}`);
  }
  let file: number | undefined;
  try {
    const made = options.header !== null && (!hasContent(full) || moveAside(full));
    if (made && options.after !== undefined && !mayBeLostToPower(options.after))
      throw new HarnessError('RECORD_CHANGED', `${path} is gone: it had ${options.after.seq} entries`);
    if (made) create(full, options.header!, options.acknowledge);
    file = openOwn(full, constants.O_RDWR | constants.O_APPEND | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(file);
    if (!found.isFile()) throw new HarnessError('TAPE_INVALID', `${path} is not a regular file`);
    return new TapeWriter(full, options, { file, found, made, release: locked.release });
  } catch (thrown) {
    if (file !== undefined) closeSync(file);
    locked.release();
    throw thrown instanceof HarnessError ? thrown : failed(path, thrown);
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  const same = a.ino === b.ino && a.dev === b.dev && a.size === b.size;
  return same && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    throw thrown instanceof HarnessError ? thrown : failed(path, thrown);
  }
}

function hasContent(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (!stat.isFile() || stat.size > 0);
}

/**
 * A tape whose first line has zero bytes, or no end: a loss of power took it, and nothing after it can be proven. It stays under another
 * name, and a new tape takes its place. False for every other file.
 */
function moveAside(path: string): boolean {
  const { mtimeMs } = statSync(path);
  if (mtimeMs >= machineHost.now() - uptimeMs()) return false;
  const [first] = readLines(path);
  if (first?.whole && !first.bytes.includes(0)) return false;
  renameSync(path, `${path}.lost-${randomHex(4)}`);
  return true;
}

/** The file appears with its header or not at all, so that no crash leaves a tape without one. */
function create(path: string, header: Header, acknowledge: Acknowledge | undefined): void {
  replaceFile(path, `${headerLine(header)}\n`, { flush: acknowledge === 'synced' });
  if (acknowledge === 'synced') syncFolder(dirname(path));
}

function failed(path: string, thrown: unknown): HarnessError {
  return new HarnessError('TAPE_WRITE_FAILED', `cannot write ${path}: ${(thrown as Error).message}`);
}
