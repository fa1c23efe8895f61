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
import type { JsonObject } from '../../base/json.ts';
import { adapter } from './index.ts';

const READ: Readings = [
  ['SessionStart', 'session.start', [{ model: 'gpt-5-codex', source: 'startup' }]],
  ['UserPromptSubmit', 'turn.start', ['Run the tests, please']],
  [
    'PreToolUse',
    'tool.pre',
    [{ id: 'call_1', name: 'run_command', args: { command: 'npm test -- --run', cwd: '/repo' } }],
  ],
  [
    'PreToolUse patch',
    'tool.pre',
    [
      {
        id: 'call_2#1',
        name: 'write_file',
        args: { path: 'notes/new.md', content: 'first line\nsecond line\n' },
      },
      {
        id: 'call_2#2',
        name: 'edit_file',
        args: {
          path: 'src/app.ts',
          old: 'const port = 1;\nlisten(port);',
          new: 'const port = 1;\nlisten(port, host);',
          to: 'src/main.ts',
        },
      },
      { id: 'call_2#3', name: 'edit_file', args: { path: 'old.txt', delete: true } },
    ],
  ],
  [
    'PreToolUse patch in a command',
    'tool.pre',
    [
      {
        id: 'call_5#1',
        name: 'run_command',
        args: { command: expect.stringMatching(/^cd web && apply_patch/), cwd: '/repo' },
      },
      { id: 'call_5#2', name: 'write_file', args: { path: 'web/a.txt', content: "it's one\n" } },
    ],
  ],
  ['PreToolUse mcp', 'tool.pre', [{ id: 'call_3', name: 'mcp__tickets__close', args: { id: 7 } }]],
  [
    'PreToolUse sub-agent',
    'tool.pre',
    [{ id: 'call_4', name: 'delegate', args: { prompt: 'Look for flaky tests' } }],
  ],
  [
    'PostToolUse',
    'tool.post',
    [
      {
        call_id: 'call_1',
        name: 'run_command',
        args: { command: 'npm test -- --run', cwd: '/repo' },
        content: '14 passed\n',
      },
    ],
  ],
  [
    'PostToolUse mcp',
    'tool.post',
    [
      {
        call_id: 'call_3',
        name: 'mcp__tickets__close',
        args: { id: 7 },
        content: '{"content":[{"type":"text","text":"no such ticket"}],"isError":true}',
        is_error: true,
      },
    ],
  ],
  ['SubagentStop', 'delegation.post_verify', [{ id: 'a-1', agent: 'reviewer', result: 'Two are flaky.' }]],
  ['Stop', 'agent.stop', [{ response: 'All tests pass.' }]],
  ['SessionEnd', 'session.end', [{ reason: 'other' }]],
  [
    'PermissionRequest',
    'permission.asked',
    [{ name: 'run_command', args: { command: 'touch x', description: 'x', cwd: '/repo' } }],
  ],
  [
    'SubagentStart',
    'native.subagent_start',
    [{ agent_id: 'a-1', agent_type: 'default', model: 'gpt-5-codex' }],
  ],
  ['PreCompact', 'compact.pre', [{ trigger: 'auto' }]],
  ['PostCompact', 'compact.post', [{ trigger: 'auto' }]],
];

readsWhatIsSent(adapter, READ);

