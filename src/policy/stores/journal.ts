/**
 * The lines of an area in its file. It follows the file as other processes write to it, cuts off what one that died left
 * half written, and writes the file anew when most of its lines say nothing any more.
 */

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { HarnessError } from '../../base/index.ts';
import { type AreaLine, AreaState } from '../../engine/index.ts';
import { openOwn, randomHex, readAt, replaceFile, syncFolder } from '../../machine/index.ts';

/** The first line. Its id tells a file from those that had its name before: the numbers the system gives files come again. */
const HEAD = /^\{"harness":"run state","id":"[0-9a-f]{16}","version":1\}\n/;
const HEAD_BYTES = 64;

function newHead(): string {
  return `{"harness":"run state","id":"${randomHex(8)}","version":1}\n`;
}

/** What a loss of power may leave in the place of the first line. The lines after it are read. */
const ZEROED_HEAD = '\0'.repeat(HEAD_BYTES);

/** A journal is written anew when it has so many lines more than twice what it holds. */
const SPARE_LINES = 512;

/** A file larger than this is not one of ours. */
const MAX_BYTES = 1024 * 1024 * 1024;

const NO_LINK = constants.O_NOFOLLOW ?? 0;
const READ = constants.O_RDONLY | NO_LINK;
const WRITE = constants.O_RDWR | constants.O_APPEND | NO_LINK;

export class Journal {
  private readonly path: string;
  private state = new AreaState();
  /** The file as it was last seen. */
  private seen: Pick<Stats, 'ino' | 'ctimeMs'> | null = null;
  private head = '';
  /** Open for writing, with the number of the file it is. */
  private file: { readonly descriptor: number; readonly ino: number } | null = null;
  /** How far it was read, and how many lines that were. */
  private offset = 0;
  private lines = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The state as the file has it now. `held` says that this process holds the lock: then a torn end is cut off. */
  catchUp(held: boolean): AreaState {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    if (stat === undefined) this.reset('');
    else if (!this.isAsSeen(stat)) this.open(held ? WRITE : READ, (file) => this.follow(file, held));
    return this.state;
  }

  /** Closes the file; it is opened again when it is written to. */
  close(): void {
    if (this.file !== null) closeSync(this.file.descriptor);
    this.file = null;
  }

  /** Under the lock, after `catchUp`: the file of this name, as it was seen, or a new one. */
  private writable(): number {
    if (this.file !== null && this.file.ino === this.seen?.ino) return this.file.descriptor;
    this.close();
    const descriptor = openOwn(this.path, WRITE | constants.O_CREAT);
    this.file = { descriptor, ino: fstatSync(descriptor).ino };
    return descriptor;
  }

  /** Under the lock, after `catchUp`. All lines, or none. */
  append(lines: readonly AreaLine[], sync: boolean): void {
    if (lines.length === 0) return;
    const head = this.offset === 0 ? newHead() : '';
    const bytes = Buffer.from(head + textOf(lines));
    try {
      this.write(this.writable(), bytes, sync);
      if (sync && head !== '') syncFolder(dirname(this.path));
    } catch (thrown) {
      // Whatever was read of it so far is read again.
      this.reset('');
      this.close();
      throw thrown;
    }
    if (head !== '') this.head = head;
    this.offset += bytes.length;
    for (const line of lines) this.state.apply(line);
    this.lines += lines.length;
    if (this.lines > 2 * this.state.size + SPARE_LINES) this.rewrite(sync);
  }

  private write(file: number, bytes: Buffer, sync: boolean): void {
    try {
      for (let sent = 0; sent < bytes.length; ) sent += writeSync(file, bytes, sent);
      if (sync) fdatasyncSync(file);
    } catch (thrown) {
      ftruncateSync(file, this.offset);
      throw thrown;
    }
    this.seen = fstatSync(file);
  }

  private isAsSeen({ ino, ctimeMs, size }: Stats): boolean {
    return this.seen?.ino === ino && this.seen.ctimeMs === ctimeMs && size === this.offset;
  }

  private open(flags: number, use: (file: number) => void): void {
    const file = openOwn(this.path, flags);
    try {
      use(file);
    } catch (thrown) {
      // Whatever was read of it so far is read again.
      this.reset('');
      throw thrown;
    } finally {
      closeSync(file);
    }
  }

