/**
 * Many tapes on all cores: each worker thread opens the candidate once and asks for the next tape when it is done with one.
 * Reports come in any order; memory holds those under way only.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type BacktestTask, reporter, type TapeReport } from './one-tape.ts';

/** True in a worker of this pool: the command then serves instead of starting. */
export function isWorker(): boolean {
  return (
    !isMainThread && parentPort !== null && (workerData as { backtest?: unknown })?.backtest !== undefined
  );
}

export async function serve(): Promise<number> {
  const port = parentPort!;
  const report = await reporter((workerData as { backtest: BacktestTask }).backtest);
  return new Promise((resolve) => {
    port.on('message', (tape: string | null) => {
      if (tape === null) {
        port.close();
        resolve(0);
        return;
      }
      void report(tape).then((done) => port.postMessage(done));
    });
    port.postMessage('ready');
  });
}

export interface PoolOptions {
  readonly tapes: readonly string[];
  readonly task: BacktestTask;
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly onReport: (report: TapeReport) => void;
}

/** Ends when every tape is reported, or soon after the signal. A worker that dies is a problem of the tape it had. */
export async function runPool({ tapes, task, jobs, signal, onReport }: PoolOptions): Promise<void> {
  const queue = [...tapes];
  const workers = Array.from({ length: Math.min(jobs, tapes.length) }, () => work());
  await Promise.all(workers);

  function work(): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(process.argv[1]!, {
        argv: process.argv.slice(2),
        workerData: { backtest: task },
      });
      let current: string | null = null;
      const next = () => {
        current = signal.aborted ? null : (queue.shift() ?? null);
        worker.postMessage(current);
      };
      worker.on('message', (message: TapeReport | 'ready') => {
        if (message !== 'ready') onReport(message);
        next();
      });
      worker.on('error', (error) => {
        if (current === null) return reject(error);
        onReport({ tape: current, problem: `the worker died: ${error.message}` });
        // The others go on with what is left.
        resolve(queue.length > 0 ? work() : undefined);
      });
      worker.on('exit', () => resolve());
    });
  }
}
