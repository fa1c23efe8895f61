/**
 * Who is behind a call, from the host to the script: no hook, tool or payload can say anything else.
 */
import { describe, expect, it } from 'vitest';
import { readActor } from '../../src/engine/who.ts';
import { loadAgentProject, Session, scriptedProvider } from '../../src/exports/agent.ts';
import { call, echo, payloadsOf, play, tool, toolMessages } from '../support/agent.ts';
import { hookFile } from '../support/temp-project.ts';
import { policyOf, saying, toolCall } from '../support/who.ts';

const ANN = { id: 'ann', email: 'ann@acme.example', tenant: 'acme', tier: 'gold', scopes: ['read', 'pay'] };

/** Blocks with everything a script knows of who it is. */
const TELLS = hookFile(
  saying(
    'block(json.encode([actor, caller, payload.get("actor"), payload["caller"], payload.get("native")]))',
  ),
);
const told = (reason: string | null) => JSON.parse(reason ?? 'null');
const FIRST = { name: '', depth: 0, chain: [], parent_session_id: null };

describe('[G1] the actor of a decision', () => {
  it('is a name in scripts, and a key of every dict payload', async () => {
    const policy = await policyOf({ '.harness/hooks/tells.md': TELLS });
    const { reason } = await policy.decide('tool.pre', toolCall(), { actor: ANN });
    expect(told(reason)).toEqual([ANN, FIRST, ANN, FIRST, null]);
  });

  it('is None if the host says nothing, and a policy may block that', async () => {
    const policy = await policyOf({
      '.harness/hooks/known.md': hookFile(saying('block("nobody") if actor == None else allow()')),
    });
    expect(await policy.decide('tool.pre', toolCall())).toMatchObject({ action: 'block', reason: 'nobody' });
    expect(await policy.decide('tool.pre', toolCall(), { actor: null })).toMatchObject({ action: 'block' });
    expect(await policy.decide('tool.pre', toolCall(), { actor: ANN })).toMatchObject({ action: 'allow' });
  });

  it('is there where the payload is one text, or nothing', async () => {
    const policy = await policyOf({
      '.harness/hooks/turn.md': hookFile(
        saying('block(actor["id"] + " " + payload)'),
        'event: turn.start\npriority: 1',
      ),
    });
    expect(await policy.decide('turn.start', 'hello', { actor: ANN })).toMatchObject({ reason: 'ann hello' });
  });

  it('is a name in conditions', async () => {
    const policy = await policyOf({
      '.harness/hooks/gold.md': hookFile(
        saying('block("not gold")'),
        'event: tool.pre\npriority: 10\nwhen: actor == None or actor.get("tier") != "gold" or caller["depth"] > 0',
      ),
    });
    expect(await policy.decide('tool.pre', toolCall(), { actor: ANN })).toMatchObject({ action: 'allow' });
    expect(await policy.decide('tool.pre', toolCall(), { actor: { id: 'bob' } })).toMatchObject({
      action: 'block',
    });
    const deep = { name: 'a', depth: 1, chain: ['a'], parent_session_id: 's' };
    expect(await policy.decide('tool.pre', toolCall(), { actor: ANN, caller: deep })).toMatchObject({
      action: 'block',
    });
  });

  it('is the same in every call of a top level that reads it', async () => {
    const policy = await policyOf({
      '.harness/hooks/top.md': hookFile(
        'WHO = actor\ndef handle(event, payload):\n    return block(WHO["id"])',
      ),
    });
    for (const id of ['ann', 'bob'])
      expect(await policy.decide('tool.pre', toolCall(), { actor: { id } })).toMatchObject({ reason: id });
  });

  it('is a name that a script may use for something else', async () => {
    const policy = await policyOf({
      '.harness/hooks/own.md': hookFile(
        'def handle(event, payload):\n    actor = "mine"\n    return block(actor + str([caller for caller in [1]]))',
      ),
    });
    expect(await policy.decide('tool.pre', toolCall(), { actor: ANN })).toMatchObject({ reason: 'mine[1]' });
  });

  it('goes on to the events that hooks emit', async () => {
    const policy = await policyOf({
      '.harness/hooks/emits.md': hookFile(
        'def handle(event, payload):\n    emit("custom.seen", {"actor": "me"})\n    return allow()',
      ),
      '.harness/hooks/hears.md': hookFile(
        saying('block(json.encode([actor["id"], payload["actor"]["id"], payload["native"]]))'),
        'event: custom.seen\npriority: 1',
      ),
    });
    const { reason } = await policy.decide('tool.pre', toolCall(), { actor: ANN });
    expect(reason).toContain('["ann","ann",{"actor":"me"}]');
  });
});

