import { describe, expect, it } from 'vitest';
import { type Readings, readsWhatIsSent } from '../../../test/support/adapter-contract.ts';
import {
  allow,
  answered,
  ask,
  block,
  fixturesOf,
  readFixture,
  rewriteArgs,
  rewriteContent,
} from '../../../test/support/adapters.ts';
import { adapter } from './index.ts';

const RUN = { command: 'npm test -- --run', description: 'tests', initial_wait: 5, mode: 'sync' };

const READ: Readings = [
  ['sessionStart', 'session.start', [{ source: 'new' }]],
  ['userPromptSubmitted', 'turn.start', ['Run the tests, please']],
  ['preToolUse', 'tool.pre', [{ name: 'run_command', args: RUN }]],
  [
    'preToolUse create',
    'tool.pre',
    [{ name: 'write_file', args: { path: '/repo/a.txt', content: 'one\n' } }],
  ],
  [
    'postToolUse',
    'tool.post',
    [
      {
        ...{ name: 'run_command', args: RUN, is_error: false },
        content: '14 passed\n<shellId: 0 completed with exit code 0>',
      },
    ],
  ],
  [
    'postToolUse failed',
    'tool.post',
    [
      {
        ...{ name: 'run_command', args: RUN, is_error: true },
        content: '1 failed\n<shellId: 0 completed with exit code 1>',
      },
    ],
  ],
  [
    'postToolUseFailure',
    'tool.post',
    [{ name: 'run_command', args: RUN, content: 'the shell could not be started', is_error: true }],
  ],
  ['agentStop', 'agent.stop', [{ response: '', finish_reason: 'end_turn' }]],
  ['preCompact', 'compact.pre', [{ trigger: 'auto' }]],
  ['sessionEnd', 'session.end', [{ reason: 'complete' }]],
  ['permissionRequest', 'permission.asked', [{ name: 'run_command', args: { command: 'echo hi' } }]],
  [
    'permissionRequest of a file',
    'permission.asked',
    [
      {
        name: 'edit_file',
        args: {
          path: '/repo/marker.txt',
          diff: '--- a/dev/null\n+++ b/repo/marker.txt\n@@ -1,0 +1,1 @@\n+hi\n',
        },
      },
    ],
  ],
  ['agentStop of a sub-agent', 'agent.stop', []],
  [
    'subagentStart',
    'native.subagent_start',
    [
      {
        agentName: 'helper',
        agentDisplayName: 'helper',
        agentDescription: 'helps',
        agentId: 'a-1',
        agentType: 'helper',
        parentAgentId: 's-1',
      },
    ],
  ],
  ['subagentStop', 'delegation.post_verify', [{ id: 'a-1', agent: 'explore', result: 'SUB_ANSWER' }]],
  ['errorOccurred', 'error', [{ message: 'bad' }]],
  [
    'notification',
    'native.notification',
    [{ message: 'Agent finished', title: 'Done', notificationType: 'agent_completed' }],
  ],
];

readsWhatIsSent(adapter, READ);

describe('Copilot CLI: what it is answered', () => {
  it('the event is the one it is registered for, as the payload does not say', () => {
    expect(adapter.read(fixturesOf('copilot').preToolUse!, null)).toEqual({
      problem: 'the payload does not say which event it is',
      row: null,
    });
  });

  it.each([
    ['deny', block('not here')],
    ['ask', ask('not here')],
  ])('a call gets %s with the reason', (permissionDecision, verdict) => {
    expect(answered(adapter, readFixture(adapter, 'preToolUse'), verdict)).toEqual({
      permissionDecision,
      permissionDecisionReason: 'not here',
    });
  });

  it('a request for permission is denied with the reason, and a sub-agent takes context', () => {
    expect(answered(adapter, readFixture(adapter, 'permissionRequest'), block('not here'))).toEqual({
      behavior: 'deny',
      message: 'not here',
    });
    expect(answered(adapter, readFixture(adapter, 'subagentStart'), allow('c'))).toEqual({
      additionalContext: 'c',
    });
  });

  it('an event of a sub-agent names it', () => {
    expect(readFixture(adapter, 'subagentStop').subAgent).toEqual({ id: 'a-1', name: 'explore' });
    expect(readFixture(adapter, 'agentStop').subAgent).toBeNull();
  });

  it.each(['postToolUse', 'agentStop', 'subagentStop'])('%s is blocked with the reason', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), block('not here'));
    expect(answer).toEqual({ decision: 'block', reason: 'not here' });
  });

  it('a prompt cannot be refused: the model is sent the reason in its place', () => {
    const call = readFixture(adapter, 'userPromptSubmitted');
    expect(answered(adapter, call, block('not here'))).toEqual({
      modifiedPrompt: 'A policy refused what the user wrote. Do nothing but tell the user why: not here',
    });
  });

  it('a prompt is replaced', () => {
    const call = readFixture(adapter, 'userPromptSubmitted');
    const verdict = { action: 'modify', payloads: ['Run them'], context: null, message: null } as const;
    expect(answered(adapter, call, verdict)).toEqual({ modifiedPrompt: 'Run them' });
  });

  it('a rewritten call is the whole of its arguments', () => {
    const call = readFixture(adapter, 'preToolUse create');
    expect(answered(adapter, call, rewriteArgs(call, { content: 'two\n' }, 'slow'))).toEqual({
      permissionDecision: 'allow',
      modifiedArgs: { path: '/repo/a.txt', file_text: 'two\n' },
      additionalContext: 'slow',
    });
  });

  it('a result is replaced', () => {
    const call = readFixture(adapter, 'postToolUse');
    expect(answered(adapter, call, rewriteContent(call, '[redacted]'))).toEqual({
      modifiedResult: { resultType: 'success', textResultForLlm: '[redacted]' },
    });
  });

  it.each(['sessionStart', 'userPromptSubmitted', 'preToolUse', 'postToolUse'])(
    '%s takes context',
    (name) => {
      const answer = answered(adapter, readFixture(adapter, name), allow('mind the cap'));
      expect(answer).toEqual({ additionalContext: 'mind the cap' });
    },
  );
});
