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
import type { Verdict } from '../adapter.ts';
import { adapter } from './index.ts';

const RUN = { command: 'npm test -- --run', description: 'tests', is_background: false };

const READ: Readings = [
  ['SessionStart', 'session.start', [{ model: 'qwen3-coder', source: 'startup' }]],
  ['UserPromptSubmit', 'turn.start', ['Run the tests, please']],
  ['UserPromptSubmit empty', 'turn.start', []],
  ['PreToolUse', 'tool.pre', [{ id: 'toolu_1', name: 'run_command', args: RUN }]],
  [
    'PostToolUse',
    'tool.post',
    [
      {
        ...{ call_id: 'toolu_1', name: 'run_command', args: RUN },
        ...{ content: 'Output: 14 passed\nExit Code: 0', is_error: false },
      },
    ],
  ],
  [
    'PostToolUseFailure',
    'tool.post',
    [
      {
        ...{ call_id: 'toolu_1', name: 'run_command', args: RUN },
        ...{ content: 'Output: 1 failed\nExit Code: 1', is_error: true },
      },
    ],
  ],
  ['Stop', 'agent.stop', [{ response: 'All tests pass.' }]],
  ['SessionEnd', 'session.end', [{ reason: 'exit' }]],
  [
    'SubagentStart',
    'native.subagent_start',
    [{ agent_id: 'general-purpose-call_1', agent_type: 'general-purpose' }],
  ],
  [
    'SubagentStop',
    'delegation.post_verify',
    [{ id: 'general-purpose-call_1', agent: 'general-purpose', result: 'SUB_ANSWER' }],
  ],
  ['PreCompact', 'compact.pre', [{ trigger: 'auto' }]],
  ['PostCompact', 'compact.post', [{ trigger: 'auto' }]],
  [
    'Notification',
    'native.notification',
    [
      {
        message: 'Qwen Code is waiting for your input',
        title: 'Waiting',
        notification_type: 'idle_prompt',
      },
    ],
  ],
];

readsWhatIsSent(adapter, READ);

describe('Qwen Code: what it is answered', () => {
  it.each([
    ['deny', block('not here')],
    ['ask', ask('not here')],
  ])('a call gets %s with the reason', (permissionDecision, verdict) => {
    expect(answered(adapter, readFixture(adapter, 'PreToolUse'), verdict)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision,
        permissionDecisionReason: 'not here',
      },
    });
  });

  it('a sub-agent is sent back with the reason', () => {
    expect(answered(adapter, readFixture(adapter, 'SubagentStop'), block('not here'))).toEqual({
      decision: 'block',
      reason: 'not here',
    });
  });

  it('a call that was rewritten before somebody asked would run unchanged after a yes: it is denied', () => {
    const call = readFixture(adapter, 'PreToolUse');
    const answer = answered(adapter, call, { ...ask('sure?'), payloads: call.payloads } as Verdict);
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  it('arguments cannot be rewritten: the call is denied with the corrected ones', () => {
    const call = readFixture(adapter, 'PreToolUse');
    const answer = JSON.stringify(answered(adapter, call, rewriteArgs(call, { command: 'npm test' })));
    expect(answer).toContain('"permissionDecision":"deny"');
    expect(answer).toContain('npm test');
  });

  it('a result can be neither hidden nor replaced: nothing is said that it would ignore', () => {
    const call = readFixture(adapter, 'PostToolUse');
    expect(answered(adapter, call, block('not here'))).toBeNull();
    expect(answered(adapter, call, rewriteContent(call, '[redacted]'))).toBeNull();
    expect(call.row.honours).toMatchObject({ block: false, modify: false });
  });

  it.each(['UserPromptSubmit', 'Stop'])('%s is blocked with the reason', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), block('not here'));
    expect(answer).toEqual({ decision: 'block', reason: 'not here' });
  });

  it.each(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])('%s takes context', (name) => {
    expect(answered(adapter, readFixture(adapter, name), allow('mind the cap'))).toEqual({
      hookSpecificOutput: { hookEventName: name, additionalContext: 'mind the cap' },
    });
  });

  it('context before a call is not read: it is not said', () => {
    expect(answered(adapter, readFixture(adapter, 'PreToolUse'), allow('mind the cap'))).toBeNull();
  });
});
