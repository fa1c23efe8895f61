/** The newest decision on the tapes of some folders. Only the tape that was written last is read. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { HarnessError } from '../../base/index.ts';
import { readTape } from '../../tape/index.ts';
import { PRUNED, tapesIn } from './find-tapes.ts';

export interface LastDecision {
  readonly host: string;
  readonly session: string;
  /** Milliseconds since the epoch; null on a tape that does not say. */
  readonly at: number | null;
  readonly event: string;
  readonly action: string;
  readonly hook: string | null;
  readonly reason: string | null;
}

export function lastDecision(folders: readonly string[]): LastDecision | null {
  const newest = folders
    .flatMap(writtenTapes)
    .sort((a, b) => b.written - a.written)
    .at(0);
  if (newest === undefined) return null;
  let last: LastDecision | null = null;
  try {
    const { header, entries } = readTape(newest.file);
    const events = new Map<number, string>();
    for (const { record, ...entry } of entries) {
      if (record.type === 'dispatch') events.set(record.dispatch, record.event);
      if (record.type !== 'decision') continue;
      const { in: fired, out: said } = record;
      last = {
        host: header.host,
        session: header.session,
        at: 'at' in entry && typeof entry.at === 'number' ? entry.at : null,
        event: 'event' in fired ? fired.event : (events.get(fired.dispatch) ?? 'unknown'),
        action: said.action,
        hook: said.hook ?? null,
        reason: said.reason ?? null,
      };
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
  }
  return last;
}

function writtenTapes(folder: string): { file: string; written: number }[] {
  return tapesIn(folder)
    .filter((file) => basename(file) !== `${PRUNED}.jsonl`)
    .map((file) => ({ file, written: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
}
