/**
 * The tapes a page shows, each under a name that stays the same: the name of its file. A request names one of these and never a path.
 * Tapes are read in slices, so that a large one keeps nobody waiting.
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HarnessError } from '../base/index.ts';
import { PRUNED, tapesIn } from '../project/index.ts';
import { type Line, storedFile, type TapeAt, type TapeStore } from '../tape/index.ts';
import { PageError } from './server/app.ts';

export interface ShownTape {
  readonly id: string;
  readonly file: string;
  /** Another state is another content. */
  readonly state: string;
  readonly bytes: number;
  /** Of the file: one that was put in its place has another. */
  readonly inode: number;
  /** When it was written last, in milliseconds since the epoch. */
  readonly written: number;
}

/** Folders are looked through again after so long. */
const FRESH_MS = 400;

export class Tapes {
  readonly places: () => readonly string[];
  private known: readonly ShownTape[] = [];
  private byId: ReadonlyMap<string, ShownTape> = new Map();
  private looked = Number.NEGATIVE_INFINITY;

  /** Folders of tapes, and tapes. */
  constructor(places: () => readonly string[]) {
    this.places = places;
  }

  /** Those written last first. */
  list(): readonly ShownTape[] {
    if (performance.now() - this.looked < FRESH_MS) return this.known;
    const files = [...new Set(this.places().flatMap(filesAt))];
    const found = new Map<string, ShownTape>();
    for (const file of files) {
      const stat = statSync(file, { throwIfNoEntry: false });
      if (stat?.isFile() !== true) continue;
      const id = freeId(basename(file, '.jsonl'), found);
      const { size: bytes, mtimeMs: written, ino: inode } = stat;
      found.set(id, { id, file, state: `${inode} ${bytes} ${written}`, bytes, inode, written });
    }
    this.byId = found;
    this.known = [...found.values()].sort((a, b) => b.written - a.written);
    this.looked = performance.now();
    return this.known;
  }

  find(id: string): ShownTape {
    this.list();
    const tape = this.byId.get(id);
    if (tape === undefined) throw new PageError(404, `there is no run ${JSON.stringify(id)}`);
    return tape;
  }
}

function filesAt(place: string): string[] {
  const stat = statSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const files = stat.isDirectory() ? tapesIn(place) : [place];
  return files.filter((file) => basename(file, '.jsonl') !== PRUNED);
}

/** Folders may hold files of one name. */
function freeId(name: string, taken: ReadonlyMap<string, unknown>): string {
  let id = name;
  for (let n = 2; taken.has(id); n++) id = `${name}~${n}`;
  return id;
}

/** So much is read at a time. */
const SLICE_MS = 8;

/** Waited for between two steps of something long, it lets others have their turn. */
export function pacer(): () => Promise<unknown> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}

/** A file as a store of one tape that lets others have their turn while it is read. */
export function inSlices(file: string): TapeAt {
  const store: TapeStore = {
    append: () => ({ ok: false, error: new HarnessError('TAPE_WRITE_FAILED', `${file} is only read`) }),
    read: () => {
      const tape = storedFile(file);
      return { ...tape, lines: slices(tape.lines as Iterable<Line>) };
    },
    list: () => [],
  };
  return { store, session: file };
}

async function* slices(lines: Iterable<Line>): AsyncGenerator<Line> {
  const pause = pacer();
  for (const line of lines) {
    yield line;
    await pause();
  }
}
