/** The newest decision on the tapes of some folders. Only the tape that was written last is read. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../../base/errors.ts';
import { readTape } from '../../tape/tape-reader.ts';

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
    .flatMap(tapesIn)
    .sort((a, b) => b.written - a.written)
    .at(0);
  if (newest === undefined) return null;
  let last: LastDecision | null = null;
  try {
    const { header, entries } = readTape(newest.file);
    const events = new Map<number, string>();
    for (const { record, ...entry } of entries) {
      if (record.type === 'dispatch') events.set(record.dispatch, record.event);
      const said = record.type === 'decision' ? record.out : record.type === 'outcome' ? record : null;
      if (said === null) continue;
      const { dispatch } = record.type === 'decision' ? record.in : (record as { dispatch: number });
      const named = record.type === 'decision' && 'event' in record.in ? record.in.event : undefined;
      last = {
        host: header.host,
        session: header.session,
        at: 'at' in entry && typeof entry.at === 'number' ? entry.at : null,
        event: named ?? events.get(dispatch) ?? 'unknown',
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

function tapesIn(folder: string): { file: string; written: number }[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name))
      .map((file) => ({ file, written: statSync(file).mtimeMs }));
  } catch {
    return [];
  }
}
