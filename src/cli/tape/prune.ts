/**
 * `harness tape prune`: takes old tapes away, and leaves on a tape of its own what went: session, counts, head and signature of
 * each. Nothing goes without --yes, and never a tape that is open, broken, or kept by --keep.
 */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Json } from '../../base/index.ts';
import { isAcknowledged } from '../../fleet/index.ts';
import { machineHost, tryLock } from '../../machine/index.ts';
import { findTapes, PRUNED, progressOf, sinceOf, summarise } from '../../project/index.ts';
import { openTape, readSignedHead, readTail, type TapeSummary, verifyTape } from '../../tape/index.ts';
import {
  type Arguments,
  countOf,
  harmless,
  type Output,
  quote,
  type Run,
  UsageError,
} from '../../terminal/index.ts';

const DEFAULT_AGE = '30d';

interface Aged {
  readonly tape: TapeSummary;
  readonly size: number;
  readonly time: number;
}

interface Plan {
  readonly going: readonly Aged[];
  /** Old enough to go, by why they stay. */
  readonly kept: Readonly<Record<string, number>>;
  readonly bytesLeft: number;
}

export const run: Run = (args, output) => {
  const { files, single } = findTapes(args.positionals[0]);
  if (single) throw new UsageError('tape prune wants a folder of tapes, got one tape');
  const rules = rulesOf(args);
  const progress = progressOf('reading', output);
  const tapes = files
    .filter((file) => basename(file) !== `${PRUNED}.jsonl`)
    .map((file, i): Aged => {
      progress(i, files.length);
      const tape = summarise(file);
      const time = tape.last ?? (Date.parse(tape.started ?? '') || 0);
      return { tape, time, size: statSync(file, { throwIfNoEntry: false })?.size ?? 0 };
    });
  const plan = planOf(tapes, rules);
  const gone = args.has('yes') ? remove(dirname(files[0]!), plan.going, output) : plan.going;
  report(plan, gone, args, rules.maxSize, output);
  return gone.length === plan.going.length ? 0 : 1;
};

interface Rules {
  /** Tapes whose last entry is older go. */
  readonly before: number;
  readonly keepBlocked: boolean;
  readonly maxSize: number;
}

function rulesOf(args: Arguments): Rules {
  const keep = args.value('keep') ?? 'blocked';
  if (keep !== 'blocked' && keep !== 'none')
    throw new UsageError(`--keep wants blocked or none, got ${quote(keep)}`);
  const maxSize = sizeOf(args.value('max-size'));
  const sized = maxSize !== Number.POSITIVE_INFINITY && !args.has('older');
  const given: Arguments = { ...args, value: (name) => args.value(name) ?? DEFAULT_AGE };
  return { before: sized ? 0 : sinceOf(given, 'older'), keepBlocked: keep === 'blocked', maxSize };
}

const UNITS: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9 };

function sizeOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const [, count, unit] = /^(\d+)\s*([kmg]b)$/i.exec(text) ?? [];
  if (unit === undefined) throw new UsageError(`--max-size wants a size such as 500MB, got ${quote(text)}`);
  return Number(count) * UNITS[unit.toLowerCase()]!;
}

function planOf(tapes: readonly Aged[], { before, keepBlocked, maxSize }: Rules): Plan {
  const kept: Record<string, number> = {};
  const going: Aged[] = [];
  let bytes = tapes.reduce((sum, { size }) => sum + size, 0);
  for (const aged of [...tapes].sort((a, b) => a.time - b.time)) {
    if (aged.time >= before && bytes <= maxSize) continue;
    const why = reasonToRetain(aged.tape, keepBlocked);
    if (why !== null) {
      kept[why] = (kept[why] ?? 0) + 1;
      continue;
    }
    going.push(aged);
    bytes -= aged.size;
  }
  return { going, kept, bytesLeft: bytes };
}

function reasonToRetain({ state, blocks, file }: TapeSummary, keepBlocked: boolean): string | null {
  if (state === 'open') return 'open';
  if (state === 'broken' || !verifyTape(file).ok) return 'not proven';
  if (keepBlocked && blocks > 0) return 'blocked';
  return isAcknowledged(machineHost, file) ? null : 'not at the hub yet';
}

/** What goes is on record before it goes. */
function remove(folder: string, going: readonly Aged[], output: Output): readonly Aged[] {
  if (going.length === 0) return [];
  const checkpoint = openTape(join(folder, `${PRUNED}.jsonl`), {
    session: PRUNED,
    hooks: [],
    host: machineHost,
    firedBy: 'harness tape prune',
    acknowledge: 'synced',
  });
  const gone: Aged[] = [];
  try {
    for (const aged of going) {
      const { file } = aged.tape;
      const lock = tryLock(file);
      if ('heldBy' in lock) {
        output.note(`${harmless(file)} is being written and stays`);
        continue;
      }
      try {
        if (statSync(file).size !== aged.size) {
          output.note(`${harmless(file)} has grown meanwhile and stays`);
          continue;
        }
        checkpoint.note('pruned', remains(aged));
        rmSync(file);
        rmSync(`${file}.sig`, { force: true });
        gone.push(aged);
      } finally {
        lock.release();
      }
    }
  } finally {
    checkpoint.close();
  }
  return gone;
}

function remains({ tape, size }: Aged): Json {
  const { file, session, host, started, last, policy, entries, decisions, blocks, failures } = tape;
  const signature = readSignedHead(file);
  return {
    ...{ session, host, started, last, policy, entries, decisions, blocks, failures, size },
    file: basename(file),
    head: headOf(file),
    ...(signature === null ? {} : { signature: signature as unknown as Json }),
  };
}

function headOf(file: string): string {
  const handle = openSync(file, 'r');
  try {
    return readTail(handle, file).head;
  } finally {
    closeSync(handle);
  }
}

function report(plan: Plan, gone: readonly Aged[], args: Arguments, maxSize: number, output: Output): void {
  const dry = !args.has('yes');
  const bytes = gone.reduce((sum, { size }) => sum + size, 0);
  if (args.has('json')) {
    const tapes = gone.map(({ tape: { file, session, started, decisions, blocks }, size }) => ({
      ...{ file, session, started, decisions, blocks, size },
    }));
    output.line(JSON.stringify({ dry, tapes, bytes, kept: plan.kept }));
    return;
  }
  for (const { tape } of gone) output.line(`${dry ? 'would go' : 'gone'}  ${harmless(tape.file)}`);
  const kept = Object.entries(plan.kept).map(([why, count]) => `${count} ${why}`);
  const stay = kept.length === 0 ? '' : `; old enough and kept: ${kept.join(', ')}`;
  const what = dry ? 'would go' : `gone, on record in ${PRUNED}.jsonl`;
  output.line(`${countOf(gone.length, 'tape')} (${(bytes / 1e6).toFixed(1)} MB) ${what}${stay}`);
  if (plan.bytesLeft > maxSize)
    output.note('what stays is still larger than --max-size: nothing more may go by these rules');
  if (dry && gone.length > 0) output.note('nothing was removed; --yes does it');
}
