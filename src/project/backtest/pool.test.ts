import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TapeReport } from './one-tape.ts';
import { type PoolOptions, runPool } from './pool.ts';

const TAPES = ['a', 'b', 'c', 'd', 'e'];
const result = { session: 's', decisions: 1, same: 1, changed: [], notReplayable: [], check: null };
const [, script] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'harness-pool-'));

afterAll(() => {
  process.argv[1] = script!;
  rmSync(folder, { recursive: true, force: true });
});

async function reported(options: Partial<PoolOptions>): Promise<TapeReport[]> {
  const reports: TapeReport[] = [];
  await runPool({
    tapes: TAPES,
    task: { policy: '.', since: 0, unchecked: true },
    jobs: 1,
    report: async (tape) => ({ tape, result }),
    signal: new AbortController().signal,
    onReport: (report) => void reports.push(report),
    ...options,
  });
  return reports;
}

describe('the threads of a backtest', () => {
  it('hears an interrupt between two tapes, also where no other thread works', async () => {
    const interrupt = new AbortController();
    const report = async (tape: string) => {
      // A signal is heard when the loop turns.
      if (tape === 'b') setImmediate(() => interrupt.abort());
      return { tape, result };
    };
    const reports = await reported({ report, signal: interrupt.signal });
    expect(reports.map(({ tape }) => tape)).toEqual(['a', 'b']);
  });

  it('reports every tape once, and of a worker that dies the tape it had', async () => {
    process.argv[1] = join(folder, 'dies.cjs');
    // It takes the next tape as a worker does, says which, and ends.
    writeFileSync(
      process.argv[1],
      `const { shared, place } = require('node:worker_threads').workerData.backtest;
Atomics.store(shared, place, Atomics.add(shared, 0, 1) + 1);
throw new Error('no more');`,
    );
    let died = () => {};
    const dead = new Promise<void>((resolve) => {
      died = resolve;
    });
    const reports: TapeReport[] = [];
    await reported({
      jobs: 2,
      // This thread keeps its first tape until the other one is gone.
      report: async (tape) => dead.then(() => ({ tape, result })),
      onReport: (report) => {
        reports.push(report);
        if ('problem' in report) died();
      },
    });
    expect(reports.map(({ tape }) => tape).sort()).toEqual(TAPES);
    expect(reports.filter((report) => 'problem' in report)).toEqual([
      { tape: 'b', problem: 'the worker died: no more' },
    ]);
  });
});
