/**
 * What a tape adds up to, counted from its lines without restoring payloads: for listings. It can go on from where an earlier count
 * ended, and tells where the entries stand that name hooks, so that a reader can begin in the middle.
 */
import { HarnessError } from '../base/index.ts';
import { TapeStats } from './stats.ts';
import { readLines } from './tape-file.ts';
import { checkEntry, parseHeader } from './tape-reader.ts';

export interface TapeCounts {
  readonly entries: number;
  readonly decisions: number;
  readonly blocks: number;
  readonly asks: number;
  readonly rewrites: number;
  readonly failures: number;
  readonly failOpens: number;
  /** When its last entry was written, in milliseconds since the epoch; null if the tape does not say. */
  readonly last: number | null;
  readonly problem: string | null;
}

export interface CountedTape extends TapeCounts {
  /** Bytes of whole lines that were counted. */
  readonly offset: number;
  /** Where the entries begin that name hooks; null if there are too many. */
  readonly naming: readonly number[] | null;
}

/** More would make an index as long as the tape. */
const MOST_NAMING = 1000;

export function countsOf(stats: TapeStats, last: number | null, problem: string | null): TapeCounts {
  const { actions, entries, decisions, failures, failOpens } = stats;
  return {
    entries,
    decisions,
    blocks: actions.get('block') ?? 0,
    asks: actions.get('ask') ?? 0,
    rewrites: actions.get('modify') ?? 0,
    failures,
    failOpens,
    last,
    problem,
  };
}

/** `before`: the count of the same tape when it was shorter. */
export function countTape(path: string, before: CountedTape | null = null): CountedTape {
  const from = before?.problem === null ? before : null;
  const stats = new TapeStats();
  const naming: number[] = [];
  let offset = from?.offset ?? 0;
  let last = from?.last ?? null;
  let problem: string | null = null;
  try {
    for (const { bytes, whole } of readLines(path, undefined, offset)) {
      if (!whole) break;
      const line = bytes.toString('utf8');
      if (offset === 0) demand(parseHeader(line), path);
      else {
        const entry = demand(checkEntry(line), `${path} line ${(from?.entries ?? 0) + stats.entries + 2}`);
        const { record, at } = entry;
        if (record.type === 'policy.changed' || (record.type === 'session' && record.kind === 'hook'))
          naming.push(offset);
        stats.add(entry);
        last = at ?? last;
      }
      offset += bytes.length + 1;
    }
    if (offset === 0) throw new HarnessError('TAPE_INVALID', `${path} has no header`);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    problem = thrown.message;
  }
  const rest = countsOf(stats, last, problem);
  const all = from?.naming === null ? null : [...(from?.naming ?? []), ...naming];
  const counts = from === null ? rest : { ...sum(from, rest), last, problem };
  return { ...counts, offset, naming: all !== null && all.length <= MOST_NAMING ? all : null };
}

const COUNTED = ['entries', 'decisions', 'blocks', 'asks', 'rewrites', 'failures', 'failOpens'] as const;

function sum(a: TapeCounts, b: TapeCounts): Omit<TapeCounts, 'last' | 'problem'> {
  return Object.fromEntries(COUNTED.map((key) => [key, a[key] + b[key]])) as Omit<
    TapeCounts,
    'last' | 'problem'
  >;
}

export function isCountedTape(value: object): value is CountedTape {
  const { offset, naming, last, problem, ...counts } = value as CountedTape;
  const numbers = [offset, ...(naming ?? []), ...COUNTED.map((key) => counts[key])];
  return (
    numbers.every((number) => Number.isSafeInteger(number) && number >= 0) &&
    (last === null || typeof last === 'number') &&
    (problem === null || typeof problem === 'string')
  );
}

function demand<T>(found: T | string, where: string): T {
  if (typeof found !== 'string') return found;
  throw new HarnessError('TAPE_INVALID', `${where} ${found}`);
}
