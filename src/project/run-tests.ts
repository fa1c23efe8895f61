/** Runs the tests of a policy folder: its cases, golden files and evaluations, with coverage where it is wanted. */
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { runEvals } from '../agent/index.ts';
import type { Problem } from '../base/index.ts';
import { replaceFile } from '../machine/index.ts';
import {
  type CaseResult,
  type Coverage,
  coverageOf,
  GOLDEN_FILES,
  type GoldenFiles,
  goldenPath,
  type Policy,
  runCase,
  type TestCase,
  testsOf,
} from '../policy/index.ts';
import { findTapes } from '../project/tapes/find-tapes.ts';
import { type Traffic, trafficOf } from '../tape/index.ts';
import { type Arguments, missingPolicyOf, openPolicyAt, UsageError } from '../terminal/index.ts';

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

/** Which test it is, over several runs. */
export function testKey({ source, hook, name }: TestCase): string {
  return JSON.stringify([source, hook, name]);
}

/** `only`: the keys of the tests to run; null: all that the options choose. */
export async function runTests(
  dir: string,
  args: Pick<Arguments, 'has' | 'value'>,
  only: ReadonlySet<string> | null = null,
): Promise<TestRun> {
  const began = performance.now();
  const wantsCoverage = ['coverage', 'lcov', 'html', 'tapes'].some((option) => args.has(option));
  const policy = await openPolicyAt(dir, { coverage: wantsCoverage, trust: 'no code' });
  const { cases, problems } = testsOf(policy);
  const chosen = filtered(cases, args.value('filter')).filter((test) => only?.has(testKey(test)) ?? true);
  const written: string[] = [];
  const golden = goldenFiles(args.has('update') ? written : null);
  const results: CaseResult[] = [];
  for (const test of chosen) results.push(await runCase(policy, test, golden));
  const evals = await runEvals(policy, (...texts) => matches(args.value('filter'), texts));
  results.push(...evals.results.filter(({ test }) => only?.has(testKey(test)) ?? true));
  // An evaluation file brings its own hooks and tools.
  const evaluated = evals.results.length + evals.problems.length > 0;
  const missing = evaluated ? [] : missingPolicyOf(policy);
  const broken = policy.problems.filter(({ severity }) => severity === 'error');
  const coverage = wantsCoverage ? await coverageOf(policy, results) : null;
  const tapes = args.value('tapes');
  const traffic = tapes === undefined ? null : await readTraffic(dir, tapes);
  return {
    policy,
    results,
    filter: args.value('filter'),
    written,
    problems: [...missing, ...broken, ...problems, ...evals.problems],
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
