/** The hook lifecycle specification of The Harness Framework, claim by claim. */
import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { call, echo, play, tool, toolMessages } from '../support/agent.ts';
import { SettingsProject, sh } from '../support/settings-project.ts';
import { data } from './support.ts';

const BASH: Json = { name: 'Bash', args: { command: 'ls', description: 'List' } };

function project(event: string, script: string, more: object = {}, name = 'hooks/Hook.sh') {
  return new SettingsProject({ hooks: { [event]: [{ path: name, ...more }] } }, { [name]: script });
}

const seenBy = async (event: string, payload: Json) => {
  const one = project(event, sh('cat > seen.json'));
  await one.decide(event, payload);
  return JSON.parse(readFileSync(`${one.dir}/seen.json`, 'utf8')) as Record<string, unknown>;
};

describe('Lifecycle Events', () => {
  it('"defines six lifecycle events", and each fires at its point of a session', async () => {
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'SubagentStop', 'Stop', 'SessionEnd'];
    const one = new SettingsProject(
      { hooks: Object.fromEntries(events.map((event) => [event, [{ path: 'note.sh' }]])) },
      { 'note.sh': sh(`sed 's/.*"hook_event_name":"\\([^"]*\\)".*/\\1/' >> events.txt; echo >> events.txt`) },
    );
    const { hooks } = await one.load();
    await play({
      hooks,
      tools: [echo],
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    expect(readFileSync(`${one.dir}/events.txt`, 'utf8').split('\n').filter(Boolean)).toEqual(events);
  });
});

describe('Event Payloads', () => {
  it('BasePayload: session_id, transcript_path, hook_event_name', async () => {
    for (const event of ['SessionStart', 'Stop', 'SessionEnd'])
      expect(Object.keys(await seenBy(event, event === 'Stop' ? { response: 'x' } : null))).toEqual([
        'session_id',
        'transcript_path',
        'hook_event_name',
      ]);
  });

  it('UserPromptPayload: prompt', async () => {
    expect(await seenBy('UserPromptSubmit', 'Research it')).toMatchObject({
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Research it',
    });
  });

  it('PreToolUsePayload: tool_name, tool_input', async () => {
    expect(await seenBy('PreToolUse', BASH)).toMatchObject({
      tool_name: 'Bash',
      tool_input: { command: 'ls', description: 'List' },
    });
  });

  it('"transcript_path: Filesystem path to the session transcript": a file with what was said', async () => {
    const one = project(
      'Stop',
      sh('cat > seen.json; cp "$(sed \'s/.*"transcript_path":"\\([^"]*\\)".*/\\1/\' seen.json)" copy.jsonl'),
    );
    const { hooks } = await one.load();
    await play({ hooks, prompt: 'hello there', completions: [{ text: 'general' }] });
    expect(statSync(`${one.dir}/copy.jsonl`).isFile()).toBe(true);
    expect(readFileSync(`${one.dir}/copy.jsonl`, 'utf8')).toContain('hello there');
  });
});

describe('Hook Output Model', () => {
  it('"Any text written to stdout is injected into the AI\'s context"', async () => {
    const { hooks } = await project('SessionStart', sh('echo "Current project: MyApp (v2.3.1)"')).load();
    const { provider } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(JSON.stringify(provider.requests[0])).toContain('Current project: MyApp (v2.3.1)');
  });

  it.each([
    [0, 'allow', null],
    [2, 'block', null],
    [1, 'allow', 'COMMAND_EXIT'],
    [3, 'allow', 'COMMAND_EXIT'],
  ])('exit code %i', async (code, action, failure) => {
    const outcome = await project('PreToolUse', sh(`exit ${code}`)).decide('PreToolUse', BASH);
    expect([outcome.action, outcome.trace[0]!.failure?.code ?? null]).toEqual([action, failure]);
  });

  it('"2 Hard block … AI is notified": of a call, and of a session that begins', async () => {
    const { hooks } = await project('PreToolUse', sh('echo "protected" >&2; exit 2')).load();
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)).toMatchObject([
      { is_error: true, content: expect.stringContaining('protected') },
    ]);
    const start = await project('SessionStart', sh('echo "not ready" >&2; exit 2')).load();
    const begun = await play({ hooks: start.hooks, completions: [{ text: 'ok' }] });
    expect(JSON.stringify(begun.provider.requests[0])).toContain('not ready');
  });

  it.each([
    ['{"continue": true}', 'allow', null],
    [
      '{"decision": "block", "message": "Cannot delete protected path: /etc/hosts"}',
      'block',
      'Cannot delete protected path: /etc/hosts',
    ],
    [
      '{"decision": "ask", "message": "This will force-push to main. Are you sure?"}',
      'ask',
      'This will force-push to main. Are you sure?',
    ],
  ])('Decision JSON: %s', async (json, action, reason) => {
    const outcome = await project('PreToolUse', sh(`cat <<'END'\n${json}\nEND`)).decide('PreToolUse', BASH);
    expect([outcome.action, outcome.reason]).toEqual([action, reason]);
  });
});

