/**
 * The policy's own tests over HTTP: the cases of `harness test`, each with a state and a machine of its own, so that nothing of what is
 * decided meanwhile changes. One run serves all who ask while it goes on, and decisions have their turn between two cases.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Json } from '../../base/index.ts';
import { type CaseResult, GOLDEN_FILES, type Policy, runCase, testsOf } from '../../policy/index.ts';

const running = new WeakMap<Policy, Promise<Json>>();

export function tested(policy: Policy): Promise<Json> {
  const known = running.get(policy);
  if (known !== undefined) return known;
  const run = runAll(policy).finally(() => running.delete(policy));
  running.set(policy, run);
  return run;
}

async function runAll(policy: Policy): Promise<Json> {
  const { cases, problems } = testsOf(policy);
  const broken = [...policy.problems, ...problems].filter(({ severity }) => severity === 'error');
  const results: CaseResult[] = [];
  for (const test of cases) {
    results.push(await runCase(policy, test, GOLDEN_FILES));
    await turn();
  }
  const count = (...of: CaseResult['status'][]) => results.filter(({ status }) => of.includes(status)).length;
  const failed = results.filter(({ status }) => status === 'failed').map(failure);
  // A policy without tests is not one whose tests hold.
  const none = cases.length === 0 ? [`there are no tests in ${policy.dir}`] : [];
  const wrong = [...none, ...broken.map(({ message }) => message)];
  return {
    ok: failed.length === 0 && wrong.length === 0,
    policy: policy.digest.digest,
    passed: count('passed', 'fixed'),
    todo: count('todo'),
    failed,
    problems: wrong,
  };
}

function failure({ test, problem, steps }: CaseResult): Json {
  const mismatches = steps.flatMap((step) => step.mismatches);
  return {
    hook: test.hook,
    name: test.name,
    place: `${test.source}:${test.line}`,
    problem,
    mismatches: mismatches.map(({ what, wanted, got }) => ({ what, wanted, got })),
  };
}
