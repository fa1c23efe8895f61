/** The launcher over a session: state, tape, changes of the policy, calls heard twice, stops. Each event is a process. */
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import { ADAPTERS } from '../../src/agents/load-adapter.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { type HookOptions, parseHookOptions } from '../../src/launcher/hook-options.ts';
import { launch as launchHere, ownContext } from '../../src/launcher/launch.ts';
import type { NoteFault } from '../../src/launcher/run-hook.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { sessionsOf } from '../../src/policy/state-folder.ts';
import { userRunStore } from '../../src/policy/stores/user-run-store.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { fixturesOf } from '../support/adapters.ts';
import { isGone, pidIn } from '../support/pid-file.ts';
import { remove } from '../support/remove.ts';
import { until } from '../support/until.ts';
import { command, decisionIn, hook, launch, project, SAMPLES } from './launched.ts';

/** As processes of a project's tests have it. */
const homeOf = (dir: string) => ({ env: (name: string) => (name === 'HOME' ? dirname(dir) : undefined) });

const RULE = '.harness/hooks/rule.md';
const ALLOWS = hook('tool.pre', 'return allow()');
const REFUSES = hook('tool.pre', 'return block("not here")');

describe('context that is added at the start of a session', () => {
  it.each([
    ['pi', 'session_start', 'input', 'context'],
    ['opencode', 'session.created', 'chat.message', 'context'],
    ['cline', 'TaskStart', 'PreToolUse', 'contextModification'],
  ])(
    'reaches the model of %s, which takes none there, with the first event that takes some, once',
    async (agent, start, later, key) => {
      const { dir } = project({ [RULE]: hook('session.start', 'return allow(context="Use pnpm.")') });
      const samples = fixturesOf(agent);
      const { session, directory } = { session: 'ses_1', directory: dir };
      const same = (native: JsonObject): JsonObject => ({
        ...native,
        ...{ session, directory, taskId: session, sessionContext: { rootSessionId: session } },
        ...(isJsonObject(native.input) && { input: { ...native.input, sessionID: session } }),
        ...(isJsonObject(native.event) && {
          event: { ...native.event, properties: { sessionID: session } },
        }),
      });
      const fire = (event: string, more: JsonObject = {}) => {
        const native = { ...same(samples[event]!), ...more };
        return launch([agent, event, '--dir', dir], JSON.stringify(native), dirname(dir), HOOK_FILE);
      };
      expect((await fire(start)).stdout).not.toContain('pnpm');
      expect(JSON.parse((await fire(later)).stdout)).toMatchObject({ [key]: 'Use pnpm.' });
      const another = { tool_call: { ...(samples[later]!.tool_call as JsonObject), id: 'another' } };
      expect((await fire(later, another)).stdout).not.toContain('pnpm');
    },
  );
});

