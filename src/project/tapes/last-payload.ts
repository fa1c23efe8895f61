/** The payload of a decision on a tape: the newest of an event, or the one an entry belongs to. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { HarnessError, type Json } from '../../base/index.ts';
import { chapters, includes, readTape } from '../../tape/index.ts';
import { tapesIn } from './find-tapes.ts';

export interface RecordedPayload {
  readonly event: string;
  readonly payload: Json;
  /** Where it stands. */
  readonly tape: string;
  readonly seq: number;
}

/** Tapes are looked at from the one that was written last. */
export function lastPayload(folders: readonly string[], event: string): RecordedPayload | null {
  const files = folders
    .flatMap(tapesIn)
    .map((file) => ({ file, written: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.written - a.written);
  for (const { file } of files) {
    const found = payloadsOf(file).findLast((each) => each.event === event);
    if (found !== undefined) return found;
  }
  return null;
}

/** Null if the entry is no part of a decision. */
export function payloadAt(file: string, seq: number): RecordedPayload | null {
  const { entries } = readTape(file);
  for (const chapter of chapters(entries)) {
    if (chapter.kind !== 'decision' || !includes(chapter.story, seq)) continue;
    const { seq: at, record } = chapter.story.dispatch;
    return { event: record.event, payload: record.payload as Json, tape: basename(file), seq: at };
  }
  return null;
}

function payloadsOf(file: string): RecordedPayload[] {
  const found: RecordedPayload[] = [];
  try {
    for (const chapter of chapters(readTape(file).entries)) {
      if (chapter.kind !== 'decision') continue;
      const { seq, record } = chapter.story.dispatch;
      found.push({ event: record.event, payload: record.payload as Json, tape: basename(file), seq });
    }
  } catch (thrown) {
    // A tape that ends in the middle has told what it could.
    if (!(thrown instanceof HarnessError)) throw thrown;
  }
  return found;
}
