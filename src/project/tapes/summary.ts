/**
 * One tape in a line: how its session went, counted from its entries, and whether it came to a good end. Beside long tapes lies an index
 * of the counts.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isLocked } from '../../machine/index.ts';
import {
  type Chapter,
  type CountedTape,
  chapterAt,
  countTape,
  type Header,
  isCountedTape,
  readTail,
  type TapeCounts,
  type TapeSummary,
} from '../../tape/index.ts';
import { headerAt } from './find-tapes.ts';
import { FolderIndex, type IndexKind } from './folder-index.ts';

const COUNTS: IndexKind<CountedTape> = {
  name: 'tapes.index',
  version: 1,
  read: countTape,
  isSound: isCountedTape,
};

/** Less is read at once, without an index. */
const LONG_BYTES = 4 * 1024 * 1024;

/** Counts and looks; proving is what `verify` does. */
export function summarise(
  file: string,
  index: Pick<FolderIndex<CountedTape>, 'factsOf'> | null = null,
): TapeSummary {
  return summaryOf(file, headerAt(file), index === null ? countTape(file) : index.factsOf(file));
}

/** The tapes of a folder, or one. `fresh`: every tape is read, whatever the index says. */
export function summariseAll(
  files: readonly string[],
  { fresh = false, onTape = (_: number) => {} },
): TapeSummary[] {
  const folder = files[0] === undefined ? null : dirname(files[0]);
  const isLong = files.reduce((sum, file) => sum + sizeOf(file), 0) >= LONG_BYTES;
  const index = folder === null || !isLong ? null : new FolderIndex(folder, COUNTS, fresh);
  const tapes = files.map((file, i) => {
    onTape(i);
    return summarise(file, index);
  });
  index?.save({ all: files.length === 1 });
  return tapes;
}

/** What an entry of a tape is part of; null if there is no such entry. A long tape is not read whole once its index is there. */
export function chapterOf(file: string, seq: number): Chapter | null {
  if (sizeOf(file) < LONG_BYTES) return chapterAt(file, seq, null);
  const index = new FolderIndex(dirname(file), COUNTS);
  const { naming } = index.factsOf(file);
  index.save({ all: true });
  return chapterAt(file, seq, naming);
}

/** Where the entries of a tape stand that name hooks, if its index says it of the tape as it is now. */
export function namingEntries(file: string): readonly number[] | null {
  return new FolderIndex(dirname(file), COUNTS).known(file)?.naming ?? null;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

export function summaryOf(file: string, header: Header | null, counts: TapeCounts): TapeSummary {
  const { entries, decisions, blocks, asks, rewrites, failures, failOpens, last, problem } = counts;
  return {
    file,
    session: header?.session ?? null,
    host: header?.host ?? null,
    started: header?.started ?? null,
    last,
    policy: header?.policy.digest ?? null,
    ...{ entries, decisions, blocks, asks, rewrites, failures, failOpens },
    state: problem === null ? endOf(file) : 'broken',
    problem,
  };
}

function endOf(file: string): TapeSummary['state'] {
  if (isLocked(file)) return 'open';
  const handle = openSync(file, 'r');
  try {
    const tail = readTail(handle, file);
    return tail.closed && tail.torn === 0 ? 'closed' : 'cut';
  } finally {
    closeSync(handle);
  }
}
