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
  ['session.created', 'session.start', [{}]],
  ['chat.message', 'turn.start', ['Run the tests, please']],
  [
    'tool.execute.before',
    'tool.pre',
    [{ id: 'call_1', name: 'run_command', args: { command: 'npm test -- --run', description: 'tests' } }],
  ],
  [
    'tool.execute.before patch',
    'tool.pre',
    [
      {
        id: 'call_1#1',
        name: 'write_file',
        args: { path: 'notes/new.md', content: 'first line\nsecond line\n' },
      },
      {
        id: 'call_1#2',
        name: 'edit_file',
        args: {
          path: 'src/app.ts',
          old: 'const port = 1;\nlisten(port);',
          new: 'const port = 1;\nlisten(port, host);',
          to: 'src/main.ts',
        },
      },
      { id: 'call_1#3', name: 'edit_file', args: { path: 'old.txt', delete: true } },
    ],
  ],
  [
    'tool.execute.after',
    'tool.post',
    [
      {
        ...{
          call_id: 'call_1',
          name: 'run_command',
          args: { command: 'npm test -- --run', description: 'tests' },
        },
        ...{ content: '14 passed\n', is_error: false },
      },
    ],
  ],
  [
    'tool.execute.after failed',
    'tool.post',
    [
      {
        ...{ call_id: 'call_1', name: 'run_command', args: { command: 'npm test -- --run' } },
        ...{ content: '1 failed\n', is_error: true },
      },
    ],
  ],
  ['session.idle', 'agent.stop', [{ response: '' }]],
  ['session.compacted', 'compact.post', [{}]],
  ['session.error', 'error', [{ message: 'no model' }]],
  ['experimental.session.compacting', 'compact.pre', [{}]],
];

readsWhatIsSent(adapter, READ);

describe('OpenCode: what our own file is answered', () => {
  it.each(['chat.message', 'tool.execute.before', 'tool.execute.after'])(
    '%s is blocked with the reason',
    (name) => {
      expect(answered(adapter, readFixture(adapter, name), block('not here'))).toEqual({ block: 'not here' });
    },
  );

  it('an ask is a block', () => {
    expect(answered(adapter, readFixture(adapter, 'tool.execute.before'), ask('sure?'))).toEqual({
      block: 'sure?',
    });
  });

  it('a rewritten call is the whole of its arguments', () => {
    const call = readFixture(adapter, 'tool.execute.before');
    const answer = answered(adapter, call, rewriteArgs(call, { command: 'npm test' }));
    expect(answer).toMatchObject({ args: { command: 'npm test' } });
  });

  it('a result and a prompt are replaced', () => {
    const call = readFixture(adapter, 'tool.execute.after');
    const answer = answered(adapter, call, rewriteContent(call, '[redacted]'));
    expect(answer).toEqual({ output: '[redacted]' });
    const asked = readFixture(adapter, 'chat.message');
    const verdict = { action: 'modify', payloads: ['Run them'], context: null, message: null } as const;
    expect(answered(adapter, asked, verdict)).toEqual({ prompt: 'Run them' });
  });

  it.each(['chat.message', 'tool.execute.after'])('%s takes context', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), allow('mind the cap'));
    expect(answer).toEqual({ context: 'mind the cap' });
  });
});