describe('the launcher of an agent', () => {
  it.each([false, true])(
    'a call that is answered for before anybody judged it is on the tape, with its id (--fail open: %s)',
    async (open) => {
      // Put in by the build.
      vi.stubGlobal('HARNESS_VERSION', 'of a test');
      const { dir, fire, tape } = project({ [RULE]: ALLOWS });
      await fire('PreToolUse', command('ls', 'judged'));
      const { adapter } = await ADAPTERS['claude-code']!();
      const options = parseHookOptions(['claude-code', 'PreToolUse', '--dir', dir]) as HookOptions;
      const text = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, ...command('ls', 'unjudged') });
      let note: NoteFault = async () => {};
      await new Promise<void>((asked) => {
        const policy = () => {
          asked();
          return new Promise<never>(() => {});
        };
        const around = {
          ...ownContext(),
          policy,
          sessions: (runs: string) => sessionsOf(runs, homeOf(dir)),
        };
        const session = (given: NoteFault) => {
          note = given;
        };
        void launchHere(adapter, options, text, { event: () => {}, session }, around);
      });
      await note({ problem: 'no decision within 10 ms', open });
      const data = { callId: 'unjudged', event: 'PreToolUse', problem: 'no decision within 10 ms' };
      expect(tape()).toContainEqual({ type: 'session', kind: open ? 'fail_open' : 'fault', data });
      expect(await verifyTape(join(dir, '.harness/runs/session.jsonl'))).toMatchObject({ ok: true });
    },
  );

  it('is silent for an allow, and names hook and reason of a block', async () => {
    const { fire } = project({
      [RULE]: hook(
        'tool.pre',
        'if "bad" in payload["args"]["command"]:',
        '  return block("no bad things")',
        'return allow()',
      ),
    });
    expect(await fire('PreToolUse', command('good', '1'))).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    const { stdout } = await fire('PreToolUse', command('bad', '2'));
    expect(JSON.parse(stdout)).toEqual({
      systemMessage: 'Blocked by hook "rule": no bad things',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'Blocked by hook "rule": no bad things',
      },
    });
  });

  it('says of a denial that the session had before that it had it, to the model and not on the tape', async () => {
    const { dir } = project({ [RULE]: REFUSES });
    const { adapter } = await ADAPTERS['claude-code']!();
    let now = 0;
    const host = { ...machineHost, ...homeOf(dir), now: () => now };
    const around = { ...ownContext(), host, sessions: (runs: string) => sessionsOf(runs, host) };
    const options = parseHookOptions(['claude-code', 'PreToolUse', '--dir', dir]) as HookOptions;
    const reasonAt = async (at: number, id: string, session = 'a') => {
      now = 1_000_000 + at;
      const payload = {
        ...SAMPLES.PreToolUse,
        ...command(`x ${id}`, id),
        ...{ cwd: dir, session_id: session },
      };
      const progress = { event: () => {}, session: () => {} };
      const answer = await launchHere(adapter, options, JSON.stringify(payload), progress, around);
      const { systemMessage, hookSpecificOutput } = JSON.parse('stdout' in answer ? answer.stdout : '{}');
      expect(systemMessage).toBe(PLAIN);
      return hookSpecificOutput.permissionDecisionReason as string;
    };
    const PLAIN = 'Blocked by hook "rule": not here';
    expect(await reasonAt(0, '1')).toBe(PLAIN);
    // A model that makes several calls at once has not read the first answer.
    expect(await reasonAt(600, '2')).toBe(PLAIN);
    expect(await reasonAt(1_200, '3')).toBe(PLAIN);
    expect(await reasonAt(2_300, '4')).toMatch(/not here \(This was refused once before\./);
    expect(await reasonAt(2_400, '5')).toMatch(/This was refused once before\./);
    expect(await reasonAt(9_000, '6')).toMatch(/This was refused 2 times before\./);
    expect(await reasonAt(9_000, '7', 'b')).toBe(PLAIN);
  });

  it('rewrites a call in the words of the agent, without an approval', async () => {
    const { fire } = project({
      [RULE]: hook('tool.pre', 'return modify({"args": {"path": "/safe", "content": "x"}})'),
    });
    const call = { tool_name: 'Write', tool_input: { file_path: '/a', content: 'x' }, tool_use_id: '1' };
    const { stdout } = await fire('PreToolUse', call);
    expect(JSON.parse(stdout).hookSpecificOutput).toEqual({
      hookEventName: 'PreToolUse',
      updatedInput: { file_path: '/safe', content: 'x' },
    });
  });

  it('refuses a rewrite into another tool', async () => {
    const { fire } = project({ [RULE]: hook('tool.pre', 'return modify({"name": "read_file"})') });
    expect(decisionIn(await fire('PreToolUse', command('x', '1')))).toBe('deny');
  });

  it('leaves an ask to the agent, unless a hook of permission.asked answers it', async () => {
    const { fire, write } = project({ [RULE]: hook('tool.pre', 'return ask("sure?")') });
    expect(decisionIn(await fire('PreToolUse', command('x', '1')))).toBe('ask');
    write('.harness/hooks/answer.md', hook('permission.asked', 'return permit("fine")'));
    const other = { session_id: 'other' };
    expect((await fire('PreToolUse', { ...command('x', '2'), ...other })).stdout).toBe('');
    write('.harness/hooks/answer.md', hook('permission.asked', 'return block("never")'));
    expect(decisionIn(await fire('PreToolUse', { ...command('x', '3'), session_id: 'third' }))).toBe('deny');
  });

  it('keeps what hooks keep and count from one process to the next, per session', async () => {
    const { fire } = project({
      [RULE]: hook(
        'tool.pre',
        'if metrics.incr("calls") > 2:',
        '  return block("two are enough")',
        'return allow()',
      ),
    });
    const said = async (id: string, session: string) =>
      decisionIn(await fire('PreToolUse', { ...command(id, id), session_id: session }));
    expect([await said('1', 'a'), await said('2', 'a'), await said('3', 'a')]).toEqual([null, null, 'deny']);
    expect(await said('4', 'b')).toBeNull();
  });

  it('counts a limit of the user together with every other host, whichever comes first', async () => {
    const { fire, dir } = project({
      [RULE]: hook('tool.pre', 'return allow() if rate.limit("calls", 3, per="1h") else block("enough")'),
    });
    const said = async (id: string, session: string) =>
      decisionIn(await fire('PreToolUse', { ...command(id, id), session_id: session }));
    expect([await said('1', 'a'), await said('2', 'b')]).toEqual([null, null]);
    // As `run` and `mcp` open it.
    const store = userRunStore(homeOf(dir))!;
    const policy = await openPolicy(dir, { places: { managed: null, user: null }, store });
    const call = { id: 'x', name: 'x', args: {} };
    expect((await policy.decide('tool.pre', call)).action).toBe('allow');
    expect((await policy.decide('tool.pre', call)).action).toBe('block');
    expect(await said('3', 'a')).toBe('deny');
  });

  it('keeps the values of a turn until the next prompt', async () => {
    const { fire } = project({
      [RULE]: hook(
        'tool.pre',
        'if ctx.get("seen", False):',
        '  return block("again")',
        'ctx.set("seen", True)',
        'return allow()',
      ),
    });
    expect(decisionIn(await fire('PreToolUse', command('x', '1')))).toBeNull();
    expect(decisionIn(await fire('PreToolUse', command('x', '2')))).toBe('deny');
    await fire('UserPromptSubmit');
    expect(decisionIn(await fire('PreToolUse', command('x', '3')))).toBeNull();
  });

  it('loses nothing when calls come at once, and leaves a tape that can be proven', async () => {
    const { fire, dir, tape } = project({
      [RULE]: hook('tool.pre', 'metrics.incr("calls")', 'return allow()'),
      '.harness/hooks/end.md': hook('agent.stop', 'return block("calls: %d" % metrics.get("calls"))'),
    });
    const ids = Array.from({ length: 8 }, (_, i) => String(i));
    const answers = await Promise.all(ids.map((id) => fire('PreToolUse', command('x', id))));
    expect(answers.map(({ stdout }) => stdout)).toEqual(ids.map(() => ''));
    expect((await fire('Stop')).stdout).toContain('calls: 8');
    expect(tape().filter(({ type }) => type === 'decision')).toHaveLength(9);
    expect(await verifyTape(join(dir, '.harness/runs/session.jsonl'))).toMatchObject({ ok: true });
  });

  it('answers a call that it hears of twice alike, and counts it once', async () => {
    const { fire, tape } = project({
      [RULE]: hook('tool.pre', 'if metrics.incr("calls") > 1:', '  return block("once")', 'return allow()'),
    });
    const [first, second] = await Promise.all([1, 2].map(() => fire('PreToolUse', command('x', 'same'))));
    expect([first?.stdout, second?.stdout]).toEqual(['', '']);
    expect(tape().filter(({ type }) => type === 'decision')).toHaveLength(1);
    // The same id for another command is another call.
    expect(decisionIn(await fire('PreToolUse', command('y', 'same')))).toBe('deny');
  });

  it('decides once for the lines of two agents that one agent runs, and answers each in its own words', async () => {
    const { dir, tape } = project({
      [RULE]: hook('tool.pre', 'return block("call %d" % metrics.incr("calls"))'),
    });
    // As Copilot CLI calls its own line and that of Claude Code: neither names the call.
    const input = { command: 'make' };
    const own = { sessionId: 'session', cwd: dir, timestamp: 0, toolName: 'bash', toolArgs: input };
    const claude = {
      ...SAMPLES.PreToolUse,
      cwd: dir,
      tool_name: 'Bash',
      tool_input: input,
      tool_use_id: undefined,
    };
    const both = async () => {
      const [first, second] = await Promise.all([
        launch(['copilot', 'preToolUse', '--dir', dir], JSON.stringify(own), dirname(dir)),
        launch(['claude-code', 'PreToolUse', '--dir', dir], JSON.stringify(claude), dirname(dir)),
      ]);
      return [JSON.parse(first.stdout), JSON.parse(second.stdout).hookSpecificOutput];
    };
    const denied = (count: number) => ({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(`call ${count}`),
    });
    expect(await both()).toEqual([expect.objectContaining(denied(1)), expect.objectContaining(denied(1))]);
    // The same once more is another call.
    expect(await both()).toEqual([expect.objectContaining(denied(2)), expect.objectContaining(denied(2))]);
    expect(tape().filter(({ type }) => type === 'decision')).toHaveLength(2);
  });

  it('decides once for two lines that hear of one stop, whatever each is told of it', async () => {
    const { dir, tape } = project({ [RULE]: hook('agent.stop', 'return allow()') });
    const own = { sessionId: 'session', cwd: dir, timestamp: 0, stopReason: 'end_turn' };
    const other = { ...SAMPLES.Stop, cwd: dir, last_assistant_message: 'done' };
    await launch(['copilot', 'agentStop', '--dir', dir], JSON.stringify(own), dirname(dir));
    await launch(['claude-code', 'Stop', '--dir', dir], JSON.stringify(other), dirname(dir));
    expect(tape().filter(({ type }) => type === 'decision')).toHaveLength(1);
  });

  it('lets an agent stop that was sent back many times, also if what it is told counts as a prompt to it', async () => {
    const { fire } = project({ [RULE]: hook('agent.stop', 'return block("go on")') });
    let back = 0;
    while ((await fire('Stop')).stdout.includes('"decision":"block"') && back < 9) {
      back++;
      await fire('UserPromptSubmit');
    }
    expect(back).toBe(6);
  });

  it('lets an agent stop that was sent back many times in a row', async () => {
    const { fire } = project({ [RULE]: hook('agent.stop', 'return block("go on")') });
    const said: boolean[] = [];
    for (let i = 0; i < 8; i++) said.push((await fire('Stop')).stdout.includes('"decision":"block"'));
    expect(said).toEqual([true, true, true, true, true, true, false, false]);
    await fire('UserPromptSubmit');
    expect((await fire('Stop')).stdout).toContain('"decision":"block"');
  });

  it('asks the hooks of delegation about the tool that starts a sub-agent', async () => {
    const { fire } = project({ [RULE]: hook('delegation.pre', 'return block("no " + payload["agent"])') });
    const call = {
      tool_name: 'Agent',
      tool_input: { subagent_type: 'helper', prompt: 'do' },
      tool_use_id: '1',
    };
    expect((await fire('PreToolUse', call)).stdout).toContain('no helper');
  });

  it('hides the result of a tool in the shape that the tool gave it', async () => {
    const { fire } = project({ [RULE]: hook('tool.post', 'return block("secret")') });
    const { stdout } = await fire('PostToolUse');
    expect(JSON.parse(stdout).hookSpecificOutput.updatedToolOutput).toMatchObject({
      stdout: 'Blocked by hook "rule": secret',
      stderr: '',
    });
  });

  it('ends the run where the result of a failed tool must not be read and cannot be hidden', async () => {
    const { fire } = project({
      [RULE]: hook('tool.post', 'return block("secret") if payload["is_error"] else allow()'),
    });
    expect((await fire('PostToolBatch')).stdout).toBe('');
    expect(JSON.parse((await fire('PostToolUseFailure')).stdout)).toEqual({
      systemMessage: 'Blocked by hook "rule": secret',
    });
    expect(JSON.parse((await fire('PostToolBatch')).stdout)).toMatchObject({ continue: false });
    await fire('UserPromptSubmit');
    expect((await fire('PostToolBatch')).stdout).toBe('');
  });

  it('keeps what it writes from everybody else', async () => {
    const { fire, dir } = project({ [RULE]: ALLOWS });
    await fire('PreToolUse', command('x', '1'));
    const runs = join(dir, '.harness/runs');
    const kept = sessionsOf(runs, homeOf(dir));
    const mode = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);
    expect([mode(runs), mode(kept, 'state'), mode(kept, 'policies')]).toEqual(['700', '700', '700']);
    expect(mode(runs, 'session.jsonl')).toBe('600');
    expect(mode(kept, 'state/sessions/session.jsonl')).toBe('600');
  });

  it('ends with exit code 2 for an agent that no table knows', async () => {
    expect(await launch(['no-agent', 'X', '--dir', '/'], '{}', '/')).toMatchObject({
      stdout: '',
      exitCode: 2,
    });
  });
});

