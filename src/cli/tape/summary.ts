/**
 * One tape in a line: how its session went, counted from its entries, and whether it came to a good end.
 */
import { closeSync, openSync } from 'node:fs';
import { HarnessError } from '../../base/errors.ts';
import { isLocked } from '../../base/file-lock.ts';
import type { Header } from '../../tape/entry.ts';
import { readTail } from '../../tape/repair.ts';
import { TapeStats } from '../../tape/stats.ts';
import { readTape } from '../../tape/tape-reader.ts';
import type { TapeSummary } from '../../tape/tape-summary.ts';

/** Counts and looks; proving is what `verify` does. */
export function summarise(file: string): TapeSummary {
  const stats = new TapeStats();
  let header: Header | null = null;
  let last: number | null = null;
  let problem: string | null = null;
  try {
    const tape = readTape(file);
    header = tape.header;
    stats.beginTape(header.session);
    for (const entry of tape.entries) {
      stats.add(entry);
      last = entry.at ?? last;
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    problem = thrown.message;
  }
  return summaryOf(file, header, stats, last, problem);
}

export function summaryOf(
  file: string,
  header: Header | null,
  stats: TapeStats,
  last: number | null,
  problem: string | null,
): TapeSummary {
  const { actions } = stats;
  return {
    file,
    session: header?.session ?? null,
    host: header?.host ?? null,
    started: header?.started ?? null,
    last,
    policy: header?.policy.digest ?? null,
    entries: stats.entries,
    decisions: stats.decisions,
    blocks: actions.get('block') ?? 0,
    asks: actions.get('ask') ?? 0,
    rewrites: actions.get('modify') ?? 0,
    failures: stats.failures,
    failOpens: stats.failOpens,
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