  private follow(file: number, held: boolean): void {
    const stat = fstatSync(file);
    if (stat.size > MAX_BYTES) throw damaged(this.path, `is larger than ${MAX_BYTES} bytes`);
    const head = this.readHead(file, stat.size);
    if (head !== this.head || stat.size < this.offset) this.reset(head);
    if (this.offset === 0 && head === ZEROED_HEAD) this.state.apply(['damaged', null]);
    if (this.offset === 0) this.offset = head.length;
    const bytes = readAt(file, this.offset, stat.size - this.offset);
    const end = head === '' ? 0 : bytes.lastIndexOf(10) + 1;
    this.take(bytes.toString('utf8', 0, end));
    this.offset += end;
    this.seen = stat;
    // Without the lock it may be a line that another process is just writing.
    if (!held || end === bytes.length) return;
    ftruncateSync(file, this.offset);
    this.seen = fstatSync(file);
  }

  /** Empty for a file that does not have its whole first line yet. */
  private readHead(file: number, size: number): string {
    const begin = readAt(file, 0, Math.min(size, HEAD_BYTES)).toString('latin1');
    const head = HEAD.exec(begin)?.[0];
    if (head !== undefined) return head;
    if (begin === ZEROED_HEAD) return begin;
    if (begin.includes('\n') || begin.length === HEAD_BYTES)
      throw damaged(this.path, 'is no journal of run state');
    return '';
  }

  private take(text: string): void {
    const lines = text.split('\n');
    lines.pop();
    for (const line of lines) this.state.apply(this.parse(line));
    this.lines += lines.length;
  }

  private parse(line: string): AreaLine {
    try {
      const value: unknown = JSON.parse(line);
      if (Array.isArray(value) && typeof value[0] === 'string') return value as unknown as AreaLine;
    } catch {
      // A damaged line: see below.
    }
    // A page that a loss of power took: the value before counts. A limit waits for the end of its window, as if all was granted.
    const isLost = line.includes('\0') && !line.startsWith('["kept"');
    return ['damaged', isLost ? null : keyIn(line), this.state.clock?.time ?? 0];
  }

  /** The file appears whole under its name: a process that dies before leaves the old one. */
  private rewrite(sync: boolean): void {
    replaceFile(this.path, newHead() + textOf([...this.state.snapshot()]), { flush: sync });
    if (sync) syncFolder(dirname(this.path));
    // Read again from the file: what is too old to count is gone from memory too.
    this.catchUp(true);
  }

  private reset(head: string): void {
    this.state = new AreaState();
    this.head = head;
    this.seen = null;
    this.offset = 0;
    this.lines = 0;
  }
}

/** The key of a line whose rest is damaged; null if the key is damaged too. */
function keyIn(line: string): string | null {
  const key = /^\["(?:set|delete|once|kept|back)",("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  try {
    return key === undefined ? null : String(JSON.parse(key));
  } catch {
    return null;
  }
}

/** What of a journal cannot be read, as a sentence; null if nothing is damaged. */
export function journalProblem(path: string): string | null {
  try {
    const { damagedLines, damagedKeys } = new Journal(path).catchUp(false);
    const keys = [...damagedKeys.keys()].map((key) => JSON.stringify(key.replaceAll('\0', '/')));
    if (damagedLines + keys.length === 0) return null;
    const blocked =
      keys.length === 0
        ? ''
        : `. Guards that count ${keys.join(', ')} are blocked until those lines are removed or the window of the limit is over`;
    const lines =
      damagedLines + keys.length === 1 ? '1 damaged line' : `${damagedLines + keys.length} damaged lines`;
    return `${path} has ${lines}, by a loss of power or a fault of the disk: what was counted there is lost${blocked}`;
  } catch (thrown) {
    if (thrown instanceof HarnessError) return `${thrown.message}: guards that count there are blocked`;
    throw thrown;
  }
}

function textOf(lines: readonly AreaLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function damaged(path: string, what: string): HarnessError {
  return new HarnessError('STORE_FAILED', `${path} ${what}`);
}