describe('a policy that changes in mid-session', () => {
  const call = (id: string, session = 'session') => ({ ...command('x', id), session_id: session });

  it('is in force from the next event if it is at least as strict, and the tape says so', async () => {
    const { fire, write, tape } = project({ [RULE]: ALLOWS });
    expect(decisionIn(await fire('PreToolUse', call('1')))).toBeNull();
    write('.harness/hooks/more.md', REFUSES);
    expect(decisionIn(await fire('PreToolUse', call('2')))).toBe('deny');
    expect(tape().filter(({ type }) => type === 'policy.changed')).toMatchObject([{ accepted: true }]);
  });

  it('is not in force for this session if it is less strict, and is for the next', async () => {
    const { fire, write, tape } = project({
      [RULE]: REFUSES,
      '.harness/hooks/b.md': hook('turn.start', 'return allow()'),
    });
    write(
      RULE,
      hook('tool.pre', 'if payload["args"]["command"] == "bad":', '  return block("bad")', 'return allow()'),
    );
    expect(decisionIn(await fire('PreToolUse', call('1')))).toBeNull();
    write(RULE, ALLOWS);
    await fire('PostToolUse', call('1'));
    const bad = { ...command('bad', '2') };
    expect(decisionIn(await fire('PreToolUse', bad))).toBe('deny');
    expect(tape().filter(({ type }) => type === 'policy.changed')).toMatchObject([{ accepted: false }]);
    expect(decisionIn(await fire('PreToolUse', { ...bad, session_id: 'next' }))).toBeNull();
  });

  it('that was emptied leaves the old one in force; a new session is denied', async () => {
    const { fire, remove } = project({ [RULE]: REFUSES });
    expect(decisionIn(await fire('PreToolUse', call('1')))).toBe('deny');
    remove('.harness/hooks');
    const { stdout } = await fire('PreToolUse', call('2'));
    expect(stdout).toContain('not here');
    expect((await fire('PreToolUse', call('3', 'new'))).stdout).toContain(
      'the policy of this project is empty',
    );
  });

  it('that is gone as a whole is denied, and nothing is written in its place', async () => {
    const { fire, remove, dir } = project({ [RULE]: ALLOWS, 'README.md': '' });
    await fire('PreToolUse', call('1'));
    remove('.harness');
    expect((await fire('PreToolUse', call('2'))).stdout).toContain('the policy of this project is gone');
    expect(statSync(join(dir, '.harness'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('packs and programs in the launcher', () => {
  const PACKS = '---\nuse: [git]\n---\n';
  const forced = (id: string, session = 'session') => ({
    ...command('git push --force', id),
    session_id: session,
  });

  it('a policy of packs alone is a policy', async () => {
    const { fire } = project({ '.harness/harness.md': PACKS });
    expect(decisionIn(await fire('PreToolUse', command('ls', '1')))).toBeNull();
    expect((await fire('PreToolUse', forced('2'))).stdout).toContain('git/force-push');
  });

  it('a layer of packs alone that is emptied leaves the old one in force', async () => {
    const { fire, write } = project({ [RULE]: ALLOWS, '../.config/harness/harness.md': PACKS });
    expect(decisionIn(await fire('PreToolUse', forced('1')))).toBe('deny');
    write('../.config/harness/harness.md', '---\nstrict: true\n---\n');
    expect((await fire('PreToolUse', forced('2'))).stdout).toContain('git/force-push');
  });

  it('hooks of settings.json hold for the tools they name, and see them under the name they match, or as Claude Code shows them', async () => {
    const guard = `import { readFileSync } from 'node:fs';
      const { tool_name, tool_input } = JSON.parse(readFileSync(0, 'utf8'));
      console.error(tool_name + ' ' + (tool_input.file_path ?? tool_input.command));
      process.exit(2);`;
    const handler = { type: 'command', command: 'node g.mjs' };
    const { fire } = project({
      [RULE]: ALLOWS,
      '../.config/harness/g.mjs': guard,
      '../.config/harness/settings.json': JSON.stringify({
        hooks: {
          PreToolUse: ['Bash', '^Wri', 'edit_file'].map((matcher) => ({ matcher, hooks: [handler] })),
        },
      }),
    });
    expect((await fire('PreToolUse', command('ls', '1'))).stdout).toContain('Bash ls');
    const file = (tool_name: string) => ({
      tool_name,
      tool_input: { file_path: '/a' },
      tool_use_id: tool_name,
    });
    expect((await fire('PreToolUse', file('Write'))).stdout).toContain('Write /a');
    expect((await fire('PreToolUse', file('MultiEdit'))).stdout).toContain('edit_file /a');
    expect((await fire('PreToolUse', file('Read'))).stdout).toBe('');
  });

  it('a policy that is held has the programs of its guards', async () => {
    const { fire, write } = project({
      [RULE]: ALLOWS,
      '../.config/harness/guards/g.mjs': 'process.exit(2);',
      '../.config/harness/settings.json': JSON.stringify({
        hooks: {
          PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'node guards/g.mjs' }] }],
        },
      }),
    });
    const read = { tool_name: 'Read', tool_input: { file_path: '/a' }, tool_use_id: '1' };
    expect(decisionIn(await fire('PreToolUse', read))).toBeNull();
    write(RULE, REFUSES);
    expect(decisionIn(await fire('PreToolUse', command('ls', '2')))).toBe('deny');
    expect((await fire('PreToolUse', { ...read, tool_use_id: '3' })).stdout).toBe('');
  });
});

describe('a launcher whose policy says tape.sync', () => {
  /** How often the process of one call has the disk take what it wrote. */
  async function syncsOfCall(sync: boolean): Promise<number> {
    const { dir } = project({
      [RULE]: hook(
        'tool.pre',
        'if not rate.limit("calls", 5, "1h"):',
        '  return block("too many")',
        'return allow()',
      ),
      '.harness/harness.md': `---\ntape:\n  sync: ${sync}\n---\n`,
    });
    const trace = join(dirname(dir), 'trace.json');
    const options = ['--trace-event-categories=node.fs.sync', `--trace-event-file-pattern=${trace}`];
    const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, ...command('ls', '1') });
    const env = { NODE_OPTIONS: options.join(' ') };
    const args = ['claude-code', 'PreToolUse', '--dir', dir];
    const answer = await launch(args, input, dirname(dir), HOOK_FILE, { env });
    expect(answer).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    return readFileSync(trace, 'utf8').split(/"ph":"B"[^}]*"name":"fs\.sync\.fdatasync"/).length - 1;
  }

  it('has the disk take the tape, the state of the session and the limits before it answers', async () => {
    expect(await syncsOfCall(false)).toBe(0);
    expect(await syncsOfCall(true)).toBeGreaterThanOrEqual(3);
  });
});