describe('what arrives under actor or caller from outside', () => {
  it.each<[string, unknown, unknown]>([
    ['an actor', { actor: { id: 'root' } }, { actor: { id: 'root' } }],
    ['a caller', { caller: 'x', actor: 7 }, { actor: 7, caller: 'x' }],
    ['beside a native', { actor: 'x', native: { tool: 1 } }, { tool: 1, actor: 'x' }],
    ['beside a native that is no dict', { actor: 'x', native: 'raw' }, { native: 'raw', actor: 'x' }],
  ])('is moved to native: %s', async (_, more, native) => {
    const policy = await policyOf({ '.harness/hooks/tells.md': TELLS });
    const { reason, payload } = await policy.decide('tool.pre', toolCall('x', more as never), { actor: ANN });
    expect(told(reason)).toEqual([ANN, FIRST, ANN, FIRST, native]);
    expect(payload).not.toHaveProperty('actor');
    expect(payload).not.toHaveProperty('caller');
  });

  it('cannot be rewritten by a hook, which is told so', async () => {
    const policy = await policyOf({
      '.harness/hooks/a_forges.md': hookFile(
        saying('modify({"actor": {"id": "root"}, "caller": {"depth": 9}, "args": {"a": 1}})'),
      ),
      '.harness/hooks/b_tells.md': TELLS,
    });
    const { reason, trace } = await policy.decide('tool.pre', toolCall(), { actor: ANN });
    expect(told(reason)).toEqual([ANN, FIRST, ANN, FIRST, null]);
    expect(trace[0]?.warnings).toEqual([
      '"actor" says who is behind the call and was not rewritten',
      '"caller" says who is behind the call and was not rewritten',
    ]);
  });

  it('may be handed back as it is, and changes nothing', async () => {
    const policy = await policyOf({
      '.harness/hooks/a_back.md': hookFile(
        'def handle(event, payload):\n    whole = dict(payload)\n    whole["args"] = {"a": 1}\n    return modify(whole)',
      ),
    });
    const { trace, payload } = await policy.decide('tool.pre', toolCall(), { actor: ANN });
    expect(trace[0]?.warnings).toEqual([]);
    expect(payload).toEqual({ id: '1', name: 'x', args: { a: 1 }, arguments: '{"a":1}' });
  });

  it('cannot come in through a custom event that becomes a dict', async () => {
    const policy = await policyOf({
      '.harness/hooks/a_dict.md': hookFile(
        saying('modify({"actor": {"id": "root"}, "x": 1})'),
        'event: custom.t\npriority: 1',
      ),
      '.harness/hooks/b_tells.md': hookFile(
        saying('block(json.encode(payload))'),
        'event: custom.t\npriority: 2',
      ),
    });
    const { reason } = await policy.decide('custom.t', [1], { actor: ANN });
    expect(told(reason)).toEqual({ x: 1, actor: ANN, caller: FIRST });
  });
});

describe('an actor that is none', () => {
  it.each<[string, unknown, RegExp]>([
    ['no object', 'ann', /want an object with an id, got/],
    ['no id', { email: 'a@b' }, /id is missing/],
    ['an id that is no text', { id: 7 }, /id: want a text/],
    ['an empty id', { id: ' ' }, /id is empty/],
    ['a tenant that is no text', { id: 'a', tenant: ['x'] }, /tenant: want a text/],
    ['scopes that are one text', { id: 'a', scopes: 'admin' }, /scopes: want a list of texts/],
    ['a scope that is no text', { id: 'a', scopes: ['read', { admin: true }] }, /scopes: want texts/],
    ['an id from a prototype', Object.create({ id: 'root' }), /actor:/],
    ['one of a megabyte', { id: 'a', more: 'x'.repeat(1 << 20) }, /more than/],
    ['one whose JSON is another', { id: 'a', toJSON: () => ({ id: 'a', scopes: 'all' }) }, /not JSON|scopes/],
  ])('blocks every gate, and says why: %s', async (_, actor, why) => {
    const policy = await policyOf({ '.harness/hooks/ok.md': hookFile(saying('allow()')) });
    const outcome = await policy.decide('tool.pre', toolCall(), { actor: actor as never });
    expect(outcome).toMatchObject({ action: 'block', hook: null });
    expect(outcome.reason).toMatch(why);
    expect(
      () => new Session({ provider: scriptedProvider({ completions: [] }), actor: actor as never }),
    ).toThrow(why);
  });

  it.each([1, 2, 3, 4])('is looked at once: an object that says something else at look %d', (look) => {
    let looks = 0;
    const scopes = { enumerable: true, get: () => (++looks < look ? [] : 'all') };
    const read = readActor(Object.defineProperty({ id: 'a' }, 'scopes', scopes));
    expect(read.ok === false || Array.isArray(read.actor?.scopes)).toBe(true);
  });

  it('is nobody where nothing can be blocked', async () => {
    const policy = await policyOf({
      '.harness/hooks/end.md': hookFile(
        'def handle(event, payload):\n    log(str(actor))\n    return allow()',
        'event: session.end\npriority: 1',
      ),
    });
    const { effects } = await policy.decide('session.end', null as never, { actor: 7 as never });
    expect(effects).toMatchObject([{ message: 'None' }]);
  });
});

