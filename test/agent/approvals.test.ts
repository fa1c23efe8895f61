/**
 * Permissions and approvals in a session: which calls wait, who is asked, and that what runs is what was approved.
 */
import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { RunState } from '../../src/engine/run-state.ts';
import {
  type Approval,
  type ApprovalRequest,
  type Approvals,
  PendingApprovals,
  type PermissionTable,
  permissionPolicy,
} from '../../src/exports/agent.ts';
import { createHooks, ToolHookRegistry } from '../../src/exports/hooks.ts';
import { machineHost } from '../../src/machine/host.ts';
import { call, decisions, names, on, payloadsOf, play, tool, toolMessages } from '../support/agent.ts';

const calling = (...calls: ReturnType<typeof call>[]) => [{ tool_calls: calls }, { text: 'Done.' }];
const ASK: PermissionTable = { rules: [], otherwise: 'ask' };

interface Question extends ApprovalRequest {
  readonly answer: (approval: Approval) => void;
}

/** Says what `answers` gives for each question; remembers the questions. */
function person(answer: (question: ApprovalRequest, number: number) => Approval | Promise<Approval>) {
  const questions: ApprovalRequest[] = [];
  const approvals: Approvals = {
    request: async (question) => answer(question, questions.push(question)),
  };
  return { questions, approvals };
}

function session(
  table: PermissionTable,
  approvals: Approvals | null,
  calls = [call('send', { to: 'ada' }, 'c1')],
  more: Partial<Parameters<typeof play>[0]> = {},
) {
  const ran: unknown[] = [];
  const send = tool('send', (args) => {
    ran.push(args);
    return 'sent';
  });
  return play({
    completions: calling(...calls),
    tools: [send, tool('look', () => 'seen')],
    permissions: permissionPolicy(table),
    ...(approvals !== null && { approvals }),
    ...more,
  }).then((played) => ({ ...played, ran, said: toolMessages(played).map(({ content }) => content) }));
}

