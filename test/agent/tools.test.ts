/**
 * A tool call from the model's words to the result it reads: the order of the layers, and what each may do.
 */
import { describe, expect, it } from 'vitest';
import type { Approvals, Permissions } from '../../src/exports/agent.ts';
import { ToolHookRegistry } from '../../src/exports/hooks.ts';
import {
  call,
  decisions,
  echo,
  names,
  on,
  outcomeOf,
  payloadsOf,
  play,
  tool,
  toolMessages,
} from '../support/agent.ts';
import { until } from '../support/until.ts';

const { ask, block, modify } = decisions;
const DONE = { text: 'Done.' };
const calling = (...calls: ReturnType<typeof call>[]) => [{ tool_calls: calls }, DONE];

describe('tool.pre', () => {
  it('[C073] carries id, name, decoded arguments and where it happens', async () => {
    const played = await play({ completions: calling(call('echo', { text: 'hi' }, 'c9')), tools: [echo] });
    expect(payloadsOf(played, 'tool.pre')).toEqual([
      { id: 'c9', name: 'echo', args: { text: 'hi' }, kind: 'model', session_id: 's1', turn: 0 },
    ]);
  });

  it('a block that the model has read before says so; of two calls at once neither does', async () => {
    const echo = call('echo');
    const played = await play({
      completions: [...calling(echo, echo).slice(0, 1), ...calling(echo)],
      tools: [tool('echo', () => 'ran')],
      hooks: [on('tool.pre', () => block('not on Sundays'), { name: 'guard' })],
    });
    const said = 'tool blocked: blocked by hook "guard": not on Sundays';
    const texts = toolMessages(played).map(({ content }) => content);
    expect(texts).toEqual([said, said, expect.stringContaining(`${said} (This was refused once before.`)]);
  });

  it('[C023] [C102] a block: the tool does not run, the model reads why, and tool.post does not fire', async () => {
    let ran = 0;
    const played = await play({
      completions: calling(call('echo'), call('other')),
      tools: [tool('echo', () => ran++), tool('other', () => 'ran')],
      hooks: [
        on('tool.pre', () => block('not on Sundays'), {
          name: 'guard',
          when: (seen) => seen.name === 'echo',
        }),
      ],
    });
    expect(ran).toBe(0);
    expect(toolMessages(played)).toEqual([
      {
        role: 'tool',
        call_id: 'call_1',
        name: 'echo',
        content: 'tool blocked: blocked by hook "guard": not on Sundays',
        is_error: true,
      },
      { role: 'tool', call_id: 'call_2', name: 'other', content: 'ran', is_error: false },
    ]);
    expect(payloadsOf(played, 'tool.post').map(({ name }) => name)).toEqual(['other']);
    expect(played.events.filter(({ type }) => type === 'tool.start')).toHaveLength(1);
    expect(played.events.filter(({ type }) => type === 'tool.end')).toHaveLength(2);
    expect(played.result.reason).toBe('end_turn');
  });

  it('a rewrite is what runs and what the history holds', async () => {
    const ran: unknown[] = [];
    const played = await play({
      completions: calling(call('echo', { text: 'token=k-123' })),
      tools: [tool('echo', (args) => ran.push(args))],
      hooks: [on('tool.pre', () => modify({ args: { text: 'token=[gone]' } }))],
    });
    expect(ran).toEqual([{ text: 'token=[gone]' }]);
    expect(JSON.stringify(played.provider.requests[1])).not.toContain('k-123');
    expect(played.events).toContainEqual(
      expect.objectContaining({ type: 'tool.start', args: { text: 'token=[gone]' } }),
    );
  });

  it('a rewritten call is validated again before it runs', async () => {
    let ran = 0;
    const strict = tool('echo', () => ran++, { parameters: echo.parameters });
    const wrong = await play({
      completions: calling(call('echo')),
      tools: [strict],
      hooks: [on('tool.pre', () => modify({ args: { text: 7 } }))],
    });
    expect(toolMessages(wrong)[0]?.content).toBe(
      'invalid arguments for tool "echo": args.text is the number 7 (want string)',
    );
    const renamed = await play({
      completions: calling(call('echo')),
      tools: [strict],
      hooks: [on('tool.pre', () => modify({ name: 'ecko' }))],
    });
    expect(toolMessages(renamed)[0]?.content).toBe(
      'unknown tool "ecko" (did you mean echo?); the tools are echo',
    );
    expect(ran).toBe(0);
  });

  it('may send the call to another tool; its id stays', async () => {
    const played = await play({
      completions: calling(call('echo', {}, 'c1')),
      tools: [echo, tool('safe', () => 'safe ran')],
      hooks: [
        on('tool.pre', () => modify({ name: 'safe', id: 'c2' }), { when: (seen) => seen.name === 'echo' }),
      ],
    });
    expect(toolMessages(played)[0]).toMatchObject({ call_id: 'c1', name: 'safe', content: 'safe ran' });
    expect(outcomeOf(played, 'tool.pre').trace[0]?.warnings[0]).toContain('"id" identifies the operation');
  });
});

