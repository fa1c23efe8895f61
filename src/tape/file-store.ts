/**
 * Tapes as files of one folder, `SESSION.jsonl` each. Many short processes may append to one: each batch is written under a
 * lock, waiting for it a bounded time, and leaves a tape that can be proven. A process that means to go on holds the lock.
 */

import type { KeyObject } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap, HarnessError, sha256Hex } from '../base/index.ts';
import type { MaybePromise } from '../engine/index.ts';
import { entryBody } from './chain.ts';
import { type Contents, contentsIn } from './contents.ts';
import type { Header, TapeRecord } from './entry.ts';
import type { EntryMark } from './go-on.ts';
import {
  type Appended,
  batchProblem,
  infoOf,
  isListed,
  newestFirst,
  type StoredTape,
  type TapeBatch,
  type TapeFilter,
  type TapeInfo,
  type TapeStore,
} from './store.ts';
import { storedFile } from './tape-file.ts';
import { headerOf } from './tape-reader.ts';
import { type TapeOptions, TapeWriter } from './writer.ts';

export interface FileTapeStoreOptions {
  /** The disk has to have an entry before it is acknowledged, so that it survives the loss of power. */
  readonly sync?: boolean;
  /** How long to wait for another process to let go of a tape; by default two seconds. */
  readonly waitMs?: number;
  readonly sign?: { readonly key: KeyObject; readonly every?: number };
}

const WAIT_MS = 2000;

/** Most tapes that stay open between two batches; the ends of others are read again. */
const MOST_RESTING = 64;

export class FileTapeStore implements TapeStore {
  readonly dir: string;
  readonly contents: Contents;
  private readonly options: FileTapeStoreOptions;
  /** Tapes that this process goes on with. */
  private readonly held = new Map<string, TapeWriter>();
  /** Tapes that other processes may write to and whose file is still open, the last used one last. */
  private readonly resting = new BoundedMap<string, TapeWriter>(MOST_RESTING, {
    onDrop: (writer) => writer.close(),
  });
  /** Batches that wait for a lock: those after them must not overtake them. */
  private readonly waiting = new Map<string, Promise<Appended>>();

  constructor(dir: string, options: FileTapeStoreOptions = {}) {
    this.dir = dir;
    this.contents = contentsIn(dir);
    this.options = options;
  }

  /** The file of a session. Ids that are no file names are known by their digest. */
  pathOf(session: string): string {
    const name = PLAIN_NAME.test(session) ? session : `id-${sha256Hex(session).slice(0, 40)}`;
    return join(this.dir, `${name}.jsonl`);
  }

  append(batch: TapeBatch): MaybePromise<Appended> {
    const problem = batchProblem(batch);
    if (problem !== null) return { ok: false, error: problem };
    const before = this.waiting.get(batch.session);
    if (before !== undefined)
      return this.queue(
        batch,
        before.then(() => this.appendLater(batch)),
      );
    const written = this.appendAt(batch, () =>
      TapeWriter.open(this.pathOf(batch.session), this.given(batch, 0)),
    );
    if (written.ok || written.error.code !== 'TAPE_LOCKED') return written;
    return this.queue(batch, this.appendLater(batch));
  }

  /** Adds to a tape that is there, under the header it has; null without one, and if it is signed, which takes the key. */
  addTo(session: string, record: TapeRecord, at: number, after?: EntryMark): MaybePromise<Appended> | null {
    const path = this.pathOf(session);
    const header = existsSync(`${path}.sig`) ? null : headerAt(path);
    return header === null
      ? null
      : this.append({
          session,
          header,
          entries: [entryBody(record, at)],
          ...(after !== undefined && { after }),
        });
  }

  read(session: string, from = 0): StoredTape | null {
    const path = this.fileOf(session);
    return path === null ? null : storedFile(path, from);
  }

  list(filter: TapeFilter = {}): readonly TapeInfo[] {
    const infos = this.files().flatMap((path) => {
      const header = headerAt(path);
      return header === null ? [] : [infoOf(header)];
    });
    return newestFirst(infos.filter((info) => isListed(info, filter)));
  }

