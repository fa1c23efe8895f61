import { describe, expect, it } from 'vitest';
import { hook } from '../../../test/support/plain-hook.ts';
import type { Reply } from '../../engine/hook.ts';
import type { ProcessResult } from '../../machine/host.ts';
import { type CommandContract, exit2, git } from './contract.ts';

const ENDED: ProcessResult = {
  exitCode: 0,
  signal: null,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  truncated: [],
  invalidUtf8: [],
  flooded: false,
  timedOut: false,
  aborted: false,
  startError: null,
  leftBehind: 0,
  ms: 1,
};

const guard = hook({ name: 'guard' });

function reader(contract: CommandContract) {
  return (ended: Partial<ProcessResult>, event = 'tool.pre'): Reply =>
    contract.interpret({ ...ENDED, ...ended }, guard, event);
}

function blocks(reason: string) {
  return { decision: { action: 'block', reason } };
}

const ALLOWS = { decision: { action: 'allow' } };
const context = (text: string) => ({ kind: 'context', hook: 'guard', text });
const output = (text: string) => ({ kind: 'output', hook: 'guard', text });

/** What is wrong with a process is wrong under either contract. */
describe.each([exit2, git])('the $name contract', (contract) => {
  const read = reader(contract);

  it.each<[string, Partial<ProcessResult>, string, string]>([
    ['a missing program', { startError: { code: 'ENOENT', message: 'x' } }, 'error', 'COMMAND_MISSING'],
    ['no permission', { startError: { code: 'EACCES', message: 'x' } }, 'error', 'COMMAND_NOT_EXECUTABLE'],
    ['too many processes', { startError: { code: 'EAGAIN', message: 'x' } }, 'error', 'COMMAND_NOT_STARTED'],
    [
      'what was found before starting',
      { startError: { code: 'COMMAND_NO_TS_RUNNER', message: 'x' } },
      'error',
      'COMMAND_NO_TS_RUNNER',
    ],
    ['a timeout', { timedOut: true }, 'timeout', 'HOOK_TIMEOUT'],
    ['an abort', { aborted: true }, 'aborted', 'HOOK_ABORTED'],
    ['a flood', { flooded: true, stdoutBytes: 9 }, 'error', 'COMMAND_OUTPUT_TOO_LARGE'],
    ['a signal', { signal: 'SIGKILL' }, 'error', 'COMMAND_SIGNAL'],
  ])('tells %s apart', (_name, ended, kind, code) => {
    const reply = read({ exitCode: null, ...ended });
    expect(reply).toMatchObject({ failure: { kind, code } });
  });

  it.each<[string, Partial<ProcessResult>, string]>([
    ['half an object', { stdout: '{"decision": "blo' }, 'COMMAND_BAD_JSON'],
    ['two objects', { stdout: '{"continue":true}\n{"decision":"block"}' }, 'COMMAND_BAD_JSON'],
    ['a list', { stdout: '[{"decision":"block"}]' }, 'COMMAND_BAD_JSON'],
    ['an answer that is cut off', { stdout: '{}', truncated: ['stdout'] }, 'COMMAND_OUTPUT_TOO_LARGE'],
    ['an answer that is not UTF-8', { stdout: '{}', invalidUtf8: ['stdout'] }, 'COMMAND_BAD_UTF8'],
  ])('never takes %s for "go on"', (_name, ended, code) => {
    expect(read(ended)).toMatchObject({ failure: { code } });
  });

  it('leaves the raw exit code and what was left running in the trace', () => {
    expect(read({ exitCode: 2, stderr: 'no', leftBehind: 2 }).warnings).toEqual([
      'exit code 2',
      'left 2 processes running, which were ended with it',
    ]);
  });

  it('says nothing of an ordinary end', () => {
    expect(read({})).toEqual({ ...ALLOWS, effects: contract.name === 'git' ? [] : undefined, warnings: [] });
  });
});

describe('exit codes in the exit2 contract [C124]', () => {
  const read = reader(exit2);

  it.each<[string, Partial<ProcessResult>, string]>([
    ['the message of its JSON', { stdout: '{"decision":"block","message":"why"}', stderr: 'log' }, 'why'],
    [
      'the reason of a coding agent’s JSON',
      { stdout: '{"hookSpecificOutput":{"permissionDecisionReason":"why"}}' },
      'why',
    ],
    ['also among other text', { stdout: 'log\n{"decision":"block","message":"why"}', stderr: 'x' }, 'why'],
    ['else stderr [C126]', { stdout: 'text', stderr: ' why \n' }, 'why'],
    ['else stdout', { stdout: ' why \n' }, 'why'],
    ['else half an object as it is', { stdout: '{"a' }, '{"a'],
    ['else a default [C025]', {}, 'the hook blocked this and gave no reason'],
  ])('2 blocks, and the reason is %s', (_name, ended, reason) => {
    expect(read({ exitCode: 2, ...ended })).toMatchObject(blocks(reason));
  });

  it('2 blocks whatever stdout says', () => {
    expect(read({ exitCode: 2, stdout: '{"continue":true}', stderr: 'no' })).toMatchObject(blocks('no'));
  });

  it.each([
    [1, 'COMMAND_EXIT'],
    [49, 'COMMAND_EXIT'],
    [126, 'COMMAND_NOT_EXECUTABLE'],
    [127, 'COMMAND_MISSING'],
  ])('%i is a failure, whatever stdout says', (exitCode, code) => {
    const reply = read({ exitCode, stdout: '{"decision":"block","message":"x"}', stderr: 'boom' });
    expect(reply).toMatchObject({ failure: { kind: 'error', code } });
    expect('failure' in reply && reply.failure.message).toContain('boom');
  });

  it('a reason as long as a log is cut', () => {
    const { decision } = read({ exitCode: 2, stderr: 'x'.repeat(100_000) }) as Extract<
      Reply,
      { decision: object }
    >;
    expect(decision.action === 'block' && decision.reason.length).toBeLessThan(5000);
  });
});

