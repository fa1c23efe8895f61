import { describe, expect, it } from 'vitest';
import { type Readings, readsWhatIsSent } from '../../../test/support/adapter-contract.ts';
import { allow, answered, ask, readFixture, rewriteArgs } from '../../../test/support/adapters.ts';
import { adapter } from './index.ts';

const READ: Readings = [
  ['sessionStart', 'session.start', [{ model: 'auto' }]],
  ['beforeSubmitPrompt', 'turn.start', ['Run the tests, please']],
  ['preToolUse', 'tool.pre', [{ id: 'tu_1', name: 'run_command', args: { command: 'npm test -- --run' } }]],
  [
    'preToolUse delete',
    'tool.pre',
    [{ id: 'tu_2', name: 'edit_file', args: { path: '/repo/a.txt', delete: true } }],
  ],
  [
    'postToolUse',
    'tool.post',
    [
      {
        ...{ call_id: 'tu_1', name: 'run_command', args: { command: 'npm test -- --run' } },
        ...{ content: '{"output":"14 passed"}', is_error: false },
      },
    ],
  ],
  [
    'postToolUseFailure',
    'tool.post',
    [
      {
        ...{ call_id: 'tu_1', name: 'run_command', args: { command: 'npm test -- --run' } },
        ...{ content: 'timed out', is_error: true },
      },
    ],
  ],
  ['stop', 'agent.stop', [{ response: '', finish_reason: 'completed' }]],
  ['preCompact', 'compact.pre', [{ trigger: 'auto' }]],
  ['sessionEnd', 'session.end', [{ reason: 'completed' }]],
];

readsWhatIsSent(adapter, READ);

describe('Cursor: what it is answered', () => {
  it.each([
    ['preToolUse', { permission: 'deny', agent_message: 'not here', user_message: 'hook x' }],
    ['beforeSubmitPrompt', { continue: false, user_message: 'hook x' }],
    ['stop', { followup_message: 'not here' }],
  ])('%s is blocked', (name, wanted) => {
    const verdict = { action: 'block', reason: 'not here', message: 'hook x' } as const;
    expect(answered(adapter, readFixture(adapter, name), verdict)).toEqual(wanted);
  });

  it('an ask is a deny', () => {
    const answer = answered(adapter, readFixture(adapter, 'preToolUse'), ask('sure?'));
    expect(answer).toEqual({ permission: 'deny', agent_message: 'sure?' });
  });

  it('a rewritten call is the whole input', () => {
    const call = readFixture(adapter, 'preToolUse');
    expect(answered(adapter, call, rewriteArgs(call, { command: 'npm test' }))).toEqual({
      permission: 'allow',
      updated_input: { command: 'npm test' },
    });
  });

  it('a file that is deleted can be another one, but stays deleted', () => {
    const call = readFixture(adapter, 'preToolUse delete');
    const other = answered(adapter, call, rewriteArgs(call, { path: '/repo/b.txt' }));
    expect(other).toMatchObject({ updated_input: { file_path: '/repo/b.txt' } });
    const kept = answered(adapter, call, rewriteArgs(call, { delete: false }));
    expect(kept).toMatchObject({ permission: 'deny' });
  });

  it.each(['sessionStart', 'postToolUse'])('%s takes context', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), allow('mind the cap'));
    expect(answer).toEqual({ additional_context: 'mind the cap' });
  });

  it('no version of it was run', () => {
    expect(adapter.versions).toEqual([]);
  });
});
