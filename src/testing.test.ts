/** The tests of a policy, in a test runner of its author's choice. */
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../test/support/temp-project.ts';
import { policyTests } from './testing.ts';

const PLACES = { places: { managed: null, user: null } };
const HOOK = hookFile(
  'def handle(event, payload):\n    return block("no")',
  'event: tool.pre\npriority: 1\ntests:\n  - {name: always, payload: {name: x}, expect: block}\n  - {name: never, payload: {name: x}, expect: allow}',
);

describe('policyTests', () => {
  it('gives each case as a test that fails with what was wanted and got', async () => {
    const tests = await policyTests(tempProject({ '.harness/hooks/guard.md': HOOK }), PLACES);
    expect(tests.map(({ title }) => title)).toEqual(['guard: always', 'guard: never']);
    await expect(tests[0]!.run()).resolves.toBeUndefined();
    await expect(tests[1]!.run()).rejects.toThrow(
      '.harness/hooks/guard.md:6: action: want "allow", got "block"',
    );
  });

  it('has a failing test for a policy with errors, and for one without tests', async () => {
    const broken = await policyTests(
      tempProject({ '.harness/hooks/guard.md': '---\nevent: nope\n---\n' }),
      PLACES,
    );
    await expect(broken[0]!.run()).rejects.toThrow('nope');
    const none = await policyTests(tempProject(), PLACES);
    await expect(none[0]!.run()).rejects.toThrow('there are no tests');
  });
});
