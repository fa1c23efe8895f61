import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { openPolicy } from '../policy/open-policy.ts';

const NOWHERE = { places: { managed: null, user: null } };
const CALL = { id: '1', name: 'x', args: {} };

async function decide(fields: string, script: string) {
  const dir = tempProject({ '.harness/hooks/h.md': hookFile(script, `${fields}\npriority: 1`) });
  const policy = await openPolicy(dir, NOWHERE);
  expect(policy.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return policy.decide('tool.pre', CALL);
}

const BLOCKS = 'def handle(event, payload):\n    return block(event)';

describe('the name of an event in a script', () => {
  it.each(['tool.pre', 'PreToolUse', 'pre_tool_use'])('is the one the author wrote: %s', async (name) => {
    expect(await decide(`event: ${name}`, BLOCKS)).toMatchObject({ action: 'block', reason: name });
  });

  it.each([
    'event == "PreToolUse"',
    'event == "tool.pre"',
    '"pre_tool_use" == event',
    'event in ["turn.start", "tool.pre"]',
    'event in ("PreToolUse",)',
    'not (event != "PreToolUse")',
    'event not in ["turn.start"]',
  ])('compares equal to every spelling of the same event, in a condition: %s', async (when) => {
    for (const name of ['tool.pre', 'PreToolUse', 'pre_tool_use']) {
      expect(await decide(`event: ${name}\nwhen: '${when}'`, BLOCKS)).toMatchObject({ action: 'block' });
    }
  });

  it.each([
    'def handle(event, payload):\n    return block("yes") if event == "PreToolUse" else allow()',
    'def handle(e, p):\n    return block("yes") if e in ["pre_tool_use"] else allow()',
  ])('and in a handler', async (script) => {
    for (const name of ['tool.pre', 'PreToolUse']) {
      expect(await decide(`event: ${name}`, script)).toMatchObject({ action: 'block', reason: 'yes' });
    }
  });

  it('is no other event, and other texts stay what they are', async () => {
    const script = [
      'def same(word):',
      '    return word == "PreToolUse"',
      'def handle(event, payload):',
      '    if event == "PostToolUse":',
      '        return block("another event")',
      '    return block("a word") if same("tool.pre") else allow()',
    ].join('\n');
    expect(await decide('event: tool.pre', script)).toMatchObject({ action: 'allow' });
  });
});
