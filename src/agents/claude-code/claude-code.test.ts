import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { checkPayload } from '../../engine/describe.ts';
import type { EventRow, NativeCall } from '../adapter.ts';
import { denyAnswer, unprintedExit } from '../deny.ts';
import { isUnreadable } from '../read-native.ts';
import { adapter } from './index.ts';
import { resultText, withText } from './result.ts';

const SAMPLES = JSON.parse(
  readFileSync(new URL('../../../test/adapters/payloads/claude-code.json', import.meta.url), 'utf8'),
) as Record<string, JsonObject>;

function read(event: string, more: JsonObject = {}): NativeCall {
  const call = adapter.read({ ...SAMPLES[event], ...more }, event);
  if (isUnreadable(call)) throw new Error(call.problem);
  return call;
}

const rowOf = (native: string): EventRow => adapter.events.find((row) => row.native === native)!;
const said = (
  native: string,
  verdict: Parameters<typeof adapter.answer>[2],
  call: NativeCall | null = read(native),
) => {
  const { stdout } = adapter.answer(rowOf(native), call, verdict);
  return stdout === '' ? null : (JSON.parse(stdout) as JsonObject);
};

describe('what Claude Code sends', () => {
  it.each(adapter.events.map(({ native, event }) => [native, event]))(
    '%s is a payload of %s',
    (native, event) => {
      const call = read(native);
      expect(call.session).toBe('session');
      for (const payload of call.payloads) expect(checkPayload(event, payload as Json)).toEqual([]);
    },
  );

  it('keeps its own name and input of a tool beside the canonical ones', () => {
    const input = { file_path: '/a', content: 'x' };
    const { payloads } = read('PreToolUse', { tool_name: 'Write', tool_input: input });
    expect(payloads).toMatchObject([
      { name: 'write_file', args: { path: '/a', content: 'x' }, native: { name: 'Write', input } },
    ]);
  });

  it('is not understood without the fields that make a call', () => {
    for (const [event, more] of [
      ['PreToolUse', { tool_name: 7 }],
      ['PreToolUse', { tool_input: 'ls' }],
      ['PreToolUse', { session_id: null }],
      ['UserPromptSubmit', { prompt: ['x'] }],
      ['PreToolUse', { hook_event_name: 'Stop' }],
    ] as const) {
      expect(adapter.read({ ...SAMPLES[event], ...more } as JsonObject, event)).toMatchObject({
        problem: expect.any(String),
        row: rowOf(event),
      });
    }
    expect(adapter.read({}, null)).toMatchObject({ row: null });
    expect(adapter.read({}, 'NoSuchEvent')).toMatchObject({ row: null });
  });

  it('an event without a name in the catalog is judged by the fields of its own', () => {
    expect(read('UserPromptExpansion')).toMatchObject({
      row: { event: 'native.user_prompt_expansion' },
      payloads: [
        {
          session_id: 'session',
          expansion_type: 'slash_command',
          command_name: 'deploy',
          command_args: 'prod',
          command_source: 'projectSettings',
          prompt: '/deploy prod',
        },
      ],
    });
    expect(read('ConfigChange').payloads).toEqual([
      {
        session_id: 'session',
        source: 'local_settings',
        file_path: '/home/user/project/.claude/settings.local.json',
      },
    ]);
    expect(read('Elicitation').payloads).toMatchObject([{ mcp_server_name: 'notes', message: 'Your name?' }]);
    expect(read('ElicitationResult').payloads).toMatchObject([{ action: 'cancel' }]);
  });

  it('says which sub-agent a call comes from', () => {
    expect(read('PreToolUse', { agent_id: 'a1', agent_type: 'helper' }).subAgent).toEqual({
      id: 'a1',
      name: 'helper',
    });
    expect(read('PreToolUse').subAgent).toBeNull();
  });

  it('tells a failed tool from one that ran', () => {
    expect(read('PostToolUseFailure').payloads).toMatchObject([
      { is_error: true, content: 'Exit code 7\nORIG_OUTPUT' },
    ]);
    expect(read('PostToolUse').payloads).toMatchObject([{ is_error: false, content: 'ORIG_OUTPUT' }]);
  });
});

