/** The hook artifact schema of AI Harness, claim by claim. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadAgentProject } from '../../src/agent/config/index.ts';
import type { Json } from '../../src/base/json.ts';
import { run as validate } from '../../src/cli/validate.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { call, echo, payloadsOf, play, tool, toolMessages } from '../support/agent.ts';
import { fire, loadHooks, tempProject } from '../support/temp-project.ts';
import { CALL, command, decided, hook, wrongWith } from './support.ts';

const errorsIn = async (files: Readonly<Record<string, string>>) =>
  (await openPolicy(tempProject(files))).problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);

describe('File shape', () => {
  it('"The file must start with a --- delimiter line. Files without frontmatter are rejected by the parser"', async () => {
    expect((await wrongWith('# just text\n'))[0]).toContain('FRONTMATTER');
  });

  it('"The frontmatter must be closed by a second --- on its own line"', async () => {
    expect((await wrongWith('---\nevent: tool.pre\n'))[0]).toContain('FRONTMATTER');
  });

  it('"The filename is the hook handler name. A file at .harness/hooks/command_guard.md registers … command_guard"', async () => {
    const { hooks } = await loadHooks({
      command_guard: hook('return allow()', 'event: tool.pre\npriority: 1\nname: other\nhandler: other'),
    });
    expect(hooks.map(({ name }) => name)).toEqual(['command_guard']);
  });

  it('"event: is required": "hook %q: event field is required in frontmatter"', async () => {
    for (const text of [
      '---\npriority: 1\n---\n',
      '---\nevent:\npriority: 1\n---\n',
      '---\nevent: ""\npriority: 1\n---\n',
    ])
      expect(await wrongWith(text)).toContainEqual(
        'FIELD_MISSING hook "x": event field is required in frontmatter',
      );
  });

  it('"The body after the closing delimiter is documentation only": not sent to the model', async () => {
    const { hooks } = await loadHooks({ x: `${hook('return allow()')}\n# x\n\nSENTINEL of the body.\n` });
    const { provider } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(JSON.stringify(provider.requests)).not.toContain('SENTINEL');
  });

  it('"Unknown top-level keys are ignored silently — typos in field names produce no error"', async () => {
    const text = hook('return allow()', 'event: tool.pre\npriority: 1\npriorty: 9\nowner: me');
    const { hooks, problems } = await loadHooks({ x: text });
    expect(hooks[0]).toMatchObject({ name: 'x', priority: 1 });
    expect(problems.every(({ severity }) => severity === 'warning')).toBe(true);
    expect(problems.map(({ message }) => message).join()).toContain('priority');
  });

  it('"Fenced code blocks inside the body are never extracted as Starlark"', async () => {
    const text =
      '---\nevent: tool.pre\npriority: 1\n---\n\n```python\ndef handle(event, payload):\n    return block("from the body")\n```\n';
    expect((await decided({ x: text })).action).toBe('allow');
  });

  it('"The same fields can also be authored inline in harness.md under the top-level hooks: list, or inside a … bundle"', async () => {
    const script = 'script: |\n        def handle(event, payload):\n            return block("inline")';
    const inline = tempProject({
      'harness.md': `---\nhooks:\n  - handler: guard\n    event: tool.pre\n    priority: 1\n    ${script.replaceAll('\n        ', '\n      ')}\n---\n`,
    });
    expect((await (await openPolicy(inline)).decide('tool.pre', { name: 'x', args: {} })).reason).toBe(
      'inline',
    );
    for (const folder of ['plugins', 'builtins', 'overrides']) {
      const kind = folder.slice(0, -1);
      const bundle = `---\nschema_version: harness_artifact/v1alpha1\nkind: ${kind}\nname: b\ndescription: B.\nhooks:\n  - handler: guard\n    event: tool.pre\n    priority: 1\n    ${script.replaceAll('\n        ', '\n      ')}\n---\n`;
      const dir = tempProject({ [`.harness/${folder}/b.md`]: bundle });
      expect((await (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} })).reason, folder).toBe(
        'inline',
      );
    }
  });
});

describe('"The schema is identical in all three cases"', () => {
  it('there is no "name: or handler: field": an inline hook without one is in force', async () => {
    const dir = tempProject({
      'harness.md':
        '---\nhooks:\n  - event: tool.pre\n    priority: 1\n    script: |\n      def handle(event, payload):\n          return block("inline")\n---\n',
    });
    expect(
      await errorsIn({ 'harness.md': '---\nhooks:\n  - event: tool.pre\n    priority: 1\n---\n' }),
    ).toEqual([]);
    expect(await (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} })).toMatchObject({
      reason: 'inline',
      hook: 'harness.md[0]',
    });
  });
});

describe('Top-level fields', () => {
  it('"priority … Default 0"; "script … no"; "when … empty (always match)"', async () => {
    const { hooks } = await loadHooks({ x: '---\nevent: tool.pre\n---\n' });
    expect(hooks[0]).toMatchObject({ priority: 0, condition: null });
  });

  it('"A hook with no script parses and registers, but … is a no-op"', async () => {
    expect((await decided({ x: '---\nevent: tool.pre\npriority: 1\n---\n' })).action).toBe('allow');
  });
});

describe('Events', () => {
  it.each([
    'session.start',
    'session.end',
    'turn.start',
    'turn.end',
    'tool.pre',
    'tool.post',
    'completion.pre',
    'completion.post',
    'delegation.pre',
    'delegation.post',
    'delegation.post_verify',
    'error',
    'custom.my_event',
    'meta.tool_register',
    'meta.hook_register',
  ])('the catalog has %s', async (event) => {
    expect(
      (await wrongWith(hook('return allow()', `event: ${event}\npriority: 1`))).filter((line) =>
        line.includes('invalid'),
      ),
    ).toEqual([]);
  });

  it.each(['tool.before', 'custom.', 'custom.Upper', 'custom.a-b', 'meta.'])(
    '"rejects unknown values with hooks[N].event NAME is invalid": %s',
    async (event) => {
      expect((await wrongWith(hook('return allow()', `event: ${event}\npriority: 1`))).join()).toContain(
        `hooks[0].event "${event}" is invalid`,
      );
    },
  );

  it('"custom.* … can be dispatched from a tool via events.emit("custom.my_event", payload)"', async () => {
    const { outcome } = await fire(
      await loadHooks({
        emitter: hook('return block(str(events.emit("custom.my_event", {"n": 1})["n"]))'),
        listener: hook('return modify({"n": payload["n"] + 1})', 'event: custom.my_event\npriority: 1'),
      }),
      'tool.pre',
      CALL,
    );
    expect(outcome.reason).toBe('2');
  });
});

describe('Canonical payload shapes', () => {
  it('"tool.pre": id, name, arguments (raw JSON string), args (decoded dict)', async () => {
    const { reason } = await decided({
      x: hook(
        'return block(json.encode([payload["id"], payload["name"], type(payload["arguments"]), payload["args"]]))',
      ),
    });
    expect(JSON.parse(String(reason))).toEqual(['call_abc123', 'run_command', 'string', { command: 'ls' }]);
  });

  it('"Use args for inspection — it is what the validated, type-coerced parameters look like"', async () => {
    const { hooks } = await loadHooks({ x: hook('return block(repr(payload["args"]))') });
    const typed = {
      ...echo,
      parameters: {
        type: 'object',
        properties: {
          n: { type: 'integer' },
          f: { type: 'number' },
          b: { type: 'boolean' },
          s: { type: 'string' },
        },
      },
    };
    const asked = async (args: Record<string, string>) => {
      const { result } = await play({
        hooks,
        tools: [typed],
        completions: [{ tool_calls: [call('echo', args)] }, { text: 'ok' }],
      });
      return result.messages.find(({ role }) => role === 'tool')?.content;
    };
    expect(await asked({ n: '3', f: '0.5', b: 'true', s: '3' })).toContain(
      '{"n": 3, "f": 0.5, "b": True, "s": "3"}',
    );
    for (const [name, text] of ['n 3.5', 'n three', 'b yes', 'n 03', 'f 1e3'].map((pair) => pair.split(' ')))
      expect(await asked({ [name!]: text! }), text).toContain('invalid arguments');
  });

  it('"tool.post": call_id, name, content (JSON-encoded), is_error, result (decoded dict)', async () => {
    const played = await play({
      tools: [echo],
      completions: [{ tool_calls: [call('echo', { text: 'hi' }, 'c1')] }, { text: 'ok' }],
    });
    expect(payloadsOf(played, 'tool.post')).toMatchObject([{ call_id: 'c1', name: 'echo', is_error: false }]);
    const { reason } = await decided(
      {
        x: hook(
          'return block(str(payload["result"]["exit_code"]) + payload["content"])',
          'event: tool.post\npriority: 1',
        ),
      },
      'tool.post',
      { call_id: 'c', name: 'x', content: '{"exit_code": 0}' },
    );
    expect(reason).toBe('0{"exit_code": 0}');
  });

  it('"turn.start": the user message text; "turn.end": text, tool_calls, usage', async () => {
    expect(
      (
        await decided(
          { x: hook('return block(type(payload))', 'event: turn.start\npriority: 1') },
          'turn.start',
          'hi',
        )
      ).reason,
    ).toBe('string');
    const played = await play({
      tools: [echo],
      completions: [
        { tool_calls: [call('echo', { text: 'hi' })] },
        { text: 'final', usage: { input_tokens: 5, output_tokens: 2 } },
      ],
    });
    expect(payloadsOf(played, 'turn.end')).toMatchObject([
      { text: 'final', tool_calls: [{ name: 'echo', args: { text: 'hi' } }], usage: { input_tokens: 5 } },
    ]);
  });
});

describe('script', () => {
  it.each(['def run(args):\n    return 1', 'def main():\n    return 1'])(
    '"not def run(...) and not def main(...)": found at load',
    async (script) => {
      const indented = script.replaceAll('\n', '\n  ');
      expect(
        (await wrongWith(`---\nevent: tool.pre\npriority: 1\nscript: |\n  ${indented}\n---\n`)).join(),
      ).toContain('handle(event, payload)');
    },
  );

  it.each([
    ['{"action": "allow"}', 'allow'],
    ['{"action": "block", "reason": "path traversal not allowed"}', 'block'],
    ['{"action": "modify", "payload": {"args": {"command": "pwd"}}}', 'modify'],
  ])('"A dict return is also accepted": %s', async (dict, action) => {
    expect((await decided({ x: hook(`return ${dict}`) })).action).toBe(action);
  });

  it.each(['return "block"', 'return 42', 'return None', 'pass'])(
    '"Any other return … is treated as allow() with a runtime warning": %s',
    async (line) => {
      const { action, trace } = await decided({ x: hook(line) });
      expect([action, trace[0]!.warnings.length]).toEqual(['allow', 1]);
    },
  );

  it('"a hook that returns 42 will load fine"', async () => {
    expect((await loadHooks({ x: hook('return 42') })).hooks[0]!.standIn).toBeUndefined();
  });

  it.each([
    'json.decode(json.encode({"a": 1}))',
    're.match("a", "abc")',
    're.search("b", "abc")',
    're.findall("b", "abcb")',
    'string.truncate("abcdef", 3)',
    'type(payload) == "dict"',
  ])('built-in: %s', async (expression) => {
    expect((await decided({ x: hook(`x = ${expression}\nreturn allow()`) })).trace[0]!.failure).toBeNull();
  });

  it('"log … flow into turn.end payloads"', async () => {
    const { hooks } = await loadHooks({
      x: hook('log.warn("careful")\nreturn allow()', 'event: turn.start\npriority: 1'),
    });
    const played = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(payloadsOf(played, 'turn.end')[0]?.logs).toMatchObject([{ level: 'warn', message: 'careful' }]);
  });
});

describe('when', () => {
  it.each([
    ['payload["name"] == "run_command"', true],
    ['payload["name"] in ["read_file", "write_file", "edit_file"]', false],
    ['len(payload.get("content", "")) > 4000', false],
    ['event == "tool.pre"', true],
  ])('%s', async (when, matches) => {
    const { trace } = await decided({
      x: hook('return allow()', `event: tool.pre\npriority: 1\nwhen: ${when}`),
    });
    expect(trace[0]!.matched).toBe(matches);
  });

  it('"Scope to errors only: payload["is_error"] == True"', async () => {
    const files = {
      x: hook('return allow()', 'event: tool.post\npriority: 1\nwhen: payload["is_error"] == True'),
    };
    for (const is_error of [true, false])
      expect(
        (await decided(files, 'tool.post', { name: 'x', content: '', is_error })).trace[0]!.matched,
      ).toBe(is_error);
  });

  it.each(['metrics.incr("x")', 'cache.get("x")', 'http.get("https://x")', 'fs.read("x")', 'exec.run("x")'])(
    '"does not have access to": %s',
    async (when) => {
      expect(
        (await wrongWith(hook('return allow()', `event: tool.pre\npriority: 1\nwhen: ${when}`))).join(),
      ).toContain('WHEN_INVALID');
    },
  );

  it('"If when raises … the hook is treated as non-matching for that dispatch and a warning is logged"', async () => {
    const { action, trace } = await decided({
      x: hook('return block("no")', 'event: tool.pre\npriority: 1\nwhen: payload["nosuch"] == 1'),
    });
    expect(action).toBe('allow');
    expect(trace[0]).toMatchObject({
      state: 'condition_failed',
      warnings: [expect.stringContaining('nosuch')],
    });
  });

  it('"Use bracket access … not attribute access": payload.name raises', async () => {
    const { trace } = await decided({
      x: hook('return block("no")', 'event: tool.pre\npriority: 1\nwhen: payload.name == "x"'),
    });
    expect(trace[0]!.state).toBe('condition_failed');
  });
});

describe('priority', () => {
  it('"Hooks with equal priority run in registration order … (sorted by source path)"', async () => {
    const same = hook('return allow()', 'event: tool.pre\npriority: 5');
    expect((await decided({ c: same, a: same, b: same })).trace.map(({ hook: name }) => name)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('"If priority is omitted, it defaults to 0, which makes the hook the earliest"', async () => {
    const { trace } = await decided({
      z: hook('return allow()', 'event: tool.pre'),
      a: hook('return allow()', 'event: tool.pre\npriority: 1'),
    });
    expect(trace.map(({ hook: name, priority }) => [name, priority])).toEqual([
      ['z', 0],
      ['a', 1],
    ]);
  });
});

describe('Validation surface', () => {
  it.each([
    ['invalid YAML', '---\nevent: [\n---\n', 'yaml'],
    ['a non-string script', '---\nevent: tool.pre\npriority: 1\nscript: [1]\n---\n', 'script'],
    ['no delimiter', 'event: tool.pre\n', '---'],
  ])(
    '"surface as parse errors: parse hook command_guard.md: yaml: line 4: ...": %s',
    async (_what, text, word) => {
      const [error] = await errorsIn({ '.harness/hooks/command_guard.md': text });
      expect(error).toMatch(/^parse hook command_guard\.md: /);
      expect(error).toContain(word);
    },
  );
});

describe('Hook execution lifecycle', () => {
  it('"with a fresh Starlark module scope per call"', async () => {
    const project = await loadHooks({
      x: '---\nevent: tool.pre\npriority: 1\nscript: |\n  START = metrics.incr("starts")\n  def handle(event, payload):\n      return block(str(START))\n---\n',
    });
    const { run, outcome } = await fire(project, 'tool.pre', CALL);
    expect(outcome.reason).toBe('1');
    expect((await fire(project, 'tool.pre', CALL, { run })).outcome.reason).toBe('2');
  });
});

describe('Starlark built-ins of the page behind "The exhaustive matrix lives in Starlark Built-ins"', () => {
  it.each([
    ['url.encode("a b&c")', '"a%20b%26c"'],
    ['url.parse("https://u@a.example:8/p?q=1#f")["host"]', '"a.example"'],
    ['url.parse("none")["host"]', '""'],
    ['[validate.email(x) for x in ["a@b.example", "a@b", "x"]]', '[True, False, False]'],
    ['[validate.url(x) for x in ["https://a.example/x", "/x"]]', '[True, False]'],
    ['[validate.json(x) for x in ["{}", "{"]]', '[True, False]'],
    ['random(min=4, max=5) in [4, 5]', 'True'],
    ['len(uuid.v4())', '36'],
    ['assert(1 == 1, "no")', 'None'],
    ['[ctx.set("a", 1), ctx.set("b", [2]), ctx.snapshot()][-1]', '{"a": 1, "b": [2]}'],
    ['string.truncate("abcdef", 3)', '"ab…"'],
    ['type("x") == "string"', 'True'],
  ])('%s is %s', async (expression, shows) => {
    expect((await decided({ x: hook(`return block(repr(${expression}))`) })).reason).toBe(shows);
  });

  it('assert fails the script', async () => {
    const { trace } = await decided({ x: hook('assert(False, "malformed")\nreturn allow()') });
    expect(trace[0]!.failure?.message).toBe('assert: malformed');
  });

  it.each([
    ['env("HOME")', '.harness/data/'],
    ['sleep(1)', 'wait in a tool'],
    ['template.render("x", {})', '.format('],
    ['crypto.hmac_sha256("k", "m")', 'hash.sha256'],
    ['set.new([1])', 'set([a, b])'],
    ['set.union(a, b)', 'a | b'],
    ['ctx.agent.name', 'caller'],
    ['os.args()', 'its own'],
    ['math.abs(-1)', 'abs(x)'],
    ['hash.md5("x")', 'hash.sha256'],
    ['uuid.v7()', 'uuid.v4()'],
    ['re.find_all("a", "b")', 're.findall'],
    ['meta.register_hook("a", "tool.pre", "x")', 'harness_create_hook'],
  ])('%s is an error at load that names the nearest thing: %s', async (line, nearest) => {
    const wrong = await wrongWith(hook(`a, b = None, None\nx = ${line}\nreturn allow()`));
    expect(wrong.join('\n')).toContain(nearest);
  });
});

describe('When each event fires, and its payload', () => {
  const CHILD = {
    agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
    completions: [
      { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
      { text: 'found' },
      { text: 'done' },
    ],
  };

  it('"session.start … None — informational only", "session.end … None": in a session a dict, see docs/from.md', async () => {
    const played = await play({ completions: [{ text: 'ok' }] });
    for (const event of ['session.start', 'session.end'])
      expect(payloadsOf(played, event)).toMatchObject([{ session_id: 's1' }]);
    const { outcome } = await fire(
      await loadHooks({ x: hook('return block(str(payload))', 'event: session.start\npriority: 1') }),
      'session.start',
      null,
    );
    expect(outcome.trace[0]?.failure).toBeNull();
  });

  it('"completion.pre — Before the completion request is sent": "(model, messages, tools)"', async () => {
    const [payload] = payloadsOf(
      await play({ tools: [echo], completions: [{ text: 'ok' }] }),
      'completion.pre',
    );
    expect(Object.keys(payload!)).toEqual(expect.arrayContaining(['model', 'messages', 'tools']));
  });

  it('"completion.post — After the provider returns": "(choices, usage, finish_reason)"', async () => {
    const usage = { input_tokens: 7, output_tokens: 3 };
    const [payload] = payloadsOf(await play({ completions: [{ text: 'ok', usage }] }), 'completion.post');
    expect(Object.keys(payload!)).toEqual(expect.arrayContaining(['choices', 'usage', 'finish_reason']));
  });

  it('"delegation.pre — Before a sub-agent delegation starts": "{agent, prompt, depth, ...}"', async () => {
    expect(payloadsOf(await play(CHILD), 'delegation.pre')).toMatchObject([
      { agent: 'helper', prompt: 'look', depth: 1 },
    ]);
  });

  it('"delegation.post — After a sub-agent delegation completes": "{agent, result, depth, ...}"', async () => {
    expect(payloadsOf(await play(CHILD), 'delegation.post')).toMatchObject([
      { agent: 'helper', result: 'found', depth: 1 },
    ]);
  });

  it('"delegation.post_verify — After delegation.post": before it, see docs/from.md; "plus attempt count"', async () => {
    const { hooks } = await loadHooks({
      x: hook('return allow()', 'event: delegation.post_verify\npriority: 1'),
    });
    const played = await play({ ...CHILD, hooks });
    const fired = played.fired
      .map(({ event }) => event)
      .filter((event) => event.startsWith('delegation.post'));
    expect(fired).toEqual(['delegation.post_verify', 'delegation.post']);
    expect(payloadsOf(played, 'delegation.post_verify')).toMatchObject([{ agent: 'helper', attempt: 1 }]);
  });

  it('"Hooks may block(reason) to trigger a Ralph-loop retry"', async () => {
    const { hooks } = await loadHooks({
      x: hook(
        'if payload["attempt"] == 1:\n    return block("look again")\nreturn allow()',
        'event: delegation.post_verify\npriority: 1',
      ),
    });
    const played = await play({
      ...CHILD,
      hooks,
      completions: [CHILD.completions[0]!, { text: 'first' }, { text: 'second' }, { text: 'done' }],
    });
    expect(JSON.stringify(played.provider.requests[2])).toContain('look again');
    expect(payloadsOf(played, 'delegation.post')).toMatchObject([{ result: 'second' }]);
  });

  it('"error — An unrecoverable error surfaces in the agent loop"', async () => {
    const played = await play({ completions: [{ error: { status: 400, message: 'no such model' } }] });
    expect(JSON.stringify(payloadsOf(played, 'error'))).toContain('no such model');
  });

  it('"tool.post — After run(args) returns", also of a tool that fails: is_error', async () => {
    const broken = {
      ...echo,
      run: () => {
        throw new Error('broken');
      },
    };
    const played = await play({
      tools: [broken],
      completions: [{ tool_calls: [call('echo')] }, { text: 'ok' }],
    });
    expect(payloadsOf(played, 'tool.post')).toMatchObject([{ name: 'echo', is_error: true }]);
  });
});

describe('What scripts and conditions may say', () => {
  it.each([
    ['event == "tool.pre"', true],
    ['event == "tool.post"', false],
    ['len(payload["args"]) == 1', true],
    ['type(payload["args"]) == "dict"', true],
    ['True', true],
    ['False', false],
    ['None', false],
    ['payload.get("missing") == None', true],
  ])(
    '"The expression has full access to: payload, event, All built-in identifiers": %s',
    async (when, runs) => {
      const { trace } = await decided({
        x: hook('return allow()', `event: tool.pre\npriority: 1\nwhen: ${JSON.stringify(when)}`),
      });
      expect(trace[0]?.state === 'ran').toBe(runs);
    },
  );

  it('"type(value) … No isinstance": an error at load', async () => {
    expect((await wrongWith(hook('return block(str(isinstance(payload, dict)))'))).join()).toContain(
      'isinstance',
    );
  });

  it('"Return early, return explicit": the sample, with helpers of its own', async () => {
    const text = `---
event: tool.pre
priority: 1
script: |
  def _should_inspect(payload):
      return payload["name"] == "run_command"
  def _scan(payload):
      return "found" if "passwd" in payload["args"]["command"] else ""
  def handle(event, payload):
      if not _should_inspect(payload):
          return allow()
      reason = _scan(payload)
      if reason:
          return block(reason)
      return allow()
---
`;
    const say = async (name: string, command: string) =>
      (await decided({ x: text }, 'tool.pre', { id: '1', name, args: { command } })).reason;
    expect(await say('run_command', 'cat passwd')).toBe('found');
    expect(await say('run_command', 'ls')).toBeNull();
    expect(await say('other', 'cat passwd')).toBeNull();
  });

  it('"block … Short-circuits the chain. The reason string is surfaced … as the … turn rejection message"', async () => {
    const { hooks } = await loadHooks({
      x: hook('return block("ask about cats")', 'event: turn.start\npriority: 1'),
    });
    const { result, provider } = await play({ hooks, completions: [{ text: 'ok' }] });
    expect(result.message).toContain('ask about cats');
    expect(provider.requests).toEqual([]);
  });

  it('"These bands are conventions, not enforcement. Anything goes": any whole number is a priority', async () => {
    for (const priority of [-5, 0, 1, 55, 100_000])
      expect(
        (await loadHooks({ x: hook('return allow()', `event: tool.pre\npriority: ${priority}`) })).hooks[0],
      ).toMatchObject({ priority });
  });

  it('"Prefer setting an explicit priority for every production hook": one without is a warning', async () => {
    expect((await wrongWith(hook('return allow()', 'event: tool.pre'))).join()).toContain('PRIORITY_MISSING');
  });

  it.each(['exec.run("ls")', 'fs.write("a", "b")'])(
    '"Hooks deliberately do not receive exec.run or fs.write": %s is an error at load',
    async (line) => {
      expect((await wrongWith(hook(`${line}\nreturn allow()`))).length).toBeGreaterThan(0);
    },
  );
});

describe('"harness validate exits non-zero on any of the above"', () => {
  it.each([
    ['a good hook', hook('return allow()'), 0],
    ['an unknown event', hook('return allow()', 'event: tool.before\npriority: 1'), 1],
    ['no event', '---\npriority: 1\n---\n', 1],
    ['invalid YAML', '---\nevent: [tool.pre\n---\n', 1],
    ['no delimiters', '# only text\n', 1],
    ['a script that is no text', '---\nevent: tool.pre\npriority: 1\nscript: [1]\n---\n', 1],
  ])('%s', async (_title, text, code) => {
    const dir = tempProject({ '.harness/hooks/command_guard.md': text });
    expect((await command('validate', validate, [dir])).code).toBe(code);
  });
});

describe('File shape, the other readings', () => {
  it('"The frontmatter must be closed by a second --- on its own line": one inside a line closes nothing', async () => {
    expect((await wrongWith('---\nevent: tool.pre --- \npriority: 1\n'))[0]).toContain('FRONTMATTER');
    expect((await wrongWith('\n# title\n---\nevent: tool.pre\n---\n'))[0]).toContain('FRONTMATTER');
  });

  it('"parse hook command_guard.md: yaml: line 4: ...": the line is the one in the file', async () => {
    const [error] = await errorsIn({
      '.harness/hooks/command_guard.md': '---\nevent: tool.pre\npriority: 1\nwhen: "open\nscript: x\n---\n',
    });
    expect(error).toMatch(/^parse hook command_guard\.md: yaml: line [456]: /);
    const [typed] = await errorsIn({
      '.harness/hooks/command_guard.md': '---\nevent: tool.pre\npriority: 1\nscript: 7\n---\n',
    });
    expect(typed).toMatch(/^parse hook command_guard\.md: yaml: line 4: /);
  });

  it('"hooks[%d].event %q is invalid": the number is the place in the list', async () => {
    const errors = await errorsIn({
      'harness.md':
        '---\nhooks:\n  - {handler: a, event: tool.pre, priority: 1}\n  - {handler: b, event: tool.before, priority: 1}\n---\n',
    });
    expect(errors.join('\n')).toContain('hooks[1].event "tool.before" is invalid');
  });

  it('a missing event in a list and in a bundle is the same error as in a file', async () => {
    const inline = await errorsIn({ 'harness.md': '---\nhooks:\n  - {handler: a, priority: 1}\n---\n' });
    expect(inline.join('\n')).toContain('event field is required in frontmatter');
  });

  it('"subscribes a Starlark handler": a file the loader refuses is no hook that is silently gone', async () => {
    const policy = await openPolicy(tempProject({ '.harness/hooks/guard.md': '---\nevent: tool.pre\n' }));
    expect((await policy.decide('tool.pre', CALL as never)).action).toBe('block');
  });

  it.each(['""', "''", ''])(
    '"If when is empty or omitted, the hook matches every dispatch": when: %s',
    async (when) => {
      const { trace } = await decided({
        x: hook('return block("no")', `event: tool.pre\npriority: 1\nwhen: ${when}`),
      });
      expect(trace[0]).toMatchObject({ state: 'ran', decision: 'block' });
    },
  );
});

describe('Events, fired by what the page says fires them', () => {
  it('"custom.* … can be dispatched from a tool via events.emit("custom.my_event", payload)": from a tool', async () => {
    const dir = tempProject({
      '.harness/tools/ring.md':
        '---\nscript: |\n  def run(args):\n      return events.emit("custom.my_event", {"n": 1})["n"]\n---\n\nRings.\n',
      '.harness/hooks/listen.md': hook(
        'return modify({"n": payload["n"] + 1})',
        'event: custom.my_event\npriority: 1',
      ),
    });
    const agent = await loadAgentProject(dir);
    const played = await play({
      policy: agent.policy,
      tools: agent.tools,
      workspace: dir,
      completions: [{ tool_calls: [call('ring')] }, { text: 'ok' }],
    });
    expect(payloadsOf(played, 'custom.my_event')).toMatchObject([{ n: 1 }]);
    expect(toolMessages(played)[0]?.content).toBe('2');
  });

  it.each([
    [
      'meta.tool_register',
      'tool',
      { description: 'D.', parameters: {}, script: 'def run(args):\n    return 1\n' },
    ],
    [
      'meta.hook_register',
      'hook',
      { event: 'tool.pre', priority: 60, script: 'def handle(event, payload):\n    return allow()\n' },
    ],
  ] as const)(
    '"meta.* — meta built-in events fired by self-augmenting agents": %s',
    async (event, kind, spec) => {
      const { hooks } = await loadHooks({
        x: hook('return block("not " + payload["name"])', `event: ${event}\npriority: 1`),
      });
      const register = tool('register', async (_args, { agent }) =>
        agent!.register(kind as 'tool', { name: 'mine', ...spec } as never),
      );
      const played = await play({
        hooks,
        meta: {},
        tools: [register],
        completions: [{ tool_calls: [call('register')] }, { text: 'ok' }],
      });
      expect(toolMessages(played)[0]).toMatchObject({
        is_error: true,
        content: expect.stringContaining('not mine'),
      });
    },
  );

  it('"session.start — A new agent session begins", "session.end — The session terminates (clean or error)"', async () => {
    for (const completions of [[{ text: 'ok' }], [{ error: { status: 400, message: 'no' } }]]) {
      const fired = (await play({ completions })).fired.map(({ event }) => event);
      expect([fired[0], fired.at(-1)]).toEqual(['session.start', 'session.end']);
    }
  });

  it('"retry up to MaxVerifyRetries": no more than that, then the delegation fails with the reason', async () => {
    const { hooks } = await loadHooks({
      x: hook('return block("never good")', 'event: delegation.post_verify\npriority: 1'),
    });
    const helper = { name: 'helper', description: 'Helps.', system: 'You help.', maxVerifyRetries: 2 };
    const played = await play({
      hooks,
      agents: [helper],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        ...[{ text: 'a' }, { text: 'b' }, { text: 'c' }],
        { text: 'done' },
      ],
    });
    expect(payloadsOf(played, 'delegation.post_verify').map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(toolMessages(played)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('never good'),
    });
  });

  it('"Same shape as delegation.post plus attempt count"', async () => {
    const { hooks } = await loadHooks({
      x: hook('return allow()', 'event: delegation.post_verify\npriority: 1'),
    });
    const played = await play({
      hooks,
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { text: 'found' },
        { text: 'done' },
      ],
    });
    const [verify] = payloadsOf(played, 'delegation.post_verify');
    const [post] = payloadsOf(played, 'delegation.post');
    expect(verify).toHaveProperty('attempt');
    for (const key of ['agent', 'result', 'depth']) expect([key, verify![key]]).toEqual([key, post![key]]);
  });

  it('"delegation.post_verify … when the delegation declares verify:": the script and the hook are both asked', async () => {
    const dir = tempProject({
      '.harness/agents/helper.md':
        '---\nverify: |\n  def run(result):\n      return {"verified": "good" in result["result"], "reason": "not good"}\n---\n\nYou help.\n',
      '.harness/hooks/x.md': hook(
        'metrics.incr("verified")\nreturn allow()',
        'event: delegation.post_verify\npriority: 1',
      ),
    });
    const agent = await loadAgentProject(dir);
    const played = await play({
      policy: agent.policy,
      agents: agent.agents,
      completions: [
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { text: 'bad' },
        { text: 'good' },
        { text: 'done' },
      ],
    });
    expect(JSON.stringify(played.provider.requests[2])).toContain('not good');
    expect(payloadsOf(played, 'delegation.post')).toMatchObject([{ result: 'good' }]);
    expect(played.session.runState.metrics.get('verified')).toBeGreaterThan(0);
  });

  it.each([
    ['tool.pre', { name: 'x', args: {} }, 'dict'],
    ['tool.post', { name: 'x', content: '' }, 'dict'],
    ['turn.start', 'hello', 'string'],
    ['turn.end', { text: 'x' }, 'dict'],
    ['completion.pre', { model: 'm', messages: [], tools: [] }, 'dict'],
    ['delegation.pre', { agent: 'a', prompt: 'p', depth: 1 }, 'dict'],
  ])('"the Starlark bridge flattens them into plain dicts": %s', async (event, payload, kind) => {
    const { effects } = await decided(
      { x: hook('log.info(type(payload))\nreturn allow()', `event: ${event}\npriority: 1`) },
      event,
      payload as never,
    );
    expect(effects).toMatchObject([{ message: kind }]);
  });

  it('"The user message as a string" of turn.start can be rewritten, and the model gets that', async () => {
    const { hooks } = await loadHooks({
      x: hook('return modify(payload.upper())', 'event: turn.start\npriority: 1'),
    });
    const { provider } = await play({ hooks, prompt: 'hello', completions: [{ text: 'ok' }] });
    expect(provider.requests[0]?.messages[0]?.content).toBe('HELLO');
  });
});

describe('The decision contract, word by word', () => {
  it.each([
    ['allow()', '{"action": "allow"}'],
    ['block("r")', '{"action": "block", "reason": "r"}'],
    ['modify({"args": {"command": "pwd"}})', '{"action": "modify", "payload": {"args": {"command": "pwd"}}}'],
  ])('%s is "Equivalent to" %s', async (made, dict) => {
    const [one, two] = [
      await decided({ x: hook(`return ${made}`) }),
      await decided({ x: hook(`return ${dict}`) }),
    ];
    expect([two.action, two.reason, two.payload]).toEqual([one.action, one.reason, one.payload]);
  });

  it('"modify … downstream hooks and the underlying operation see the new value"', async () => {
    const { hooks } = await loadHooks({
      a: hook('return modify({"args": {"text": "new"}})', 'event: tool.pre\npriority: 1'),
      b: hook('log.info(payload["args"]["text"])\nreturn allow()', 'event: tool.pre\npriority: 2'),
    });
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo', { text: 'old' })] }, { text: 'ok' }],
    });
    expect(JSON.stringify(played.fired)).toContain('"message":"new"');
    expect(toolMessages(played)[0]?.content).toBe('{"said":"new"}');
  });

  it('"Hooks that fall off the end of handle produce a runtime warning and pass through": in a session too', async () => {
    const { hooks } = await loadHooks({ x: hook('x = 1') });
    const played = await play({
      hooks,
      tools: [echo],
      completions: [{ tool_calls: [call('echo', { text: 'a' })] }, { text: 'ok' }],
    });
    expect(toolMessages(played)[0]?.is_error).toBe(false);
  });

  it('"Bounded regex": a pattern that others choke on is answered at once', async () => {
    const { trace, reason } = await decided({
      x: hook('return block(str(re.search("(a+)+$", "a" * 5000 + "b")))'),
    });
    expect(trace[0]!.failure).toBeNull();
    expect(reason).toBe('None');
  });

  it('"string.truncate — Bounded string helpers"', async () => {
    expect((await decided({ x: hook('return block(string.truncate("a" * 100, 10))') })).reason).toHaveLength(
      10,
    );
  });

  it('"no way for a tool or sub-agent to bypass it": a call from a script is judged as well', async () => {
    const { hooks } = await loadHooks({
      guard: hook('return block("judged")', 'event: tool.pre\npriority: 1\nwhen: payload["name"] == "echo"'),
      caller: hook(
        'log.info(meta.call_tool("echo", {"text": "x"}))\nreturn allow()',
        'event: turn.start\npriority: 1',
      ),
    });
    const played = await play({ hooks, tools: [echo], completions: [{ text: 'ok' }] });
    expect(JSON.stringify(payloadsOf(played, 'turn.end')[0]?.logs)).toContain('judged');
  });

  it('"Every field documented on this page is part of the stable artifact configuration surface": the page of fields has them', () => {
    const fields = readFileSync(new URL('../../docs/reference/fields.md', import.meta.url), 'utf8');
    for (const field of ['event', 'script', 'when', 'priority']) expect(fields).toContain(`\`${field}\``);
  });
});

describe('Conventions "used by every built-in and example hook in the repository"', () => {
  const EXAMPLES = new URL('../../examples/', import.meta.url);
  const hookFiles = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^\d\d-[^/]+\/\.harness\/hooks\/[^/]+\.md$/.test(path),
  );

  it('"Always set an explicit priority", and every one ships a script and a body for reviewers', () => {
    expect(hookFiles.length).toBeGreaterThan(15);
    for (const path of hookFiles) {
      const [, front = '', body = ''] = readFileSync(new URL(path, EXAMPLES), 'utf8').split(/^---$/m);
      expect([path, /^priority: /m.test(front), /^script: /m.test(front)]).toEqual([path, true, true]);
      expect([path, body.trim() !== '']).toEqual([path, true]);
    }
  });

  it('"Unlike tool artifacts, hook bodies are not surfaced to the model": the body of a tool is', async () => {
    const dir = tempProject({
      '.harness/tools/ring.md':
        '---\nscript: |\n  def run(args):\n      return 1\n---\n\nRings the TOOL bell.\n',
      '.harness/hooks/x.md': `${hook('return allow()')}\n# x\n\nThe HOOK body.\n`,
    });
    const agent = await loadAgentProject(dir);
    const { provider } = await play({
      policy: agent.policy,
      tools: agent.tools,
      workspace: dir,
      completions: [{ text: 'ok' }],
    });
    const sent = JSON.stringify(provider.requests);
    expect([sent.includes('Rings the TOOL bell.'), sent.includes('HOOK body')]).toEqual([true, false]);
  });
});

describe('Rows and rules of the page, each by itself', () => {
  it('"There is no name: or handler: field in hook frontmatter — the handler name is derived from the filename"', async () => {
    const { hooks } = await loadHooks({
      guard: hook('return block("no")', 'event: tool.pre\npriority: 1\nname: other\nhandler: third'),
    });
    expect(hooks.map(({ name }) => name)).toEqual(['guard']);
  });

  it('"Use harness validate to confirm the runtime sees the schema you expect": a misspelt field is named, with what was meant', async () => {
    const dir = tempProject({
      '.harness/hooks/x.md': hook('return allow()', 'event: tool.pre\npriority: 1\nwhne: "True"'),
    });
    const { code, printed } = await command('validate', validate, [dir]);
    expect([code, printed]).toEqual([0, expect.stringMatching(/whne.*when/s)]);
  });

  it.each([
    ['event', 'event: [tool.pre]\npriority: 1'],
    ['when', 'event: tool.pre\npriority: 1\nwhen: 5'],
    ['priority', 'event: tool.pre\npriority: soon'],
    ['priority', 'event: tool.pre\npriority: 1.5'],
  ])('the type of %s is held: %j', async (field, fields) => {
    expect((await wrongWith(hook('return allow()', fields))).join()).toContain(
      `FIELD_TYPE parse hook x.md: yaml: line`,
    );
    expect((await wrongWith(hook('return allow()', fields))).join()).toContain(field);
  });

  it.each([
    [
      'metrics.incr(name) / metrics.set(name, value)',
      'metrics.incr("a")\nmetrics.set("b", 2)',
      'metrics.snapshot()',
      '{"a": 1, "b": 2}',
    ],
    ['cache.get(key) / cache.set(key, value)', 'cache.set("k", [1])', 'cache.get("k")', '[1]'],
    ['json.encode / json.decode', 'x = json.encode({"a": [1]})', 'json.decode(x)', '{"a": [1]}'],
    [
      're.match / re.search / re.findall',
      'x = re.findall("[0-9]+", "a1b22")',
      '[x, re.search("b", "abc").start, re.match("b", "abc")]',
      '[["1", "22"], 1, None]',
    ],
    ['string.truncate', 'pass', 'len(string.truncate("abcdef", 4))', '4'],
    ['type(value)', 'pass', '[type("v") == "string", type(payload)]', '[True, "dict"]'],
  ])('"%s"', async (_row, first, expression, value) => {
    expect((await decided({ x: hook(`${first}\nreturn block(repr(${expression}))`) })).reason).toBe(value);
  });

  it.each(['http.get("https://a.example")', 'http.post("https://a.example", {"a": 1})'])(
    '"Outbound HTTP, gated by network.allowed_domains": %s without one is refused, and the hook with it',
    async (request) => {
      const outcome = await decided({ x: hook(`${request}\nreturn allow()`) });
      expect([outcome.action, outcome.reason]).toEqual(['block', expect.stringContaining('allowed_domains')]);
    },
  );

  it('"when … evaluated against the payload before handle is called": the payload as the hooks before left it', async () => {
    const { trace } = await decided({
      a: hook('return modify({"args": {"command": "pwd"}})', 'event: tool.pre\npriority: 1'),
      b: hook('return block("b")', 'event: tool.pre\npriority: 2\nwhen: payload["args"]["command"] == "ls"'),
      c: hook('return allow()', 'event: tool.pre\npriority: 3\nwhen: payload["args"]["command"] == "pwd"'),
    });
    expect(trace.map(({ matched }) => matched)).toEqual([true, false, true]);
  });

  const EVENTS: readonly (readonly [string, Json])[] = [
    ['session.start', null],
    ['session.end', null],
    ['turn.start', 'hello'],
    ['turn.end', { text: 'x' }],
    ['tool.pre', CALL],
    ['tool.post', { call_id: '1', name: 'x', content: 'y' }],
    ['completion.pre', { model: 'm', messages: [], tools: [] }],
    ['completion.post', { choices: [], usage: {}, finish_reason: 'stop' }],
    ['delegation.pre', { agent: 'a', prompt: 'p', depth: 1 }],
    ['delegation.post', { agent: 'a', result: 'r', depth: 1 }],
    ['delegation.post_verify', { agent: 'a', result: 'r', depth: 1, attempt: 1 }],
    ['error', { message: 'm' }],
    ['custom.mine', { n: 1 }],
    ['meta.tool_register', { name: 'x', description: 'd', replace: false }],
  ];

  it.each(EVENTS)(
    '"This pipeline is identical for every event": Filter, Sort, Dispatch, Compose of %s',
    async (event, payload) => {
      const at = (priority: number, when = 'True') =>
        hook('log.info("ran")\nreturn allow()', `event: ${event}\npriority: ${priority}\nwhen: "${when}"`);
      const outcome = await decided({ z: at(1), a: at(3), m: at(2, 'False') }, event, payload);
      expect(outcome.trace.map(({ hook: name, matched }) => [name, matched])).toEqual([
        ['z', true],
        ['m', false],
        ['a', true],
      ]);
      expect(outcome.effects.map(({ hook: name }) => name)).toEqual(['z', 'a']);
      expect(outcome.action).toBe('allow');
    },
  );

  it('"the audit log reads more clearly": two files that each block one pattern are named by their own name', async () => {
    const blocking = (word: string) =>
      hook(`return block("${word}") if "${word}" in payload["args"]["command"] else allow()`);
    const files = { no_curl: blocking('curl'), no_wget: blocking('wget') };
    for (const word of ['curl', 'wget'])
      expect((await decided(files, 'tool.pre', { name: 'x', args: { command: word } })).hook).toBe(
        `no_${word}`,
      );
  });

  it('"new optional fields … may be added … without breaking existing files": a field of a later version changes nothing', async () => {
    const fields = 'event: tool.pre\npriority: 1';
    const [now, later] = [fields, `${fields}\nquantum: true`].map((each) => hook('return block("no")', each));
    expect((await decided({ x: later! })).reason).toBe((await decided({ x: now! })).reason);
  });
});
