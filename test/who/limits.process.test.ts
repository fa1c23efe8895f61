/**
 * Limits and state that guards own: exactly as many as allowed, whoever asks at once, and nothing an agent can reach.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { Engine } from '../../src/engine/engine.ts';
import { ToolHookRegistry } from '../../src/engine/interceptors.ts';
import { MemoryRunStore } from '../../src/engine/stores/memory-run-store.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { FileRunStore } from '../../src/policy/stores/file-run-store.ts';
import { loadRunState } from '../../src/policy/stores/run-state-store.ts';
import { call, echo, play, tool, toolMessages } from '../support/agent.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { NOWHERE, policyOf, saying, toolCall } from '../support/who.ts';

const limited = (n: number, per = '1h', more = '') =>
  hookFile(
    `def handle(event, payload):\n    got = rate.limit("calls", ${n}, per="${per}")\n    ${more || 'pass'}\n    return allow() if got else block("over, %d left, again in %s s" % (got.left, got.retry_after))`,
  );

const allowed = (outcomes: readonly { action: string }[]) =>
  outcomes.filter(({ action }) => action === 'allow').length;
const times = <T>(n: number, make: (at: number) => T) =>
  Promise.all(Array.from({ length: n }, (_, at) => make(at)));

/** A host whose time is what the test says. */
function clock(start = 1_000_000) {
  const time = { wall: start, steady: 0 };
  const host = { ...machineHost, now: () => time.wall, elapsed: () => time.steady };
  const pass = (ms: number) => {
    time.wall += ms;
    time.steady += ms;
  };
  return { host, time, pass };
}

