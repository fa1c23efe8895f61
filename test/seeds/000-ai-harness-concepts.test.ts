/** The concept page of AI Harness, claim by claim. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadAgentProject } from '../../src/agent/config/index.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { run as validate } from '../../src/cli/validate.ts';
import { type SessionEvent, SpanCollector } from '../../src/exports/agent.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { call, decisions, echo, names, on, payloadsOf, play, tool, toolMessages } from '../support/agent.ts';
import { fire, loadHooks, tempProject } from '../support/temp-project.ts';
import { CALL, command, data, decided, hook, wrongWith } from './support.ts';

const DESTRUCTIVE = data('command_guard.md')
  .match(/^ +"([^"]+)",$/gm)!
  .map((word) => word.trim().slice(1, -2));

describe('What a hook is', () => {
  it('"subscribes to a lifecycle event and returns an allow / block / modify decision in deterministic Starlark"', async () => {
    for (const [body, action] of [
      ['return allow()', 'allow'],
      ['return block("no")', 'block'],
      ['return modify({"args": {"command": "pwd"}})', 'modify'],
    ] as const)
      expect((await decided({ x: hook(body) })).action).toBe(action);
  });

  it.each([
    ['tool.pre', CALL],
    ['tool.post', { call_id: '1', name: 'x', content: 'y' }],
    ['turn.start', 'hello'],
    ['turn.end', { text: 'done' }],
  ])('"Subscribe to a lifecycle event": %s', async (event, payload) => {
    const seen = await decided(
      { x: hook('log.info(event)\nreturn allow()', `event: ${event}\npriority: 1`) },
      event,
      payload,
    );
    expect(seen.effects).toMatchObject([{ kind: 'log', message: event }]);
  });

  it('"Hooks are loaded from .harness/hooks/*.md"', async () => {
    const dir = tempProject({
      '.harness/hooks/a.md': hook('return allow()'),
      '.harness/hooks/deep/b.md': hook('return allow()'),
      '.harness/hooks/c.txt': hook('return allow()'),
    });
    expect(
      (await openPolicy(dir)).hooks
        .filter(({ source }) => source.startsWith('.harness'))
        .map(({ name }) => name),
    ).toEqual(['a']);
  });

  it('"The model never sees a hook by name; it only ever sees the consequences"', async () => {
    const { hooks } = await loadHooks({ secret_guard: hook('return block("not here")') });
    const { provider, ...played } = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(JSON.stringify(provider.requests[0])).not.toContain('secret_guard');
    expect(toolMessages(played)).toMatchObject([
      { is_error: true, content: expect.stringContaining('not here') },
    ]);
  });
});

describe('Anatomy of a hook: the command_guard of the governed-agent example, as printed', () => {
  const guard = { command_guard: data('command_guard.md') };

  it('has the five patterns of the page', () => {
    expect(DESTRUCTIVE).toHaveLength(5);
  });

  it.each(DESTRUCTIVE.map((pattern, at) => [at, pattern]))('hard-blocks pattern %i', async (_at, pattern) => {
    const { outcome, run } = await fire(await loadHooks(guard), 'tool.pre', {
      name: 'run_command',
      args: { command: `${pattern} x` },
    });
    expect(outcome).toMatchObject({
      action: 'block',
      hook: 'command_guard',
      reason: `dangerous command pattern blocked: '${pattern}'`,
    });
    expect(run.metrics.get('audit.policy.deny')).toBe(1);
  });

  it('"Pair with the systemd unit (deploy/systemd/harness.service)": it is there, and gives no rights', () => {
    const unit = readFileSync(new URL('../../deploy/systemd/harness.service', import.meta.url), 'utf8');
    for (const line of ['ExecStart=', 'DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes'])
      expect(unit).toContain(`\n${line}`);
  });

  it('lets other commands pass, and "when: is a static gate": other tools do not reach the body', async () => {
    expect((await decided(guard)).action).toBe('allow');
    const other = await decided(guard, 'tool.pre', {
      name: 'write_file',
      args: { command: DESTRUCTIVE[0]! },
    });
    expect(other.trace[0]).toMatchObject({ state: 'unmatched', steps: 0 });
  });

  it('"Lower numbers run first. The audit hook ships at priority 1 so it sees every call, even ones a … policy hook will go on to block"', async () => {
    const { outcome, run } = await fire(
      await loadHooks({
        z_audit: hook('metrics.incr("seen")\nreturn allow()', 'event: tool.pre\npriority: 1'),
        a_guard: hook('return block("no")'),
      }),
      'tool.pre',
      CALL,
    );
    expect(outcome.action).toBe('block');
    expect(run.metrics.get('seen')).toBe(1);
  });
});

describe('The four lifecycle events', () => {
  it('"turn.start — Before the model is called for a new turn": injects context, rejects empty turns', async () => {
    const { hooks } = await loadHooks({
      gate: hook(
        'if not payload.strip():\n    return block("say something")\nreturn modify(payload + " [trace 7]")',
        'event: turn.start\npriority: 1',
      ),
    });
    const empty = await play({ hooks, prompt: ' ', completions: [{ text: 'ok' }] });
    expect(empty.result.message).toContain('say something');
    expect(empty.provider.requests).toEqual([]);
    const full = await play({ hooks, prompt: 'go', completions: [{ text: 'ok' }] });
    expect(full.provider.requests[0]?.messages[0]?.content).toBe('go [trace 7]');
  });

  it('"tool.pre — After argument validation, before run(args)"', async () => {
    const { hooks } = await loadHooks({ x: hook('metrics.incr("pre")\nreturn allow()') });
    const strict = {
      ...echo,
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    };
    const played = await play({
      hooks,
      tools: [strict],
      completions: [{ tool_calls: [call('echo', {})] }, { text: 'ok' }],
    });
    expect(played.session.runState.metrics.get('pre')).toBeUndefined();
    expect(toolMessages(played)).toMatchObject([{ is_error: true }]);
  });

  it('"tool.post — After run(args) returns": redacts the result', async () => {
    const { hooks } = await loadHooks({
      x: hook('return modify({"content": "(redacted)"})', 'event: tool.post\npriority: 1'),
    });
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo', { text: 'k' })] }, { text: 'ok' }],
    });
    expect(toolMessages(played)).toMatchObject([{ content: '(redacted)' }]);
  });

  it('"turn.end — After the model produces its turn output"', async () => {
    const played = await play({ completions: [{ text: 'ok' }] });
    expect(names(played).slice(-2)).toEqual(['turn.end', 'session.end']);
  });

  it('"dispatched by the runtime unconditionally": a tool that was added later is judged like any other', async () => {
    const { hooks } = await loadHooks({ x: hook('return block("no tools today")') });
    const late = { ...echo, name: 'brand_new' };
    const played = await play({
      hooks,
      tools: [late],
      completions: [{ tool_calls: [call('brand_new')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)).toMatchObject([{ content: expect.stringContaining('no tools today') }]);
  });
});

describe('The decision model', () => {
  it('"Hooks for an event run in priority order (low to high)"', async () => {
    const order = hook('log.info("x")\nreturn allow()', 'event: tool.pre\npriority: 20');
    const { trace } = await decided({ b: order, a: order.replace('20', '30'), c: order.replace('20', '5') });
    expect(trace.map(({ hook: name }) => name)).toEqual(['c', 'b', 'a']);
  });

  it('"The first block wins — the chain short-circuits and the rest are skipped"', async () => {
    const { trace, reason } = await decided({
      a: hook('return block("first")', 'event: tool.pre\npriority: 1'),
      b: hook('return block("second")', 'event: tool.pre\npriority: 2'),
    });
    expect(reason).toBe('first');
    expect(trace[1]).toMatchObject({ state: 'unreached' });
  });

  it('"modify rewrites the payload in place for downstream hooks and the underlying operation"', async () => {
    const outcome = await decided({
      a: hook('return modify({"args": {"command": "pwd"}})', 'event: tool.pre\npriority: 1'),
      b: hook(
        'return block(payload["args"]["command"] + payload["arguments"])',
        'event: tool.pre\npriority: 2',
      ),
    });
    expect(outcome.reason).toBe('pwd{"command":"pwd"}');
  });

  it('"allow is a no-op pass"', async () => {
    expect(await decided({ a: hook('return allow()') })).toMatchObject({
      action: 'allow',
      payload: { args: { command: 'ls' } },
    });
  });

  it('no "later hook [can] silently undo an earlier block"', async () => {
    const outcome = await decided({
      a: hook('return block("no")', 'event: tool.pre\npriority: 1'),
      b: hook('return allow()', 'event: tool.pre\npriority: 99'),
    });
    expect(outcome.action).toBe('block');
  });
});

describe('The Starlark sandbox (and what hooks get extra)', () => {
  it.each([
    'metrics.incr("a")',
    'metrics.set("a", 2)',
    'metrics.snapshot()',
    'log("a")',
    'log.info("a")',
    'log.warn("a")',
    'cache.set("k", 1)',
    'cache.get("k")',
  ])('has %s', async (line) => {
    expect((await decided({ x: hook(`${line}\nreturn allow()`) })).trace[0]!.failure).toBeNull();
  });

  it('"Outbound HTTP, gated by the network allowlist"', async () => {
    const { trace } = await decided({ x: hook('http.get("https://example.com")\nreturn allow()') });
    expect(trace[0]!.failure?.message).toContain('network.allowed_domains');
  });

  it.each(['exec.run("ls")', 'fs.write("a", "b")', 'open("a")', 'load("x.star", "y")'])(
    '"Hooks deliberately do not receive": %s does not load',
    async (line) => {
      const { problems } = await loadHooks({ x: hook(`${line}\nreturn allow()`) });
      expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
    },
  );

  it('"no mutable globals"', async () => {
    const { trace } = await decided({
      x: '---\nevent: tool.pre\npriority: 1\nscript: |\n  SEEN = []\n  def handle(event, payload):\n      SEEN.append(1)\n      return allow()\n---\n',
    });
    expect(trace[0]!.failure?.message).toContain('frozen');
  });

  it('"do it through a named tool the hook calls explicitly — the call goes back through the lifecycle"', async () => {
    const { hooks } = await loadHooks({
      x: hook('meta.call_tool("echo", {"text": "audit"})\nreturn allow()', 'event: turn.start\npriority: 1'),
    });
    const played = await play({ hooks, tools: [echo], completions: [{ text: 'ok' }] });
    expect(names(played)).toEqual(expect.arrayContaining(['meta.call_tool', 'tool.pre', 'tool.post']));
  });
});

describe('Why hooks are files, not callbacks', () => {
  it('"Layer policies by adding files; remove them with git rm"', async () => {
    const a = hook('return allow()');
    expect((await loadHooks({ a })).hooks).toHaveLength(1);
    expect((await loadHooks({ a, b: a })).hooks).toHaveLength(2);
  });

  it('"You cannot land a tool without landing the policy that guards it": validate refuses the one alone', async () => {
    const dir = tempProject();
    cpSync(new URL('../../examples/16-rules-about-rules', import.meta.url), dir, { recursive: true });
    expect((await command('validate', validate, [dir])).code).toBe(0);
    writeFileSync(
      `${dir}/.harness/tools/mail.md`,
      '---\nscript: |\n  def run(args):\n      return 1\n---\n\nMails.\n',
    );
    const { code, printed } = await command('validate', validate, [dir]);
    expect([code, printed]).toEqual([1, expect.stringContaining('mail')]);
  });

  it('"A meta-policy hook can enforce that every new tool ships with a matching audit hook, or that no hook … lacks a priority"', async () => {
    const dir = tempProject({
      '.harness/tools/mail.md': '---\nscript: |\n  def run(args):\n      return 1\n---\n\nMails.\n',
      '.harness/hooks/hasty.md': '---\nevent: error\n---\n',
      '.harness/hooks/rule.md': hook(
        'hooks = policy.hooks()\nbad = [h["name"] for h in hooks if h["priority"] == None]\nbad += [t["name"] for t in policy.tools() if "audit_" + t["name"] not in [h["name"] for h in hooks]]\nreturn block(", ".join(bad)) if bad else allow()',
      ),
    });
    const outcome = await (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} });
    expect(outcome.reason).toBe('hasty, mail');
  });
});

describe('Hook execution lifecycle', () => {
  it('"This pipeline is identical for every event … no way for a tool or sub-agent to bypass it"', async () => {
    const { hooks } = await loadHooks({
      x: hook('return block("never")', 'event: tool.pre\npriority: 1\nwhen: payload["name"] == "echo"'),
    });
    const played = await play({
      hooks,
      tools: [echo],
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { tool_calls: [call('echo', { text: 'x' })] },
        { text: 'I could not.' },
        { text: 'done' },
      ],
    });
    const inner = played.events.flatMap((event) => (event.type === 'agent' ? [event.event] : []));
    expect(inner.find(({ type }) => type === 'tool.end')).toMatchObject({
      isError: true,
      content: expect.stringContaining('never'),
    });
  });

  it('"delegation.post_verify (#103) and agent.stop (#104)" follow the same model', async () => {
    for (const event of ['delegation.post_verify', 'agent.stop'])
      expect(
        (
          await decided(
            { x: hook('return block("again")', `event: ${event}\npriority: 1`) },
            event,
            event === 'agent.stop' ? { response: 'x' } : { agent: 'a', result: 'x' },
          )
        ).action,
      ).toBe('block');
  });
});

describe('What the model and the sandbox see, sentence by sentence', () => {
  it('"Unlike tools they are not addressable by the model": a call by a hook\'s name is of an unknown tool', async () => {
    const { hooks } = await loadHooks({ command_guard: hook('return allow()') });
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('command_guard')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)).toMatchObject([
      { is_error: true, content: expect.stringContaining('unknown tool') },
    ]);
  });

  it('"in deterministic Starlark": the same payload, the same decision, effects and payload', async () => {
    const text = hook('log.info(payload["name"])\nreturn modify({"args": {"command": hash.sha256("x")}})');
    const [one, two] = [await decided({ x: text }), await decided({ x: text })];
    expect([two.action, two.payload, two.effects]).toEqual([one.action, one.payload, one.effects]);
  });

  it('"metrics.incr / metrics.set — Counters and gauges visible to metrics.snapshot()"', async () => {
    const lines =
      'metrics.incr("a")\nmetrics.incr("a")\nmetrics.set("b", 7)\ns = metrics.snapshot()\nreturn block(str(s["a"]) + "/" + str(s["b"]))';
    expect((await decided({ x: hook(lines) })).reason).toBe('2/7');
  });

  it('"cache.get / cache.set — Per-run KV cache shared with tools"', async () => {
    const dir = tempProject({
      '.harness/hooks/x.md': hook('cache.set("k", "from the hook")\nreturn allow()'),
      '.harness/tools/look.md':
        '---\nscript: |\n  def run(args):\n      return cache.get("k")\n---\n\nLooks.\n',
    });
    const agent = await loadAgentProject(dir);
    const played = await play({
      policy: agent.policy,
      tools: agent.tools,
      workspace: dir,
      completions: [{ tool_calls: [call('look')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)).toMatchObject([{ content: expect.stringContaining('from the hook') }]);
  });

  it('"reject; reason is surfaced as an error": of a call to the model, of a turn to the host', async () => {
    const call1 = await loadHooks({ x: hook('return block("reason for the agent")') });
    const played = await play({
      hooks: call1.hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(JSON.stringify(played.provider.requests[1])).toContain('reason for the agent');
    const turn = await loadHooks({
      x: hook('return block("reason for the agent")', 'event: turn.start\npriority: 1'),
    });
    const stopped = await play({ hooks: turn.hooks, completions: [{ text: 'ok' }] });
    expect(stopped.result.message).toContain('reason for the agent');
  });

  it('"Hooks return a decision, not a continuation. There is no next() call"', async () => {
    const { problems } = await loadHooks({ x: hook('return next()') });
    expect(problems.map(({ message }) => message).join()).toContain('next');
  });

  it('"They see semantic payloads (tool name, arguments, results), not bytes"', async () => {
    const { outcome } = await fire(
      await loadHooks({
        x: hook('return block(payload["name"] + type(payload["args"]))'),
      }),
      'tool.pre',
      CALL,
    );
    expect(outcome.reason).toBe('run_commanddict');
  });

  it('"The Go-level hook API still exists for cases that genuinely need it": here in TypeScript', async () => {
    const played = await play({
      hooks: [on('tool.pre', () => decisions.block('in code'))],
      tools: [echo],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)).toMatchObject([{ content: expect.stringContaining('in code') }]);
  });
});

describe('Composing hooks: the policy stack', () => {
  const stack = async () =>
    (await openPolicy(fileURLToPath(new URL('../../examples/01-governed-agent', import.meta.url)))).hooks;

  it.each([
    'audit_tool_pre',
    'audit_tool_post',
    'command_guard',
    'path_guard',
    'prefer_named_tools',
    'meta_tool_guard',
    'completion_window_guard',
  ])(
    '"The governed-agent example ships seven, every one of which is independently reviewable": %s',
    async (name) => {
      const found = (await stack()).filter((one) => one.name === name);
      expect(found.map(({ source }) => source)).toEqual([`.harness/hooks/${name}.md`]);
    },
  );

  it('"audit everything, deny dangerous commands": audit hooks have the lowest numbers of the stack', async () => {
    const own = (await stack()).filter(({ source }) => source.startsWith('.harness/hooks/'));
    const audits = own.filter(({ name }) => name.startsWith('audit_')).map(({ priority }) => priority);
    expect(Math.max(...audits)).toBeLessThan(10);
    expect(own.every(({ priority }) => priority >= 1)).toBe(true);
  });
});

describe('Hook execution lifecycle, step by step', () => {
  const at = (priority: number, body: string, when = '') =>
    hook(body, `event: tool.pre\npriority: ${priority}${when === '' ? '' : `\nwhen: ${when}`}`);

  it('"Filter … drop the ones that don\'t match", "Sort … by priority ascending", "Dispatch … each in order"', async () => {
    const { trace } = await decided({
      a: at(30, 'return allow()'),
      b: at(20, 'return allow()', 'payload["name"] == "other"'),
      c: at(10, 'return allow()'),
    });
    expect(trace.filter(({ state }) => state === 'ran').map(({ hook: name }) => name)).toEqual(['c', 'a']);
    expect(trace.find(({ hook: name }) => name === 'b')?.state).toBe('unmatched');
  });

  it('"Return. Hand the final decision and (possibly modified) payload back to the caller"', async () => {
    const outcome = await decided({
      a: at(1, 'return modify({"args": {"command": "one"}})'),
      b: at(2, 'return modify({"args": {"command": payload["args"]["command"] + " two"}})'),
      c: at(3, 'return allow()'),
    });
    expect(outcome).toMatchObject({ action: 'modify', payload: { args: { command: 'one two' } } });
  });

  it('"no built-in policy that runs outside the chain": what is built in is a hook of the chain, named in the trace', async () => {
    const policy = await openPolicy(tempProject({ '.harness/hooks/x.md': hook('return allow()') }));
    const { trace } = await policy.decide('tool.pre', CALL as never);
    const builtIn = trace.filter(({ layer }) => layer === 'built-in').map(({ hook: name }) => name);
    expect(builtIn.length).toBeGreaterThan(0);
    for (const name of builtIn) expect(policy.hooks.map((one) => one.name)).toContain(name);
  });
});
describe('What lives in hooks: "deny-lists, audits, redactions, retries, and rate limits"', () => {
  it('"the consequences (a tool call rejected, a result redacted, a turn re-prompted)": a turn re-prompted', async () => {
    const { hooks } = await loadHooks({
      x: hook(
        'if "tests" not in payload["response"]:\n    return block("say how the tests went")\nreturn allow()',
        'event: agent.stop\npriority: 1',
      ),
    });
    const played = await play({ hooks, completions: [{ text: 'done' }, { text: 'done, tests pass' }] });
    expect(JSON.stringify(played.provider.requests[1])).toContain('say how the tests went');
    expect(played.result.text).toBe('done, tests pass');
  });

  it('"retries": a tool that failed twice is not tried a third time', async () => {
    const { hooks } = await loadHooks({
      count: hook(
        'cache.set(payload["name"], cache.get(payload["name"], 0) + 1)\nreturn allow()',
        'event: tool.post\npriority: 1\nwhen: payload["is_error"] == True',
      ),
      stop: hook(
        'if cache.get(payload["name"], 0) >= 2:\n    return block("it failed twice")\nreturn allow()',
      ),
    });
    let runs = 0;
    const fails = tool('flaky', () => {
      runs++;
      throw new Error('down');
    });
    const played = await play({
      hooks,
      tools: [fails],
      completions: [...Array(4).fill({ tool_calls: [call('flaky')] }), { text: 'ok' }],
    });
    expect(runs).toBe(2);
    expect(toolMessages(played)[2]?.content).toContain('it failed twice');
  });

  it('"rate limits": the third call in a minute is refused', async () => {
    const { hooks } = await loadHooks({
      x: hook('if not rate.limit("calls", 2, per="1m"):\n    return block("slow down")\nreturn allow()'),
    });
    const played = await play({
      hooks,
      tools: [echo],
      completions: [...Array(3).fill({ tool_calls: [call('echo')] }), { text: 'ok' }],
    });
    expect(toolMessages(played).map(({ is_error }) => is_error)).toEqual([false, false, true]);
  });

  it('"Inspect the event payload — the tool name and arguments, the model response, the structured result"', async () => {
    const { hooks } = await loadHooks({
      a: hook('log.info(payload["name"] + str(payload["args"]["text"]))\nreturn allow()'),
      b: hook('log.info(payload["result"]["said"])\nreturn allow()', 'event: tool.post\npriority: 1'),
      c: hook('log.info(payload["text"])\nreturn allow()', 'event: turn.end\npriority: 1'),
    });
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo', { text: 'hi' })] }, { text: 'the response' }],
    });
    const logged = played.fired.flatMap(({ outcome }) =>
      outcome.effects.flatMap((effect) => (effect.kind === 'log' ? [effect.message] : [])),
    );
    expect(logged).toEqual(['echohi', 'hi', 'the response']);
  });

  it('"This handler runs on every tool.pre event the harness fires"', async () => {
    const { hooks } = await loadHooks({ x: hook('metrics.incr("runs")\nreturn allow()') });
    const played = await play({
      hooks,
      tools: [echo, { ...echo, name: 'other' }],
      completions: [
        { tool_calls: [call('echo'), call('other'), call('echo')] },
        { tool_calls: [call('other')] },
        { text: 'ok' },
      ],
    });
    expect(played.session.runState.metrics.get('runs')).toBe(4);
  });

  it.each([
    ['a single tool', 'tool.pre', 'payload["name"] == "echo"', 1],
    ['a model', 'completion.pre', 'payload["model"] == "m-1"', 2],
    ['another model', 'completion.pre', 'payload["model"] == "m-2"', 0],
    ['a turn shape', 'turn.start', 'len(payload) > 3', 1],
    ['another turn shape', 'turn.start', 'len(payload) > 30', 0],
  ])('"scope itself to a single tool, model, or turn shape": %s', async (_what, event, when, runs) => {
    const { hooks } = await loadHooks({
      x: hook('metrics.incr("runs")\nreturn allow()', `event: ${event}\npriority: 1\nwhen: ${when}`),
    });
    const played = await play({
      hooks,
      tools: [echo],
      prompt: 'hello',
      config: { model: 'm-1' },
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(played.session.runState.metrics.get('runs') ?? 0).toBe(runs);
  });
});

describe('The "Typical use" of each event', () => {
  const one = async (event: string, body: string, more: Parameters<typeof play>[0] | object = {}) => {
    const { hooks } = await loadHooks({ x: hook(body, `event: ${event}\npriority: 1`) });
    return play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo', { text: 'key=abc' })] }, { text: 'ok' }],
      ...more,
    });
  };

  it('tool.pre: "scrub args": the tool itself gets what the hook left', async () => {
    const played = await one('tool.pre', 'return modify({"args": {"text": "scrubbed"}})');
    expect(toolMessages(played)[0]?.content).toBe('{"said":"scrubbed"}');
  });

  it('tool.pre: "enforce path/network policy"', async () => {
    const played = await one(
      'tool.pre',
      'if "key=" in payload["args"]["text"]:\n    return block("not over the network")\nreturn allow()',
    );
    expect(toolMessages(played)[0]?.content).toContain('not over the network');
  });

  it('tool.post: "truncate, attach metrics, append audit lines"', async () => {
    const played = await one(
      'tool.post',
      'metrics.incr("results")\nlog.info("audit " + payload["name"])\nreturn modify({"content": string.truncate(payload["content"], 5)})',
    );
    expect(toolMessages(played)[0]?.content).toHaveLength(5);
    expect(played.session.runState.metrics.get('results')).toBe(1);
    expect(payloadsOf(played, 'turn.end')[0]?.logs).toMatchObject([{ message: 'audit echo' }]);
  });

  it('turn.end: "Emit summaries, write transcripts": an event of its own, and a named tool that writes', async () => {
    const written: unknown[] = [];
    const played = await one(
      'turn.end',
      'events.emit("custom.summary", {"text": payload["text"]})\nmeta.call_tool("write_line", {"line": payload["text"]})\nreturn allow()',
      { tools: [echo, tool('write_line', ({ line }) => written.push(line))] },
    );
    expect(payloadsOf(played, 'custom.summary')).toMatchObject([{ text: 'ok' }]);
    expect(written).toEqual(['ok']);
  });

  it('turn.end: "fire OTel spans": the span of the turn closes once its hooks have run', async () => {
    const collector = new SpanCollector();
    const seen: string[] = [];
    await one('turn.end', 'return allow()', {
      onEvent: (event: SessionEvent) => {
        if (event.type === 'hook' && event.outcome.event === 'turn.end') seen.push('hooks of turn.end');
        seen.push(...collector.feed(event).map(({ name }) => name));
      },
    });
    expect(seen.filter((name) => name.includes('turn'))).toEqual(['hooks of turn.end', 'turn']);
  });

  it('"including ones added later or generated by a self-augmenting workflow": a tool the agent made itself is judged', async () => {
    const { hooks } = await loadHooks({
      x: hook(
        'return block("no shouting")',
        'event: tool.pre\npriority: 1\nwhen: payload["name"] == "shout"',
      ),
    });
    const register = tool('register', async ({ spec }, { agent }) => {
      await agent!.register('tool', spec as JsonObject);
      return 'registered';
    });
    const spec = {
      name: 'shout',
      description: 'Says it louder.',
      parameters: {},
      script: 'def run(args):\n    return "HO"\n',
    };
    const played = await play({
      hooks,
      meta: {},
      tools: [register],
      completions: [
        { tool_calls: [call('register', { spec })] },
        { tool_calls: [call('shout')] },
        { text: 'ok' },
      ],
    });
    expect(toolMessages(played)[1]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('no shouting'),
    });
  });
});

describe('The sandbox and the built-ins, once more', () => {
  it('"Hook scripts run in the same Starlark dialect as tools": one function, the same answer in both', async () => {
    const work = 'sorted([x * 2 for x in [3, 1, 2]], reverse = True) == [6, 4, 2] and "%d" % 7 == "7"';
    const dir = tempProject({
      '.harness/hooks/x.md': hook(`log.info(str(${work}))\nreturn allow()`),
      '.harness/tools/same.md': `---\nscript: |\n  def run(args):\n      return str(${work})\n---\n\nSays.\n`,
    });
    const agent = await loadAgentProject(dir);
    const played = await play({
      policy: agent.policy,
      tools: agent.tools,
      workspace: dir,
      completions: [{ tool_calls: [call('same')] }, { text: 'ok' }],
    });
    expect(toolMessages(played)[0]?.content).toBe('True');
    expect(JSON.stringify(played.fired)).toContain('"message":"True"');
  });

  it.each(['import os\nreturn allow()', 'from os import path\nreturn allow()'])(
    '"no imports": %s',
    async (lines) => {
      expect((await wrongWith(hook(lines))).join()).toMatch(/SCRIPT/);
    },
  );

  it('"Per-run KV cache": another run begins empty, and a tool can set what a hook reads', async () => {
    const dir = tempProject({
      '.harness/hooks/x.md': hook(
        'return block("the tool was here: " + cache.get("k", "no"))',
        'event: tool.pre\npriority: 1\nwhen: payload["name"] == "ask"',
      ),
      '.harness/tools/ask.md': '---\nscript: |\n  def run(args):\n      return 1\n---\n\nAsks.\n',
      '.harness/tools/put.md':
        '---\nscript: |\n  def run(args):\n      cache.set("k", "yes")\n      return 1\n---\n\nPuts.\n',
    });
    const agent = await loadAgentProject(dir);
    const said = async (names: readonly string[]) => {
      const played = await play({
        policy: agent.policy,
        tools: agent.tools,
        workspace: dir,
        completions: [...names.map((name) => ({ tool_calls: [call(name)] })), { text: 'ok' }],
      });
      return toolMessages(played).at(-1)?.content;
    };
    expect(await said(['put', 'ask'])).toContain('the tool was here: yes');
    expect(await said(['ask'])).toContain('the tool was here: no');
  });

  it('"http.get / http.post — Outbound HTTP, gated by the network allowlist": a listed host is reached', async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => response.end(`${request.method} ${body}`));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const dir = tempProject({
      'harness.md': '---\nnetwork:\n  allowed_domains: [127.0.0.1]\n---\n',
      '.harness/hooks/x.md': hook(
        `return block(http.get("${url}")["body"].strip() + "|" + http.post("${url}", "hi")["body"])`,
      ),
    });
    const policy = await openPolicy(dir, { trust: 'all' });
    expect((await policy.decide('tool.pre', CALL as never)).reason).toBe('GET|POST hi');
  });

  it('"Portable. Hook artifacts move between repos": the same file elsewhere decides the same', async () => {
    const text = data('command_guard.md');
    const [one, two] = await Promise.all(
      [1, 2].map(async () => openPolicy(tempProject({ '.harness/hooks/command_guard.md': text }))),
    );
    const payload = { name: 'run_command', args: { command: `${DESTRUCTIVE[2]} x` } };
    const said = async (policy: typeof one) => (await policy!.decide('tool.pre', payload)).reason;
    expect(await said(two)).toBe(await said(one));
    expect(await said(one)).toContain('mkfs');
  });
});

describe('The stack of the page, line by line', () => {
  it('has the seven priorities of the page', async () => {
    const { hooks } = await openPolicy(
      fileURLToPath(new URL('../../examples/01-governed-agent', import.meta.url)),
    );
    const priorityOf = (name: string) => hooks.find((one) => one.name === name)?.priority;
    expect(STACK.map(([name]) => priorityOf(name))).toEqual(STACK.map(([, priority]) => priority));
  });

  const PLACE = fileURLToPath(new URL('../../examples/01-governed-agent', import.meta.url));

  it.each([
    ['"deny dangerous shell patterns"', 'run_command', { command: 'mkfs.ext4 /dev/sda1' }, 'command_guard'],
    ['"jail filesystem writes"', 'write_file', { path: '../outside', content: '' }, 'path_guard'],
    ['"reject raw exec.run"', 'exec.run', { command: 'ls' }, 'prefer_named_tools'],
    [
      '"block tools editing .harness/"',
      'edit_notes',
      { target: '.harness/hooks/x.md', text: '' },
      'meta_tool_guard',
    ],
  ])('%s', async (_line, name, args, by) => {
    const policy = await openPolicy(PLACE);
    const outcome = await policy.decide('tool.pre', { id: '1', name, args });
    expect([outcome.action, outcome.hook]).toEqual(['block', by]);
    // "count + log every call", the ones that are blocked too.
    expect(outcome.trace.find(({ hook }) => hook === 'audit_tool_pre')?.state).toBe('ran');
    expect(outcome.effects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['metric', 'log']));
  });

  it('"count + log every result"', async () => {
    const policy = await openPolicy(PLACE);
    const outcome = await policy.decide('tool.post', { call_id: '1', name: 'x', content: 'y' });
    const by = outcome.effects.filter(({ hook }) => hook === 'audit_tool_post').map(({ kind }) => kind);
    expect(by).toEqual(expect.arrayContaining(['metric', 'log']));
  });

  it('"cap output size per turn"', async () => {
    const policy = await openPolicy(PLACE);
    const text = 'x'.repeat(1_000_000);
    const outcome = await policy.decide('completion.post', {
      choices: [{ message: { role: 'assistant', content: text } }],
      usage: { input_tokens: 1, output_tokens: 1_000_000 },
      finish_reason: 'stop',
    });
    expect(['block', 'modify']).toContain(outcome.action);
    expect(outcome.trace.find(({ hook }) => hook === 'completion_window_guard')?.decision).not.toBe('allow');
  });
});

describe('Sentences of the page that stand between its headings', () => {
  const PLACE = fileURLToPath(new URL('../../examples/01-governed-agent', import.meta.url));

  it('"a piece of harness policy that the agent cannot route around": it cannot be written over, moved or removed', async () => {
    const guard = hook('return allow()');
    const dir = tempProject({ '.harness/hooks/guard.md': guard });
    const policy = await openPolicy(dir);
    for (const [name, args] of [
      ['write_file', { path: '.harness/hooks/guard.md', content: '' }],
      ['run_command', { command: 'mv .harness/hooks/guard.md /tmp/x' }],
      ['run_command', { command: 'rm .harness/hooks/guard.md' }],
    ] as const)
      expect((await policy.decide('tool.pre', { name, args })).action, JSON.stringify(args)).toBe('block');
    expect(readFileSync(`${dir}/.harness/hooks/guard.md`, 'utf8')).toBe(guard);
  });

  it('turn.start: "stamp a trace ID": the same one is on every call of the turn', async () => {
    const { hooks } = await loadHooks({
      stamp: hook('ctx.set("trace", uuid.v4())\nreturn allow()', 'event: turn.start\npriority: 1'),
      read: hook('log.info(ctx.get("trace"))\nreturn allow()', 'event: tool.pre\npriority: 1'),
    });
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo'), call('echo')] }, { text: 'ok' }],
    });
    const logs = payloadsOf(played, 'turn.end')[0]?.logs as unknown as { message: string }[];
    expect([logs.length, new Set(logs.map(({ message }) => message)).size]).toEqual([2, 1]);
    expect(logs[0]!.message).toMatch(/^[\da-f-]{36}$/);
  });

  it('tool.pre: "Deny-list tools"', async () => {
    const denied = 'return block("listed") if payload["name"] in ["echo", "shout"] else allow()';
    const { hooks } = await loadHooks({ x: hook(denied) });
    const played = await play({
      hooks,
      tools: [echo, tool('look', () => 'seen')],
      completions: [{ tool_calls: [call('echo'), call('look')] }, { text: 'ok' }],
    });
    expect(toolMessages(played).map(({ is_error }) => is_error)).toEqual([true, false]);
  });

  it('"count + log every call"', async () => {
    const outcome = await (await openPolicy(PLACE)).decide('tool.pre', {
      name: 'read_file',
      args: { path: 'a' },
    });
    const by = outcome.effects.filter(({ hook: name }) => name === 'audit_tool_pre').map(({ kind }) => kind);
    expect(by).toEqual(expect.arrayContaining(['metric', 'log']));
  });

  it('"shows the entire policy: subscription, scope, priority, decision logic — in one file"', async () => {
    const text = hook('return block("no")', 'event: tool.pre\npriority: 7\nwhen: payload["name"] == "x"');
    const { hooks, problems } = await loadHooks({ only: text });
    expect(problems).toEqual([]);
    expect(hooks).toMatchObject([{ event: 'tool.pre', priority: 7, name: 'only' }]);
    expect((await decided({ only: text }, 'tool.pre', { name: 'x', args: {} })).reason).toBe('no');
    expect((await decided({ only: text })).action).toBe('allow');
  });

  it('"In AI Harness they live in the same .harness/ directory": tools, sub-agents and hooks of one folder', async () => {
    const dir = tempProject({
      '.harness/tools/mail.md': '---\nscript: |\n  def run(args):\n      return 1\n---\n\nMails.\n',
      '.harness/agents/writer.md': '---\ndescription: Writes.\n---\n\nYou write.\n',
      '.harness/hooks/guard.md': hook('return block("no mail")'),
    });
    const { tools, agents, policy } = await loadAgentProject(dir);
    expect([tools.map(({ name }) => name), agents.map(({ name }) => name)]).toEqual([['mail'], ['writer']]);
    expect((await policy.decide('tool.pre', { name: 'mail', args: {} })).reason).toBe('no mail');
  });

  it('"how sub-agents inherit the same hook surface": every event of a sub-agent passes the same hooks', async () => {
    const events = ['turn.start', 'tool.pre', 'tool.post', 'turn.end'];
    const seen = hook('log.info(caller["name"] + ":" + event)\nreturn allow()');
    const { hooks } = await loadHooks(
      Object.fromEntries(
        events.map((event) => [event.replace('.', '_'), seen.replace('event: tool.pre', `event: ${event}`)]),
      ),
    );
    const { fired, events: all } = await play({
      hooks,
      tools: [echo],
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { tool_calls: [call('echo', { text: 'x' })] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    const inner = all.flatMap((event) =>
      event.type === 'agent' && event.event.type === 'hook' ? [event.event] : [],
    );
    const said = (of: readonly { outcome: { effects: readonly unknown[] } }[]) =>
      of.flatMap(({ outcome }) => outcome.effects.map((effect) => (effect as { message: string }).message));
    expect(said(inner)).toEqual(events.map((event) => `helper:${event}`));
    expect(said(fired)).toEqual(events.map((event) => `:${event}`));
  });

  it('"The order is the rule": neither a later allow nor a later modify lifts a block', async () => {
    for (const later of ['return allow()', 'return modify({"args": {"command": "pwd"}})']) {
      const outcome = await decided({
        a: hook('return block("first")', 'event: tool.pre\npriority: 1'),
        b: hook(later, 'event: tool.pre\npriority: 2'),
      });
      expect(outcome).toMatchObject({
        action: 'block',
        reason: 'first',
        payload: { args: { command: 'ls' } },
      });
    }
  });
});

const STACK = [
  ['audit_tool_pre', 1],
  ['audit_tool_post', 1],
  ['command_guard', 10],
  ['path_guard', 10],
  ['prefer_named_tools', 20],
  ['meta_tool_guard', 30],
  ['completion_window_guard', 40],
] as const;
