/**
 * `harness test`: runs the tests that stand beside the hooks and says which hold. Sandboxed scripts run; programs and
 * modules of the folder do not.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { runEvals } from '../agent/evals/eval-run.ts';
import type { Problem } from '../base/errors.ts';
import { replaceFile } from '../base/own-file.ts';
import type { Policy } from '../policy/policy.ts';
import { type Coverage, coverageOf } from '../policy/testing/coverage.ts';
import { GOLDEN_FILES, goldenPath } from '../policy/testing/golden-files.ts';
import { type CaseResult, type GoldenFiles, runCase, testsOf } from '../policy/testing/run-tests.ts';
import type { TestCase } from '../policy/testing/test-case.ts';
import { type Traffic, trafficOf } from '../tape/backtest/traffic.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import type { Output } from './output.ts';
import { openPolicyAt } from './project-dir.ts';
import { findTapes } from './tape/find-tapes.ts';
import { writeReports } from './test/files.ts';
import { printResults, resultsData, showsAnything } from './test/print.ts';
import { printCoverage, printTraffic } from './test/print-coverage.ts';

export interface TestRun {
  readonly policy: Policy;
  readonly results: readonly CaseResult[];
  /** What --filter wanted; undefined: every test. */
  readonly filter: string | undefined;
  /** Golden files that --update wrote. */
  readonly written: readonly string[];
  readonly problems: readonly Problem[];
  readonly coverage: Coverage | null;
  /** What recorded runs show, with --tapes. */
  readonly traffic: Traffic | null;
  readonly ms: number;
}

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  if (!args.has('watch')) return report(await runTests(dir, args), args, output);
  if (args.has('json')) throw new UsageError('--watch prints for a person; use it without --json');
  const { watchPolicy } = await import('./watch.ts');
  const again = async () => void report(await runTests(dir, args), args, output);
  const writes = ['junit', 'lcov', 'html'].flatMap((option) => args.value(option) ?? []);
  return watchPolicy(dir, output, again, writes);
};

export async function runTests(dir: string, args: Pick<Arguments, 'has' | 'value'>): Promise<TestRun> {
  const began = performance.now();
  const wantsCoverage = ['coverage', 'lcov', 'html', 'tapes'].some((option) => args.has(option));
  const policy = await openPolicyAt(dir, { coverage: wantsCoverage, trust: 'no code' });
  const { cases, problems } = testsOf(policy);
  const chosen = filtered(cases, args.value('filter'));
  const written: string[] = [];
  const golden = goldenFiles(args.has('update') ? written : null);
  const results: CaseResult[] = [];
  for (const test of chosen) results.push(await runCase(policy, test, golden));
  const evals = await runEvals(policy, (...texts) => matches(args.value('filter'), texts));
  results.push(...evals.results);
  const broken = policy.problems.filter(({ severity }) => severity === 'error');
  const coverage = wantsCoverage ? await coverageOf(policy, results) : null;
  const tapes = args.value('tapes');
  const traffic = tapes === undefined ? null : await readTraffic(dir, tapes);
  return {
    policy,
    results,
    filter: args.value('filter'),
    written,
    problems: [...broken, ...problems, ...evals.problems],
    coverage,
    traffic,
    ms: performance.now() - began,
  };
}

/** Opened once more: what tests ran and what was recorded are counted apart. */
async function readTraffic(dir: string, tapes: string): Promise<Traffic> {
  const policy = await openPolicyAt(dir, { coverage: true, trust: 'no code' });
  return trafficOf(policy, findTapes(tapes).files);
}

function filtered(cases: readonly TestCase[], filter: string | undefined): readonly TestCase[] {
  return cases.filter(({ name, source, hook }) => matches(filter, [name, source, hook ?? '']));
}

function matches(filter: string | undefined, texts: readonly string[]): boolean {
  return filter === undefined || texts.some((text) => text.toLowerCase().includes(filter.toLowerCase()));
}

function report(result: TestRun, args: Arguments, output: Output): number {
  writeReports(result, args);
  if (args.has('json')) output.line(JSON.stringify(resultsData(result)));
  else {
    printResults(result, output);
    if (result.coverage !== null) printCoverage(result.coverage, output);
    if (result.traffic !== null) printTraffic(result.traffic, output);
  }
  const failed = result.results.some(({ status }) => status === 'failed' || status === 'fixed');
  const broken = (result.traffic?.broken.length ?? 0) > 0;
  return failed || broken || result.problems.length > 0 || !showsAnything(result) ? 1 : 0;
}

/** Those written are added to `written`; null: none is to be. */
function goldenFiles(written: string[] | null): GoldenFiles {
  const pathOf = (test: TestCase, name: string): string => {
    const path = goldenPath(test, name);
    if (path !== null) return path;
    throw new UsageError(`golden file ${name} is outside ${dirname(test.source)}`);
  };
  return {
    read: (test, name) => {
      pathOf(test, name);
      return GOLDEN_FILES.read(test, name);
    },
    ...(written !== null && {
      write: (test: TestCase, name: string, text: string) => {
        const path = pathOf(test, name);
        mkdirSync(join(path, '..'), { recursive: true });
        replaceFile(path, text, { mode: 0o644 });
        written.push(relative('.', path));
      },
    }),
  };
}