describe('[G6] rate.limit', () => {
  it('grants exactly as many as it says, however many ask at once', async () => {
    const policy = await policyOf({ '.harness/hooks/limit.md': limited(10) });
    expect(allowed(await times(50, async () => policy.decide('tool.pre', toolCall())))).toBe(10);
  });

  it('says what is left and when to come back, in a window that slides', async () => {
    const { host, pass } = clock();
    const policy = await policyOf({ '.harness/hooks/limit.md': limited(2, '1m') }, { host });
    const fire = async () => policy.decide('tool.pre', toolCall());
    expect((await fire()).action).toBe('allow');
    pass(30_000);
    expect((await fire()).action).toBe('allow');
    pass(10_000);
    expect(await fire()).toMatchObject({ action: 'block', reason: 'over, 0 left, again in 20 s' });
    pass(20_000);
    expect((await fire()).action).toBe('allow');
    expect(await fire()).toMatchObject({ reason: 'over, 0 left, again in 30 s' });
  });

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('is not moved by a clock that is set %s', async (_, step) => {
    const { host, time, pass } = clock(10_000_000);
    const policy = await policyOf({ '.harness/hooks/limit.md': limited(1, '1m') }, { host });
    const fire = async () => (await policy.decide('tool.pre', toolCall())).action;
    expect(await fire()).toBe('allow');
    time.wall += step;
    expect(await fire()).toBe('block');
    pass(60_001);
    expect(await fire()).toBe('allow');
  });

  it('gives back what a call took that a later hook blocks', async () => {
    const policy = await policyOf({
      '.harness/hooks/a_limit.md': limited(2),
      '.harness/hooks/b_no.md': hookFile(saying('block("no") if payload["name"] == "bad" else allow()')),
    });
    for (let i = 0; i < 5; i++)
      expect(await policy.decide('tool.pre', toolCall('bad'))).toMatchObject({
        action: 'block',
        reason: 'no',
      });
    expect(allowed(await times(5, async () => policy.decide('tool.pre', toolCall('good'))))).toBe(2);
  });

  it('gives back what was asked about and denied, and keeps what was approved or left open', async () => {
    const policy = await policyOf({
      '.harness/hooks/a_limit.md': limited(2),
      '.harness/hooks/b_ask.md': hookFile(saying('ask("sure?")')),
      '.harness/hooks/c_answer.md': hookFile(
        saying(
          'block("no") if payload["name"] == "bad" else permit("yes") if payload["name"] == "good" else allow()',
        ),
        'event: permission.asked\npriority: 1',
      ),
    });
    const ask = async (name: string) => {
      const outcome = await policy.decide('tool.pre', toolCall(name));
      return outcome.action === 'ask' ? policy.permit(outcome) : outcome.reason;
    };
    for (let i = 0; i < 4; i++) expect(await ask('bad')).toMatchObject({ mayRun: false });
    expect(await ask('good')).toMatchObject({ mayRun: true });
    expect(await ask('open')).toMatchObject({ action: 'ask' });
    expect(await ask('good')).toContain('over');
  });

  it('counts what has happened, also if its result is hidden', async () => {
    const post = limited(1).replace('event: tool.pre', 'event: tool.post');
    const hides = hookFile(saying('block("hidden")'), 'event: tool.post\npriority: 20');
    const policy = await policyOf({ '.harness/hooks/a.md': post, '.harness/hooks/b.md': hides });
    const reasons = await times(
      2,
      async () => (await policy.decide('tool.post', { name: 'x', content: '' } as never)).reason,
    );
    expect(reasons).toEqual(['hidden', expect.stringContaining('over')]);
  });

  it('counts a call once that a guard judges a second time', async () => {
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('*', (_name, input) => ({
      modifiedInput: { ...(input as JsonObject), text: 'changed' },
    }));
    const policy = await policyOf({ '.harness/hooks/limit.md': limited(3) });
    const played = await play({
      policy,
      tools: [echo],
      interceptors,
      completions: [
        { tool_calls: Array.from({ length: 5 }, () => call('echo', { text: 'a' })) },
        { text: 'x' },
      ],
    });
    const said = toolMessages(played).map(({ content }) => content);
    expect(said.filter((text) => text.includes('changed') || text.includes('"a"'))).toHaveLength(3);
  });

  it('is one limit for an agent, its sub-agents and every session of the policy', async () => {
    const policy = await policyOf({
      '.harness/hooks/limit.md': limited(3).replace(
        'priority: 10',
        'priority: 10\nwhen: payload["name"] == "echo"',
      ),
    });
    const echoes = { tool_calls: [call('echo'), call('echo')] };
    const run = () =>
      play({
        policy,
        tools: [echo],
        agents: [{ name: 'a', description: '', system: 'x' }],
        completions: [
          { tool_calls: [call('delegate', { agent: 'a', prompt: 'do' })] },
          echoes,
          { text: 'a' },
          { text: 'done' },
        ],
      });
    const ran = async () => {
      const { events } = await run();
      return events.filter((event) => event.type === 'agent' && event.event.type === 'tool.start').length;
    };
    expect([await ran(), await ran(), await ran()]).toEqual([2, 1, 0]);
  });

  it('gives back what a call took that an interceptor stops', async () => {
    const policy = await policyOf({ '.harness/hooks/limit.md': limited(1) });
    const store = policy.store;
    const interceptors = new ToolHookRegistry();
    interceptors.registerBefore('*', () => {
      throw new Error('stopped');
    });
    const completions = [{ tool_calls: [call('echo')] }, { text: 'x' }];
    await play({ policy, store, tools: [echo], interceptors, completions });
    const played = await play({ policy, store, tools: [echo], completions });
    expect(toolMessages(played)[0]?.content).toBe('{"said":null}');
  });

  it('grants nothing if the store cannot say, and says so', async () => {
    const broken = new MemoryRunStore();
    broken.user().reserve = () =>
      ({ ok: false, left: 0, retryAfter: null, token: null, error: new Error('disk gone') }) as never;
    const policy = await policyOf(
      {
        '.harness/hooks/limit.md': hookFile(
          saying('allow() if rate.limit("k", 5) else block("no: " + str(rate.limit("k", 5).error))'),
        ),
      },
      { store: broken },
    );
    const outcome = await policy.decide('tool.pre', toolCall());
    expect(outcome).toMatchObject({ action: 'block', reason: 'no: disk gone' });
    expect(outcome.effects).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'rate.limit: disk gone' }),
    );
  });

  it.each([
    ['rate.limit("k", -1)', 'want 0 or more'],
    ['rate.limit("k", 1, per="soon")', 'such as "1m"'],
    ['rate.limit("k", 1, per="0s")', 'want a time above 0'],
    ['rate.limit(1, 1)', 'key'],
    ['rate.limit("k", "many")', 'n'],
    ['rate.limit("k", float("nan"))', 'want 0 or more'],
    ['budget.spend("k", -1, 5)', 'want 0 or more'],
  ])('closes the gate for what it cannot understand: %s', async (expression, why) => {
    const policy = await policyOf({
      '.harness/hooks/limit.md': hookFile(
        `def handle(event, payload):\n    ${expression}\n    return allow()`,
      ),
    });
    const outcome = await policy.decide('tool.pre', toolCall());
    expect(outcome.action).toBe('block');
    expect(outcome.reason).toContain(why);
  });

  it('of a lower layer is another limit than the same key of a higher one', async () => {
    const dir = tempProject({
      '.harness/hooks/limit.md': limited(1),
      'inner/.harness/hooks/limit.md': limited(5),
      'inner/x': '',
    });
    const policy = await openPolicy(join(dir, 'inner'), { places: NOWHERE });
    expect(allowed(await times(4, async () => policy.decide('tool.pre', toolCall())))).toBe(1);
  });
});