describe('tool.post', () => {
  it('[C073] carries the result as text and as data, with the arguments that ran', async () => {
    const played = await play({ completions: calling(call('echo', { text: 'hi' })), tools: [echo] });
    expect(payloadsOf(played, 'tool.post')).toEqual([
      {
        call_id: 'call_1',
        name: 'echo',
        content: '{"said":"hi"}',
        is_error: false,
        result: { said: 'hi' },
        args: { text: 'hi' },
        kind: 'model',
        session_id: 's1',
        turn: 0,
      },
    ]);
  });

  it('[C101] a block hides the result; what the tool did stays done', async () => {
    let ran = 0;
    const played = await play({
      completions: calling(call('echo')),
      tools: [tool('echo', () => `secret ${++ran}`)],
      hooks: [on('tool.post', () => block('holds a secret'), { name: 'redact' })],
    });
    expect(ran).toBe(1);
    expect(toolMessages(played)[0]).toMatchObject({
      content: 'tool result blocked by hook "redact": holds a secret',
      is_error: true,
    });
    expect(JSON.stringify(played.provider.requests[1])).not.toContain('secret 1');
  });

  it('[C103] fires for a tool that failed, and can redact its error', async () => {
    const played = await play({
      completions: calling(call('echo')),
      tools: [
        tool('echo', () => {
          throw new Error('no such user: k-123');
        }),
      ],
      hooks: [
        on('tool.post', (seen) => modify({ content: String(seen.content).replace('k-123', '[gone]') }), {
          when: (seen) => seen.is_error === true,
        }),
      ],
    });
    expect(payloadsOf(played, 'tool.post')[0]).toMatchObject({ is_error: true });
    expect(toolMessages(played)[0]).toMatchObject({
      content: 'tool failed: no such user: [gone]',
      is_error: true,
    });
  });

  it('a rewrite of the decoded result is what the model reads', async () => {
    const played = await play({
      completions: calling(call('echo', { text: 'a' })),
      tools: [echo],
      hooks: [on('tool.post', () => modify({ result: { said: '***' } }))],
    });
    expect(toolMessages(played)[0]?.content).toBe('{"said":"***"}');
  });
});