describe('an approval', () => {
  it('[C135] a yes lets the call run; the person sees exactly what runs, and approval.requested has fired', async () => {
    const { questions, approvals } = person(() => ({ approved: true }));
    const played = await session({ ...ASK, rules: [] }, approvals);
    expect(played.ran).toEqual([{ to: 'ada' }]);
    expect(questions[0]).toMatchObject({
      toolName: 'send',
      toolInput: { to: 'ada' },
      callId: 'c1',
      hook: 'permissions',
    });
    expect(questions[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
    const { digest, id } = questions[0]!;
    expect(payloadsOf(played, 'approval.requested')).toEqual([
      expect.objectContaining({
        name: 'send',
        args: { to: 'ada' },
        digest,
        id,
        call_id: 'c1',
        session_id: 's1',
      }),
    ]);
    expect(names(played).filter((name) => /permission|approval/.test(name))).toEqual([
      'permission.asked',
      'approval.requested',
      'permission.replied',
    ]);
    expect(payloadsOf(played, 'permission.replied')[0]).toMatchObject({ decision: 'allow' });
  });

  it.each<[string, Approvals | null, string]>([
    ['no channel', null, 'nobody to ask'],
    ['a no', person(() => ({ approved: false, reason: 'not today' })).approvals, 'not today'],
    [
      'a channel that throws',
      { request: () => Promise.reject(new Error('offline')) },
      'channel failed: offline',
    ],
    [
      'a channel that throws at once',
      {
        request: () => {
          throw new Error('offline');
        },
      },
      'channel failed: offline',
    ],
    ['an answer that is none', { request: async () => ({}) as Approval }, 'neither yes nor no'],
    [
      'an answer that looks like a yes',
      { request: async () => ({ approved: 'yes' }) as never },
      'neither yes',
    ],
    ['nobody answering in time', { request: () => new Promise(() => {}) }, 'nobody answered within 20 ms'],
  ])('[C135] fails closed: %s', async (_what, approvals, reason) => {
    const played = await session(ASK, approvals, undefined, { config: { limits: { approvalMs: 20 } } });
    expect(played.ran).toEqual([]);
    expect(played.said[0]).toMatch(/^tool denied: /);
    expect(played.said[0]).toContain(reason);
    expect(payloadsOf(played, 'permission.replied')[0]).toMatchObject({ decision: 'deny' });
    expect(names(played).at(-1)).toBe('session.end');
  });

  it('is waited for no longer than the run lasts', async () => {
    const controller = new AbortController();
    const approvals = {
      request: () => {
        controller.abort();
        return new Promise<Approval>(() => {});
      },
    };
    const played = await session(ASK, approvals, undefined, { signal: controller.signal });
    expect(played.result.reason).toBe('aborted');
    expect(played.ran).toEqual([]);
    expect(names(played).at(-1)).toBe('session.end');
  });

  it('that comes too late changes nothing and is on record', async () => {
    let late = () => {};
    const approvals = {
      request: () =>
        new Promise<Approval>((resolve) => {
          late = () => resolve({ approved: true });
        }),
    };
    const played = await session(ASK, approvals, undefined, { config: { limits: { approvalMs: 20 } } });
    late();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(played.ran).toEqual([]);
    expect(played.session.runState.logs.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the yes to send .* changes nothing$/),
    ]);
  });

  it('two at once are independent of one another', async () => {
    const waiting: Question[] = [];
    const approvals: Approvals = {
      request: (request) =>
        new Promise((answer) => {
          waiting.push({ ...request, answer });
          // The second is answered first.
          if (waiting.length < 2) return;
          waiting[1]!.answer({ approved: true });
          setTimeout(() => waiting[0]!.answer({ approved: false, reason: 'not ada' }), 5);
        }),
    };
    const played = await session(ASK, approvals, [call('send', { to: 'ada' }), call('send', { to: 'bob' })]);
    expect(played.ran).toEqual([{ to: 'bob' }]);
    expect(played.said).toEqual(['tool denied: not ada', 'sent']);
    expect(new Set(waiting.map(({ id }) => id)).size).toBe(2);
  });

  it('holds for the call that was shown: one that an interceptor changes is asked about again', async () => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('send', () => ({ modifiedInput: { to: 'everybody' } }));
    const { questions, approvals } = person(({ toolInput }) => ({ approved: toolInput.to === 'ada' }));
    const played = await session(ASK, approvals, undefined, { interceptors });
    expect(questions.map(({ toolInput }) => toolInput)).toEqual([{ to: 'ada' }, { to: 'everybody' }]);
    expect(questions[0]?.digest).not.toBe(questions[1]?.digest);
    expect(played.ran).toEqual([]);
  });

  it('a channel that changes what it was shown changes nothing', async () => {
    const { approvals } = person(({ toolInput }) => {
      Object.assign(toolInput, { to: 'everybody' });
      return { approved: true };
    });
    expect((await session(ASK, approvals)).ran).toEqual([{ to: 'ada' }]);
  });

  const thrice = [call('send', { to: 'ada' }), call('send', { to: 'ada' }), call('send', { to: 'bob' })];
  const oneByOne = { config: { limits: { parallelTools: 1 } } };

  it.each<[Approval['remember'] | undefined, number]>([
    [undefined, 3],
    ['call', 2],
    ['tool', 1],
  ])('remembered as %s, three calls ask %i times', async (remember, times) => {
    const { questions, approvals } = person(() => ({ approved: true, ...(remember && { remember }) }));
    const played = await session(ASK, approvals, thrice, oneByOne);
    expect(played.said).toEqual(['sent', 'sent', 'sent']);
    expect(questions).toHaveLength(times);
    expect(payloadsOf(played, 'approval.requested')).toHaveLength(times);
  });

  it('a no can be remembered too, and a yes to the policy is none to a hook', async () => {
    const no = person(() => ({ approved: false, remember: 'tool' }));
    expect((await session(ASK, no.approvals, thrice, oneByOne)).ran).toEqual([]);
    expect(no.questions).toHaveLength(1);

    const careful = on('tool.pre', (seen) =>
      JSON.stringify(seen.args).includes('bob') ? decisions.ask('bob?') : undefined,
    );
    const yes = person(() => ({ approved: true, remember: 'tool' }));
    const played = await session(
      { rules: [], otherwise: 'ask' },
      yes.approvals,
      [...thrice, call('send', { to: 'bob', again: true })],
      { ...oneByOne, hooks: [{ ...careful, name: 'careful' }] },
    );
    expect(played.ran).toHaveLength(4);
    expect(yes.questions.map(({ hook, reason }) => [hook, reason])).toEqual([
      ['permissions', 'no rule lets send run by itself'],
      ['careful, permissions', 'bob?; no rule lets send run by itself'],
    ]);
  });

  it('a remembered yes never reaches a call that is never allowed', async () => {
    const { approvals } = person(() => ({ approved: true, remember: 'tool' }));
    const table: PermissionTable = {
      rules: [{ tools: ['send'], args: { to: ['bob'] }, zone: 'never', reason: 'never bob' }],
      otherwise: 'ask',
    };
    const played = await session(table, approvals, thrice, oneByOne);
    expect(played.said).toEqual(['sent', 'sent', 'tool denied: never bob']);
  });
});

