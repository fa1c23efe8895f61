/** The tests of a hook are no part of what decides: a policy is opened without reading them. */
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { openPolicy } from './open-policy.ts';
import { testsOf } from './testing/run-tests.ts';

const SCRIPT = 'script: |\n  def handle(event, payload):\n      return block("stopped")\n';
const CASE = 'tests:\n  - name: a\n    payload: {name: x, args: {}}\n    expect: block\n';

const open = (front: string, options = {}) =>
  openPolicy(tempProject({ '.harness/hooks/a.md': `---\n${front}---\n` }), options);
const errors = ({ problems }: Awaited<ReturnType<typeof open>>) =>
  problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
const call = { id: '1', name: 'read_file', args: {} };

describe('a hook that carries tests', () => {
  it.each([
    ['at the end', `event: tool.pre\npriority: 10\n${SCRIPT}${CASE}`],
    ['at the beginning, with a comment', `# a\n\n${CASE}# b\nevent: tool.pre\npriority: 10\n${SCRIPT}`],
    [
      'in one line',
      `event: tool.pre\ntests: [{name: a, payload: {}, expect: block}]\npriority: 10\n${SCRIPT}`,
    ],
    [
      'as a list that is not indented',
      `tests:\n- {name: a, payload: {}, expect: block}\nevent: tool.pre\n${SCRIPT}`,
    ],
    [
      'that other fields hang on',
      `tests:\n  - {name: &a tool.pre, payload: {}, expect: block}\nevent: *a\n${SCRIPT}`,
    ],
  ])('%s decides, and has them', async (_where, front) => {
    const policy = await open(front);
    expect(errors(policy)).toEqual([]);
    expect(policy.tests).toMatchObject([{ hook: 'a', event: 'tool.pre', written: { expect: 'block' } }]);
    expect(await policy.decide('tool.pre', call)).toMatchObject({ action: 'block', reason: 'stopped' });
  });

  it('has each at its line', async () => {
    const policy = await open(`event: tool.pre\n${SCRIPT}${CASE}`);
    expect(policy.tests[0]!.line).toBe(7);
  });

  it.each([
    ['is no YAML', 'tests: [{name: "a]\n'],
    ['expects nothing', 'tests: [{name: a}]\n'],
    ['is no list', 'tests: yes\n'],
  ])('of which one %s decides all the same; who looks at tests is told', async (_what, tests) => {
    const front = `event: tool.pre\npriority: 10\n${SCRIPT}${tests}`;
    const policy = await open(front);
    expect(errors(policy)).toEqual([]);
    expect(await policy.decide('tool.pre', call)).toMatchObject({ action: 'block', reason: 'stopped' });
    expect(testsOf(policy).problems).toMatchObject([{ severity: 'error', layer: 'project' }]);
    expect(errors(await open(front, { coverage: true }))).toHaveLength(1);
  });

  it.each([
    ['is given twice', `event: tool.pre\n${SCRIPT}${CASE}${CASE}`],
    ['stands in a value that is not closed', `event: tool.pre\nwhen: "a\n${CASE}mode: b"\n${SCRIPT}`],
    ['stands beside a field that is no YAML', `event: tool.pre\nwhen: "a" == b\n${SCRIPT}${CASE}`],
  ])('is broken where the field %s', async (_what, front) => {
    const policy = await open(front);
    expect(errors(policy).length).toBeGreaterThan(0);
    const { action, reason } = await policy.decide('tool.pre', call);
    expect(action).toBe('block');
    expect(reason).not.toBe('stopped');
  });
});
