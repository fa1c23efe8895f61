/**
 * For people who test policies and agents in TypeScript, in any test runner.
 *
 * ```ts
 * for (const test of await policyTests('.')) it(test.title, () => test.run());
 * ```
 */
import { openPolicy, type PolicyOptions } from './policy/open-policy.ts';
import { runCase, testsOf } from './policy/testing/run-tests.ts';

export * from './agent/model-server/index.ts';

export interface PolicyTest {
  /** The hook, if it answers alone, and the name of the case. */
  readonly title: string;
  /** `file:line` */
  readonly place: string;
  /** Rejects with what was wanted and what came out. A case marked todo passes if it fails. */
  run(): Promise<void>;
}

/**
 * The tests that `harness test` runs for a folder. What is wrong with the policy or its tests is the first of them, so that
 * it cannot be overlooked; a folder without tests has one, which fails.
 */
export async function policyTests(dir: string, options: PolicyOptions = {}): Promise<readonly PolicyTest[]> {
  const policy = await openPolicy(dir, { trust: 'no code', ...options, allowEmpty: true });
  const { cases, problems } = testsOf(policy);
  const errors = [...policy.problems.filter(({ severity }) => severity === 'error'), ...problems];
  const found = cases.map((test) => ({
    title: test.hook === null ? test.name : `${test.hook}: ${test.name}`,
    place: `${test.source}:${test.line}`,
    run: async () => {
      const { status, problem, steps } = await runCase(policy, test, { read: () => null });
      if (status === 'passed' || status === 'todo') return;
      const lines = steps.flatMap(({ step, mismatches }) =>
        mismatches.map(
          ({ what, wanted, got }) =>
            `${test.source}:${step.line}: ${what}: want ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`,
        ),
      );
      if (status === 'fixed') lines.push(`${test.source}:${test.line}: passes although it is marked todo`);
      throw new Error([...(problem === null ? [] : [problem]), ...lines].join('\n'));
    },
  }));
  if (errors.length > 0)
    found.unshift(failing('the policy has no errors', errors.map(({ message }) => message).join('\n')));
  return found.length > 0 ? found : [failing('the policy has tests', `there are no tests in ${dir}`)];
}

function failing(title: string, message: string): PolicyTest {
  return {
    title,
    place: '',
    run: async () => {
      throw new Error(message);
    },
  };
}
