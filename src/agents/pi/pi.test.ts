import { describe, expect, it } from 'vitest';
import { type Readings, readsWhatIsSent } from '../../../test/support/adapter-contract.ts';
import {
  allow,
  answered,
  ask,
  block,
  readFixture,
  rewriteArgs,
  rewriteContent,
} from '../../../test/support/adapters.ts';
import { adapter } from './index.ts';

const READ: Readings = [
  ['session_start', 'session.start', [{ source: 'startup' }]],
  ['input', 'turn.start', ['Run the tests, please']],
  ['tool_call', 'tool.pre', [{ id: 'call_1', name: 'run_command', args: { command: 'npm test -- --run' } }]],
  [
    'tool_call edits',
    'tool.pre',
    [
      { id: 'call_2#1', name: 'edit_file', args: { path: 'a.ts', old: 'one', new: 'two' } },
      { id: 'call_2#2', name: 'edit_file', args: { path: 'a.ts', old: 'three', new: 'four' } },
    ],
  ],
  [
    'tool_result',
    'tool.post',
    [
      {
        ...{ call_id: 'call_1', name: 'run_command', args: { command: 'npm test -- --run' } },
        ...{ content: '14 passed\n', is_error: false },
      },
    ],
  ],
  ['turn_end', 'agent.stop', [{ response: 'All tests pass.', finish_reason: 'stop' }]],
  ['session_shutdown', 'session.end', [{ reason: 'quit' }]],
  ['session_before_compact', 'compact.pre', [{}]],
  ['session_compact', 'compact.post', [{}]],
];

readsWhatIsSent(adapter, READ);

describe('pi: what our own file is answered', () => {
  it.each(['input', 'tool_call', 'tool_result', 'turn_end'])('%s is blocked with the reason', (name) => {
    expect(answered(adapter, readFixture(adapter, name), block('not here'))).toEqual({ block: 'not here' });
  });

  it('an ask is a block', () => {
    expect(answered(adapter, readFixture(adapter, 'tool_call'), ask('sure?'))).toEqual({ block: 'sure?' });
  });

  it('a rewritten call is the whole of its arguments', () => {
    const call = readFixture(adapter, 'tool_call');
    const answer = answered(adapter, call, rewriteArgs(call, { command: 'npm test' }));
    expect(answer).toMatchObject({ args: { command: 'npm test' } });
  });

  it('a result and a prompt are replaced', () => {
    const call = readFixture(adapter, 'tool_result');
    const answer = answered(adapter, call, rewriteContent(call, '[redacted]'));
    expect(answer).toEqual({ output: '[redacted]' });
    const asked = readFixture(adapter, 'input');
    const verdict = { action: 'modify', payloads: ['Run them'], context: null, message: null } as const;
    expect(answered(adapter, asked, verdict)).toEqual({ prompt: 'Run them' });
  });

  it.each(['input', 'tool_result'])('%s takes context', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), allow('mind the cap'));
    expect(answer).toEqual({ context: 'mind the cap' });
  });
});

describe('pi: a list of edits', () => {
  it('an edit is rewritten in its place of the list', () => {
    const call = readFixture(adapter, 'tool_call edits');
    expect(answered(adapter, call, rewriteArgs(call, { new: '2' }))).toEqual({
      args: {
        path: 'a.ts',
        edits: [
          { oldText: 'one', newText: '2' },
          { oldText: 'three', newText: 'four' },
        ],
      },
    });
  });

  it('the path belongs to all of them: one alone cannot have another', () => {
    const call = readFixture(adapter, 'tool_call edits');
    const answer = answered(adapter, call, rewriteArgs(call, { path: 'b.ts' }));
    expect(answer).toEqual({ block: expect.stringContaining('b.ts') });
  });
});