describe('Codex: where a payload comes from', () => {
  it('session, folder, transcript, call id and the native call stand beside what is judged', () => {
    const call = readFixture(adapter, 'PreToolUse');
    expect(call).toMatchObject({
      session: '0f3c',
      cwd: '/repo',
      transcript: '/home/ana/.codex/sessions/rollout-0f3c.jsonl',
      callId: 'call_1',
      subAgent: null,
    });
    expect(call.payloads[0]).toMatchObject({
      session_id: '0f3c',
      native: { name: 'Bash', input: { command: 'npm test -- --run' } },
    });
  });

  it('a call that starts a sub-agent is a delegation too, and names the sub-agent it comes from', () => {
    const call = readFixture(adapter, 'PreToolUse sub-agent');
    expect(call.subAgent).toEqual({ id: 'a-1', name: 'reviewer' });
    const payload = { agent: 'default', prompt: 'Look for flaky tests', session_id: '0f3c' };
    expect(call.also).toEqual([{ event: 'delegation.pre', payload }]);
  });

  it.each([
    [['ls', '-l', 'a b'], "ls -l 'a b'"],
    [['bash', '-lc', 'ls | wc -l'], 'ls | wc -l'],
    [['bash', '-x', 'run.sh'], 'bash -x run.sh'],
    [["it's"], "'it'\\''s'"],
    [['A=1', 'b'], "'A=1' b"],
  ])('the words %j are the command line %s', (words, command) => {
    const call = readFixture(adapter, 'PreToolUse', { tool_name: 'shell', tool_input: { command: words } });
    expect(judged(call)).toEqual([{ id: 'call_1', name: 'run_command', args: { command, cwd: '/repo' } }]);
  });

  it.each([
    ['a command that is a number', { tool_input: { command: 7 } }],
    ['words that are no texts', { tool_input: { command: ['ls', 7] } }],
    ['no words', { tool_input: { command: [] } }],
    ['no command', { tool_input: {} }],
    ['no input', { tool_input: null }],
    ['a patch that is none', { tool_name: 'apply_patch', tool_input: { command: 'rename everything' } }],
    ['a tool without a name', { tool_name: 7 }],
    ['no session', { session_id: null }],
    ['another event than it is registered for', { hook_event_name: 'Stop' }],
  ])('%s cannot be read, and the event is still known', (_what, changes) => {
    const native = { ...fixturesOf('codex').PreToolUse!, ...changes };
    expect(adapter.read(native, 'PreToolUse')).toMatchObject({
      problem: expect.any(String),
      row: { native: 'PreToolUse' },
    });
  });
});

const BODY = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch';

describe('Codex: a patch in a command', () => {
  const filesOf = (command: string) => {
    const native = { ...fixturesOf('codex').PreToolUse!, tool_input: { command } };
    const call = adapter.read(native, 'PreToolUse');
    if ('problem' in call) return call.problem;
    return (judged(call) as readonly JsonObject[]).slice(1).map(({ args }) => (args as JsonObject).path);
  };

  it.each([
    [`apply_patch <<'EOF'\n${BODY}\nEOF`, ['a.txt']],
    [`applypatch <<EOF\n${BODY}\nEOF\n`, ['a.txt']],
    [`apply_patch '${BODY}'`, ['a.txt']],
    [`cd web && apply_patch <<'EOF'\n${BODY}\nEOF`, ['web/a.txt']],
    [`cd 'my web/' && apply_patch <<'EOF'\n${BODY}\nEOF`, ['my web/a.txt']],
    ['git log --grep apply_patch', []],
    ['ls', []],
  ])('%j touches %j', (command, files) => {
    expect(filesOf(command)).toEqual(files);
  });

  it.each([
    'apply_patch < change.patch',
    'apply_patch "$PATCH"',
    'echo x | apply_patch',
    `cd $HOME && apply_patch <<'EOF'\n${BODY}\nEOF`,
    `cd a && cd b && apply_patch <<'EOF'\n${BODY}\nEOF`,
    `apply_patch <<'EOF'\n${BODY}\nEOF\napply_patch < other.patch`,
    `apply_patch <<'EOF'\n${BODY}\nEOF\ncat <<'EOF' | patcher\n${BODY}\nEOF`,
    `set -e; apply_patch <<'EOF'\n${BODY}\nEOF`,
    `bash -lc "apply_patch <<'EOF'\n${BODY}\nEOF"`,
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Copy File: a\n*** End Patch\nEOF",
  ])('%j cannot be told, and is refused', (command) => {
    expect(filesOf(command)).toBeTypeOf('string');
  });

  it('is below the folder that the call names', () => {
    const command = `cd web && apply_patch <<'EOF'\n${BODY}\nEOF`;
    const native = { ...fixturesOf('codex').PreToolUse!, tool_input: { command, workdir: '/other' } };
    const call = adapter.read(native, 'PreToolUse');
    expect(JSON.stringify(call)).toContain('"path":"/other/web/a.txt"');
  });

  it('the command may be rewritten, a file in it not', () => {
    const call = readFixture(adapter, 'PreToolUse patch in a command');
    const [run, file] = call.payloads as readonly [JsonObject, JsonObject];
    const rewrite = (payloads: readonly JsonObject[]) =>
      JSON.stringify(answered(adapter, call, { action: 'modify', payloads, context: null, message: null }));
    expect(rewrite([{ ...run, args: { command: 'true' } }, file])).toContain(
      '"updatedInput":{"command":"true"}',
    );
    const other = { ...file, args: { ...(file.args as JsonObject), path: 'b.txt' } };
    expect(rewrite([run, other])).toContain('"permissionDecision":"deny"');
  });
});