/** A disk that takes longer than the deadline to open FILE, in which no timer has its turn. */
const SLOW_DISK = `
const fs = require('node:fs');
let slow = true;
for (const name of ['openSync', 'readFileSync']) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    if (slow && String(path).endsWith('FILE')) {
      slow = false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
    }
    return real(path, ...rest);
  };
}`;

/** A disk on which every file of a policy takes a moment to CALL; how many there were is on record. */
const SLOW_FILES = `
const fs = require('node:fs');
const real = fs.CALL;
let count = 0;
fs.CALL = (path, ...rest) => {
  if (/rule_\\d+\\.md$/.test(String(path))) {
    count += 1;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return real(path, ...rest);
};
process.on('exit', () => fs.writeFileSync(process.env.COUNT_FILE, String(count)));`;
const MANY = 400;

describe('a launcher that answers at its own deadline', () => {
  it.each([
    ['read', 'openSync'],
    ['copied for the session', 'writeFileSync'],
  ])('denies before all files of a large policy are %s', async (_done, call) => {
    const rules = Array.from({ length: MANY }, (_, n) => [`.harness/hooks/rule_${n}.md`, ALLOWS]);
    const { dir, write } = project(Object.fromEntries(rules));
    write('../slow-files.cjs', SLOW_FILES.replaceAll('CALL', call));
    const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, ...command('ls', '1') });
    const args = ['claude-code', 'PreToolUse', '--dir', dir, '--deadline', '4000'];
    const count = join(dirname(dir), 'count');
    const env = {
      NODE_OPTIONS: `--require=${join(dirname(dir), 'slow-files.cjs')}`,
      COUNT_FILE: count,
    };
    const answer = await launch(args, input, dirname(dir), HOOK_FILE, { env });
    expect(answer.stderr).toContain('no decision within 4000 ms');
    expect(decisionIn(answer)).toBe('deny');
    expect(Number(readFileSync(count, 'utf8'))).toBeLessThan(MANY);
  });

  it.each([
    ['the policy took longer than that to load', 'rule.md'],
    // After it nothing is waited for: the answer is ready before the timer has its turn.
    ['the tape took longer than that to write', 'session.jsonl'],
  ])('denies though the policy allows, if %s', async (_what, file) => {
    const { dir, write } = project({ [RULE]: ALLOWS });
    write('../slow-disk.cjs', SLOW_DISK.replace('FILE', file));
    const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, ...command('ls', '1') });
    const args = ['claude-code', 'PreToolUse', '--dir', dir, '--deadline', '2500'];
    const env = { NODE_OPTIONS: `--require=${join(dirname(dir), 'slow-disk.cjs')}` };
    const answer = await launch(args, input, dirname(dir), HOOK_FILE, { env });
    expect(answer.stderr).toContain('no decision within 2500 ms');
    expect(decisionIn(answer)).toBe('deny');
  });

  it('denies in the words of the agent, if the deadline was over before anything was loaded', async () => {
    const { dir, fire } = project({ [RULE]: ALLOWS });
    const answer = await fire('PreToolUse', command('ls', '1'), ['--dir', dir, '--deadline', '0.001']);
    expect(decisionIn(answer)).toBe('deny');
    expect(answer.stdout).toContain('no decision within 0.001 ms');
  });

  it('leaves nothing behind that a hook started, neither in its process group nor out of it', async () => {
    const hanging =
      "setsid sh -c 'echo $$ > away; exec sleep 300' & sh -c 'echo $$ > inside; exec sleep 301' & wait";
    const { fire, dir } = project({
      [RULE]: ALLOWS,
      '../.config/harness/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: hanging, timeout: 300 }] }] },
      }),
    });
    const options = ['--dir', dir, '--deadline', '8000'];
    const answer = await fire('PreToolUse', command('ls', '1'), options);
    expect(answer.stderr).toContain('no decision within 8000 ms');
    expect(decisionIn(answer)).toBe('deny');
    for (const file of ['inside', 'away']) {
      const pid = pidIn(join(dirname(dir), '.config/harness', file));
      expect(pid).toBeGreaterThan(0);
      await until(() => isGone(pid!));
    }
  });
});