describe('stdout in the exit2 contract', () => {
  const read = reader(exit2);

  it('text is context [C114]', () => {
    expect(read({ stdout: 'Active branch: main\n' })).toMatchObject({
      ...ALLOWS,
      effects: [context('Active branch: main')],
    });
  });

  it('text with an object in it is text', () => {
    const stdout = 'log line\n{"branch":"main"}\n{"decision":"approve"}';
    expect(read({ stdout })).toMatchObject({ ...ALLOWS, effects: [context(stdout)] });
  });

  it.each<[string, Partial<ProcessResult>]>([
    ['after a line of log', { stdout: 'log line\n{"decision":"block"}' }],
    ['between lines', { stdout: 'begin\n{"continue":false}\nend' }],
    ['over several lines', { stdout: 'begin\n{\n  "decision": "deny"\n}\n' }],
    ['in a fence', { stdout: '```json\n{"decision":"block"}\n```' }],
    ['in quotes', { stdout: JSON.stringify('{"decision":"block"}') }],
    ['in UTF-16', { stdout: [...'{"decision":"block"}'].map((char) => `\0${char}`).join('') }],
    ['behind an escape sequence', { stdout: '\u001b[0m{"decision":"block"}' }],
    ['on stderr', { stderr: '{"decision":"block"}' }],
  ])('a decision %s counts, with a warning', (_name, ended) => {
    expect(read(ended)).toMatchObject({
      ...blocks('the hook gave no reason'),
      warnings: [expect.stringMatching(/decision (?:among other text|was written to stderr)/)],
    });
    expect(read(ended, 'session.start')).toMatchObject(ALLOWS);
  });

  it('of several decisions among text the strictest counts; one that cannot be read is a failure', () => {
    const ask = '{"decision":"ask","message":"sure?"}';
    const block = '{"decision":"block","message":"no"}';
    expect(read({ stdout: `log\n${ask}\n` })).toMatchObject({ decision: { action: 'ask', reason: 'sure?' } });
    expect(read({ stdout: `log\n${ask}\n${block}` })).toMatchObject(blocks('no'));
    expect(read({ stdout: 'log\n{"decision":"blok"}' })).toMatchObject({
      failure: { code: 'COMMAND_BAD_JSON' },
    });
  });

  it('a list of texts and numbers is text; one that holds an object may hold a decision', () => {
    expect(read({ stdout: '["a", 1]' })).toMatchObject({ ...ALLOWS, effects: [context('["a", 1]')] });
    expect(read({ stdout: '[{"decision":"block"}]' })).toMatchObject({
      failure: { code: 'COMMAND_BAD_JSON' },
    });
  });

  it.each([
    '{"action":"block","reason":"no"}',
    '{"block":true,"reason":"no"}',
    '{"Decision":"block","reason":"no"}',
    '{"permissionDecision":"deny","reason":"no"}',
    '{"continue":true,"permissionDecision":"deny"}',
    '{"hookSpecificOutput":{"decision":"block"}}',
    '{"hookSpecificOutput":{"permisionDecision":"deny"}}',
  ])('%s is a veto in the wrong place, and a failure', (stdout) => {
    expect(read({ stdout })).toMatchObject({ failure: { kind: 'invalid_return' } });
  });

  it('a reason without a decision is worth a warning', () => {
    expect(read({ stdout: '{"reason":"no"}' })).toMatchObject({
      ...ALLOWS,
      warnings: ['a reason without a decision was ignored'],
    });
  });

  it.each([
    ['{"continue": true}', ALLOWS],
    ['{}', ALLOWS],
    ['{"decision": "block", "message": "Cannot delete"}', blocks('Cannot delete')],
    ['{"decision": "block"}', blocks('the hook gave no reason')],
    ['{"continue": false, "stopReason": "enough"}', blocks('enough')],
    ['{"decision": "ask", "message": "Sure?"}', { decision: { action: 'ask', reason: 'Sure?' } }],
    ['{"decision": "approve"}', ALLOWS],
    ['{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}', blocks('no')],
    ['{"hookSpecificOutput":{"permissionDecision":"ask"}}', { decision: { action: 'ask' } }],
    ['{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"},"reason":"no"}', blocks('no')],
    [
      '{"continue": true, "systemMessage": "hi", "additionalContext": "ctx"}',
      { ...ALLOWS, effects: [context('ctx'), output('hi')] },
    ],
  ])('%s is a structured answer [C019] [C125]', (stdout, expected) => {
    expect(read({ stdout })).toMatchObject(expected);
  });

  it('a rewrite is passed on as one, for the pipeline to refuse', () => {
    const stdout = '{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}';
    expect(read({ stdout })).toMatchObject({
      decision: { action: 'modify', payload: { args: { command: 'ls' } } },
    });
  });

  it.each([
    ['{"decision": "blok"}', 'unknown decision "blok" (did you mean block?)'],
    ['{"decison": "block"}', 'no decision in it: unknown key "decison" (did you mean decision?)'],
    ['{"decision": {"behavior": "deny"}}', 'decision wants a string, got an object'],
    ['{"decision": 2}', 'decision wants a string, got a number'],
    ['{"continue": "false"}', 'continue wants a boolean, got a string'],
  ])('%s is an invalid return, not silence', (stdout, message) => {
    const failure = { kind: 'invalid_return', code: 'HOOK_INVALID_RETURN', message };
    expect(read({ stdout })).toMatchObject({ failure });
  });

  it('a key beside a decision that nobody knows is worth a warning', () => {
    const { warnings } = read({ stdout: '{"decision":"ask","mesage":"Sure?"}' });
    expect(warnings).toEqual([
      'unknown key "mesage" (did you mean message?) in the JSON on stdout was ignored',
    ]);
  });

  it('where nothing can be blocked, an object without a decision is text for the model', () => {
    expect(read({ stdout: '{"branch":"main"}' }, 'session.start')).toMatchObject({
      effects: [context('{"branch":"main"}')],
    });
    expect(read({ stdout: '{"branch' }, 'session.start')).toMatchObject({
      ...ALLOWS,
      effects: [context('{"branch')],
    });
  });
});

