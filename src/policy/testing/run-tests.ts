/**
 * Runs test cases against a policy. A case from a hook's front matter asks that hook alone; every other one the whole
 * chain. Each case has a run state and a machine of its own, so that no case depends on another.
 */
import { didYouMean, isJsonObject, type Json, type Problem } from '../../base/index.ts';
import { Engine, type Hook, MemoryRunStore, type Outcome } from '../../engine/index.ts';
import { FileReport } from '../../files/index.ts';
import { policyPath } from '../../frontends/index.ts';
import type { Policy } from '../policy.ts';
import { type Mismatch, mismatchesOf, unequal } from './expectations.ts';
import { type FrozenHost, frozenHost } from './frozen-host.ts';
import { libraryCases, runLibraryCase } from './library-cases.ts';
import type { TestCase, TestStep } from './test-case.ts';
import { hookCase, type ReadTests, readTestFolder } from './test-file.ts';

const TESTS_FOLDER = '.harness/tests';

export interface StepResult {
  readonly step: TestStep;
  readonly outcome: Outcome;
  readonly mismatches: readonly Mismatch[];
}

export interface CaseResult {
  readonly test: TestCase;
  /** `todo`: it fails, and is known to; `fixed`: it is marked todo and passes; `skipped`: nobody can say without a model. */
  readonly status: 'passed' | 'failed' | 'todo' | 'fixed' | 'skipped';
  /** Why it could not be run at all. */
  readonly problem: string | null;
  readonly steps: readonly StepResult[];
}

/** Reads and writes answers that stand in files beside the tests; `null`: there is none yet. */
export interface GoldenFiles {
  read(test: TestCase, name: string): string | null;
  /** Only if they are to be renewed. */
  write?(test: TestCase, name: string, text: string): void;
}

/** Every case of every layer: those of libraries first, then those of hooks, in the order of their files. */
export function testsOf(policy: Policy): ReadTests {
  const cases: TestCase[] = [];
  const problems: Problem[] = [];
  for (const layer of policy.layers) {
    const { dir, insides, project } = layer;
    cases.push(...libraryCases(layer));
    const { tests, problems: wrong } = project.tests();
    problems.push(...wrong.map((problem) => ({ ...problem, layer: layer.name })));
    for (const test of tests) {
      const report = new FileReport(test.source, '');
      const found = hookCase(test, dir, report);
      if (found !== null) cases.push(found);
      problems.push(...report.problems);
    }
    for (const inside of insides) {
      const read = readTestFolder(dir, policyPath(TESTS_FOLDER, inside));
      cases.push(...read.cases);
      problems.push(...read.problems);
    }
  }
  return { cases, problems };
}

export async function runCase(policy: Policy, test: TestCase, golden: GoldenFiles): Promise<CaseResult> {
  if (test.shared !== undefined) return runLibraryCase(test, test.shared);
  const hooks = chainOf(policy, test);
  if (hooks.length === 0 && test.hook !== null) {
    const names = policy.hooks.map(({ name }) => name);
    const problem = `there is no hook ${JSON.stringify(test.hook)}${didYouMean(test.hook!, names)}`;
    return { test, status: test.todo === null ? 'failed' : 'todo', problem, steps: [] };
  }
  const host = frozenHost(test);
  const engine = engineFor(policy, hooks, host);
  const steps: StepResult[] = [];
  for (const step of test.steps) {
    if (steps.length > 0) host.tick();
    const outcome = await engine.decide(step.event, step.payload);
    const mismatches = step.expect === null ? [] : mismatchesOf(step.expect, outcome);
    if (step.expect !== null && step.expect.golden !== undefined)
      mismatches.push(...goldenMismatches(test, step.expect.golden, outcome, golden));
    if (mismatches.length === 0 && outcome.action === 'modify' && step.expect?.idempotent !== false)
      mismatches.push(...(await again(policy, hooks, test, outcome)));
    steps.push({ step, outcome, mismatches });
  }
  const passed = steps.every(({ mismatches }) => mismatches.length === 0);
  const status = test.todo === null ? (passed ? 'passed' : 'failed') : passed ? 'fixed' : 'todo';
  return { test, status, problem: null, steps };
}

/** In the modes that hooks state: a test says what a policy decides, also while its layer observes. */
function chainOf(policy: Policy, test: TestCase): Hook[] {
  const hooks = test.hook === null ? policy.hooks : hooksNamed(policy, test);
  return hooks.map((hook) => (hook.statedMode === undefined ? hook : { ...hook, mode: hook.statedMode }));
}

/** In a layer of its own folder first: two layers may have one name. */
function hooksNamed(policy: Policy, { hook, dir, source }: TestCase): Hook[] {
  const named = policy.hooks.filter(({ name }) => name === hook);
  const layer = policy.layers.find((each) => each.dir === dir);
  const own = named.filter((each) => each.layer?.name === layer?.name);
  const beside = own.filter((each) => each.source === source);
  return beside.length > 0 ? beside : own.length > 0 ? own : named;
}

function engineFor(policy: Policy, hooks: readonly Hook[], host: FrozenHost): Engine {
  // What guards keep is the case's too: neither the next one nor a session of an open policy may find it.
  const store = new MemoryRunStore({ steady: { now: () => host.elapsed(), boot: 'process' } });
  return new Engine({ hooks, host, run: policy.newRun({}, store), canAsk: true, canDelegate: true });
}

/** What is rewritten must stay as it is when it comes again, and no guard may refuse it. */
async function again(
  policy: Policy,
  hooks: readonly Hook[],
  test: TestCase,
  first: Outcome,
): Promise<Mismatch[]> {
  const engine = engineFor(policy, hooks, frozenHost(test));
  const second = await engine.decide(first.event, first.payload as Json);
  if (second.action === 'block' || second.action === 'ask') {
    const got = `${second.action} by ${second.hook}: ${second.reason}`;
    return [{ what: 'the rewritten payload, decided again', wanted: 'no block', got }];
  }
  return unequal('payload', first.payload as Json, second.payload as Json).map(({ what, ...rest }) => ({
    what: `${what}, decided again`,
    ...rest,
  }));
}

function goldenMismatches(test: TestCase, name: string, outcome: Outcome, golden: GoldenFiles): Mismatch[] {
  const text = `${JSON.stringify(goldenData(outcome), null, 2)}\n`;
  const kept = golden.read(test, name);
  if (kept === text) return [];
  if (golden.write !== undefined) {
    golden.write(test, name, text);
    return [];
  }
  const what = `golden file ${name}`;
  if (kept === null) return [{ what, wanted: 'the file, which --update writes', got: parsed(text) }];
  const found = unequal('', parsed(kept), parsed(text));
  if (found.length === 0)
    return [{ what, wanted: 'as --update writes it', got: 'the same data, written otherwise' }];
  return found.map((each) => ({ ...each, what: `${what}: ${each.what}` }));
}

function goldenData({ event, action, reason, hook, payload, effects }: Outcome): Json {
  return JSON.parse(JSON.stringify({ event, action, reason, hook, payload, effects })) as Json;
}

function parsed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}
