/**
 * An index beside the tapes of a folder that says where a search need not look. It can be thrown away: a tape that changed in
 * size, time or last bytes is read anew, and what is found is always read from the tape itself.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { HarnessError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { factsOf, type TapeFacts } from '../../tape/facts.ts';
import { chapters } from '../../tape/stories.ts';
import { readTape } from '../../tape/tape-reader.ts';

const NAME = 'find.index';
/** Of how a row is made; an index of another one is thrown away. */
const VERSION = 1;
/** The last line holds the hash of the one before it, and so in the end every byte. */
const TAIL_BYTES = 1024;
/** A longer file is no index of ours. */
const MOST_BYTES = 512 * 1024 * 1024;

export type Facts = TapeFacts | { readonly problem: string };

interface Row {
  readonly file: string;
  readonly size: number;
  readonly time: number;
  readonly tail: string;
  readonly facts: Facts;
}

export class FindIndex {
  private readonly path: string;
  private readonly indexed: ReadonlyMap<string, Row>;
  private readonly rows: Row[] = [];
  private changed = false;

  /** `fresh`: what is there is not looked at. */
  constructor(folder: string, fresh: boolean) {
    this.path = join(folder, NAME);
    this.indexed = fresh ? new Map() : rowsAt(this.path);
  }

  /** What the index has of a tape as it is now; null if it has nothing. The tape is not read. */
  known(file: string): Facts | null {
    return this.rowOf(file, stateOf(file))?.facts ?? null;
  }

  private rowOf(file: string, now: State | null): Row | null {
    const row = this.indexed.get(basename(file));
    return now !== null && row !== undefined && isSame(row, now) ? row : null;
  }

  factsOf(file: string): Facts {
    const name = basename(file);
    const now = stateOf(file);
    const known = this.rowOf(file, now);
    if (known !== null) {
      this.rows.push(known);
      return known.facts;
    }
    const facts = readFacts(file);
    this.changed = true;
    if (now !== null) this.rows.push({ file: name, ...now, facts });
    return facts;
  }

  /** In one step. A folder that cannot be written to is searched without an index the next time too. */
  save(): void {
    if (!this.changed && this.rows.length === this.indexed.size) return;
    const scratch = `${this.path}.${process.pid}`;
    const lines = [{ index: VERSION }, ...this.rows].map((row) => `${JSON.stringify(row)}\n`);
    try {
      writeFileSync(scratch, lines.join(''), { mode: 0o600, flag: 'wx' });
      renameSync(scratch, this.path);
    } catch {
      rmSync(scratch, { force: true });
    }
  }
}

export function readFacts(file: string): Facts {
  try {
    const { header, entries } = readTape(file);
    return factsOf(header, chapters(entries));
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { problem: thrown.message };
  }
}

type State = Pick<Row, 'size' | 'time' | 'tail'>;

function isSame(known: State, now: State): boolean {
  return known.size === now.size && known.time === now.time && known.tail === now.tail;
}

/** Null if it cannot be told; such a file is read each time. */
function stateOf(file: string): State | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return null;
  try {
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const buffer = Buffer.allocUnsafe(Math.min(TAIL_BYTES, stat.size));
      const read = readSync(handle, buffer, 0, buffer.length, stat.size - buffer.length);
      return { size: stat.size, time: stat.mtimeMs, tail: hash('sha256', buffer.subarray(0, read), 'hex') };
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

function rowsAt(path: string): Map<string, Row> {
  const rows = new Map<string, Row>();
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MOST_BYTES) return rows;
    const [first, ...lines] = readFileSync(path, 'utf8').split('\n');
    const head: unknown = JSON.parse(first!);
    if (!isJsonObject(head) || head.index !== VERSION) return rows;
    for (const line of lines) {
      if (line === '') continue;
      const row = JSON.parse(line) as Row;
      if (isRow(row)) rows.set(row.file, row);
    }
  } catch {
    // Not there, or not whole: what it does not have is read from the tapes.
  }
  return rows;
}

function isRow({ file, facts }: Row): boolean {
  if (typeof file !== 'string' || !isJsonObject(facts)) return false;
  if (typeof facts.problem === 'string') return true;
  const { kinds, hooks, letters, last, started } = facts as Partial<TapeFacts>;
  const isList = (list: unknown) => list === null || (Array.isArray(list) && list.every(Array.isArray));
  const isText = letters === null || (typeof letters === 'string' && letters !== '');
  return (
    isList(kinds) &&
    isList(hooks) &&
    isText &&
    (last === null || typeof last === 'number') &&
    typeof started === 'string'
  );
}
