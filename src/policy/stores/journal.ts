/**
 * The lines of an area in its file. It follows the file as other processes write to it, cuts off what one that died left
 * half written, and writes the file anew when most of its lines say nothing any more.
 */

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { HarnessError } from '../../base/errors.ts';
import { openOwn, replaceFile } from '../../base/own-file.ts';
import { randomHex } from '../../base/random.ts';
import { type AreaLine, AreaState } from '../../hooks/stores/area-state.ts';

/** The first line. Its id tells a file from those that had its name before: the numbers the system gives files come again. */
const HEAD = /^\{"harness":"run state","id":"[0-9a-f]{16}","version":1\}\n/;
const HEAD_BYTES = 64;

function newHead(): string {
  return `{"harness":"run state","id":"${randomHex(8)}","version":1}\n`;
}

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

  /** Under the lock, after `catchUp`. All lines, or none. */
  append(lines: readonly AreaLine[]): void {
    if (lines.length === 0) return;
    this.open(WRITE | constants.O_CREAT, (file) => {
      const head = this.offset === 0 ? newHead() : '';
      const bytes = Buffer.from(head + textOf(lines));
      try {
        for (let sent = 0; sent < bytes.length; ) sent += writeSync(file, bytes, sent);
      } catch (thrown) {
        ftruncateSync(file, this.offset);
        throw thrown;
      }
      if (head !== '') this.head = head;
      this.offset += bytes.length;
      this.seen = fstatSync(file);
    });
    for (const line of lines) this.state.apply(line);
    this.lines += lines.length;
    if (this.lines > 2 * this.state.size + SPARE_LINES) this.rewrite();
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
    if (this.offset === 0) this.offset = head.length;
    const bytes = readFrom(file, this.offset, stat.size - this.offset);
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
    const begin = readFrom(file, 0, Math.min(size, HEAD_BYTES)).toString('latin1');
    const head = HEAD.exec(begin)?.[0];
    if (head !== undefined) return head;
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
      // Told below.
    }
    throw damaged(this.path, 'has a line that is no change of run state');
  }

  /** The file appears whole under its name: a process that dies before leaves the old one. */
  private rewrite(): void {
    replaceFile(this.path, newHead() + textOf([...this.state.snapshot()]));
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

function textOf(lines: readonly AreaLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function readFrom(file: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let held = 0;
  while (held < length) {
    const read = readSync(file, buffer, held, length - held, from + held);
    if (read === 0) break;
    held += read;
  }
  return buffer.subarray(0, held);
}

function damaged(path: string, what: string): HarnessError {
  return new HarnessError('STORE_FAILED', `${path} ${what}`);
}