describe('what Claude Code is told', () => {
  const ALLOW = { action: 'allow', context: null, message: null } as const;

  it.each(adapter.events.map(({ native }) => native))('%s: an allow is silence', (native) => {
    expect(adapter.answer(rowOf(native), read(native), ALLOW)).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
  });

  it('gets no approval with a rewrite', () => {
    const call = read('PreToolUse');
    const payload = { ...(call.payloads[0] as JsonObject), args: { command: 'pwd', description: 'demo' } };
    const verdict = { action: 'modify', payloads: [payload], context: 'c', message: null } as const;
    expect(said('PreToolUse', verdict)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        additionalContext: 'c',
        updatedInput: { command: 'pwd', description: 'demo' },
      },
    });
  });

  it('gets what was rewritten with a question about it', () => {
    const payload = { ...(read('PreToolUse').payloads[0] as JsonObject), args: { command: 'pwd' } };
    const verdict = { action: 'ask', reason: 'sure?', message: null, payloads: [payload] } as const;
    expect(said('PreToolUse', verdict)?.hookSpecificOutput).toMatchObject({
      permissionDecision: 'ask',
      updatedInput: { command: 'pwd' },
    });
  });

  it('gets a block in the shape that each of its gates was seen to heed', () => {
    const block = { action: 'block', reason: 'no', message: null } as const;
    for (const native of ['UserPromptSubmit', 'UserPromptExpansion', 'ConfigChange', 'Stop', 'SubagentStop'])
      expect(said(native, block)).toEqual({ decision: 'block', reason: 'no' });
    for (const native of ['Elicitation', 'ElicitationResult', 'PreCompact'])
      expect(adapter.answer(rowOf(native), read(native), block)).toMatchObject({ stderr: 'no', exitCode: 2 });
  });

  it('a sub-agent and an expanded prompt take context', () => {
    const verdict = { action: 'allow', context: 'c', message: null } as const;
    for (const native of ['SubagentStart', 'UserPromptExpansion'])
      expect(said(native, verdict)).toEqual({
        hookSpecificOutput: { hookEventName: native, additionalContext: 'c' },
      });
  });

  it('a change of settings goes on if nobody can decide, so that an uninstalled Harness does not stay in force', () => {
    expect(denyAnswer(adapter, rowOf('ConfigChange'), 'no')).toMatchObject({ exitCode: 0 });
    expect(unprintedExit(rowOf('ConfigChange'))).toBeNull();
    expect(unprintedExit(rowOf('Elicitation'))).toBe(2);
  });

  it('gets the reason of a hidden result in the place of the result, and ends the run if it is not known', () => {
    const block = { action: 'block', reason: 'no', message: null } as const;
    expect(said('PostToolUse', block)?.hookSpecificOutput).toMatchObject({
      updatedToolOutput: { stdout: 'no' },
    });
    expect(said('PostToolUse', block, null)).toEqual({ continue: false, stopReason: 'no' });
  });
});

describe('the result of a tool as text', () => {
  const FILE = { type: 'text', file: { filePath: '/a', content: 'SECRET', numLines: 1 } };

  it.each([
    ['SECRET', 'SECRET'],
    [{ stdout: 'SECRET', stderr: 'more' }, 'SECRET\nmore'],
    [
      [
        { type: 'text', text: 'SECRET' },
        { type: 'text', text: 'b' },
      ],
      'SECRET\nb',
    ],
    [FILE, JSON.stringify(FILE)],
  ] as readonly (readonly [Json, string])[])('%j reads as %j', (response, text) => {
    expect(resultText(response)).toBe(text);
  });

  it.each([
    'SECRET',
    { stdout: 'SECRET', stderr: 'SECRET' },
    [{ type: 'text', text: 'SECRET' }],
    FILE,
    { a: ['SECRET', 'SECRET'] },
  ] as Json[])('of %j nothing is left when a text takes its place', (response) => {
    const put = JSON.stringify(withText(response, 'HIDDEN'));
    expect(put).toContain('HIDDEN');
    expect(put).not.toContain('SECRET');
  });

  it('keeps its shape if the text is JSON of that shape', () => {
    const clean = JSON.stringify(FILE).replace('SECRET', 'clean');
    expect(withText(FILE, clean)).toEqual({
      type: 'text',
      file: { filePath: '/a', content: 'clean', numLines: 1 },
    });
  });
});