describe('a launcher that cannot decide', () => {
  it.each(['SessionStart', 'Stop'])(
    'says at %s that nothing was blocked, and blocks nothing',
    async (event) => {
      const { dir } = project({ [RULE]: ALLOWS });
      const answer = await launch(['claude-code', event, '--dir', dir], 'no payload', dirname(dir));
      expect(JSON.parse(answer.stdout)).toEqual({
        systemMessage: expect.stringMatching(
          /^Nothing was blocked here; the policy could not decide: the payload/,
        ),
      });
    },
  );
});

describe('a launcher of an agent to which folders were added', () => {
  const SAYS = hook('tool.pre', 'return block("FOLDERS " + json.encode(payload["workspaces"]))');
  const environment = (...folders: readonly string[]) =>
    `${JSON.stringify({ type: 'attachment', attachment: { type: 'environment', snapshot: { additionalWorkingDirectories: folders } } })}\n`;

  it('knows them from before the first call, and takes none that its transcript gets later', async () => {
    const { fire, dir, write } = project({ [RULE]: SAYS, '../t.jsonl': environment('/srv/more') });
    const at = { transcript_path: join(dirname(dir), 't.jsonl') };
    expect((await fire('PreToolUse', { ...command('ls', '1'), ...at })).stdout).toContain(
      'FOLDERS [\\"/srv/more\\"]',
    );
    write('../t.jsonl', environment('/etc'));
    expect((await fire('PreToolUse', { ...command('ls', '2'), ...at })).stdout).toContain(
      'FOLDERS [\\"/srv/more\\"]',
    );
  });
});

