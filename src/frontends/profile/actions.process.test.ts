import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CALL, profileOf } from '../../../test/support/profile-project.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import type { ApprovalRequest, Approvals } from '../../engine/approvals.ts';
import { RunState } from '../../engine/run-state.ts';

const servers: Server[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

interface Posted {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** An endpoint on this machine that answers with `status`, or not at all. */
async function endpoint(status: number | null): Promise<{ url: string; posts: Posted[] }> {
  const posts: Posted[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      posts.push({ request, body });
      if (status !== null) response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end();
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit`, posts };
}

describe('log', () => {
  it('[C134] leaves a line of names and sizes in the log of the run', async () => {
    const { fire } = await profileOf({ onToolCall: [{ action: 'log', level: 'warn' }] });
    const { outcome, run } = await fire('tool.pre', CALL);
    expect(outcome.action).toBe('allow');
    expect(run.logs).toMatchObject([
      {
        hook: 'hooks.onToolCall[0]:log',
        level: 'warn',
        message: 'tool.pre turnIndex=2 toolName=send_email toolInput: {to (13 characters)}',
      },
    ]);
  });
});

describe('webhook', () => {
  it('[C129] posts the event with its version, time and profile', async () => {
    const { url, posts } = await endpoint(204);
    const { fire, told } = await profileOf(
      { onToolCall: [{ action: 'webhook', url }] },
      { host: { now: () => 1751234567890 } },
    );
    expect(told).toEqual([]);
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome.trace[0]).toMatchObject({ decision: 'allow', failure: null });
    expect(posts).toHaveLength(1);
    expect(posts[0]!.request).toMatchObject({ method: 'POST', url: '/audit' });
    expect(posts[0]!.request.headers['content-type']).toBe('application/json');
    expect(JSON.parse(posts[0]!.body)).toEqual({
      v: 1,
      ts: 1751234567890,
      profile: 'shop',
      event: 'tool.pre',
      context: {
        event: 'tool.pre',
        turnIndex: 2,
        toolName: 'send_email',
        toolInput: { to: 'a@example.com' },
      },
    });
  });

  it('[C133] known secrets do not leave the process', async () => {
    const { url, posts } = await endpoint(200);
    const { fire } = await profileOf(
      { onToolEnd: [{ action: 'webhook', url }] },
      { env: { GITHUB_TOKEN: 'ghp_0123456789' } },
    );
    const run = new RunState(undefined, undefined, { secrets: () => ['va"ult'] });
    const content = '{"token":"ghp_0123456789","password":"va\\"ult"}';
    await fire('tool.post', { name: 'env', args: { t: 'ghp_0123456789' }, content }, run);
    const { context } = JSON.parse(posts[0]!.body);
    expect(context.toolInput).toEqual({ t: '[redacted]' });
    expect(context.result).toBe('{"token":"[redacted]","password":"[redacted]"}');
  });

  it.each([500, 404, 302])('[C136] an answer of %i is a failure that stops nothing', async (status) => {
    const { url, posts } = await endpoint(status);
    const { fire } = await profileOf({ onToolCall: [{ action: 'webhook', url }] });
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome.action).toBe('allow');
    expect(outcome.trace[0]).toMatchObject({
      failure: { code: 'WEBHOOK_FAILED', message: expect.stringMatching(`answered ${status}$`) },
      onFailure: 'allowed',
    });
    // No redirect is followed: it could lead anywhere.
    expect(posts).toHaveLength(1);
  });

  it('[C136] an endpoint that is down, or silent for 3.5 s, stops nothing', async () => {
    const down = await profileOf({ onToolCall: [{ action: 'webhook', url: 'http://127.0.0.1:1/x' }] });
    expect((await down.fire('tool.pre', CALL)).outcome).toMatchObject({
      action: 'allow',
      trace: [{ failure: { code: 'WEBHOOK_FAILED' } }],
    });
    const { url } = await endpoint(null);
    const silent = await profileOf({ onToolCall: [{ action: 'webhook', url }] });
    const { outcome } = await silent.fire('tool.pre', CALL);
    expect(outcome.trace[0]!.failure!.message).toContain('no complete answer within 3500 ms');
    expect(outcome.action).toBe('allow');
  });

  it('[C130] an address off the operator’s list is an error at load, and nothing is ever sent', async () => {
    const { url, posts } = await endpoint(200);
    const { told, fire } = await profileOf(
      { onToolCall: [{ action: 'webhook', url }] },
      { env: { HARNESS_HOOK_WEBHOOK_ALLOWLIST: 'https://ops.example.com/' } },
    );
    expect(told[0]).toMatch(
      /^error: hooks.onToolCall\[0\].url: http:\/\/127.0.0.1:\d+ is not on the operator's list/,
    );
    expect((await fire('tool.pre', CALL)).outcome.action).toBe('allow');
    expect(posts).toEqual([]);
  });

  it('[C130] the list is asked again for each post', async () => {
    const { url, posts } = await endpoint(200);
    const env: Record<string, string> = {};
    const { fire } = await profileOf({ onToolCall: [{ action: 'webhook', url }] }, { env });
    env.OWNWARE_HOOK_WEBHOOK_ALLOWLIST = 'ops.example.com';
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome.trace[0]!.failure!.message).toContain('is not on the operator');
    expect(posts).toEqual([]);
    env.OWNWARE_HOOK_WEBHOOK_ALLOWLIST = '127.0.0.1';
    await fire('tool.pre', CALL);
    expect(posts).toHaveLength(1);
  });

  it('an entry of the list that cannot be understood is said at load', async () => {
    const { told } = await profileOf(
      { onToolCall: [{ action: 'webhook', url: 'https://ok.test/x' }] },
      { env: { HARNESS_HOOK_WEBHOOK_ALLOWLIST: 'ftp://x, ok.test' } },
    );
    expect(told).toEqual([expect.stringMatching(/^warning: HARNESS_HOOK_WEBHOOK_ALLOWLIST: "ftp:\/\/x"/)]);
  });

  it('the path of an address, often its secret, is not shown', async () => {
    const { project } = await profileOf({
      onStart: [{ action: 'webhook', url: 'https://h.test/T0/s3cret' }],
    });
    expect(project.hooks[0]!.description).toBe('Posts the event to https://h.test.');
  });
});

describe('save_json', () => {
  it('[C129] appends a line for each event to a file below the folder of agent.json', async () => {
    const { dir, fire } = await profileOf(
      { onComplete: [{ action: 'save_json', path: 'runs/log.jsonl' }] },
      { path: '.harness/agent.json', host: { now: () => 5 } },
    );
    const run = new RunState(undefined, { id: 's1', transcriptPath: null, cwd: null });
    await fire('session.end', { reason: 'aborted', turn: 3 }, run);
    await fire('session.end', null, run);
    const lines = readFileSync(join(dir, '.harness/runs/log.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        v: 1,
        ts: 5,
        profile: 'shop',
        event: 'session.end',
        context: { event: 'session.end', turnIndex: 3, sessionId: 's1', reason: 'aborted' },
      },
      {
        v: 1,
        ts: 5,
        profile: 'shop',
        event: 'session.end',
        context: { event: 'session.end', turnIndex: 0, sessionId: 's1', reason: '' },
      },
    ]);
  });

  it('[C132] [C136] a link that leads out is not followed; the failure stops nothing', async () => {
    const outside = tempProject();
    const { dir, fire } = await profileOf({ onToolCall: [{ action: 'save_json', path: 'runs/log.jsonl' }] });
    symlinkSync(outside, join(dir, 'runs'));
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome.action).toBe('allow');
    expect(outcome.trace[0]).toMatchObject({
      failure: { code: 'SAVE_FAILED', message: expect.stringContaining('leads out of its folder') },
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('[C136] a file that cannot be written stops nothing', async () => {
    const { dir, fire } = await profileOf({ onToolCall: [{ action: 'save_json', path: 'log.jsonl' }] });
    mkdirSync(join(dir, 'log.jsonl'));
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'allow', trace: [{ failure: { code: 'SAVE_FAILED' } }] });
  });
});

describe('approve', () => {
  const asking = (request: Approvals['request']) =>
    new RunState(undefined, undefined, { approvals: { request } });
  const hooks = { onToolCall: [{ action: 'approve', tools: ['send.*', 'shell_execute'] }] };

  it('[C135] waits for the answer of a person, who is told what it is about', async () => {
    const { fire } = await profileOf(hooks);
    const asked: ApprovalRequest[] = [];
    const run = asking(async (call) => {
      asked.push(call);
      return { approved: true };
    });
    expect((await fire('tool.pre', CALL, run)).outcome.action).toBe('allow');
    expect(asked).toEqual([
      {
        hook: 'hooks.onToolCall[0]:approve',
        event: 'tool.pre',
        toolName: 'send_email',
        toolInput: { to: 'a@example.com' },
        windowMs: 30 * 60 * 1000,
      },
    ]);
  });

  it('[C135] a no blocks with the reason, or says that a person said no', async () => {
    const { fire } = await profileOf(hooks);
    const told = asking(async () => ({ approved: false, reason: 'not on a Friday' }));
    expect((await fire('tool.pre', CALL, told)).outcome).toMatchObject({
      action: 'block',
      reason: 'not on a Friday',
      hook: 'hooks.onToolCall[0]:approve',
    });
    const silent = asking(async () => ({ approved: false }));
    expect((await fire('tool.pre', CALL, silent)).outcome.reason).toBe('a person did not approve send_email');
  });

  it.each([
    ['send.*', 'send.email', true],
    ['send.*', 'send_email', true],
    ['send_*', 'send.email', false],
    ['send_*', 'send_email', true],
    ['send.*', 'sendXemail', false],
    ['a[.]b', 'a_b', false],
    ['a[.]b', 'a.b', true],
    ['shell_execute', 'shell_execute', true],
    ['shell_execute', 'shell_execute_2', false],
  ])('[C040] the glob %s and the tool %s: %s', async (glob, name, asks) => {
    const { fire } = await profileOf({ onToolCall: [{ action: 'approve', tools: [glob] }] });
    expect((await fire('tool.pre', { name, args: {} })).outcome.action).toBe(asks ? 'block' : 'allow');
  });

  it('without tools every call is asked about', async () => {
    for (const tools of [undefined, []]) {
      const { fire } = await profileOf({ onToolCall: [{ action: 'approve', tools }] });
      expect((await fire('tool.pre', CALL)).outcome.action).toBe('block');
    }
  });

  it('[C135] without a channel the answer is no, with a reason', async () => {
    const { fire } = await profileOf(hooks);
    expect((await fire('tool.pre', CALL)).outcome).toMatchObject({
      action: 'block',
      reason: 'send_email needs the approval of a person, and no person can be asked here',
    });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('offline');
      },
      'the approval channel failed: offline',
    ],
    [
      'rejects',
      async () => {
        throw 'offline';
      },
      'the approval channel failed: offline',
    ],
    ['answers nothing', async () => undefined, 'answered neither yes nor no'],
    ['answers "yes"', async () => ({ approved: 'yes' }), 'answered neither yes nor no'],
    ['answers true', async () => true, 'answered neither yes nor no'],
  ])('[C135] a channel that %s means no', async (_what, request, message) => {
    const { fire } = await profileOf(hooks);
    const { outcome } = await fire('tool.pre', CALL, asking(request as unknown as Approvals['request']));
    expect(outcome.action).toBe('block');
    expect(outcome.trace[0]).toMatchObject({ failure: { code: 'APPROVAL_FAILED' }, onFailure: 'blocked' });
    expect(outcome.trace[0]!.failure!.message).toContain(message);
  });

  it('[C135] nobody answering within the window and a minute means no, and the channel is told to stop', async () => {
    const { fire, told, project } = await profileOf(
      `{"security": {"hitlTimeoutMs": 1000}, "hooks": ${JSON.stringify(hooks)}}`,
    );
    expect(told).toEqual([]);
    expect(project.hooks[0]!.timeoutMs).toBe(61_000);
    vi.useFakeTimers();
    let stopped = false;
    const fired = fire(
      'tool.pre',
      CALL,
      asking((_call, signal) => {
        signal.addEventListener('abort', () => {
          stopped = true;
        });
        return new Promise(() => undefined);
      }),
    );
    await vi.advanceTimersByTimeAsync(60_999);
    expect(stopped).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const { outcome } = await fired;
    expect(outcome).toMatchObject({ action: 'block', trace: [{ failure: { kind: 'timeout' } }] });
    expect(stopped).toBe(true);
  });

  it('who is asked about a call cannot change it', async () => {
    const { fire } = await profileOf(hooks);
    const run = asking(async (call) => {
      expect(() => Object.assign(call.toolInput, { to: 'evil@example.com' })).toThrow();
      return { approved: true };
    });
    expect((await fire('tool.pre', CALL, run)).outcome).toMatchObject({
      action: 'allow',
      payload: { args: { to: 'a@example.com' } },
    });
  });
});

describe('command', () => {
  const env = { HARNESS_ALLOW_COMMAND_HOOKS: '1' };
  const withCommand = (command: string, more = {}) => ({
    onToolCall: [{ action: 'command', command, ...more }],
  });

  it('[C129] the context is on stdin, a non-zero exit blocks with stderr, and it runs in the profile’s folder', async () => {
    const { dir, fire } = await profileOf(withCommand('cat > seen.json; echo "not today" >&2; exit 3'), {
      env,
    });
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', reason: 'not today' });
    expect(JSON.parse(readFileSync(join(dir, 'seen.json'), 'utf8'))).toEqual({
      event: 'tool.pre',
      turnIndex: 2,
      toolName: 'send_email',
      toolInput: { to: 'a@example.com' },
    });
  });

  it('structured output is understood; a rewrite in it is not', async () => {
    const speaks = await profileOf(withCommand(`echo '{"additionalContext": "be careful"}'`), { env });
    const { outcome } = await speaks.fire('tool.pre', CALL);
    expect(outcome.action).toBe('allow');
    expect(outcome.effects).toMatchObject([{ kind: 'context', text: 'be careful' }]);
    const rewrites = await profileOf(
      withCommand(`echo '{"hookSpecificOutput": {"updatedInput": {"to": "x"}}, "modify": {"args": {}}}'`),
      { env },
    );
    expect((await rewrites.fire('tool.pre', CALL)).outcome.payload).toMatchObject({ args: CALL.args });
  });

  it('a timeout blocks', async () => {
    const { fire } = await profileOf(withCommand('sleep 30', { timeoutMs: 200 }), { env });
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', trace: [{ failure: { kind: 'timeout' } }] });
  });

  it.each([
    ['unset', {}],
    ['0', { HARNESS_ALLOW_COMMAND_HOOKS: '0' }],
    ['true', { HARNESS_ALLOW_COMMAND_HOOKS: 'true' }],
    ['" 1"', { HARNESS_ALLOW_COMMAND_HOOKS: ' 1' }],
  ])(
    '[C130] with the operator’s switch %s it does not run: an error at load, a block when asked',
    async (_value, off) => {
      const { dir, told, fire } = await profileOf(withCommand('touch ran'), {
        env: off as Record<string, string>,
      });
      expect(told).toEqual([
        'error: hooks.onToolCall[0]: command hooks do not run here: the operator allows them with HARNESS_ALLOW_COMMAND_HOOKS=1',
      ]);
      expect((await fire('tool.pre', CALL)).outcome.action).toBe('block');
      expect(readdirSync(dir)).toEqual(['agent.json']);
    },
  );

  it('[C130] the switch of the run counts, not that of the load', async () => {
    const variables: Record<string, string> = { OWNWARE_ALLOW_COMMAND_HOOKS: '1' };
    const { dir, told, fire } = await profileOf(withCommand('touch ran'), { env: variables });
    expect(told).toEqual([]);
    delete variables.OWNWARE_ALLOW_COMMAND_HOOKS;
    const { outcome } = await fire('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', trace: [{ failure: { code: 'COMMAND_HOOKS_OFF' } }] });
    expect(readdirSync(dir)).toEqual(['agent.json']);
  });

  it.each([
    ['./hooks/check.sh', './hooks/check.sh does not exist'],
    ['sh hooks/check.sh --strict', 'hooks/check.sh does not exist'],
    ['"$HARNESS_PROFILE_DIR"/check.ts', 'check.ts does not exist'],
    ['no-such-program', 'the program no-such-program is not on this machine'],
  ])('whose script or program is not there is an error at load and blocks: %s', async (line, message) => {
    const { told, fire } = await profileOf(withCommand(line), { env });
    expect(told).toEqual([expect.stringMatching(/^error: hooks\.onToolCall\[0\]\.command: /)]);
    expect(told[0]).toContain(message);
    expect((await fire('tool.pre', CALL)).outcome.action).toBe('block');
    expect((await profileOf(withCommand(line))).told).toEqual([
      expect.stringContaining('HARNESS_ALLOW_COMMAND_HOOKS=1'),
      expect.stringContaining(message),
    ]);
  });

  it.each(['onStart', 'onToolEnd', 'onModelCall', 'onModelEnd', 'onComplete', 'onError'])(
    'on %s there is nothing for a profile to stop: a veto is recorded and ignored',
    async (bucket) => {
      const { project, fire } = await profileOf(
        { [bucket]: [{ action: 'command', command: 'exit 1' }] },
        { env },
      );
      const { event } = project.hooks[0]!;
      const { outcome } = await fire(event, {
        name: 'x',
        model: 'm',
        messages: [],
        choices: [],
        message: '',
      });
      expect(outcome.action).toBe('allow');
      expect(outcome.trace[0]).toMatchObject({ decision: 'block', vetoIgnored: expect.any(String) });
    },
  );
});

describe('the operator’s kill switch', () => {
  const hooks = { onToolCall: [{ action: 'approve' }, { action: 'log' }] };

  it.each(['HARNESS_DISABLE_HOOKS', 'OWNWARE_DISABLE_HOOKS'])(
    '[C130] %s=1 switches every hook of the file off, loudly',
    async (name) => {
      const { project, told, fire } = await profileOf(hooks, { env: { [name]: '1' } });
      expect(told).toEqual([`warning: all 2 hooks of this file are disabled by ${name}=1`]);
      expect(project.hooks.map((hook) => hook.description)).toEqual([
        `Disabled by ${name}=1. Waits for a person to approve the call.`,
        `Disabled by ${name}=1. Logs names and sizes (info).`,
      ]);
      const { outcome, run } = await fire('tool.pre', CALL);
      expect(outcome.action).toBe('allow');
      expect(outcome.trace.map((entry) => entry.warnings)).toEqual([
        [`disabled by ${name}=1: the hook did nothing`],
        [`disabled by ${name}=1: the hook did nothing`],
      ]);
      expect(run.logs).toEqual([]);
    },
  );

  it('[C130] anything but 1 leaves them on', async () => {
    const { told, fire } = await profileOf(hooks, { env: { HARNESS_DISABLE_HOOKS: 'true' } });
    expect(told).toEqual([]);
    expect((await fire('tool.pre', CALL)).outcome.action).toBe('block');
  });

  it('[C130] is off also where the file cannot be read; the error stays', async () => {
    const { told, fire } = await profileOf('{', { env: { HARNESS_DISABLE_HOOKS: '1' } });
    expect(told[0]).toContain('error: not JSON');
    expect((await fire('tool.pre', CALL)).outcome.action).toBe('allow');
  });
});