describe('a caller that a host gives', () => {
  const CLERK = { name: 'clerk', depth: 2, chain: ['boss', 'clerk'], parent_session_id: 's' };
  const tells = { '.harness/hooks/tells.md': hookFile(saying('block(json.encode(caller))')) };

  it('is what hooks see, also where the host tells by a claim who it is', async () => {
    const policy = await policyOf(tells, { identify: async () => ANN });
    for (const more of [{ actor: ANN }, { claim: 't' }, {}]) {
      const { reason } = await policy.decide('tool.pre', toolCall(), { ...more, caller: CLERK });
      expect(told(reason)).toEqual(CLERK);
    }
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', 'clerk', /caller: want an object/],
    ['a name alone', { name: 'clerk' }, /chain: want a list of texts/],
    ['a name that is no text', { ...CLERK, name: 7 }, /name: want a text/],
    ['a chain with something else in it', { ...CLERK, chain: ['boss', 7] }, /chain: want a list/],
    ['a depth that is not the chain’s', { ...CLERK, depth: 0 }, /as many names/],
    ['a name that is not the last of the chain', { ...CLERK, name: 'boss' }, /name as its last/],
    ['a parent that is no text', { ...CLERK, parent_session_id: 7 }, /parent_session_id/],
    ['scopes that are one text', { ...CLERK, scopes: 'read,pay' }, /scopes: want a list/],
    ['a scope that is no text', { ...CLERK, scopes: ['read', { pay: 1 }] }, /scopes: want texts/],
  ])('and is none blocks every gate, and says why: %s', async (_, caller, why) => {
    const policy = await policyOf(
      { '.harness/hooks/ok.md': hookFile(saying('allow()')) },
      { identify: async () => ANN },
    );
    for (const more of [{ actor: ANN }, { claim: 't' }, {}]) {
      const outcome = await policy.decide('tool.pre', toolCall(), { ...more, caller: caller as never });
      expect(outcome).toMatchObject({ action: 'block', hook: null });
      expect(outcome.reason).toMatch(why);
    }
    expect(() => policy.newRun({ caller: caller as never })).toThrow(why);
  });

  it('and an actor of a run are checked and copied when it is made', async () => {
    const policy = await policyOf(tells);
    expect(() => policy.newRun({ actor: { id: 'a', scopes: 'all' } as never })).toThrow(
      'scopes: want a list',
    );
    const actor = { id: 'a', scopes: ['read'] };
    const run = policy.newRun({ actor });
    actor.scopes.push('pay');
    expect(run.session.actor).toEqual({ id: 'a', scopes: ['read'] });
  });
});

describe('identify, for hosts with tokens', () => {
  const files = {
    '.harness/hooks/tells.md': hookFile(saying('block("" if actor == None else actor["id"])')),
  };

  it('says whose a claim is', async () => {
    const policy = await policyOf(files, { identify: async (claim) => ({ id: `of ${String(claim)}` }) });
    expect(await policy.identify('t1')).toEqual({ ok: true, actor: { id: 'of t1' } });
    expect(await policy.decide('tool.pre', toolCall(), { claim: 't1' })).toMatchObject({ reason: 'of t1' });
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('directory down');
      },
    ],
    ['answers garbage', () => ({ name: 'root' })],
    ['answers with a scope that is none', () => ({ id: 'a', scopes: [1] })],
  ])('leaves nobody, and gates closed, if it %s', async (_, identify) => {
    const policy = await policyOf(files, { identify: identify as never });
    const read = await policy.identify('t');
    expect(read).toMatchObject({ ok: false, actor: null });
    const outcome = await policy.decide('tool.pre', toolCall(), { claim: 't' });
    expect(outcome).toMatchObject({ action: 'block', hook: null });
    expect(outcome.reason).toContain('could not be verified');
  });

  it('is asked for: a claim without it opens nothing', async () => {
    const policy = await policyOf(files);
    expect(await policy.decide('tool.pre', toolCall(), { claim: 't' })).toMatchObject({
      action: 'block',
      hook: null,
    });
  });
});

