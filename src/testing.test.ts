/** The tests of a policy, in a test runner of its author's choice. */
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../test/support/temp-project.ts';
import { HookRegistry } from './frontends/code/registry/registry.ts';
import { openPolicy } from './policy/open-policy.ts';
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

  it('holds golden files against what they hold, as the command does', async () => {
    const dir = tempProject({
      '.harness/hooks/guard.md': hookFile('def handle(event, payload):\n    return block("no")'),
      '.harness/tests/a.yaml': 'cases:\n  - {name: a, payload: {name: x}, expect: {golden: a.json}}\n',
      '.harness/tests/a.json': '{"action": "allow"}',
    });
    const [test] = await policyTests(dir, PLACES);
    await expect(test!.run()).rejects.toThrow('golden file a.json: action: want "allow", got "block"');
  });

  it('asks hooks in code too, if it is given a policy whose registry has them', async () => {
    const dir = tempProject({
      '.harness/tests/a.yaml':
        'cases:\n  - {name: a, payload: {name: x}, expect: {action: block, hook: mine}}\n',
    });
    const policy = await openPolicy(dir, { ...PLACES, allowEmpty: true });
    const without = await policyTests(policy);
    await expect(without[0]!.run()).rejects.toThrow('want "block", got "unmatched"');
    new HookRegistry({ into: policy.registry }).register('tool.pre', {
      type: 'fn',
      name: 'mine',
      fn: () => ({ continue: false, reason: 'no' }),
    });
    await expect((await policyTests(policy))[0]!.run()).resolves.toBeUndefined();
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
