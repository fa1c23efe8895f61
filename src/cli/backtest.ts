/**
 * `harness backtest`: what a changed policy would have done to recorded runs. Nothing is run but sandboxed hooks; what they
 * read comes from the tapes.
 */
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { didYouMean } from '../base/index.ts';
import {
  type BacktestTask,
  backtestData,
  findTapes,
  isWorker,
  markdown,
  printBacktest,
  reporterOf,
  runPool,
  Summary,
  serve,
  type TapeReport,
} from '../project/index.ts';
import {
  ACTION_STYLES,
  type Arguments,
  notePolicyDoubts,
  type Output,
  openPolicyAt,
  quote,
  type Run,
  timeOf,
  UsageError,
  wholeNumber,
} from '../terminal/index.ts';

/** So many bytes of tapes are decided before a thread has started and its code is warm. */
const WORTH_A_POOL = 8 * 1024 * 1024;
const INTERRUPTED = 130;

export const run: Run = async (args, output) => {
  if (isWorker()) return serve();
  const task = taskOf(args);
  const failing = failingClasses(args);
  const policy = await openPolicyAt(task.policy, { trust: 'no code' });
  notePolicyDoubts(policy, output);
  const tapes = [...new Set(args.positionals.flatMap((path) => findTapes(path).files))];
  const summary = new Summary();
  const kept =
    args.value('resume') === undefined ? null : new Kept(args.value('resume')!, policy.digest.digest, task);
  const left = tapes.filter((tape) => {
    const report = kept?.find(tape);
    if (report !== undefined) summary.add(report);
    return report === undefined;
  });
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  const progress = progressOf(tapes.length, summary, output);
  const onReport = (report: TapeReport) => {
    kept?.add(report);
    summary.add(report);
    progress();
  };
  const jobs = wholeNumber(args, 'jobs', 1) ?? (isWorthAPool(left) ? availableParallelism() : 1);
  const { signal } = interrupt;
  await runPool({ tapes: left, task, jobs, report: reporterOf(policy, task), signal, onReport });

  if (args.has('json')) output.line(JSON.stringify(backtestData(summary)));
  else if (args.has('markdown')) output.raw(markdown(summary));
  else printBacktest(summary, output);
  if (signal.aborted && summary.tapes < tapes.length) {
    const hint = kept === null ? '; continue with --resume FILE' : '; the same command continues it';
    output.note(`interrupted after ${summary.tapes} of ${tapes.length} tapes${hint}`);
    return INTERRUPTED;
  }
  if (!summary.compared) output.note(`${output.paintNote('yellow', 'warning')}: ${NOTHING_COMPARED}`);
  return exitCode(summary, failing);
};

const NOTHING_COMPARED = 'no decision could be compared with the policy; --fail-on fails';

function taskOf(args: Arguments): BacktestTask {
  if (args.has('json') && args.has('markdown'))
    throw new UsageError('--json and --markdown are two forms; use one of them');
  const since = args.value('since');
  const time = since === undefined ? 0 : timeOf(since);
  if (Number.isNaN(time))
    throw new UsageError(`--since wants a date or a span such as 7d or 12h, got ${JSON.stringify(since)}`);
  return { policy: args.value('policy') ?? '.', since: time, unchecked: args.has('no-self-check') };
}

function isWorthAPool(tapes: readonly string[]): boolean {
  let bytes = 0;
  return tapes.some((tape) => {
    bytes += statSync(tape, { throwIfNoEntry: false })?.size ?? 0;
    return bytes > WORTH_A_POOL;
  });
}

/** Checked before anything is read: a class that cannot come about would never fail, and nobody would know. */
function failingClasses(args: Arguments): readonly string[] {
  const wanted = (args.value('fail-on') ?? '').split(',').flatMap((each) => each.trim() || []);
  if (args.has('fail-on') && wanted.length === 0) throw new UsageError('--fail-on wants classes, got none');
  const actions = Object.keys(ACTION_STYLES);
  for (const each of wanted) {
    const words = each.split('->');
    if (each === 'any' || (words.length === 2 && words.every((word) => actions.includes(word)))) continue;
    const known = actions.flatMap((was) => actions.map((is) => `${was}->${is}`));
    throw new UsageError(
      `--fail-on wants classes such as block->allow, or any; got ${quote(each)}${didYouMean(each, known)}`,
    );
  }
  return wanted;
}

/** A tape that could not be read or proven fails where anything would, and so does a gate that compared nothing. */
function exitCode(summary: Summary, failing: readonly string[]): number {
  if (failing.length === 0) return 0;
  if (!summary.compared) return 1;
  const found = failing.some((each) =>
    each === 'any' ? summary.changedCount > 0 : summary.classes.has(each),
  );
  return found || summary.broken.length > 0 || summary.unproven.length > 0 ? 1 : 0;
}

/** Says on a terminal how far it has come, once it takes longer than a second. */
function progressOf(all: number, summary: Summary, output: Output): () => void {
  if (process.stderr.isTTY !== true) return () => {};
  let said = Date.now();
  return () => {
    if (Date.now() - said < 1000) return;
    said = Date.now();
    output.note(
      `${summary.tapes} of ${all} tapes, ${summary.decisions} decisions, ${summary.changedCount} changed`,
    );
  };
}

/** Reports of tapes that are done, a line each, so that an interrupted backtest goes on where it was. */
class Kept {
  private readonly reports = new Map<string, TapeReport>();
  private readonly path: string;
  private readonly task: string;

  constructor(path: string, digest: string, { since, unchecked }: BacktestTask) {
    this.path = path;
    this.task = [digest, since, unchecked].join(' ');
    for (const line of linesOf(path)) {
      try {
        const { task, key, report } = JSON.parse(line) as { task: string; key: string; report: TapeReport };
        if (task === this.task) this.reports.set(key, report);
      } catch {
        // A line that was cut off when the process ended: its tape is read again.
      }
    }
  }

  find(tape: string): TapeReport | undefined {
    return this.reports.get(keyOf(tape));
  }

  add(report: TapeReport): void {
    const line = { task: this.task, key: keyOf(report.tape), report };
    appendFileSync(this.path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }
}

/** A tape that has grown since is another. */
function keyOf(tape: string): string {
  const stat = statSync(tape, { throwIfNoEntry: false });
  return [tape, stat?.size, stat?.mtimeMs].join(' ');
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
}