describe('the layers of permission', () => {
  it('[C141] rules, guards and hooks are separate, and the strictest counts', async () => {
    const table: PermissionTable = {
      rules: [{ tools: ['run'], zone: 'auto' }],
      guards: [{ tools: ['run'], denyPatterns: ['\\bcurl\\b'], allowPrefixes: ['git status', 'ls'] }],
    };
    const { questions, approvals } = person(() => ({ approved: true }));
    const line = (command: string) => call('run', { command });
    const played = await play({
      completions: calling(line('ls -la'), line('curl x'), line('make'), line('ls; make')),
      tools: [tool('run', () => 'ran')],
      permissions: permissionPolicy(table),
      hooks: [on('permission.asked', () => ({ action: 'permit', reason: 'fine' }))],
      approvals,
    });
    expect(toolMessages(played).map(({ content }) => content)).toEqual([
      'ran',
      'tool denied: the command matches \\bcurl\\b',
      'ran',
      'ran',
    ]);
    // A hook answered both that had to be asked about, and none that was never allowed.
    expect(payloadsOf(played, 'permission.asked')).toHaveLength(2);
    expect(questions).toEqual([]);
  });

  it('[C088] a handler of permission_asked permits, denies or has somebody asked', async () => {
    const { questions, approvals } = person(() => ({ approved: true }));
    const hooks = createHooks();
    hooks.registerSessionHook('permission_asked', ({ tool: { args } }) => {
      const { to } = args as { to: string };
      const decision = { ada: 'allow', bob: 'deny', cyd: 'ask' } as const;
      return { decision: decision[to as keyof typeof decision], reason: `${to} asked` };
    });
    const replies: string[] = [];
    hooks.registerSessionHook('permission_replied', ({ decision, reason }) => {
      replies.push(`${decision} ${reason}`);
      return { block: true, reason: 'too late' };
    });
    const played = await session(
      ASK,
      approvals,
      ['ada', 'bob', 'cyd'].map((to) => call('send', { to })),
      { hooks: hooks.registry, config: { limits: { parallelTools: 1 } } },
    );
    expect(played.ran).toEqual([{ to: 'ada' }, { to: 'cyd' }]);
    expect(questions.map(({ toolInput, reason }) => [toolInput.to, reason])).toEqual([['cyd', 'cyd asked']]);
    expect(replies).toEqual([
      'allow ada asked',
      'deny blocked by hook "session_hook::PermissionAsked": bob asked',
      'allow null',
    ]);
  });

  it('[C145][C010] the floor stands before all of them, and no person is asked', async () => {
    const { questions, approvals } = person(() => ({ approved: true }));
    const permit = on('permission.asked', () => ({ action: 'permit', reason: 'all of it' }));
    const interceptors = new ToolHookRegistry();
    const ran: unknown[] = [];
    interceptors.registerBefore('sly', () => ({ modifiedInput: { command: 'rm -rf ~' } }));
    const played = await play({
      completions: calling(call('run', { command: 'sudo rm -rf /' }), call('sly', { command: 'ls' })),
      tools: ['run', 'sly'].map((name) => tool(name, (args) => ran.push(args))),
      permissions: permissionPolicy(ASK),
      hooks: [permit],
      interceptors,
      approvals,
    });
    for (const { content, is_error } of toolMessages(played)) {
      expect(content).toMatch(
        /^tool refused: it deletes the whole system or a home folder, which is never done$/,
      );
      expect(is_error).toBe(true);
    }
    expect(ran).toEqual([]);
    expect(questions).toEqual([]);
    expect(names(played)).toContain('tool.pre');
  });

  it('[C145] the floor also holds for what a tool starts by itself', async () => {
    const started: unknown[] = [];
    const host = {
      ...machineHost,
      run: async (request: { program: unknown }) => {
        started.push(request.program);
        return {} as never;
      },
    };
    const played = await play({
      completions: calling(call('tidy')),
      tools: [
        tool('tidy', async (_args, context) => {
          const request = { cwd: '/workspace', env: {}, stdin: '', timeoutMs: 1000 };
          const done = await context.host.run({ ...request, program: { shell: 'rm -rf /' } }, null);
          return done.startError?.message ?? 'started';
        }),
      ],
      host,
    });
    expect(started).toEqual([]);
    expect(toolMessages(played)[0]?.content).toContain('never done');
  });
});