describe('a launcher that is installed for the user', () => {
  it('is silent where there is no project, holds the policy of a project where there is one, and denies without its folder', async () => {
    const { fire, dir, write } = project({
      'user/hooks/rule.md': hook('tool.pre', 'return allow()'),
      'plain/a': '',
    });
    const options = ['--user', join(dir, 'user')];
    const at = (folder: string, id: string) => ({
      ...command('x', id),
      cwd: join(dir, folder),
      session_id: folder,
    });
    expect(await fire('PreToolUse', at('plain', '1'), options)).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
    write('guarded/.harness/hooks/rule.md', REFUSES);
    expect(decisionIn(await fire('PreToolUse', at('guarded', '1'), options))).toBe('deny');
    expect(decisionIn(await fire('PreToolUse', at('plain', '2'), ['--user', join(dir, 'gone')]))).toBe(
      'deny',
    );
  });

  it('keeps to the folder that the session began in', async () => {
    const { fire, dir } = project({
      'user/hooks/rule.md': ALLOWS,
      'a/.harness/hooks/rule.md': REFUSES,
      'b/x': '',
    });
    const options = ['--user', join(dir, 'user')];
    const at = (folder: string, id: string) => ({ ...command('x', id), cwd: join(dir, folder) });
    expect(decisionIn(await fire('PreToolUse', at('a', '1'), options))).toBe('deny');
    expect(decisionIn(await fire('PreToolUse', at('b', '2'), options))).toBe('deny');
  });
});