describe('Codex: what it is answered', () => {
  it('a call is denied with the reason', () => {
    expect(answered(adapter, readFixture(adapter, 'PreToolUse'), block('not here'))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'not here',
      },
    });
  });

  it('a request for permission is denied with the reason, and a sub-agent takes context', () => {
    expect(answered(adapter, readFixture(adapter, 'PermissionRequest'), block('not here'))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'not here' },
      },
    });
    expect(answered(adapter, readFixture(adapter, 'SubagentStart'), allow('c'))).toEqual({
      hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'c' },
    });
  });

  it.each(['UserPromptSubmit', 'PostToolUse', 'SubagentStop', 'Stop'])(
    '%s is blocked with the reason',
    (name) => {
      const answer = answered(adapter, readFixture(adapter, name), block('not here'));
      expect(answer).toEqual({ decision: 'block', reason: 'not here' });
    },
  );

  it('a block without a reason would be ignored: it gets one', () => {
    const answer = answered(adapter, readFixture(adapter, 'Stop'), block(' '));
    expect(answer).toEqual({ decision: 'block', reason: 'Blocked by the policy' });
  });

  it('an ask would let the tool run: it is a deny', () => {
    expect(answered(adapter, readFixture(adapter, 'PreToolUse'), ask('sure?'))).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'sure?' },
    });
  });

  it('a rewritten call is the whole input, together with the allow that it needs', () => {
    const input = { command: 'npm test', workdir: '/repo', timeout_ms: 5 };
    const call = readFixture(adapter, 'PreToolUse', { tool_input: input });
    expect(answered(adapter, call, rewriteArgs(call, { command: 'npm test -- --bail' }, 'slow'))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { ...input, command: 'npm test -- --bail' },
        additionalContext: 'slow',
      },
    });
  });

  it('where a command runs stands outside its input: it is judged, and cannot be another', () => {
    const call = readFixture(adapter, 'PreToolUse', { cwd: '/etc' });
    expect(judged(call)).toMatchObject([{ args: { command: 'npm test -- --run', cwd: '/etc' } }]);
    const same = answered(adapter, call, rewriteArgs(call, { command: 'ls' }));
    expect(same).toMatchObject({ hookSpecificOutput: { updatedInput: { command: 'ls' } } });
    const other = answered(adapter, call, rewriteArgs(call, { cwd: '/repo' }));
    expect(other).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  it('rewritten words go back through a shell', () => {
    const call = readFixture(adapter, 'PreToolUse', { tool_input: { command: ['ls', 'a b'] } });
    expect(answered(adapter, call, rewriteArgs(call, { command: 'ls | wc -l' }))).toMatchObject({
      hookSpecificOutput: { updatedInput: { command: ['sh', '-c', 'ls | wc -l'] } },
    });
  });

  it('a patch cannot be rewritten: the call is denied with the corrected arguments', () => {
    const call = readFixture(adapter, 'PreToolUse patch');
    const answer = JSON.stringify(answered(adapter, call, rewriteArgs(call, { path: 'notes/ok.md' })));
    expect(answer).toContain('"permissionDecision":"deny"');
    expect(answer).toContain('notes/ok.md');
  });

  it('a result is replaced by the reason of a block', () => {
    const call = readFixture(adapter, 'PostToolUse');
    expect(answered(adapter, call, rewriteContent(call, '[redacted]'))).toEqual({
      decision: 'block',
      reason: '[redacted]',
    });
  });

  it('a result that is replaced by nothing still needs a reason', () => {
    const call = readFixture(adapter, 'PostToolUse');
    expect(answered(adapter, call, rewriteContent(call, ''))).toMatchObject({ reason: '(no output)' });
  });

  it.each(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse'])('%s takes context', (name) => {
    expect(answered(adapter, readFixture(adapter, name), allow('mind the cap'))).toEqual({
      hookSpecificOutput: { hookEventName: name, additionalContext: 'mind the cap' },
    });
  });
});
