/**
 * An index beside the tapes of a folder: one row a tape, with what reading the whole tape gave. It can be thrown away at any time: a
 * tape that changed in size, time or last bytes is read anew, and one that only grew from where the row ends.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { replaceFile } from '../../machine/index.ts';

/** The last line holds the hash of the one before it, and so in the end every byte. */
const TAIL_BYTES = 1024;
/** A longer file is no index of ours. */
const MOST_BYTES = 512 * 1024 * 1024;

/** One kind of index: what a row holds and how it is made. */
export interface IndexKind<F> {
  readonly name: string;
  /** Of how a row is made; an index of another version is thrown away. */
  readonly version: number;
  /** `before`: what the row had when the tape was shorter, if the tape only grew since. */
  readonly read: (file: string, before: F | null) => F;
  readonly isSound: (facts: object) => boolean;
}

interface Row<F> {
  readonly file: string;
  readonly size: number;
  readonly time: number;
  readonly tail: string;
  readonly facts: F;
}

type State = Pick<Row<unknown>, 'size' | 'time' | 'tail'>;

export class FolderIndex<F> {
  private readonly path: string;
  private readonly kind: IndexKind<F>;
  private readonly indexed: ReadonlyMap<string, Row<F>>;
  private readonly rows = new Map<string, Row<F>>();
  private changed = false;

  /** `fresh`: what is there is not looked at. */
  constructor(folder: string, kind: IndexKind<F>, fresh = false) {
    this.path = join(folder, kind.name);
    this.kind = kind;
    this.indexed = fresh ? new Map() : rowsAt(this.path, kind);
  }

  /** What the index has of a tape as it is now; null if it has nothing. The tape is not read. */
  known(file: string): F | null {
    return this.rowOf(file, stateOf(file))?.facts ?? null;
  }

  factsOf(file: string): F {
    const now = stateOf(file);
    const known = this.rowOf(file, now);
    if (known !== null) {
      this.rows.set(known.file, known);
      return known.facts;
    }
    const before = this.indexed.get(basename(file));
    const facts = this.kind.read(file, before !== undefined && grewFrom(file, before) ? before.facts : null);
    this.changed = true;
    if (now !== null) this.rows.set(basename(file), { file: basename(file), ...now, facts });
    return facts;
  }

  /** `all`: the rows of tapes that were not asked for stay. A folder that cannot be written to has no index the next time either. */
  save({ all = false } = {}): void {
    if (!this.changed && (all || this.rows.size === this.indexed.size)) return;
    const rows = all ? new Map([...this.indexed, ...this.rows]) : this.rows;
    const lines = [{ index: this.kind.version }, ...rows.values()].map((row) => `${JSON.stringify(row)}\n`);
    try {
      replaceFile(this.path, lines.join(''), { flush: false });
    } catch {
      // It is only slower without.
    }
  }

  private rowOf(file: string, now: State | null): Row<F> | null {
    const row = this.indexed.get(basename(file));
    const same = row?.size === now?.size && row?.time === now?.time && row?.tail === now?.tail;
    return now !== null && row !== undefined && same ? row : null;
  }
}

/** Null if it cannot be told; such a file is read each time. */
function stateOf(file: string): State | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  const tail = stat?.isFile() === true ? tailBefore(file, stat.size) : null;
  return stat === undefined || tail === null ? null : { size: stat.size, time: stat.mtimeMs, tail };
}

/** Whether the bytes before the old end are the same ones. */
function grewFrom(file: string, { size, tail }: State): boolean {
  const now = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return now > size && tailBefore(file, size) === tail;
}

function tailBefore(file: string, end: number): string | null {
  try {
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const buffer = Buffer.allocUnsafe(Math.min(TAIL_BYTES, end));
      const read = readSync(handle, buffer, 0, buffer.length, end - buffer.length);
      return hash('sha256', buffer.subarray(0, read), 'hex');
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

function rowsAt<F>(path: string, { version, isSound }: IndexKind<F>): Map<string, Row<F>> {
  const rows = new Map<string, Row<F>>();
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MOST_BYTES) return rows;
    const [first, ...lines] = readFileSync(path, 'utf8').split('\n');
    const head: unknown = JSON.parse(first!);
    if (!isJsonObject(head) || head.index !== version) return rows;
    for (const line of lines) {
      if (line === '') continue;
      const row = JSON.parse(line) as Row<F>;
      if (typeof row.file === 'string' && isJsonObject(row.facts) && isSound(row.facts))
        rows.set(row.file, row);
    }
  } catch {
    // Not there, or not whole: what it does not have is read from the tapes.
  }
  return rows;
}