describe('Hook File Structure: the sample, unchanged, on a machine that has only Node', () => {
  const destructive = data('SecurityValidator.ts.txt').match(/includes\("([^"]+)"\)/)![1]!;

  it.each([[0o755], [0o644]])('blocks with its message (mode %o)', async (mode) => {
    const one = new SettingsProject({
      hooks: {
        PreToolUse: [{ path: 'hooks/SecurityValidator.ts', timeout: 20_000, matcher: { tool_name: 'Bash' } }],
      },
    });
    one.write('hooks/SecurityValidator.ts', data('SecurityValidator.ts.txt'), mode);
    expect(await one.problems()).toEqual([]);
    expect(await one.decide('PreToolUse', { name: 'Bash', args: { command: destructive } })).toMatchObject({
      action: 'block',
      reason: 'Blocked: recursive deletion of root filesystem',
    });
    expect(await one.decide('PreToolUse', BASH)).toMatchObject({ action: 'allow' });
    const { hooks } = await one.load();
    expect(hooks[0]).toMatchObject({
      name: 'SecurityValidator',
      description: 'Validates tool operations against security policies',
    });
  });

  it('a documentation header that names another event is a warning', async () => {
    const one = project('Stop', '#!/bin/sh\n// Hook: X\n// Event: PreToolUse\n');
    expect((await one.problems()).join()).toContain('HEADER_MISMATCH');
  });
});

describe('Configuration', () => {
  it('the fields: path (required), timeout (default: 5000), matcher', async () => {
    const { hooks } = await project('PreToolUse', sh('exit 0')).load();
    expect(hooks[0]).toMatchObject({ timeoutMs: 5000, condition: null });
    expect(
      (await new SettingsProject({ hooks: { PreToolUse: [{ timeout: 5 }] } }).problems()).join(),
    ).toContain('path');
  });

  it('"A hook with no matcher fires on every event of its type. A hook with a matcher fires only when the … conditions are satisfied"', async () => {
    const one = project('PreToolUse', sh('exit 2'), { matcher: { tool_name: 'Write' } });
    expect((await one.decide('PreToolUse', BASH)).action).toBe('allow');
    expect((await one.decide('PreToolUse', { name: 'Write', args: {} })).action).toBe('block');
  });
});

