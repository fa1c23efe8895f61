/** Forms of tools: what cannot be told is refused, and a rewrite changes nothing but what it is about. */
import { assert, dictionary, jsonValue, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { formOf, isNotACall, listOf, splitCall, type ToolSet, textItem } from './tool-forms.ts';

const SET: ToolSet = {
  tools: [
    { native: 'sh', name: 'run_command', args: { cmd: 'command', dir: 'cwd' } },
    { native: 'cat', name: 'read_file', args: { file: 'path', target: 'path' } },
    { native: 'many', name: 'read_file', args: { files: 'path' } },
  ],
  forms: { many: listOf(['files'], textItem('read_file', 'path', ['name']), { rest: true }) },
};

describe('a call of a tool that is in the table', () => {
  it('has the names that policies know', () => {
    expect(splitCall(SET, 'sh', { cmd: 'ls', dir: '/', why: 'look' })).toEqual([
      { name: 'run_command', args: { command: 'ls', cwd: '/', why: 'look' } },
    ]);
  });

  it.each([
    ['nothing to look at', 'sh', {}],
    ['another kind of value', 'sh', { cmd: ['ls'] }],
    ['no object', 'sh', 'ls'],
    ['two files under two names', 'cat', { file: '.env', target: 'README.md' }],
  ])('%s: refused', (_what, name, input) => {
    expect(splitCall(SET, name, input)).toEqual({ problem: expect.stringContaining(`${name}: `) });
  });

  it('the same file under two names is one', () => {
    expect(splitCall(SET, 'cat', { file: 'a', target: 'a' })).toEqual([
      { name: 'read_file', args: { path: 'a' } },
    ]);
  });

  it('what has the canonical name by itself does not hide what the tool reads', () => {
    expect(splitCall(SET, 'sh', { cmd: 'ls', command: 'true' })).toMatchObject([{ args: { command: 'ls' } }]);
  });
});

describe('a tool that is in no table', () => {
  it('is judged under its own name, whatever it takes', () => {
    expect(splitCall(SET, 'deploy', { to: 'prod' })).toEqual([{ name: 'deploy', args: { to: 'prod' } }]);
    expect(splitCall(SET, 'deploy', 'prod')).toEqual([{ name: 'deploy', args: { input: 'prod' } }]);
    expect(splitCall(SET, 'deploy', null)).toEqual([{ name: 'deploy', args: {} }]);
  });

  it('may have the name of one that we know, with arguments of its own', () => {
    expect(splitCall(SET, 'run_command', { line: 'ls' })).toEqual([
      { name: 'run_command', args: { line: 'ls' } },
    ]);
  });

  it('is not found in what every object has', () => {
    expect(splitCall(SET, 'constructor', {})).toEqual([{ name: 'constructor', args: {} }]);
  });
});

describe('a rewrite', () => {
  it('lands in the native input, and nothing else changes', () => {
    const keys = string().filter((key) => !['cmd', 'command', 'dir', 'cwd', '__proto__'].includes(key));
    assert(
      property(dictionary(keys, jsonValue()), string(), string(), (rest, before, after) => {
        const input = { ...rest, cmd: before } as JsonObject;
        const [call] = splitCall(SET, 'sh', input) as readonly { args: JsonObject }[];
        const back = formOf(SET, 'sh').join(input, [{ ...call!.args, command: after }]);
        expect(back).toEqual({ ...rest, cmd: after });
      }),
    );
  });

  it('of one item of a list leaves the others', () => {
    const input = { files: ['a', { name: 'b', from: 3 }], why: 'look' };
    const calls = splitCall(SET, 'many', input);
    if (isNotACall(calls)) throw new Error(calls.problem);
    const after = [calls[0]!.args, { ...calls[1]!.args, path: 'c' }];
    expect(formOf(SET, 'many').join(input, after)).toEqual({
      files: ['a', { name: 'c', from: 3 }],
      why: 'look',
    });
  });

  it.each<[string, JsonObject[]]>([
    ['an item that is gone', [{ path: 'a', why: 'look' }]],
    [
      'an argument that a text cannot carry',
      [
        { path: 'a', why: 'look', from: 3 },
        { path: 'b', why: 'look' },
      ],
    ],
    [
      'what belongs to all, for one alone',
      [
        { path: 'a', why: 'other' },
        { path: 'b', why: 'look' },
      ],
    ],
  ])('%s cannot be carried back', (_what, after) => {
    expect(formOf(SET, 'many').join({ files: ['a', 'b'], why: 'look' }, after)).toBeNull();
  });
});
