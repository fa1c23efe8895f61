import { describe, expect, it } from 'vitest';
import { type Readings, readsWhatIsSent } from '../../../test/support/adapter-contract.ts';
import {
  allow,
  answered,
  ask,
  block,
  fixturesOf,
  judged,
  readFixture,
  rewriteArgs,
  rewriteContent,
} from '../../../test/support/adapters.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { adapter } from './index.ts';

const READ: Readings = [
  ['TaskStart', 'session.start', [{}]],
  [
    'PreToolUse',
    'tool.pre',
    [
      { id: 'call_1#1', name: 'run_command', args: { command: 'npm test -- --run' } },
      { id: 'call_1#2', name: 'run_command', args: { command: 'git status' } },
    ],
  ],
  [
    'PreToolUse words',
    'tool.pre',
    [{ id: 'call_1', name: 'run_command', args: { command: "git commit -m 'it'\\''s done'" } }],
  ],
  [
    'PreToolUse editor',
    'tool.pre',
    [{ id: 'call_2', name: 'write_file', args: { path: '/repo/a.txt', content: 'one\n' } }],
  ],
  [
    'PreToolUse editor change',
    'tool.pre',
    [{ id: 'call_3', name: 'edit_file', args: { path: '/repo/a.txt', old: 'one', new: 'two' } }],
  ],
  [
    'PostToolUse',
    'tool.post',
    [
      {
        ...{ call_id: 'call_1#1', name: 'run_command', args: { command: 'npm test -- --run' } },
        ...{ content: '14 passed\n', is_error: false },
      },
      {
        ...{ call_id: 'call_1#2', name: 'run_command', args: { command: 'git status' } },
        ...{ content: '[Command exited with code 128]', is_error: true },
      },
    ],
  ],
  [
    'PostToolUse editor',
    'tool.post',
    [
      {
        ...{ call_id: 'call_2', name: 'write_file', args: { path: '/repo/a.txt', content: 'one\n' } },
        ...{
          content: '{"query":"edit:/repo/a.txt","result":"File created","success":true}',
          is_error: false,
        },
      },
    ],
  ],
  [
    'TaskComplete',
    'agent.stop',
    [{ id: 'agent_1', response: 'All tests pass.', finish_reason: 'completed' }],
  ],
  ['TaskError', 'error', [{ message: 'no model' }]],
  ['SessionShutdown', 'session.end', [{}]],
];

readsWhatIsSent(adapter, READ);

/** A call of a tool with this input. */
const called = (name: string, input: Json) =>
  readFixture(adapter, 'PreToolUse', { tool_call: { id: 'call_9', name, input } });

describe('Cline: every form its tools take is judged', () => {
  it.each<[Json, readonly string[]]>([
    [{ commands: 'ls' }, ['ls']],
    [{ command: 'ls' }, ['ls']],
    [{ cmd: 'ls' }, ['ls']],
    ['ls', ['ls']],
    [
      ['ls', 'pwd'],
      ['ls', 'pwd'],
    ],
    [[{ command: 'ls', args: ['-l'] }], ['ls -l']],
    [{ command: 'ls', args: ['a b'] }, ["ls 'a b'"]],
    [{ commands: ['ls', { command: 'pwd' }] }, ['ls', 'pwd']],
  ])('run_commands %j', (input, commands) => {
    const args = judged(called('run_commands', input)).map((payload) => (payload as JsonObject).args);
    expect(args).toEqual(commands.map((command) => ({ command })));
  });

  it.each<[Json]>([
    [{ files: [{ path: 'a', start_line: 3 }] }],
    [{ files: 'a' }],
    [{ file_paths: ['a'] }],
    [{ paths: [{ filePath: 'a' }] }],
    ['a'],
    [{ path: 'a' }],
  ])('read_files %j', (input) => {
    const [payload] = judged(called('read_files', input));
    expect(payload).toMatchObject({ name: 'read_file', args: { path: 'a' } });
  });

  it.each<[string, Json]>([
    ['run_commands', { commands: [] }],
    ['run_commands', { commands: [7] }],
    ['run_commands', { commands: [{ command: 'ls', args: [7] }] }],
    ['run_commands', null],
    ['read_files', { files: [{ start_line: 3 }] }],
    ['editor', { new_text: 'x' }],
    ['apply_patch', { input: 'nothing of it' }],
  ])('%s %j cannot be read', (name, input) => {
    const native = { ...fixturesOf('cline').PreToolUse!, tool_call: { id: 'call_9', name, input } };
    expect(adapter.read(native, 'PreToolUse')).toMatchObject({ problem: expect.any(String) });
  });

  it('the calls of a sub-agent belong to the session of the first', () => {
    const call = readFixture(adapter, 'PreToolUse', { parent_agent_id: 'agent_0' });
    expect(call).toMatchObject({ session: 'root_1', subAgent: { id: 'agent_1' } });
  });
});

describe('Cline: what it is answered', () => {
  it.each(['PreToolUse', 'PostToolUse'])('%s is cancelled, in JSON', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), block('not here'));
    expect(answer).toEqual({ cancel: true, errorMessage: 'not here' });
  });

  it('a review would let the tool run: an ask is a cancel', () => {
    const answer = answered(adapter, readFixture(adapter, 'PreToolUse'), ask('sure?'));
    expect(answer).toEqual({ cancel: true, errorMessage: 'sure?' });
  });

  it('a rewritten command takes its place in the list', () => {
    const call = readFixture(adapter, 'PreToolUse');
    expect(answered(adapter, call, rewriteArgs(call, { command: 'npm test' }))).toEqual({
      cancel: false,
      overrideInput: { commands: ['npm test', 'git status'] },
    });
  });

  it('a rewritten file is written under its own name of the argument', () => {
    const call = readFixture(adapter, 'PreToolUse editor');
    expect(answered(adapter, call, rewriteArgs(call, { content: 'two\n' }))).toEqual({
      cancel: false,
      overrideInput: { path: '/repo/a.txt', new_text: 'two\n' },
    });
  });

  it('a result cannot be replaced: the run is cancelled before the model reads it', () => {
    const call = readFixture(adapter, 'PostToolUse editor');
    expect(answered(adapter, call, rewriteContent(call, '[redacted]'))).toMatchObject({ cancel: true });
  });

  it.each(['PreToolUse', 'PostToolUse'])('%s takes context', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), allow('mind the cap'));
    expect(answer).toEqual({ cancel: false, contextModification: 'mind the cap' });
  });

  it.each(['TaskStart', 'TaskComplete', 'SessionShutdown'])(
    '%s honours nothing: it is met with silence',
    (name) => {
      expect(answered(adapter, readFixture(adapter, name), block('not here'))).toBeNull();
    },
  );
});