describe('a launcher that may fail open', () => {
  it('says so on stderr and counts it', async () => {
    const { fire, dir, remove } = project({ [RULE]: ALLOWS });
    await fire('PreToolUse', command('x', '1'));
    remove('.harness/hooks');
    const options = ['--dir', dir, '--fail', 'open'];
    const answer = await fire('PreToolUse', { ...command('x', '2'), session_id: 'new' }, options);
    expect(answer).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('GUARD OFF') });
    expect(Object.keys(JSON.parse(answer.stdout))).toEqual(['systemMessage']);
    const { FileRunStore } = await import('../../src/policy/stores/file-run-store.ts');
    const store = new FileRunStore(join(sessionsOf(join(dir, '.harness/runs'), homeOf(dir)), 'state'));
    expect(store.user().get('launcher/fail_open')).toEqual({ ok: true, value: 1 });
  });
});

describe('the entry of the launcher', () => {
  it('is small, and knows no other command', () => {
    expect(statSync(HOOK_FILE).size).toBeLessThan(40 * 1024);
  });
});

describe('the code cache of the launcher', () => {
  it('is written beside the bundle by the first decided call, not writable by others, and read by the next; a broken or foreign one is not used', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'harness-cache-'));
    onTestFinished(() => remove(folder));
    cpSync(dirname(HOOK_FILE), folder, { recursive: true, filter: (path) => basename(path) !== 'cache' });
    const { dir } = project({ [RULE]: ALLOWS });
    const entry = join(folder, 'hook.cjs');
    const call = (id: string) => JSON.stringify({ ...SAMPLES.PreToolUse, cwd: dir, ...command('x', id) });
    const run = (id: string) => launch(['claude-code', 'PreToolUse', '--dir', dir], call(id), folder, entry);
    const silence = { stdout: '', stderr: '', exitCode: 0 };
    expect(await run('1')).toEqual(silence);
    const [name = '', ...others] = readdirSync(join(folder, 'cache'));
    expect([name.endsWith('.hook'), others]).toEqual([true, []]);
    const cache = join(folder, 'cache', name);
    for (const path of [dirname(cache), cache]) expect(statSync(path).mode & 0o022).toBe(0);
    const { size, mtimeMs } = statSync(cache);
    expect(await run('2')).toEqual(silence);
    expect(statSync(cache).mtimeMs).toBe(mtimeMs);
    // What V8 rejects is written anew.
    writeFileSync(cache, 'not what V8 wrote');
    expect(await run('3')).toEqual(silence);
    expect(statSync(cache).size).toBeGreaterThan(size / 2);
    truncateSync(cache, size >> 1);
    expect(await run('4')).toEqual(silence);
    // What others could have written is not read, and replaced.
    const written = statSync(cache).mtimeMs;
    chmodSync(cache, 0o666);
    expect(await run('5')).toEqual(silence);
    expect(statSync(cache).mode & 0o022).toBe(0);
    expect(statSync(cache).mtimeMs).toBeGreaterThan(written);
  });

  it('leaves a policy that loads modules as it is', async () => {
    const { fire } = project({
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::check"\n',
      'policy.mjs': 'export const check = () => ({ block: true, reason: "by the module" });\n',
      [RULE]: ALLOWS,
    });
    const first = await fire('PreToolUse', { ...command('x', '1'), session_id: '1' });
    expect(decisionIn(first)).toBe('deny');
    expect(await fire('PreToolUse', { ...command('x', '2'), session_id: '2' })).toEqual(first);
    expect(await fire('PreToolUse', { ...command('x', '3'), session_id: '3' })).toEqual(first);
  });
});
