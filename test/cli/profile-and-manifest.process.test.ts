/**
 * `agent.json` and `harn.toml` through the built command: what a person sees of them, and what they decide.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const FILES = {
  'agent.json': JSON.stringify({
    name: 'shop',
    hooks: {
      onToolCall: [{ action: 'log' }, { action: 'approve', tools: ['send_*'] }],
      onComplete: [{ action: 'save_json', path: 'runs/log.jsonl' }],
    },
  }),
  'harn.toml': [
    '[[hooks]]',
    'event = "PreToolUse"',
    'pattern = "exec_*"',
    'handler = "policy::gate"',
    '[[hooks]]',
    'event = "PostToolUse"',
    'handler = "shape::short"',
  ].join('\n'),
  'policy.star': 'def gate(event):\n    return {"deny": event["tool"]["name"] + " is gated"}\n',
  'shape.mjs': 'export const short = (event) => event.result.text.slice(0, 3);\n',
};

const decide = (dir: string, event: string, payload: unknown, env = {}) =>
  harness(['decide', event, '--dir', dir, '--json', '--exit-code'], { input: JSON.stringify(payload), env });

describe('agent.json and harn.toml on the command line', () => {
  it('[C120] [C129] validate finds nothing wrong, and hooks lists them with front end and trust', async () => {
    const dir = project(FILES);
    expect(await harness(['validate', dir])).toMatchObject({
      code: 0,
      stdout: '5 hooks, 0 errors, 0 warnings\n',
    });
    const { stdout } = await harness(['hooks', dir]);
    expect(stdout).toContain(
      'hooks.onToolCall[1]:approve  — Waits for a person to approve the call. [profile',
    );
    expect(stdout).toContain('when tool is send_*');
    expect(stdout).toContain('shape::short  — Trusted code (shape.mjs), run without a sandbox. [manifest');
  });

  it('they decide in one chain', async () => {
    const dir = project(FILES);
    const gated = await decide(dir, 'tool.pre', { name: 'exec_x', args: {} });
    expect(gated.code).toBe(2);
    expect(JSON.parse(gated.stdout)).toMatchObject({ reason: 'exec_x is gated', hook: 'policy::gate' });
    const unasked = await decide(dir, 'tool.pre', { name: 'send_mail', args: {} });
    expect(unasked.code).toBe(2);
    expect(JSON.parse(unasked.stdout)).toMatchObject({ hook: 'hooks.onToolCall[1]:approve' });
    const fine = await decide(dir, 'tool.pre', { name: 'ls', args: {} });
    expect(fine.code).toBe(0);
    expect(JSON.parse(fine.stdout).effects).toMatchObject([{ kind: 'log' }]);
    const cut = await decide(dir, 'tool.post', { name: 'x', args: {}, content: 'abcdef' });
    expect(JSON.parse(cut.stdout)).toMatchObject({ action: 'modify', payload: { content: 'abc' } });
    // The second process takes the code of the program from V8's cache.
    const again = await decide(dir, 'tool.post', { name: 'x', args: {}, content: 'abcdef' });
    expect(JSON.parse(again.stdout)).toMatchObject({ action: 'modify', payload: { content: 'abc' } });
    await decide(dir, 'session.end', { reason: 'end_turn' });
    expect(existsSync(join(dir, 'runs/log.jsonl'))).toBe(true);
  });

  it('[C130] the kill switch is seen in validate, in hooks and in the trace', async () => {
    const dir = project(FILES);
    const env = { HARNESS_DISABLE_HOOKS: '1' };
    const { stdout, code } = await harness(['validate', dir], { env });
    expect(stdout).toContain('warning[HOOKS_DISABLED]: all 3 hooks of this file are disabled');
    expect(code).toBe(0);
    expect((await harness(['hooks', dir], { env })).stdout).toContain('Disabled by HARNESS_DISABLE_HOOKS=1.');
    const off = await decide(dir, 'tool.pre', { name: 'send_mail', args: {} }, env);
    expect(off.code).toBe(0);
    expect(off.stdout).toContain('disabled by HARNESS_DISABLE_HOOKS=1: the hook did nothing');
  });

  it('[C137] mistakes have a place and an excerpt', async () => {
    const dir = project({
      'agent.json': '{\n  "hooks": { "onToolCall": [{ "action": "command", "command": "x" }] }\n}\n',
      'harn.toml': '[[hooks]]\nevent = "PreTool"\nhandler = "gone::x"\n',
    });
    const { stdout, code } = await harness(['validate', dir]);
    expect(code).toBe(1);
    expect(stdout).toContain('agent.json:2:41: error[COMMAND_HOOKS_OFF]: hooks.onToolCall[0]: command hooks');
    expect(stdout).toContain(
      'harn.toml:2:9: error[EVENT_UNKNOWN]: hooks[0].event: harn.toml has no event "PreTool"',
    );
    expect(stdout).toContain(
      'harn.toml:3:11: error[HANDLER_INVALID]: hooks[0].handler: there is no gone.star',
    );
  });
});