  /** Lets go of every tape this process goes on with, each with its closing entry. */
  close(): void {
    for (const writer of this.held.values()) writer.close();
    this.held.clear();
    for (const session of this.resting.keys()) this.closeResting(session);
  }

  private queue(batch: TapeBatch, later: Promise<Appended>): Promise<Appended> {
    this.waiting.set(batch.session, later);
    return later.finally(() => {
      if (this.waiting.get(batch.session) === later) this.waiting.delete(batch.session);
    });
  }

  private async appendLater(batch: TapeBatch): Promise<Appended> {
    if (this.held.has(batch.session)) return this.appendAt(batch, () => this.held.get(batch.session)!);
    const path = this.pathOf(batch.session);
    const opened = await TapeWriter.openLater(path, this.given(batch, this.options.waitMs ?? WAIT_MS)).catch(
      (thrown: unknown) => asFailure(thrown),
    );
    return opened instanceof TapeWriter ? this.appendAt(batch, () => opened) : opened;
  }

  private appendAt({ session, entries, more = false, after }: TapeBatch, open: () => TapeWriter): Appended {
    try {
      const writer = this.held.get(session) ?? this.resumed(session, after) ?? open();
      if (more) this.held.set(session, writer);
      else this.held.delete(session);
      const appended = write(writer, entries, more);
      if (!more) this.remember(session, writer);
      return appended;
    } catch (thrown) {
      this.held.delete(session);
      return asFailure(thrown);
    }
  }

  private resumed(session: string, after: EntryMark | undefined): TapeWriter | null {
    const writer = this.resting.get(session);
    if (writer?.resume(this.pathOf(session), after)) {
      this.resting.delete(session);
      return writer;
    }
    this.closeResting(session);
    return null;
  }

  private remember(session: string, writer: TapeWriter): void {
    this.closeResting(session);
    this.resting.set(session, writer);
  }

  private closeResting(session: string): void {
    this.resting.take(session)?.close();
  }

  private given({ header, after }: TapeBatch, waitMs: number): TapeOptions {
    const { sync = false, sign } = this.options;
    return {
      header,
      // The process before may have said so already; only the host knows.
      notePolicy: false,
      waitMs,
      acknowledge: sync ? 'synced' : 'written',
      ...(sign !== undefined && { sign }),
      ...(after !== undefined && { after }),
    };
  }

  /** By its name, or, for a file that was given another one, by its header. */
  private fileOf(session: string): string | null {
    const usual = this.pathOf(session);
    const named = [usual, ...this.files().filter((path) => path !== usual)];
    return named.find((path) => headerAt(path)?.session === session) ?? null;
  }

  private files(): string[] {
    try {
      const names = readdirSync(this.dir).filter((name) => name.endsWith('.jsonl'));
      return names.sort().map((name) => join(this.dir, name));
    } catch {
      return [];
    }
  }
}

/** Names that differ in nothing but case would be one file on some systems. */
const PLAIN_NAME = /^[a-z0-9_][a-z0-9._-]{0,99}$/;

function write(writer: TapeWriter, entries: TapeBatch['entries'], more: boolean): Appended {
  try {
    for (const body of entries) writer.addBody(body);
    if (more) writer.commit();
    else writer.rest();
    return { ok: true, seq: writer.entries, head: writer.head };
  } catch (thrown) {
    writer.abandon();
    throw thrown;
  }
}

function asFailure(thrown: unknown): Appended & { readonly ok: false } {
  const error =
    thrown instanceof HarnessError
      ? thrown
      : new HarnessError('TAPE_WRITE_FAILED', thrown instanceof Error ? thrown.message : String(thrown));
  return { ok: false, error };
}

/** Null for a file that is no tape. */
function headerAt(path: string): Header | null {
  try {
    return headerOf(path);
  } catch (thrown) {
    if (thrown instanceof HarnessError) return null;
    throw thrown;
  }
}