describe('two processes with one limit of 10', () => {
  it('and 200 calls at once: exactly 10 run', async () => {
    const project = tempProject({ '.harness/hooks/limit.md': limited(10) });
    const place = tempProject();
    const program = join(place, 'limit-process.mjs');
    const entry = new URL('../support/limit-process.ts', import.meta.url).pathname;
    await build({
      entryPoints: [entry],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: "import { createRequire as _r } from 'node:module'; const require = _r(import.meta.url);",
      },
    });
    const start = () =>
      new Promise<number>((resolve) => {
        const child = spawn(process.execPath, [program, project, join(place, 'store'), '100']);
        let output = '';
        child.stdout.on('data', (chunk) => (output += String(chunk)));
        child.stderr.on('data', (chunk) => (output += String(chunk)));
        child.on('close', () => resolve(Number(output)));
      });
    const [a, b] = await Promise.all([start(), start()]);
    expect(a + b).toBe(10);
  });
});

describe('a host that loads its run from a store', () => {
  it('shares limits and state with the next process, without doing anything for it', async () => {
    const dir = tempProject();
    const { hooks } = await policyOf({
      '.harness/hooks/limit.md': hookFile(
        saying(
          'block("over after %d" % state.get("n")) if state.incr("n") == 0 or not rate.limit("calls", 2, per="1h") else allow()',
        ),
      ),
    });
    const said = [];
    for (let process = 0; process < 3; process++) {
      const loaded = await loadRunState(new FileRunStore(dir), 's1');
      if (!loaded.ok) throw loaded.error;
      const engine = new Engine({ hooks, host: machineHost, run: loaded.value.run });
      said.push((await engine.decide('tool.pre', toolCall())).reason);
    }
    expect(said).toEqual([null, null, 'over after 3']);
  });
});

describe('budget.spend', () => {
  const spends = (limit: number, event = 'tool.pre') =>
    hookFile(
      `def handle(event, payload):\n    got = budget.spend("usd", payload["${event === 'tool.pre' ? 'args' : 'result'}"]["cost"], ${limit})\n    return allow() if got else block("left %s" % got.left)`,
      `event: ${event}\npriority: 10`,
    );

  it('takes amounts until there is not enough', async () => {
    const policy = await policyOf({ '.harness/hooks/b.md': spends(10) });
    const spend = async (cost: number) =>
      (await policy.decide('tool.pre', toolCall('x', { args: { cost } }))).reason;
    expect([await spend(4), await spend(0), await spend(7), await spend(6), await spend(0.5)]).toEqual([
      null,
      null,
      'left 6',
      null,
      'left 0',
    ]);
  });

  it('takes all that is left for what has happened and cost more', async () => {
    const policy = await policyOf({ '.harness/hooks/b.md': spends(10, 'tool.post') });
    const spend = async (cost: number) =>
      (await policy.decide('tool.post', { name: 'x', result: { cost } } as never)).reason;
    expect([await spend(4), await spend(7), await spend(1)]).toEqual([null, 'left 0', 'left 0']);
  });
});