describe('the channel', () => {
  it('is the same for hooks that ask by themselves, with approval.requested and what is remembered', async () => {
    const { questions, approvals } = person(() => ({ approved: true, remember: 'call' }));
    const asking = on('tool.pre', async (_seen, { run, hook, event }) => {
      const request = {
        hook: hook.name,
        event,
        toolName: 'send',
        toolInput: { to: 'ada' },
        windowMs: 1000,
      };
      const said = await run.services.approvals!.request(request, new AbortController().signal);
      return said.approved ? undefined : decisions.block('no');
    });
    const played = await session(ASK, approvals, undefined, { hooks: [asking] });
    expect(played.ran).toEqual([{ to: 'ada' }]);
    // The permission table asks about the same call: a yes to the hook does not answer for the table.
    expect(questions.map(({ hook }) => hook)).toEqual(['on tool.pre', 'permissions']);
    expect(payloadsOf(played, 'approval.requested')).toHaveLength(2);
  });

  it('of an engine that has one is used where the session is given none', async () => {
    const { questions, approvals } = person(() => ({ approved: true }));
    const run = new RunState(undefined, undefined, { approvals });
    const hooks = new Engine({ host: machineHost, run, canAsk: true });
    expect((await session(ASK, null, undefined, { hooks })).ran).toHaveLength(1);
    expect(questions).toHaveLength(1);
  });

  it('answers by id: once, in time, and what else comes is ignored and on record', async () => {
    const asked: ApprovalRequest[] = [];
    const pending = new PendingApprovals((request) => asked.push(request));
    const playing = session(ASK, pending, [call('send', { to: 'ada' }), call('send', { to: 'bob' })], {
      config: { limits: { approvalMs: 1000 } },
    });
    while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(pending.pending).toHaveLength(2);
    const [ada, bob] = asked.map(({ id }) => id!);
    expect(pending.answer(ada!, { approved: true })).toBe('taken');
    expect(pending.answer(ada!, { approved: false })).toBe('answered already');
    const played = await playing;
    expect(pending.answer(bob!, { approved: true })).toBe('too late');
    expect(pending.answer('nobody', { approved: true })).toBe('unknown');
    expect(played.ran).toEqual([{ to: 'ada' }]);
    expect(pending.pending).toEqual([]);
    expect(pending.ignored.map(({ why, approved }) => [why, approved])).toEqual([
      ['answered already', false],
      ['too late', true],
      ['unknown', true],
    ]);
  });
});