describe('calls side by side', () => {
  it('[C104] run at the same time, each with its own chain, and answer in the order of the calls', async () => {
    const order: string[] = [];
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = tool('slow', async () => {
      order.push('slow began');
      await both;
      order.push('slow ended');
      return 'slow';
    });
    const quick = tool('quick', () => {
      order.push('quick ran');
      release();
      return 'quick';
    });
    const played = await play({
      completions: calling(call('slow'), call('quick'), call('slow')),
      tools: [slow, quick],
      hooks: [on('tool.pre', (seen) => (seen.id === 'call_3' ? block('one is enough') : undefined))],
    });
    expect(order).toEqual(['slow began', 'quick ran', 'slow ended']);
    expect(toolMessages(played).map(({ content }) => content)).toEqual([
      'slow',
      'quick',
      'tool blocked: blocked by hook "on tool.pre": one is enough',
    ]);
    expect(names(played).filter((name) => name === 'tool.pre')).toHaveLength(3);
  });

  it('no more run at the same time than the limit says', async () => {
    let running = 0;
    let most = 0;
    const busy = tool('busy', async () => {
      most = Math.max(most, ++running);
      // None ends before there are as many as there may be.
      await until(() => most >= 3);
      running--;
    });
    await play({
      completions: calling(...Array.from({ length: 7 }, () => call('busy'))),
      tools: [busy],
      config: { limits: { parallelTools: 3 } },
    });
    expect(most).toBe(3);
  });

  it('many of them are no leak to Node', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    await play({
      completions: calling(...Array.from({ length: 40 }, () => call('nap'))),
      tools: [tool('nap', () => new Promise((resolve) => setTimeout(resolve, 1)))],
      hooks: [on('tool.pre', async () => undefined)],
      config: { limits: { parallelTools: 40 } },
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('calls that share an id, or have none, are told apart', async () => {
    const played = await play({
      completions: calling(call('echo', {}, 'x'), call('echo', {}, 'x'), call('echo', {}, '')),
      tools: [echo],
    });
    expect(new Set(toolMessages(played).map(({ call_id }) => call_id)).size).toBe(3);
  });
});

describe('the layers around a tool', () => {
  const layered = (log: string[], permissions: Permissions, more: { before?: object } = {}) => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('*', (_name, input) => {
      log.push('before');
      return more.before ?? { modifiedInput: { ...input, tenant: 't1' } };
    });
    interceptors.registerAfter('*', (_name, _input, result) => {
      log.push('after');
      return { ...result, content: String(result.content).toUpperCase() };
    });
    const tools = [
      tool('echo', (args) => {
        log.push(`run ${JSON.stringify(args)}`);
        return 'result';
      }),
    ];
    const hooks = [
      on('tool.pre', () => {
        log.push('tool.pre');
      }),
      on('tool.post', (seen) => {
        log.push(`tool.post ${seen.content}`);
      }),
    ];
    return play({ completions: calling(call('echo')), tools, hooks, interceptors, permissions });
  };
  const auto = (log: string[]): Permissions => ({
    decide: () => {
      log.push('permission');
      return { decision: 'auto' };
    },
  });

  it('[C140] come in one order', async () => {
    const log: string[] = [];
    const played = await layered(log, auto(log));
    expect(log).toEqual([
      'tool.pre',
      'permission',
      'before',
      // What an interceptor made of the call is another call, and every guard judges it again.
      'tool.pre',
      'permission',
      'run {"tenant":"t1"}',
      'after',
      'tool.post RESULT',
    ]);
    expect(toolMessages(played)[0]?.content).toBe('RESULT');
  });

  it('an interceptor that blocks keeps the tool from running, and tool.post from firing', async () => {
    const log: string[] = [];
    const played = await layered(log, auto(log), { before: { blocked: true, reason: 'wrong tenant' } });
    expect(log).toEqual(['tool.pre', 'permission', 'before']);
    expect(toolMessages(played)[0]).toMatchObject({ content: 'tool blocked: wrong tenant', is_error: true });
  });

  it('what an interceptor made of the arguments is validated again', async () => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('echo', () => ({ modifiedInput: { text: 7 } }));
    const played = await play({ completions: calling(call('echo')), tools: [echo], interceptors });
    expect(toolMessages(played)[0]?.content).toContain('args.text is the number 7 (want string)');
  });

  it('an interceptor that throws stops the call before the tool, and hides the result after it', async () => {
    const boom = () => {
      throw new Error('boom');
    };
    for (const [when, text] of [
      ['registerBefore', 'tool blocked: interceptor "i" failed: boom'],
      ['registerAfter', 'the result is hidden: interceptor "i" failed: boom'],
    ] as const) {
      const interceptors = new ToolHookRegistry();
      interceptors[when]('*', boom, 'i');
      const played = await play({ completions: calling(call('echo')), tools: [echo], interceptors });
      expect(toolMessages(played)[0]).toMatchObject({ content: text, is_error: true });
    }
  });
});

describe('permission', () => {
  const one = (
    permissions: Permissions | undefined,
    hooks: ReturnType<typeof on>[] = [],
    request?: Approvals['request'],
  ) =>
    play({
      completions: calling(call('echo')),
      tools: [tool('echo', () => 'ran')],
      hooks,
      ...(permissions && { permissions }),
      ...(request && { approvals: { request } }),
    });

  it('never: the call is denied, whatever hooks allow', async () => {
    const played = await one({ decide: () => ({ decision: 'never', reason: 'zone is closed' }) });
    expect(toolMessages(played)[0]).toMatchObject({ content: 'tool denied: zone is closed', is_error: true });
    expect(names(played)).not.toContain('tool.post');
  });

  it('ask: without anybody to ask it is a denial; with somebody, what they say', async () => {
    const decide = () => ({ decision: 'ask', reason: 'writes outside' }) as const;
    expect(toolMessages(await one({ decide }))[0]?.content).toBe(
      'tool denied: writes outside (needs approval, and there is nobody to ask)',
    );
    const yes = await one({ decide }, [], async () => ({ approved: true }));
    expect(toolMessages(yes)[0]?.content).toBe('ran');
    const no = await one({ decide }, [], async () => ({ approved: false, reason: 'not now' }));
    expect(toolMessages(no)[0]?.content).toBe('tool denied: not now');
    expect(payloadsOf(no, 'permission.replied')[0]).toMatchObject({ decision: 'deny', reason: 'not now' });
  });

  it('[C088] a hook of permission.asked answers before anybody is asked', async () => {
    let asked = 0;
    const permissions: Permissions = { decide: () => ({ decision: 'ask', reason: 'sure?' }) };
    const person = async () => ({ approved: asked++ > 99 });
    const permit = () => ({ action: 'permit', reason: 'known good' });
    expect(toolMessages(await one(permissions, [on('permission.asked', permit)], person))[0]?.content).toBe(
      'ran',
    );
    const denied = await one(permissions, [on('permission.asked', () => block('never unattended'))], person);
    expect(toolMessages(denied)[0]?.content).toContain('never unattended');
    expect(asked).toBe(0);
  });

  it('a hook of tool.pre that asks is put to somebody, or is a block', async () => {
    const hooks = [on('tool.pre', () => ask('force push?'), { name: 'careful' })];
    const nobody = await one(undefined, hooks);
    expect(toolMessages(nobody)[0]?.content).toContain(
      'tool denied: force push? (needs approval, and there is nobody to ask)',
    );
    const questions: string[] = [];
    const somebody = await one(undefined, hooks, async ({ hook, reason }) => ({
      approved: questions.push(`${hook}: ${reason}`) > 0,
    }));
    expect(questions).toEqual(['careful: force push?']);
    expect(toolMessages(somebody)[0]?.content).toBe('ran');
  });

  it('a policy that throws, or says something it cannot say, denies', async () => {
    const broken = await one({
      decide: () => {
        throw new Error('no policy file');
      },
    });
    expect(toolMessages(broken)[0]?.content).toBe(
      'tool denied: hook "permissions" failed: the permission policy failed: no policy file',
    );
    const strange = await one({ decide: () => ({ decision: 'maybe' }) as never });
    expect(toolMessages(strange)[0]?.is_error).toBe(true);
  });
});

describe('what a tool may reach', () => {
  it('emits custom events through the same hooks: a rewrite comes back, a block throws', async () => {
    const asking = tool('asking', async ({ what }, { emit }) => emit(`custom.${what}`, { n: 1 }));
    const played = await play({
      completions: calling(call('asking', { what: 'soft' }), call('asking', { what: 'hard' })),
      tools: [asking],
      hooks: [on('custom.soft', () => modify({ n: 2 })), on('custom.hard', () => block('not that'))],
    });
    expect(toolMessages(played).map(({ content }) => content)).toEqual(['{"n":2}', 'tool failed: not that']);
    expect(names(played)).toContain('custom.soft');
  });

  it('cannot fire events of the loop', async () => {
    const faking = tool('faking', (_args, { emit }) => emit('tool.post', {}));
    const played = await play({ completions: calling(call('faking')), tools: [faking] });
    expect(toolMessages(played)[0]?.content).toContain('tools may emit custom.* events only');
  });

  it('events that hooks emit are on the stream too', async () => {
    const played = await play({
      completions: [DONE],
      hooks: [on('turn.start', (_seen, at) => void at.emit('custom.noted', { n: 1 }))],
    });
    expect(names(played)).toContain('custom.noted');
  });

  it('shares the cache and the counters of the run with hooks', async () => {
    const played = await play({
      completions: calling(call('store')),
      tools: [tool('store', (_args, { run }) => void run.cache.set('k', 'v'))],
      hooks: [on('tool.post', (_seen, { run }) => void run.metrics.set(String(run.cache.get('k')), 1))],
    });
    expect(played.session.runState.metrics.get('v')).toBe(1);
  });
});
