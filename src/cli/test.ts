/**
 * `harness test`: runs the tests that stand beside the hooks and says which hold. Sandboxed scripts run; programs and
 * modules of the folder do not.
 */

import { runTests, type TestRun, testKey } from '../project/index.ts';
import { type Arguments, type Output, type Run, UsageError, watchPolicy } from '../terminal/index.ts';
import { writeReports } from './test/files.ts';
import { printResults, resultsData, showsAnything } from './test/print.ts';
import { printCoverage, printTraffic } from './test/print-coverage.ts';

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  if (!args.has('watch')) return report(await runTests(dir, args), args, output);
  if (args.has('json')) throw new UsageError('--watch prints for a person; use it without --json');
  let failed: ReadonlySet<string> | null = null;
  const again = async (only: 'all' | 'failed') => {
    const result = await runTests(dir, args, only === 'failed' ? failed : null);
    report(result, args, output);
    const red = result.results.filter(({ status }) => status === 'failed' || status === 'fixed');
    failed = red.length === 0 ? null : new Set(red.map(({ test }) => testKey(test)));
  };
  const writes = ['junit', 'lcov', 'html'].flatMap((option) => args.value(option) ?? []);
  return watchPolicy(dir, output, again, { writes, keys: KEYS });
};

const KEYS = {
  a: { about: 'run all', only: 'all' },
  f: { about: 'run what failed', only: 'failed' },
} as const;

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
