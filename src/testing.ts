/**
 * For people who test policies and agents in TypeScript, in any test runner.
 *
 * ```ts
 * for (const test of await policyTests('.')) it.skipIf(test.skipped !== null)(test.title, () => test.run());
 * ```
 */
import { runEvals } from './agent/index.ts';
import {
  type CaseResult,
  GOLDEN_FILES,
  openPolicy,
  type Policy,
  type PolicyOptions,
  runCase,
  type TestCase,
  testsOf,
} from './policy/index.ts';

export {
  type AnsweredBy,
  type Condition,
  type Delivery,
  type DialectName,
  type ModelRequest,
  type ModelServer,
  type ModelServerOptions,
  type OfferedTool,
  parseServerScript,
  type RecordedRequest,
  type RequestMessage,
  type ServerCompletion,
  type ServerScript,
  SIDE_RULES,
  type SideRule,
  startModelServer,
} from './agent/index.ts';

export interface PolicyTest {
  /** The hook, if it answers alone, and the name of the case. */
  readonly title: string;
  /** `file:line` */
  readonly place: string;
  /** Why nobody can say whether it holds, of an evaluation that needs a model; else null. */
  readonly skipped: string | null;
  /** Rejects with what was wanted and what came out, or with `skipped`. A case marked todo passes if it fails. */
  run(): Promise<void>;
}

/**
 * The tests that `harness test` runs for a folder; or for a policy that is open, with hooks in code that its registry was given.
 * What is wrong with the policy or its tests is the first of them, so that
 * it cannot be overlooked; a folder without tests has one, which fails.
 */
export async function policyTests(
  given: string | Policy,
  options: PolicyOptions = {},
): Promise<readonly PolicyTest[]> {
  const policy =
    typeof given === 'string'
      ? await openPolicy(given, { trust: 'no code', ...options, allowEmpty: true })
      : given;
  const { cases, problems } = testsOf(policy);
  const evaluated = await runEvals(policy);
  const broken = policy.problems.filter(({ severity }) => severity === 'error');
  const errors = [...broken, ...problems, ...evaluated.problems];
  const found = [
    ...cases.map((test) => asTest(test, null, () => runCase(policy, test, GOLDEN_FILES))),
    ...evaluated.results.map((result) =>
      asTest(result.test, result.status === 'skipped' ? result.problem : null, async () => result),
    ),
  ];
  if (errors.length > 0)
    found.unshift(failing('the policy has no errors', errors.map(({ message }) => message).join('\n')));
  return found.length > 0 ? found : [failing('the policy has tests', `there are no tests in ${policy.dir}`)];
}

function asTest(test: TestCase, skipped: string | null, result: () => Promise<CaseResult>): PolicyTest {
  const place = `${test.source}:${test.line}`;
  return {
    title: test.hook === null ? test.name : `${test.hook}: ${test.name}`,
    place,
    skipped,
    run: async () => {
      const { status, problem, steps } = await result();
      if (status === 'passed' || status === 'todo') return;
      const lines = steps.flatMap(({ step, mismatches }) =>
        mismatches.map(
          ({ what, wanted, got }) =>
            `${test.source}:${step.line}: ${what}: want ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`,
        ),
      );
      if (status === 'fixed') lines.push(`${place}: passes although it is marked todo`);
      throw new Error([...(problem === null ? [] : [problem]), ...lines].join('\n'));
    },
  };
}

function failing(title: string, message: string): PolicyTest {
  const run = async () => {
    throw new Error(message);
  };
  return { title, place: '', skipped: null, run };
}
