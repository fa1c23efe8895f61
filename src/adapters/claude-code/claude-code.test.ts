import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { checkPayload } from '../../events/describe.ts';
import type { EventRow, NativeCall } from '../adapter.ts';
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