describe('Design Principles', () => {
  it('"If a hook exceeds its timeout, the framework kills it and continues execution"', async () => {
    const outcome = await project('PreToolUse', sh('sleep 20'), { timeout: 300 }).decide('PreToolUse', BASH);
    expect([outcome.action, outcome.trace[0]!.failure?.code]).toEqual(['allow', 'HOOK_TIMEOUT']);
  });

  it('"Hook failures MUST NOT crash the AI session … logged and skipped"', async () => {
    const { hooks } = await new SettingsProject({
      hooks: { PreToolUse: [{ path: 'hooks/gone.ts' }] },
    }).load();
    let runs = 0;
    const played = await play({
      hooks,
      tools: [tool('echo', () => ++runs)],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect([played.result.reason, runs]).toEqual(['end_turn', 1]);
  });

  it('"Compose behavior through multiple hooks on the same event"', async () => {
    const one = new SettingsProject(
      { hooks: { PreToolUse: [{ path: 'a.sh' }, { path: 'b.sh' }] } },
      { 'a.sh': sh('echo one'), 'b.sh': sh('echo two >&2; exit 2') },
    );
    expect(await one.decide('PreToolUse', BASH)).toMatchObject({
      action: 'block',
      reason: 'two',
      effects: [{ text: 'one' }],
    });
  });

  it('"If a hook injects context, the injected content should be visible in the session transcript"', async () => {
    const { hooks } = await project('SessionStart', sh('echo injected')).load();
    const { events } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(events.find(({ type }) => type === 'reminder')).toMatchObject({
      text: expect.stringContaining('injected'),
    });
  });

  it('"a broken hook": its script cannot run, which is known before the first call', async () => {
    const one = new SettingsProject({ hooks: { PreToolUse: [{ path: 'hooks/gone.ts' }] } });
    expect(await one.problems()).toEqual([expect.stringContaining('COMMAND_MISSING')]);
  });
});

describe('Configuration: the settings of the page, as printed', () => {
  const SETTINGS = {
    hooks: {
      SessionStart: [{ path: 'hooks/LoadContext.ts', timeout: 5000 }],
      PreToolUse: [
        { path: 'hooks/SecurityValidator.ts', timeout: 3000, matcher: { tool_name: 'Bash' } },
        { path: 'hooks/WriteProtector.ts', timeout: 3000, matcher: { tool_name: 'Write' } },
      ],
      Stop: [{ path: 'hooks/SessionSummary.ts', timeout: 10000 }],
    },
  };
  const FILES = Object.fromEntries(
    Object.values(SETTINGS.hooks)
      .flat()
      .map(({ path }) => [path, '#!/usr/bin/env node\nprocess.exit(0);\n']),
  );

  it('"Hooks are registered in the framework\'s settings.json file under the hooks key": four, without a problem', async () => {
    const one = new SettingsProject(SETTINGS, FILES);
    expect(await one.problems()).toEqual([]);
    expect((await one.load()).hooks.map(({ name, timeoutMs }) => `${name} ${timeoutMs}`)).toEqual([
      'LoadContext 5000',
      'SecurityValidator 3000',
      'WriteProtector 3000',
      'SessionSummary 10000',
    ]);
  });

  it('"path — Filesystem path to the hook script (relative to framework root)"', async () => {
    const one = new SettingsProject(SETTINGS);
    expect((await one.problems()).join('\n')).toContain('hooks/LoadContext.ts');
  });

  it.each([
    ['path', { path: 7 }],
    ['timeout', { path: 'a.sh', timeout: 'soon' }],
    ['matcher', { path: 'a.sh', matcher: 7 }],
  ])('the type of %s is held', async (field, entry) => {
    const one = new SettingsProject({ hooks: { PreToolUse: [entry] } }, { 'a.sh': sh('exit 0') });
    expect((await one.problems()).join('\n')).toContain(field);
  });

  it('"a documentation header": name and description are what lists show', async () => {
    const header =
      '#!/bin/sh\n# Hook: HookName\n# Event: PreToolUse\n# Description: What this hook does in one sentence\nexit 0\n';
    const { hooks } = await project('PreToolUse', header).load();
    expect(hooks[0]?.description).toBe('What this hook does in one sentence');
  });
});

describe('Transparency', () => {
  it('"If a hook blocks an operation, it MUST provide a clear explanation": one that says nothing is named', async () => {
    const outcome = await project('PreToolUse', sh('exit 2')).decide('PreToolUse', BASH);
    expect(outcome).toMatchObject({
      action: 'block',
      hook: 'Hook',
      reason: 'the hook blocked this and gave no reason',
    });
  });

  it('"Running the same hook twice with the same payload should produce the same result"', async () => {
    const one = project('PreToolUse', sh('cat >&2; exit 2'));
    const [first, second] = [await one.decide('PreToolUse', BASH), await one.decide('PreToolUse', BASH)];
    expect([second.action, second.reason]).toEqual([first.action, first.reason]);
  });
});