describe('what other agents send that run the hooks of Claude Code', () => {
  const sent = (event: string, native: JsonObject) => {
    const call = adapter.read(native, event);
    if (isUnreadable(call)) throw new Error(call.problem);
    return call;
  };
  const base = { cursor_version: '3.1', conversation_id: 'session', workspace_roots: ['/w'] };
  const vscode = { sessionId: 'session', timestamp: '2026-11-18T10:00:00.000Z', cwd: '/w' };
  const copilot = { session_id: 'session', timestamp: '2026-11-18T10:00:00.000Z', cwd: '/w' };

  it.each([
    [
      'Cursor',
      { ...base, tool_name: 'Shell' },
      { command: 'ls' },
      { name: 'run_command', args: { command: 'ls' } },
    ],
    [
      'Cursor',
      { ...base, tool_name: 'Write' },
      { file_path: '/a', contents: 'x' },
      { name: 'write_file', args: { path: '/a', content: 'x' } },
    ],
    [
      'Cursor',
      { ...base, tool_name: 'Delete' },
      { file_path: '/a' },
      { name: 'edit_file', args: { path: '/a', delete: true } },
    ],
    [
      'VS Code',
      { ...vscode, hookEventName: 'PreToolUse', tool_name: 'run_in_terminal' },
      { command: 'ls', explanation: 'lists' },
      { name: 'run_command', args: { command: 'ls' } },
    ],
    [
      'VS Code',
      { ...vscode, hookEventName: 'PreToolUse', tool_name: 'create_file' },
      { filePath: '/a', content: 'x' },
      { name: 'write_file', args: { path: '/a', content: 'x' } },
    ],
    [
      'VS Code',
      { ...vscode, hookEventName: 'PreToolUse', tool_name: 'multi_replace_string_in_file' },
      { replacements: [{ filePath: '/a', oldString: 'x', newString: 'y' }] },
      { name: 'edit_file', args: { path: '/a', old: 'x', new: 'y' } },
    ],
    [
      'Copilot',
      { ...copilot, tool_name: 'Bash' },
      { command: 'ls' },
      { name: 'run_command', args: { command: 'ls' } },
    ],
  ])('a call of %s is the call that policies know: %o', (_agent, native, input, wanted) => {
    const call = sent('PreToolUse', { ...native, tool_input: input });
    expect(call).toMatchObject({ session: 'session', payloads: [wanted] });
    for (const payload of call.payloads) expect(checkPayload('tool.pre', payload as Json)).toEqual([]);
  });

  it('each file of a patch is a call; a patch that cannot be read is a problem', () => {
    const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch';
    const native = { ...vscode, hookEventName: 'PreToolUse', tool_name: 'apply_patch' };
    const { payloads } = sent('PreToolUse', { ...native, tool_input: { input: patch } });
    expect(payloads).toMatchObject([{ args: { path: 'a' } }, { args: { path: 'b' } }]);
    expect(adapter.read({ ...native, tool_input: { input: 'x' } }, 'PreToolUse')).toMatchObject({
      problem: expect.stringContaining('apply_patch'),
    });
  });

  it('the result of Copilot is a result, or an error', () => {
    const native = {
      ...copilot,
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    };
    const result = (result_type: string) => ({ tool_result: { result_type, text_result_for_llm: 'a' } });
    expect(sent('PostToolUse', { ...native, ...result('success') }).payloads).toMatchObject([
      { name: 'run_command', content: 'a', is_error: false },
    ]);
    expect(sent('PostToolUse', { ...native, ...result('failure') }).payloads).toMatchObject([
      { content: 'a', is_error: true },
    ]);
  });

  it('a name of an event is understood in their spelling, another event than the registered one is not', () => {
    expect(sent('Stop', { ...base, hook_event_name: 'stop' }).row.native).toBe('Stop');
    const prompt = { ...base, hook_event_name: 'beforeSubmitPrompt', prompt: 'x' };
    expect(sent('UserPromptSubmit', prompt).payloads).toEqual(['x']);
    expect(adapter.read({ ...base, hook_event_name: 'stop' }, 'PreToolUse')).toMatchObject({
      problem: expect.stringContaining('registered for PreToolUse'),
    });
  });

  it('what they do not honour is not counted on: an ask of Cursor, a rewrite of their own tools, a result that is replaced', () => {
    const input = { tool_input: { command: 'ls' } };
    expect(sent('PreToolUse', { ...base, ...input, tool_name: 'Shell' }).row.honours).toMatchObject({
      block: true,
      ask: false,
      modify: false,
    });
    expect(sent('PreToolUse', { ...copilot, ...input, tool_name: 'Bash' }).row.honours).toMatchObject({
      ask: true,
      modify: true,
    });
    const done = { ...copilot, ...input, tool_name: 'Bash', tool_response: 'a' };
    expect(sent('PostToolUse', done).row.honours).toMatchObject({ block: false, modify: false });
    expect(read('PostToolUse').row.honours).toMatchObject({ block: true, modify: true });
  });
});
