import { describe, expect, it } from 'vitest';
import type { CompletionRequest } from '../provider.ts';
import { scriptedProvider } from './scripted.ts';
import { parseScript } from './scripted-file.ts';

const REQUEST: CompletionRequest = { model: 'm', system: '', messages: [], tools: [] };
const { signal } = new AbortController();

function problemsOf(yaml: string): string[] {
  const parsed = parseScript(yaml, 'script.yaml');
  if (parsed.ok) return [];
  return parsed.problems.map(({ position, message }) => `${position?.line}:${position?.col} ${message}`);
}

async function first(yaml: string) {
  const parsed = parseScript(yaml, 'script.yaml');
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return scriptedProvider(parsed.script).complete(REQUEST, { signal });
}

describe('a script', () => {
  it('answers with its items in order, as its format says', async () => {
    const parsed = parseScript(
      [
        'completions:',
        '  - text: I will look first.',
        '    tool_calls: [{name: run_command, args: {command: ls}}]',
        '    usage: {input_tokens: 12, output_tokens: 5}',
        '  - text: Done.',
      ].join('\n'),
      'script.yaml',
    );
    if (!parsed.ok) throw new Error('the script is valid');
    const provider = scriptedProvider(parsed.script);
    const pieces: string[] = [];
    const onText = (piece: string) => void pieces.push(piece);
    expect(await provider.complete(REQUEST, { signal, onText })).toEqual({
      ok: true,
      completion: {
        text: 'I will look first.',
        tool_calls: [{ id: 'call_1', name: 'run_command', args: { command: 'ls' } }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 12, output_tokens: 5 },
      },
    });
    expect(await provider.complete(REQUEST, { signal, onText })).toMatchObject({
      completion: { text: 'Done.', tool_calls: [], stop_reason: 'end_turn' },
    });
    expect(pieces).toEqual(['I will look first.', 'Done.']);
    expect(await provider.complete(REQUEST, { signal })).toEqual({
      ok: false,
      failure: {
        code: 'bad_request',
        message: 'the script has 2 completions and was asked for completions[2]: add an item',
        retryable: false,
      },
    });
    expect(provider.requests).toHaveLength(3);
  });

  it.each([
    [429, 'rate_limited', true],
    [529, 'overloaded', true],
    [500, 'overloaded', true],
    [408, 'timeout', true],
    [401, 'auth', false],
    [400, 'bad_request', false],
    [418, 'unknown', false],
  ])('an error of status %i is %s', async (status, code, retryable) => {
    expect(await first(`completions: [{error: {status: ${status}, message: m, retry_after_ms: 9}}]`)).toEqual(
      {
        ok: false,
        failure: { code, message: 'm', status, retryable, retryAfterMs: 9 },
      },
    );
  });

  it('may call with text that is no JSON, with an id, and stop for a reason', async () => {
    const attempt = await first(
      `completions: [{tool_calls: [{name: a, id: x, arguments: '{"k":1}'}, {name: b, arguments: '[1'}], stop_reason: max_tokens}]`,
    );
    expect(attempt).toMatchObject({
      completion: {
        tool_calls: [
          { id: 'x', name: 'a', args: { k: 1 } },
          { id: 'call_1', name: 'b', args: {}, malformed: '[1' },
        ],
        stop_reason: 'max_tokens',
      },
    });
  });

  it('takes its time, and stops when told', async () => {
    const provider = scriptedProvider({ completions: [{ text: 'late', delay_ms: 60_000 }] });
    const controller = new AbortController();
    const attempt = provider.complete(REQUEST, { signal: controller.signal });
    controller.abort();
    expect(await attempt).toMatchObject({ ok: false, failure: { code: 'aborted' } });
  });

  it.each([
    ['', '1:1 parse script script.yaml: yaml: line 1: completions is required'],
    [
      'completions: 5',
      '1:14 parse script script.yaml: yaml: line 1: completions must be a list; got the number 5',
    ],
    ['completion: []', '1:1 unknown field completion is ignored (did you mean completions?)'],
    ['completions:\n  - txt: hi', '2:5 unknown field completions[0].txt is ignored (did you mean text?)'],
    [
      'completions:\n  - text: [1]',
      '2:11 parse script script.yaml: yaml: line 2: completions[0].text must be a string; got a list',
    ],
    [
      'completions:\n  - {}',
      '2:5 parse script script.yaml: yaml: line 2: completions[0] is empty: give it text, tool_calls or error',
    ],
    [
      'completions:\n  - tool_calls: [{args: {}}]',
      '2:18 parse script script.yaml: yaml: line 2: completions[0].tool_calls[0].name is required',
    ],
    [
      'completions:\n  - tool_calls: [{name: a, args: [1]}]',
      '2:34 parse script script.yaml: yaml: line 2: completions[0].tool_calls[0].args must be a map',
    ],
    [
      'completions:\n  - tool_calls: [{name: a, args: {}, arguments: x}]',
      '2:38 parse script script.yaml: yaml: line 2: completions[0].tool_calls[0] has args and arguments: give one of them',
    ],
    [
      'completions:\n  - text: hi\n    error: {status: 429, message: m}',
      '2:5 parse script script.yaml: yaml: line 2: completions[0] has an error and text: an attempt fails or answers',
    ],
    [
      'completions:\n  - {text: a, stop_reason: end}',
      '2:28 parse script script.yaml: yaml: line 2: completions[0].stop_reason must be one of end_turn',
    ],
    [
      'completions:\n  - {text: a, cost_usd: free}',
      '2:25 parse script script.yaml: yaml: line 2: completions[0].cost_usd must be a number from 0',
    ],
    ['completions:\n  - text: a: b', '2:'],
  ])('%j is refused at its place', (yaml, problem) => {
    expect(problemsOf(yaml)).toContainEqual(expect.stringContaining(problem));
  });
});
