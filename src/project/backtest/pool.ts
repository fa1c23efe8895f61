/**
 * Many tapes on all cores: this thread and others take the next tape from one counter until there is none left. Each opens
 * the candidate once. Reports come in any order; memory holds a few of them at most.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type BacktestTask, type ReportTape, reporter, type TapeReport } from './one-tape.ts';

/** Places in what the threads share: the next tape, reports nobody has read yet, then of each thread which tape it has, from 1. */
const [NEXT, UNREAD, HAS] = [0, 1, 2];

/** So many reports may wait for this thread, which has a tape of its own in hand. */
const MOST_UNREAD = 64;

interface WorkerTask {
  readonly task: BacktestTask;
  readonly tapes: readonly string[];
  readonly shared: Int32Array;
  readonly place: number;
}

const workerTask = () => (workerData as { backtest?: WorkerTask } | null)?.backtest;

/** True in a worker of this pool: the command then serves instead of starting. */
export function isWorker(): boolean {
  return !isMainThread && parentPort !== null && workerTask() !== undefined;
}

export async function serve(): Promise<number> {
  const { task, tapes, shared, place } = workerTask()!;
  const report = await reporter(task);
  for (let at = take(shared, tapes); at !== null; at = take(shared, tapes)) {
    Atomics.store(shared, place, at + 1);
    const done = await report(tapes[at]!);
    let unread = Atomics.load(shared, UNREAD);
    while (unread >= MOST_UNREAD) {
      Atomics.wait(shared, UNREAD, unread);
      unread = Atomics.load(shared, UNREAD);
    }
    Atomics.add(shared, UNREAD, 1);
    Atomics.store(shared, place, 0);
    parentPort!.postMessage(done);
  }
  return 0;
}

function take(shared: Int32Array, tapes: readonly string[]): number | null {
  const at = Atomics.add(shared, NEXT, 1);
  return at < tapes.length ? at : null;
}

export interface PoolOptions {
  readonly tapes: readonly string[];
  readonly task: BacktestTask;
  /** How many threads, this one included. */
  readonly jobs: number;
  /** What this thread does with a tape. */
  readonly report: ReportTape;
  readonly signal: AbortSignal;
  readonly onReport: (report: TapeReport) => void;
}

/** Ends when every tape is reported, or soon after the signal. A worker that dies is a problem of the tape it had. */
export async function runPool({ tapes, task, jobs, report, signal, onReport }: PoolOptions): Promise<void> {
  const others = Math.min(jobs, tapes.length) - 1;
  const shared = new Int32Array(new SharedArrayBuffer(4 * (HAS + Math.max(others, 0))));
  const workers = Promise.all(Array.from({ length: others }, (_, i) => work(HAS + i)));
  // Thrown below, once this thread has done what it can.
  workers.catch(() => {});
  for (let at = take(shared, tapes); at !== null && !signal.aborted; at = take(shared, tapes)) {
    onReport(await report(tapes[at]!));
    // Signals and what others report come between two turns of the loop.
    await nextTurn();
  }
  Atomics.store(shared, NEXT, tapes.length);
  await workers;

  function work(place: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const backtest: WorkerTask = { task, tapes, shared, place };
      const worker = new Worker(process.argv[1]!, {
        argv: process.argv.slice(2),
        workerData: { backtest },
      });
      worker.on('message', (done: TapeReport) => {
        Atomics.sub(shared, UNREAD, 1);
        Atomics.notify(shared, UNREAD);
        onReport(done);
      });
      let error: Error | null = null;
      worker.on('error', (thrown) => {
        error = thrown;
      });
      // The others go on with what is left.
      worker.on('exit', () => {
        const had = tapes[Atomics.load(shared, place) - 1];
        const problem = `the worker died: ${error?.message ?? 'it ended by itself'}`;
        if (had !== undefined) onReport({ tape: had, problem });
        else if (error !== null) return reject(error);
        resolve();
      });
    });
  }
}