describe('state', () => {
  it('is kept for the session, and is the hook’s own', async () => {
    const counts = hookFile(
      'def handle(event, payload):\n    return block("%d %s %s" % (state.incr("n"), state.once("first"), state.get("other")))',
    );
    const sets = hookFile(
      'def handle(event, payload):\n    state.set("other", 1)\n    state.incr("n", by=100)\n    return allow()',
      'event: tool.pre\npriority: 1',
    );
    const policy = await policyOf({ '.harness/hooks/counts.md': counts, '.harness/hooks/sets.md': sets });
    const fire = async () => (await policy.decide('tool.pre', toolCall())).reason;
    expect([await fire(), await fire()]).toEqual(['1 True None', '2 False None']);
  });

  it('is shared by hooks of one layer that name one group, and by nobody else', async () => {
    const fields = (priority: number) => `event: tool.pre\npriority: ${priority}\nstate_group: money`;
    const reads = hookFile(saying('block(str(state.get("x")))'), fields(2));
    const dir = tempProject({
      '.harness/hooks/sets.md': hookFile(
        'def handle(event, payload):\n    state.set("x", [1])\n    return allow()',
        fields(1),
      ),
      '.harness/hooks/reads.md': reads,
      'inner/.harness/hooks/reads.md': hookFile(saying('block(str(state.get("x")))'), fields(0)),
    });
    const outer = await openPolicy(dir, { places: NOWHERE });
    expect(await outer.decide('tool.pre', toolCall())).toMatchObject({ reason: '[1]' });
    const inner = await openPolicy(join(dir, 'inner'), { places: NOWHERE, store: outer.store });
    expect(await inner.decide('tool.pre', toolCall())).toMatchObject({ reason: 'None' });
  });

  it('counts nothing in the second look at a call', async () => {
    const dir = tempProject({
      '.harness/hooks/counts.md': hookFile(
        'def handle(event, payload):\n    log(str(state.incr("n")))\n    return allow()',
      ),
      'inner/.harness/hooks/turns.md': hookFile(
        saying('modify({"args": {"b": 1}}) if "b" not in payload["args"] else allow()'),
        'event: tool.pre\npriority: 20',
      ),
    });
    const policy = await openPolicy(join(dir, 'inner'), { places: NOWHERE });
    const lines = await times(2, async () => (await policy.decide('tool.pre', toolCall())).effects);
    expect(lines.flat().map((effect) => (effect as { message: string }).message)).toEqual(['1', '2']);
  });
});

describe('[S8] [G7] what an agent registers at run time', () => {
  const register = tool('register', async ({ kind, spec }, { agent }) => {
    await agent!.register(kind as 'tool', spec as JsonObject);
    return 'registered';
  });
  const wipe = {
    name: 'wipe',
    description: 'Wipes.',
    script:
      'def run(args):\n    cache.clear()\n    cache.delete("calls")\n    metrics.reset()\n    ctx.clear()\n    return "wiped"\n',
  };
  const reaches = {
    name: 'reaches',
    event: 'tool.pre',
    script:
      'def handle(event, payload):\n    state.set("n", 0)\n    state.set("calls", 0)\n    rate.limit("calls", 1000)\n    cache.clear()\n    return allow()\n',
  };

  it('cannot reset a limit, whatever it clears or deletes', async () => {
    const policy = await policyOf({
      '.harness/hooks/limit.md': limited(2).replace(
        'priority: 10',
        'priority: 10\nwhen: payload["name"] == "echo"',
      ),
    });
    const played = await play({
      policy,
      meta: {},
      tools: [register, echo],
      completions: [
        {
          tool_calls: [
            call('register', { kind: 'tool', spec: wipe }),
            call('register', { kind: 'hook', spec: reaches }),
          ],
        },
        { tool_calls: [call('echo')] },
        { tool_calls: [call('wipe')] },
        { tool_calls: [call('echo')] },
        { tool_calls: [call('wipe')] },
        { tool_calls: [call('echo')] },
        { text: 'done' },
      ],
    });
    const said = toolMessages(played).map(({ content }) => content);
    expect(said.slice(2)).toEqual([
      '{"said":null}',
      'wiped',
      '{"said":null}',
      'wiped',
      expect.stringContaining('over, 0 left'),
    ]);
  });

  it('cannot reset what a guard counts in state', async () => {
    const policy = await policyOf({
      '.harness/hooks/n.md': hookFile(
        saying('allow() if state.incr("n") <= 2 else block("enough")'),
        'event: tool.pre\npriority: 10\nwhen: payload["name"] == "echo"',
      ),
    });
    const played = await play({
      policy,
      meta: {},
      tools: [register, echo],
      completions: [
        { tool_calls: [call('register', { kind: 'hook', spec: { ...reaches, name: 'n' } })] },
        { tool_calls: [call('register', { kind: 'hook', spec: reaches })] },
        { tool_calls: [call('echo'), call('echo'), call('echo')] },
        { text: 'done' },
      ],
    });
    const said = toolMessages(played).map(({ content }) => content);
    expect(said.filter((text) => text.includes('enough'))).toHaveLength(1);
  });
});
