/**
 * Where tapes live. A store keeps one chain of lines a session, appends to it in one step, and gives it back; what the lines
 * say is none of its business. Files are the default (file-store.ts); every other one passes the same cases
 * (test/tape/store-cases.ts).
 */
import { HarnessError } from '../base/index.ts';
import type { MaybePromise } from '../engine/index.ts';
import { type EntryBody, MAX_LINE_BYTES } from './chain.ts';
import type { Contents } from './contents.ts';
import type { Header } from './entry.ts';
import type { EntryMark } from './go-on.ts';
import type { SignedHead } from './sign.ts';

export interface TapeBatch {
  readonly session: string;
  /** Of a tape that does not exist yet; one that does keeps its own. */
  readonly header: Header;
  /** In order. The store gives each its number and the hash of the line before it. */
  readonly entries: readonly EntryBody[];
  /**
   * The writer goes on: the tape is its own until a batch without this. Otherwise the closing entry follows, and the tape
   * is free for the next process.
   */
  readonly more?: boolean;
  /** An entry that the writer remembers: a tape that does not have it any more is not gone on with. */
  readonly after?: EntryMark;
}

/** A failure is a value: a tape that another process holds for too long, a disk without room, a file that is no tape. */
export type Appended =
  | { readonly ok: true /** Of the last entry. */; readonly seq: number; readonly head: string }
  | { readonly ok: false; readonly error: HarnessError };

export interface TapeStore {
  /**
   * All entries of the batch, or none. They are durable (the operating system has them) when it returns, or when what it
   * returns resolves. Never throws and never rejects because of what it is given.
   */
  append(batch: TapeBatch): MaybePromise<Appended>;
  /** From the entry with that number on; 0, the default, is the header. Null if there is no such tape. */
  read(session: string, from?: number): MaybePromise<StoredTape | null>;
  /** Newest first. A file that is no tape is left out. */
  list(filter?: TapeFilter): MaybePromise<readonly TapeInfo[]>;
  /** Texts that tapes name by their digest; absent: they stand on the tapes themselves. */
  readonly contents?: Contents;
}

export interface StoredTape {
  /** For messages: a path, or a session. */
  readonly name: string;
  /** Can be gone through once. */
  readonly lines: Iterable<Line> | AsyncIterable<Line>;
  /** A living process is writing it. */
  readonly open: boolean;
  /** A text if there is one and it is wrong. */
  readonly signature: SignedHead | string | null;
}

export interface Line {
  /** Without the line end. Valid until the next line is asked for. */
  readonly bytes: Buffer;
  /** False for a last line that no line end closes. */
  readonly whole: boolean;
}

export interface TapeInfo {
  readonly session: string;
  readonly host: string;
  readonly engine: string;
  /** ISO 8601. */
  readonly started: string;
  /** Of the policy it began with. */
  readonly policy: string;
  readonly version: number;
}

export interface TapeFilter {
  /** The beginning of a session's id. */
  readonly session?: string;
  readonly host?: string;
  /** Started then or later, and before that: milliseconds since the epoch. */
  readonly since?: number;
  readonly before?: number;
}

/** A tape in a store. */
export interface TapeAt {
  readonly store: TapeStore;
  readonly session: string;
}

/** A path, or a tape in a store. */
export type TapeSource = string | TapeAt;

/** What no store can keep, or null: found before anything is written. */
export function batchProblem({ session, entries }: TapeBatch): HarnessError | null {
  const long = entries.find((body) => isTooLong(body));
  if (long === undefined) return null;
  const what = `an entry of session ${session} is longer than ${MAX_LINE_BYTES} bytes`;
  return new HarnessError('TAPE_WRITE_FAILED', what);
}

/** `prev`, `seq` and what holds a line together. */
const ENVELOPE_BYTES = 200;

function isTooLong({ before, record }: EntryBody): boolean {
  const most = MAX_LINE_BYTES - ENVELOPE_BYTES;
  // Nothing is longer in bytes than three times its UTF-16 length.
  if ((before.length + record.length) * 3 <= most) return false;
  return Buffer.byteLength(before) + Buffer.byteLength(record) > most;
}

export function infoOf({ session, host, engine, started, policy, tape }: Header): TapeInfo {
  return { session, host, engine, started, policy: policy.digest, version: tape };
}

export function isListed({ session, host, started }: TapeInfo, filter: TapeFilter): boolean {
  const time = Date.parse(started);
  return (
    (filter.session === undefined || session.startsWith(filter.session)) &&
    (filter.host === undefined || host === filter.host) &&
    (filter.since === undefined || time >= filter.since) &&
    (filter.before === undefined || time < filter.before)
  );
}

export function newestFirst(infos: readonly TapeInfo[]): TapeInfo[] {
  return [...infos].sort((a, b) => (a.started === b.started ? 0 : a.started < b.started ? 1 : -1));
}
