/**
 * One entry of a long tape, found without reading all of it: numbers of entries rise, so the line is found by halving the file. What the
 * entry leaves out stands shortly before it or, rarely, anywhere: then more of the tape is read, at last all of it.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readAt } from '../machine/index.ts';
import type { Entry } from './entry.ts';
import { linkOf } from './envelope.ts';
import { type Start, TapeFollower } from './follow.ts';
import { type Chapter, includes } from './stories.ts';
import { readLines } from './tape-file.ts';
import { parseEntry } from './tape-reader.ts';

const STEP = 64 * 1024;
const BYTES_BACK = [4 * STEP, 64 * STEP];

/** The beginning of a line at or before that entry, near it; 0 where the numbers of the lines do not say. */
export function lineBefore(path: string, seq: number): number {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    let [low, high] = [0, fstatSync(file).size];
    while (high - low > STEP) {
      const middle = Math.floor((low + high) / 2);
      const found = lineAfter(file, middle, high);
      if (found === null) high = middle;
      else if (found.seq === null) return 0;
      else if (found.seq <= seq) low = found.at;
      else high = middle;
    }
    return low;
  } finally {
    closeSync(file);
  }
}

/** The first line that begins after `from` and ends before `to`; null if none does. */
function lineAfter(file: number, from: number, to: number): { at: number; seq: number | null } | null {
  for (let length = STEP; ; length *= 4) {
    const bytes = readAt(file, from, Math.min(length, to - from));
    const start = bytes.indexOf(10) + 1;
    const end = start === 0 ? -1 : bytes.indexOf(10, start);
    if (end !== -1) return { at: from + start, seq: linkOf(bytes.subarray(start, end))?.seq ?? null };
    if (from + length >= to) return null;
  }
}

/**
 * What the entry is part of; null if the tape has no such entry. `naming`: where the entries stand that name hooks; null if that is not
 * known, and then the tape is read from its beginning.
 */
export function chapterAt(path: string, seq: number, naming: readonly number[] | null): Chapter | null {
  for (const start of startsBefore(path, seq, naming)) {
    const chapter = chapterFrom(new TapeFollower(path, () => {}, start), seq);
    // What it leaves out may stand before the part that was read.
    const isWhole = chapter?.kind === 'session' || chapter?.story.dispatch.record.same === undefined;
    if (start.at === 0 || (chapter !== null && isWhole)) return chapter;
  }
  return null;
}

/** Where reading can begin to find the entry: near it, farther from it, at last at the beginning. */
export function* startsBefore(path: string, seq: number, naming: readonly number[] | null): Generator<Start> {
  const near = naming === null ? 0 : lineBefore(path, seq);
  for (const back of near === 0 ? [] : BYTES_BACK) {
    const at = near - back;
    const before = at <= 0 ? null : entriesAt(path, naming!, at);
    if (before === null) break;
    yield { at, before, torn: true };
  }
  yield { at: 0, before: [] };
}

function chapterFrom(follower: TapeFollower, seq: number): Chapter | null {
  for (const chapter of follower.all()) {
    const isSession = chapter.kind === 'session';
    if (isSession ? chapter.entry.seq === seq : includes(chapter.story, seq)) return chapter;
    // Chapters come in the order in which they begin.
    if ((isSession ? chapter.entry.seq : chapter.story.dispatch.seq) > seq) return null;
  }
  return null;
}

/** Null if one of the places has no entry: the index is not of this tape. */
function entriesAt(path: string, offsets: readonly number[], to: number): Entry[] | null {
  const entries: Entry[] = [];
  for (const offset of offsets) {
    if (offset >= to) break;
    for (const { bytes } of readLines(path, undefined, offset)) {
      const entry = parseEntry(bytes.toString('utf8'));
      if (typeof entry === 'string') return null;
      entries.push(entry);
      break;
    }
  }
  return entries;
}
