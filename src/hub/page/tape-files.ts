/**
 * Tapes of the hub as files in a folder of this process, for the views of one run, which read files. A few at a time; one that grew at the
 * hub grows in its file. The folder is gone with the process.
 */
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoundedMap } from '../../base/index.ts';
import { PageError, type ShownTape } from '../../page/index.ts';
import { segmentsOf } from '../archive.ts';
import { splitLines } from '../batch.ts';
import type { Database } from '../database.ts';

const MOST_FILES = 16;
/** Of one tape. A longer one is read where it was written, or with `fleet find`. */
const LARGEST = 256 * 1024 * 1024;

interface TapeRow {
  readonly first_seq: number;
  readonly bytes: number;
}

interface Copy extends ShownTape {
  /** The lines up to that number are in the file. */
  readonly next: number;
}

export class TapeFiles {
  private readonly database: Database;
  private readonly onForget: (id: string) => void;
  private readonly folder = mkdtempSync(join(tmpdir(), 'harness-hub-page-'));
  private readonly copies = new Map<string, Copy>();
  private readonly copying = new BoundedMap<string, Promise<Copy>>(MOST_FILES);

  constructor(database: Database, onForget: (id: string) => void) {
    this.database = database;
    this.onForget = onForget;
  }

  /** Throws a PageError if there is no such tape, or none that can be shown. */
  find(id: string): Promise<ShownTape> {
    // Requests side by side share one copy.
    const before = this.copying.get(id);
    if (before !== undefined) return before;
    const copying = this.copy(id).finally(() => this.copying.delete(id));
    this.copying.set(id, copying);
    return copying;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async copy(id: string): Promise<Copy> {
    const tape = Number(id);
    const [row] = Number.isSafeInteger(tape)
      ? await this.database.all<TapeRow>(
          `SELECT first_seq, (SELECT COALESCE(sum(raw_bytes), 0) FROM segments WHERE tape = t.id) AS bytes
           FROM tapes t WHERE id = $1`,
          [tape],
        )
      : [];
    if (row === undefined) throw new PageError(404, `there is no run ${JSON.stringify(id)}`);
    if (row.first_seq > 0)
      throw new PageError(404, `the first ${row.first_seq} lines of this run were removed by retention`);
    if (Number(row.bytes) > LARGEST)
      throw new PageError(404, 'this run is too long to be shown here. See it on its machine: harness ui');
    const file = join(this.folder, `${tape}.jsonl`);
    const known = this.copies.get(id);
    let next = known?.next ?? 0;
    if (known === undefined) writeFileSync(file, '', { mode: 0o600 });
    // More may have arrived since the row was read.
    for await (const segment of segmentsOf(this.database, tape, next - 1)) {
      appendFileSync(file, segment);
      next += splitLines(segment).length;
    }
    const { size: bytes, mtimeMs: written, ino: inode } = statSync(file);
    const copy: Copy = { id, file, state: `${inode} ${bytes}`, bytes, inode, written, next };
    this.copies.delete(id);
    this.copies.set(id, copy);
    for (const oldest of this.copies.keys()) {
      if (this.copies.size <= MOST_FILES) break;
      rmSync(this.copies.get(oldest)!.file, { force: true });
      this.copies.delete(oldest);
      this.onForget(oldest);
    }
    return copy;
  }
}
