import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CALL, profileOf } from '../../../test/support/profile-project.ts';
import { loadProject } from '../project.ts';
import { profileReader } from './profile-reader.ts';

const COMMANDS = { HARNESS_ALLOW_COMMAND_HOOKS: '1' };

describe('agent.json', () => {
  it('[C129] reads the five actions into one chain, named by their place, below no other origin', async () => {
    const { project, told } = await profileOf(
      {
        onStart: [{ action: 'log', level: 'warn' }],
        onToolCall: [
          { action: 'webhook', url: 'https://ops.example.com/audit' },
          { action: 'approve', tools: ['send_*'] },
          { action: 'command', command: 'true', timeoutMs: 900 },
        ],
        onToolEnd: [{ action: 'log' }],
        onModelCall: [{ action: 'log' }],
        onModelEnd: [{ action: 'log' }],
        onComplete: [{ action: 'save_json', path: 'runs/log.jsonl' }],
        onError: [{ action: 'log', level: 'error' }],
      },
      { env: COMMANDS },
    );
    expect(told).toEqual([]);
    expect(
      project.hooks.map(({ name, event, onError, timeoutMs }) => [name, event, onError, timeoutMs]),
    ).toEqual([
      ['hooks.onStart[0]:log', 'session.start', 'allow', 1000],
      ['hooks.onToolCall[0]:webhook', 'tool.pre', 'allow', 4500],
      ['hooks.onToolCall[1]:approve', 'tool.pre', 'block', 31 * 60 * 1000],
      ['hooks.onToolCall[2]:command', 'tool.pre', 'block', 900],
      ['hooks.onToolEnd[0]:log', 'tool.post', 'allow', 1000],
      ['hooks.onModelCall[0]:log', 'completion.pre', 'allow', 1000],
      ['hooks.onModelEnd[0]:log', 'completion.post', 'allow', 1000],
      ['hooks.onComplete[0]:save_json', 'session.end', 'allow', 5000],
      ['hooks.onError[0]:log', 'error', 'allow', 1000],
    ]);
    for (const hook of project.hooks) {
      expect(hook).toMatchObject({ origin: 'profile', priority: 0, source: 'agent.json' });
      expect(hook.frontEnd).toMatchObject({ name: 'profile', powers: { modify: false } });
    }
  });

  it('is found in .harness too; both at once is an error and both are in force', async () => {
    const { project } = await profileOf({ onStart: [{ action: 'log' }] }, { path: '.harness/agent.json' });
    expect(project.hooks.map((hook) => hook.source)).toEqual(['.harness/agent.json']);
    const both = await profileOf({ onStart: [{ action: 'log' }] });
    symlinkSync(both.dir, join(both.dir, '.harness'));
    const { hooks, problems } = await loadProject(both.dir, { readers: [profileReader] });
    expect(hooks.map((hook) => hook.source)).toEqual(['agent.json', '.harness/agent.json']);
    expect(problems).toMatchObject([{ code: 'HOOK_DUPLICATE', severity: 'error' }]);
  });

  it('has keys that are none of our business, and may have no hooks', async () => {
    const { told, project } = await profileOf('{"name": "x", "model": "m", "tools": []}');
    expect(project.hooks).toEqual([]);
    expect(told).toEqual([expect.stringContaining('no hooks found')]);
    const slip = await profileOf('{"hook": {}}');
    expect(slip.told[0]).toBe('warning: unknown key "hook" (did you mean hooks?)');
  });

  it('names the guards of the format that are not read, so that none is silently off', async () => {
    const { told } = await profileOf('{"policies": {}, "permissions": {}, "security": {"zones": {}}}');
    expect(told.slice(0, 3)).toEqual([
      'warning: policies is not read here, so what it forbids is not forbidden: turn on packs, or write a hook on tool.pre',
      'warning: permissions is not read here, so what it forbids is not forbidden: write them under permissions: in harness.md',
      'warning: zones is not read here, so what it forbids is not forbidden: turn on packs, or write a hook on tool.pre',
    ]);
  });

  const CALLS = 'hooks.onToolCall[0]';
  it.each([
    [[1], `${CALLS}: wanted an object, got the number 1`],
    [[{}], `${CALLS}.action: is missing: wanted one of log, webhook, save_json, approve, command`],
    [
      [{ action: 'lgo' }],
      `${CALLS}.action: wanted one of log, webhook, save_json, approve, command, got the text "lgo" (did you mean log?)`,
    ],
    [[{ action: 7 }], 'got the number 7'],
    [
      [{ action: 'log', level: 'warning' }],
      `${CALLS}.level: wanted one of info, warn, error, got the text "warning"`,
    ],
    [[{ action: 'webhook' }], `${CALLS}: url is missing`],
    [[{ action: 'webhook', url: 5 }], `${CALLS}.url: wanted a string, got the number 5`],
    [
      [{ action: 'webhook', url: 'http://ops.example.com/x' }],
      `${CALLS}.url: wanted https (http only for localhost), got http for ops.example.com`,
    ],
    [
      [{ action: 'save_json', path: '../x.jsonl' }],
      `${CALLS}.path: wanted a path that stays inside, got "../x.jsonl"`,
    ],
    [
      [{ action: 'save_json', path: '/tmp/x.jsonl' }],
      `${CALLS}.path: wanted a relative path, got "/tmp/x.jsonl"`,
    ],
    [
      [{ action: 'save_json', path: 'agent.json' }],
      `${CALLS}.path: wanted a file for records such as runs/log.jsonl, got "agent.json"`,
    ],
    [[{ action: 'save_json', path: '.git/x.jsonl' }], 'wanted a file for records'],
    [[{ action: 'approve', tools: 'send_*' }], `${CALLS}.tools: wanted a list, got the text "send_*"`],
    [
      [{ action: 'approve', tools: ['a', ' '] }],
      `${CALLS}.tools[1]: wanted the name of a tool or a glob, got an empty one`,
    ],
    [
      [{ action: 'command', command: '  ' }],
      `${CALLS}.command: wanted a string that is not blank, got the text "  "`,
    ],
    [
      [{ action: 'command', command: 'x', timeoutMs: 0 }],
      `${CALLS}.timeoutMs: wanted milliseconds above 0, got the number 0`,
    ],
    [{ action: 'log' }, 'hooks.onToolCall: wanted a list of hooks, got an object'],
  ])('[C137] %j is an error that names the field', async (onToolCall, message) => {
    const { project, told } = await profileOf({ onToolCall }, { env: COMMANDS });
    expect(told[0]).toMatch(/^error: /);
    expect(told[0]).toContain(message);
    expect(project.hooks).toHaveLength(1);
    expect(project.problems[0]!.position).toMatchObject({ file: 'agent.json', line: 1 });
  });

  it('[C137] problems stand at the line and column of what is wrong', async () => {
    const text =
      '{\n  "hooks": {\n    "onToolCall": [\n      { "action": "webhook",\n        "url": "ftp://x" }\n    ]\n  }\n}\n';
    const { project } = await profileOf(text);
    expect(project.problems).toMatchObject([
      { code: 'HOOK_CONFIG', position: { line: 5, col: 16 }, excerpt: '        "url": "ftp://x" }' },
    ]);
  });

  it('[C137] an unknown moment is an error with the nearest name, and its guards are not silently off', async () => {
    const { told, fire } = await profileOf({ onToolcall: [{ action: 'approve' }] });
    expect(told[0]).toContain('hooks: unknown moment "onToolcall" (did you mean onToolCall?)');
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', hook: 'hooks.onToolcall' });
  });

  it('an unknown key is a warning with the nearest name, and the hook stays', async () => {
    const { told, project } = await profileOf({ onToolCall: [{ action: 'approve', tool: ['x'] }] });
    expect(told).toEqual(['warning: hooks.onToolCall[0]: unknown key "tool" (did you mean tools?)']);
    expect(project.hooks).toHaveLength(1);
  });

  it.each(['modify', 'rewrite'])('a profile may not declare %s', async (action) => {
    const { told, fire } = await profileOf({ onToolCall: [{ action }] });
    expect(told[0]).toContain('a profile may watch, guard and ask, never rewrite');
    expect((await fire('tool.pre', CALL)).outcome.action).toBe('block');
  });

  it('approve anywhere but before a tool call is an error', async () => {
    const { told } = await profileOf({ onModelCall: [{ action: 'approve' }] });
    expect(told[0]).toContain('hooks.onModelCall[0]: approve belongs into onToolCall');
  });

  it.each([
    ['{"hooks": ', 'not JSON'],
    ['[]', 'wanted an object at the top, got a list'],
    ['{"hooks": []}', 'hooks: wanted an object'],
    ['{"hooks": {}, "hooks": {}}', 'hooks is written twice'],
  ])('a file like %j blocks every gate until it is repaired', async (text, message) => {
    const { told, fire } = await profileOf(text);
    expect(told[0]).toContain(message);
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome.action).toBe('block');
    expect(outcome.trace[0]!.failure).toMatchObject({ code: 'HOOK_NOT_LOADED' });
  });

  it('a link to nowhere is reported as what it is', async () => {
    const { dir } = await profileOf('{}', { path: 'elsewhere.json' });
    symlinkSync(join(dir, 'gone.json'), join(dir, 'agent.json'));
    const { problems, hooks } = await loadProject(dir, { readers: [profileReader] });
    expect(problems[0]!.message).toContain('it is a link to a file that does not exist');
    expect(hooks.length).toBeGreaterThan(0);
  });

  it('[C136] a mistake in an action that only watches does not stop anything, and is in the trace', async () => {
    const { fire } = await profileOf({ onToolCall: [{ action: 'log', level: 'loud' }] });
    const { outcome, run } = await fire('tool.pre', CALL);
    expect(outcome.action).toBe('allow');
    expect(outcome.trace[0]).toMatchObject({ failure: { code: 'HOOK_NOT_LOADED' }, onFailure: 'allowed' });
    expect(run.health.get('hook.fail_open')).toBe(1);
  });

  it('a mistake in an action that guards blocks what it should have guarded', async () => {
    const { fire } = await profileOf({ onToolCall: [{ action: 'approve', tools: 3 }] });
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', hook: 'hooks.onToolCall[0]:approve' });
  });
});
