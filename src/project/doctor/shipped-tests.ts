/**
 * The tests that hooks of `harness init` carry, run as they stand in the policy in force: a shipped guard that no longer decides as its
 * own tests say is off, although it loads and lets ordinary work pass.
 */
import { type CaseResult, GOLDEN_FILES, type Policy, runCase, testsOf } from '../../policy/index.ts';
import { placeText } from '../judge.ts';

/** In sentences, one for each test that fails or cannot be read. `shipped`: sources of hooks that `init` writes. */
export async function shippedTestProblems(policy: Policy, shipped: ReadonlySet<string>): Promise<string[]> {
  const { cases, problems } = testsOf(policy);
  const carried = cases.filter(({ hook, source }) => hook !== null && shipped.has(source));
  const unreadable = problems.filter(({ position }) => position !== null && shipped.has(position.file));
  const words = unreadable.map(
    ({ message, position }) =>
      `a test of a shipped hook cannot be read (${placeText(position!)}): ${message}`,
  );
  for (const test of carried) {
    const result = await runCase(policy, test, GOLDEN_FILES);
    if (result.status === 'failed') words.push(failureWords(result));
  }
  return words;
}

function failureWords({ test, problem, steps }: CaseResult): string {
  const failed = steps.find(({ mismatches }) => mismatches.length > 0);
  const place = placeText({ file: test.source, line: failed?.step.line ?? test.line });
  const [mismatch] = failed?.mismatches ?? [];
  const why =
    mismatch === undefined
      ? problem
      : `${mismatch.what}: want ${JSON.stringify(mismatch.wanted)}, got ${JSON.stringify(mismatch.got)}`;
  return `hook "${test.hook}" (${place}) does not decide as its test "${test.name}" says: ${why}; see \`harness test\``;
}