describe('the git contract', () => {
  const read = reader(git);

  it('0 allows, and text is output [C123]', () => {
    expect(read({ stdout: 'fine\n' })).toMatchObject({ ...ALLOWS, effects: [output('fine')] });
  });

  it.each([
    [1, 'not today\n', 'not today'],
    [2, '', 'Hook exited with code 2'],
    [127, 'sh: x: not found', 'sh: x: not found'],
  ])('%i blocks with stderr as the reason [C123] [C126]', (exitCode, stderr, reason) => {
    expect(read({ exitCode, stderr, stdout: 'ignored' })).toMatchObject(blocks(reason));
  });

  it.each([
    [{ stdout: '{"continue":false,"reason":"prod"}' }, blocks('prod')],
    [{ stdout: '{"continue":false}' }, blocks('Hook returned continue: false')],
    [{ stdout: '{"output":"done"}' }, { ...ALLOWS, effects: [output('done')] }],
    [{ stdout: '{"output":""}' }, { ...ALLOWS, effects: [output('')] }],
    [{ stdout: '{"additionalContext":"ctx"}' }, { ...ALLOWS, effects: [context('ctx')] }],
    [{ stdout: '{"additionalContext":"  "}' }, { ...ALLOWS, effects: [] }],
    [
      { stdout: '{"output":"done"}', exitCode: 1 },
      { ...ALLOWS, warnings: ['exit code 1'] },
    ],
  ])('%o: the JSON on stdout is the answer and wins [C125]', (ended, expected) => {
    expect(read(ended)).toMatchObject(expected);
  });

  it('an object that answers nothing does not overrule a failing exit code', () => {
    expect(read({ stdout: '{}', exitCode: 1, stderr: 'no' })).toMatchObject(blocks('no'));
    expect(read({ stdout: '{"status":"ok"}', exitCode: 1, stderr: 'no' })).toMatchObject(blocks('no'));
    expect(read({ stdout: '{"status":"ok"}' })).toMatchObject(ALLOWS);
  });

  it.each([
    '{"decision":"block"}',
    '{"decision":"block","reason":"no"}',
    '{"action":"deny","output":"no"}',
    '{"hookSpecificOutput":{},"block":true}',
  ])('%s is a veto of another protocol, and a failure', (stdout) => {
    expect(read({ stdout })).toMatchObject({ failure: { kind: 'invalid_return' } });
    expect(read({ stdout: `log\n${stdout}` })).toMatchObject({ failure: { code: 'COMMAND_BAD_JSON' } });
  });

  it('a misspelt key is a failure, not an allow', () => {
    expect(read({ stdout: '{"contniue":false}' })).toMatchObject({
      failure: { kind: 'invalid_return', message: 'unknown key "contniue" (did you mean continue?)' },
    });
  });

  it('a value of the wrong type is not taken for something else', () => {
    expect(read({ stdout: '{"continue":"false"}' })).toMatchObject({ failure: { kind: 'invalid_return' } });
    expect(read({ stdout: '{"output":5}' })).toMatchObject({
      ...ALLOWS,
      effects: [],
      warnings: ['output wants a string and was ignored'],
    });
  });
});
