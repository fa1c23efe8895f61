import { describe, expect, it } from 'vitest';
import { parseScript } from '../providers/scripted-file.ts';
import { parseServerScript } from './script-file.ts';

function problemsOf(yaml: string): string[] {
  const parsed = parseServerScript(yaml, 'story.yaml');
  if (parsed.ok) return [];
  return parsed.problems.map(({ position, message }) => `${position?.line}:${position?.col} ${message}`);
}

describe('the script of the model server', () => {
  it('may be any script of `harness run`', () => {
    const yaml = [
      'prompts: [go]',
      'completions:',
      '  - text: I will look first.',
      '    tool_calls: [{name: run_command, args: {command: ls}}]',
      '    usage: {input_tokens: 12, output_tokens: 5}',
      '    cost_usd: 0.5',
      '  - {error: {status: 429, message: slow down}, delay_ms: 5}',
      '  - {text: Done., stop_reason: max_tokens}',
    ].join('\n');
    const plain = parseScript(yaml, 'story.yaml');
    expect(plain.ok).toBe(true);
    expect(parseServerScript(yaml, 'story.yaml')).toEqual(plain);
  });

  it('may say which requests an item answers, and how the answer breaks', () => {
    const yaml = [
      'side: [probe, {name: mine, when: {system: [a, b], tools: none}, text: aside}]',
      'completions:',
      '  - {match: first, text: a, pace_ms: 5, cut_after: 2}',
      '  - {when: {tool_result: ok, prompt: [p], model: m, tool: Bash, max_tokens: 9}, text: b}',
      '  - {raw: ["data: {", "x"], hang: true}',
      '  - {hang: true, match: }',
    ].join('\n');
    expect(parseServerScript(yaml, 'story.yaml')).toEqual({
      ok: true,
      script: {
        side: ['probe', { name: 'mine', when: { system: ['a', 'b'], tools: 'none' }, text: 'aside' }],
        completions: [
          { match: 'first', text: 'a', pace_ms: 5, cut_after: 2 },
          { when: { tool_result: 'ok', prompt: ['p'], model: 'm', tool: 'Bash', max_tokens: 9 }, text: 'b' },
          { raw: ['data: {', 'x'], hang: true },
          { hang: true },
        ],
      },
    });
  });

  it.each([
    [
      'completions: [{mach: x, text: a}]',
      '1:16 unknown field completions[0].mach is ignored (did you mean match?)',
    ],
    [
      'completions: [{when: {tool_results: x}}]',
      'completions[0].when.tool_results is ignored (did you mean tool_result?)',
    ],
    ['completions: [{match: 5}]', 'completions[0].match must be a string; got the number 5'],
    ['completions: [{when: {tools: many}}]', 'must be one of none, some'],
    ['completions: [{raw: text}]', 'completions[0].raw must be a list'],
    [
      'completions: [{raw: [a], text: b}]',
      '1:26 parse script story.yaml: yaml: line 1: completions[0] has raw and text: give one of them',
    ],
    [
      'completions: [{hang: true, tool_calls: []}]',
      'completions[0] has hang and tool_calls: give one of them',
    ],
    ['completions: [{hang: true, error: {status: 500, message: m}}]', 'has hang and error'],
    ['completions: [{error: {status: 500, message: m}, cut_after: 1}]', 'has error and cut_after'],
    [
      'completions: [{error: {status: 100, message: m}}]',
      'completions[0].error.status must be from 200 to 599; got the number 100',
    ],
    ['{side: [titel], completions: []}', 'side[0] must be one of probe, title'],
    ['{side: [{name: x}], completions: []}', 'side[0].when is required'],
  ])('%s is refused at its place', (yaml, problem) => {
    expect(problemsOf(yaml)).toContainEqual(expect.stringContaining(problem));
  });

  it('hang: false says nothing', () => {
    expect(problemsOf('completions: [{hang: false, text: a}]')).toEqual([]);
  });

  it('keys of the server are unknown to `harness run`, which could not honour them', () => {
    const parsed = parseScript('completions: [{match: x, text: a}]', 'story.yaml');
    expect(parsed).toMatchObject({ ok: false });
  });
});