describe('the actor of a session', () => {
  const delegates = (agent: string) => ({ tool_calls: [call('delegate', { agent, prompt: 'do it' })] });

  it('[G2] is inherited by sub-agents, three deep, with the chain to each', async () => {
    const policy = await policyOf({
      '.harness/hooks/tells.md': hookFile(
        'def handle(event, payload):\n    log(json.encode([actor["id"], caller["name"], caller["depth"], caller["chain"]]))\n    return allow()',
        'event: tool.pre\npriority: 1\nwhen: payload["name"] == "echo"',
      ),
    });
    const lines: unknown[] = [];
    const echoes = { tool_calls: [call('echo', { text: 'hi' })] };
    await play({
      policy,
      actor: ANN,
      tools: [echo],
      agents: ['a', 'b', 'c'].map((name) => ({ name, description: '', system: 'x' })),
      onEvent: function see(event): void {
        if (event.type === 'agent') see(event.event);
        if (event.type !== 'hook' || event.event !== 'tool.pre') return;
        for (const effect of event.outcome.effects)
          if (effect.kind === 'log') lines.push(JSON.parse(effect.message));
      },
      completions: [
        echoes,
        delegates('a'),
        delegates('b'),
        delegates('c'),
        echoes,
        { text: 'c' },
        { text: 'b' },
        { text: 'a' },
        { text: 'done' },
      ],
    });
    expect(lines).toEqual([
      ['ann', '', 0, []],
      ['ann', 'c', 3, ['a', 'b', 'c']],
    ]);
  });

  it('[G8] a call of the loop itself, of the model and of a script tell themselves apart', async () => {
    const played = await play({
      tools: [echo, tool('asks', async (_args, { agent }) => agent!.callTool('echo', { text: 'x' }))],
      agents: [{ name: 'a', description: '', system: 'x' }],
      completions: [{ tool_calls: [call('asks')] }, delegates('a'), { text: 'a' }, { text: 'done' }],
    });
    expect(payloadsOf(played, 'tool.pre').map(({ name, kind }) => [name, kind])).toEqual([
      ['asks', 'model'],
      ['echo', 'script'],
      ['delegate', 'loop'],
    ]);
  });

  it('a tool that returns an actor, or changes the one it can read, changes nobody', async () => {
    const policy = await policyOf({
      '.harness/hooks/post.md': hookFile(
        saying('block(json.encode([actor["id"], payload["actor"]["id"]]))'),
        'event: tool.post\npriority: 1',
      ),
    });
    const forger = tool('forge', (_args, { run }) => {
      for (const change of [
        () => Object.assign(run.session.actor as object, { id: 'root' }),
        () => (run.session.actor as unknown as { scopes: string[] }).scopes.push('admin'),
      ]) {
        try {
          change();
        } catch {
          // Frozen.
        }
      }
      return { actor: { id: 'root' }, payload: { actor: { id: 'root' } } };
    });
    const played = await play({
      policy,
      actor: ANN,
      tools: [forger],
      completions: [{ tool_calls: [call('forge')] }, { text: 'done' }],
    });
    expect(toolMessages(played)[0]?.content).toContain('["ann","ann"]');
    expect(ANN.scopes).toEqual(['read', 'pay']);
  });

  it('is a name in the scripts of tools, and nothing of guards is', async () => {
    const tools = (script: string) => ({
      '.harness/tools/who.md': `---\nscript: |\n  def run(args):\n      return ${script}\n---\nSays who.\n`,
    });
    const { agent } = {
      agent: await loadAgentProject((await policyOf(tools('[actor["id"], caller["depth"]]'))).dir),
    };
    const played = await play({
      tools: agent.tools,
      actor: ANN,
      completions: [{ tool_calls: [call('who')] }, { text: 'x' }],
    });
    expect(toolMessages(played)[0]?.content).toBe('["ann",0]');
    for (const name of ['state.get("x")', 'rate.limit("x", 1)', 'budget.spend("x", 1, 1)', 'annotate(x=1)']) {
      const read = await loadAgentProject((await policyOf(tools(name))).dir);
      expect(read.problems.map(({ message }) => message).join()).toMatch(/undefined: \w+.*belongs to hooks/);
    }
  });
});
