import { describe, expect, it } from 'vitest';
import { decideScript, fire, hookFile, loadHooks } from '../../../test/support/temp-project.ts';
import type { Json } from '../../base/json.ts';
import { RunState } from '../../engine/run-state.ts';

const returning = (value: string) => `def handle(event, payload):\n    return ${value}`;
const decide = async (script: string, more = {}) => (await decideScript(script, more)).outcome;
const problemsOf = async (file: string) => (await loadHooks({ sample: file })).problems;

describe('what handle returns', () => {
  it('may be a decision', async () => {
    expect(await decide(returning('allow()'))).toMatchObject({ action: 'allow', reason: null });
    expect(await decide(returning('block("no")'))).toMatchObject({
      action: 'block',
      reason: 'no',
      hook: 'sample',
    });
    expect(await decide(returning('block(reason = " no ")'))).toMatchObject({ reason: 'no' });
    expect((await decide(returning('modify({"args": {"a": 1}})'))).payload).toMatchObject({
      name: 'x',
      args: { a: 1 },
    });
    expect((await decide(returning('ask("sure?")'))).trace[0]).toMatchObject({
      decision: 'ask',
      reason: 'sure?',
    });
    expect((await decide(returning('permit()'), { event: 'permission.asked' })).action).toBe('permit');
  });

  it('may be the dict form of a decision', async () => {
    expect(await decide(returning('{"action": "block", "reason": "no"}'))).toMatchObject({
      action: 'block',
      reason: 'no',
    });
    expect(await decide(returning('{"action": "allow"}'))).toMatchObject({ action: 'allow' });
    const modified = await decide(returning('{"action": "modify", "payload": {"args": {"a": 1}}}'));
    expect(modified).toMatchObject({ action: 'modify', payload: { args: { a: 1 } } });
  });

  it('that vetoes without a proper reason vetoes all the same', async () => {
    expect(await decide(returning('block("")'))).toMatchObject({
      action: 'block',
      reason: 'blocked by policy',
    });
    expect(await decide(returning('{"action": "block"}'))).toMatchObject({
      action: 'block',
      reason: 'blocked by policy',
    });
    const odd = await decide(returning('{"action": "block", "reason": 4}'));
    expect(odd).toMatchObject({ action: 'block' });
    expect(odd.trace[0]?.warnings).toEqual(['the reason of block is 4, not a string']);
  });

  it.each([
    ['None', 'handle returned None, not a decision: treated as allow()'],
    ['42', 'handle returned 42, not a decision: treated as allow()'],
    ['"block"', 'handle returned "block", not a decision: treated as allow()'],
    ['[block("x")]', 'handle returned [block("x")], not a decision: treated as allow()'],
    ['{}', 'handle returned a dict without "action": treated as allow()'],
    [
      '{"action": "blok"}',
      'handle returned the unknown action "blok": treated as allow() (did you mean block?)',
    ],
    ['{"action": 1}', 'handle returned the unknown action 1: treated as allow()'],
  ])('%s is allow with a warning', async (value, warning) => {
    const outcome = await decide(returning(value));
    expect(outcome.action).toBe('allow');
    expect(outcome.trace[0]?.warnings).toEqual([warning]);
  });

  it('that rewrites to nothing, or to what is no data, is a failure', async () => {
    for (const value of ['{"action": "modify"}', '{"action": "modify", "payload": {"f": len}}']) {
      const outcome = await decide(returning(value));
      expect(outcome.action).toBe('block');
      expect(outcome.trace[0]?.failure).toMatchObject({ kind: 'invalid_return' });
    }
    expect((await decide(returning('modify({"f": len})'))).trace[0]?.failure?.message).toContain('$.f');
  });
});

describe('a failing handler', () => {
  it('points at its line in the Markdown file, with a traceback', async () => {
    const outcome = await decide(
      'def check(p):\n    return p["nope"]\n\ndef handle(event, payload):\n    return check(payload)',
    );
    const failure = outcome.trace[0]?.failure;
    expect(outcome).toMatchObject({ action: 'block', hook: 'sample' });
    expect(failure).toMatchObject({
      kind: 'error',
      code: 'HOOK_THREW',
      message: expect.stringContaining('nope'),
      position: { file: '.harness/hooks/sample.md', line: 6, col: expect.any(Number) },
    });
    expect(failure?.traceback?.split('\n')).toEqual([
      'Traceback (most recent call last):',
      expect.stringMatching(/^ {2}\.harness\/hooks\/sample\.md:9:\d+: in handle$/),
      expect.stringMatching(/^ {2}\.harness\/hooks\/sample\.md:6:\d+: in check$/),
      expect.stringMatching(/^Error: .*nope/),
    ]);
  });

  it.each([
    ['loops for ever', 'for i in range(1000000000):\n        pass', 'HOOK_LIMIT', 'step limit'],
    [
      'allocates for ever',
      'x = "a" * 1000\n    for i in range(1000000):\n        x = x + x',
      'HOOK_LIMIT',
      'memory limit',
    ],
    ['calls itself', 'handle(event, payload)', 'HOOK_THREW', 'recursive'],
    ['computes a huge number', 'x = 10\n    for i in range(1000):\n        x = x * x', 'HOOK_LIMIT', ''],
    ['fails on purpose', 'fail("no good")', 'HOOK_THREW', 'no good'],
    ['changes the payload in place', 'payload["a"] = 1', 'HOOK_THREW', 'frozen'],
  ])('that %s is ended and blocks', async (_, body, code, message) => {
    const outcome = await decide(`def handle(event, payload):\n    ${body}\n    return allow()`);
    expect(outcome.action).toBe('block');
    expect(outcome.trace[0]?.failure).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('is ended by its timeout', async () => {
    const script =
      'def handle(event, payload):\n    for i in range(1000000000):\n        len(str(i))\n    return allow()';
    const outcome = await decide(script, { fields: 'timeout_ms: 20' });
    expect(outcome.trace[0]?.failure).toMatchObject({ kind: 'timeout', code: 'HOOK_TIMEOUT' });
  });
});

describe('the limits of a hook', () => {
  it('hold anew in each call', async () => {
    const script = `def handle(event, payload):
    for i in range(payload["args"]["n"]):
        len(str(i))
    return allow()`;
    const project = await loadHooks({
      sample: hookFile(script, 'event: tool.pre\npriority: 1\ntimeout_ms: 100'),
    });
    const kinds: (string | undefined)[] = [];
    for (const n of [1500, 1500, 1_000_000_000, 10]) {
      const { outcome } = await fire(project, 'tool.pre', { name: 'x', args: { n } });
      kinds.push(outcome.trace[0]?.failure?.kind);
    }
    expect(kinds).toEqual([undefined, undefined, 'timeout', undefined]);
  });

  it('count no steps of the calls before', async () => {
    const project = await loadHooks({ sample: hookFile('def handle(event, payload):\n    return allow()') });
    const run = new RunState();
    const first = await fire(project, 'tool.pre', { name: 'x', args: {} }, { run });
    const second = await fire(project, 'tool.pre', { name: 'x', args: {} }, { run });
    expect(second.outcome.trace[0]?.steps).toBe(first.outcome.trace[0]?.steps);
  });

  it('are not shared by a hook and the same hook fired from inside it', async () => {
    const script = `def handle(event, payload):
    n = payload["n"]
    return modify({"n": emit("custom.down", {"n": n - 1})["n"] + 1}) if n > 0 else allow()`;
    const project = await loadHooks({ sample: hookFile(script, 'event: custom.down\npriority: 1') });
    expect((await fire(project, 'custom.down', { n: 3 })).outcome.payload).toEqual({ n: 3 });
  });
});

describe('a script', () => {
  it('[C059] has a fresh scope in every call, whatever its top level does', async () => {
    const frozen = 'seen = []\n\ndef handle(event, payload):\n    seen.append(1)\n    return allow()';
    expect((await decide(frozen)).trace[0]?.failure?.message).toContain('frozen');
    const impure =
      'count = metrics.incr("loads")\n\ndef handle(event, payload):\n    return block(str(count))';
    const project = await loadHooks({ sample: hookFile(impure) });
    expect(project.problems).toEqual([]);
    const first = await fire(project, 'tool.pre', { name: 'x', args: {} });
    expect(first.outcome.reason).toBe('1');
    expect(
      (await fire(project, 'tool.pre', { name: 'x', args: {} }, { run: first.run })).outcome.reason,
    ).toBe('2');
  });

  it('may use its own functions and constants', async () => {
    const script =
      'LIMIT = 3\n\ndef _long(p):\n    return len(p["name"]) > LIMIT\n\ndef handle(event, payload):\n    return block(event) if _long(payload) else allow()';
    expect((await decide(script, { payload: { name: 'long one', args: {} } })).reason).toBe('tool.pre');
    expect((await decide(script)).action).toBe('allow');
  });

  it('prints into the log', async () => {
    const { run } = await decideScript(
      'def handle(event, payload):\n    print("seen", 1)\n    return allow()',
    );
    expect(run.logs).toMatchObject([{ hook: 'sample', level: 'info', message: 'seen 1' }]);
  });

  it.each([
    ['run', 'the script defines run, but the entry point of a hook is handle(event, payload)', 2],
    ['main', 'the script defines main, but the entry point of a hook is handle(event, payload)', 2],
    ['handler', 'the script defines handler, but the entry point of a hook is handle(event, payload)', 2],
    ['something_else', 'the script defines no handle(event, payload)', 2],
  ])('that defines %s instead of handle is found out at load', async (name, message) => {
    expect(await problemsOf(hookFile(`def ${name}(event, payload):\n    return allow()`))).toMatchObject([
      { severity: 'error', code: 'SCRIPT_HANDLE', message, position: { line: 5 } },
    ]);
  });

  it.each([
    ['def handle(payload):\n    return allow()', 'handle takes 1 parameter: want def handle(event, payload)'],
    ['def handle():\n    return allow()', 'handle takes 0 parameters'],
    ['def handle(a, b, c):\n    return allow()', 'handle takes 3 parameters'],
    ['handle = 4', 'handle is of type int, not a function'],
    ['x = 1', 'the script defines no handle'],
    ['metrics.incr("a")\ndef handel(e, p):\n    return allow()', 'the script defines handel'],
  ])('with the wrong entry point is found out at load: %j', async (script, message) => {
    const problems = await problemsOf(hookFile(script));
    expect(problems).toMatchObject([{ code: 'SCRIPT_HANDLE', message: expect.stringContaining(message) }]);
  });

  it.each([
    'def handle(event, payload, extra = 1):\n    return allow()',
    'def handle(*args):\n    return allow()',
    'def handle(event, payload, **more):\n    return allow()',
    'handle = lambda event, payload: allow()',
  ])('may define handle in any way that takes two arguments: %j', async (script) => {
    expect((await decide(script)).trace[0]).toMatchObject({ decision: 'allow', failure: null });
  });

  it.each([
    ['def handle(event, payload):\n    return alow()', 'undefined: alow (did you mean allow?)', 6, 14],
    ['def handle(event, payload)\n    return allow()', '', 5, 29],
    [
      'load("other.star", "x")\ndef handle(event, payload):\n    return allow()',
      'load wants "//lib/NAME.star"',
      5,
      8,
    ],
    ['x = 1 // 0\ndef handle(event, payload):\n    return allow()', 'top level of the script fails', 5, 0],
    ['def handle(event, payload):\n    return exec("ls")', 'hooks cannot run commands', 6, 14],
    ['def handle(event, payload):\n    return fs.write("a")', 'hooks cannot touch files', 6, 14],
    ['def handle(event, payload):\n    return isinstance(payload, str)', 'type(value) == "string"', 6, 14],
  ])('with a mistake is reported at its place: %j', async (script, message, line, col) => {
    const [problem] = await problemsOf(hookFile(script));
    expect(problem).toMatchObject({ severity: 'error', code: 'SCRIPT_INVALID', position: { line } });
    expect(problem?.message).toContain(message);
    if (col > 0) expect(problem?.position?.col).toBe(col);
  });

  it('[C067] cannot reach the machine, however it tries', async () => {
    const attempts = [
      'getattr(payload, "constructor")',
      'getattr("", "constructor")',
      'payload.__proto__',
      'getattr(metrics.incr, "direct")',
      'getattr(log, "members")',
      'allow().constructor',
      'handle.module',
      'json.decode("{}").constructor',
      'dir(http)[9]',
    ];
    for (const attempt of attempts) {
      const outcome = await decide(returning(attempt));
      expect(outcome.trace[0]?.failure?.kind, attempt).toBe('error');
    }
    // What a module does not have is known when the script is read.
    await expect(decide(returning('metrics.constructor'))).rejects.toThrow('metrics has no constructor');
    const names = await decide(returning('block(str(dir(log) + dir(http) + dir(allow)))'));
    expect(names.reason).toBe('["error", "info", "warn", "get", "post"]');
  });
});

describe('when', () => {
  const matching = async (when: string, payload: Json = { id: '1', name: 'x', args: { n: 1 } }) => {
    const project = await loadHooks({
      sample: hookFile(returning('block("matched")'), `event: tool.pre\npriority: 1\nwhen: ${when}`),
    });
    expect(project.problems).toEqual([]);
    return (await fire(project, 'tool.pre', payload)).outcome.trace[0]!;
  };

  it.each([
    ['payload["name"] == "x"', true],
    ['payload["name"] == "y"', false],
    ['payload["name"] in ["x", "y"]', true],
    ['event == "tool.pre"', true],
    ['payload["args"]["n"]', true],
    ['\'""\'', false],
    ["'[]'", false],
    ['None', false],
    ['re.search("^x$", payload["name"]) != None', true],
    ['len(json.decode(payload["arguments"])) == 1', true],
    ['string.upper(payload["name"]) == "X"', true],
    ['>-\n  payload["name"] == "x" and\n  payload["args"]["n"] == 1', true],
    ['|\n  payload["name"] == "x"', true],
    ['|\n  payload["name"]\n  == "y"', false],
  ])('[C037] %s holds: %s', async (when, matched) => {
    expect(await matching(when)).toMatchObject({ matched, state: matched ? 'ran' : 'unmatched' });
  });

  it('[C038] that raises means no match, with a warning that says why', async () => {
    const entry = await matching('payload["nope"] == 1');
    expect(entry).toMatchObject({ matched: false, state: 'condition_failed', failure: null });
    expect(entry.warnings[0]).toContain('nope');
  });

  it('[C038] that raises blocks where the hook says so', async () => {
    const fields = 'event: tool.pre\npriority: 1\non_when_error: block\nwhen: payload["nope"] == 1';
    const project = await loadHooks({ sample: hookFile(returning('allow()'), fields) });
    const { outcome } = await fire(project, 'tool.pre', { name: 'x', args: {} });
    expect(outcome).toMatchObject({ action: 'block', hook: 'sample' });
    expect(outcome.trace[0]?.failure?.position).toMatchObject({ file: '.harness/hooks/sample.md', line: 5 });
  });

  it.each([
    'metrics.get("a")',
    'cache.get("a")',
    'http.get("a")',
    'log("a")',
    'emit("custom.a")',
    'uuid()',
    'allow()',
    'time.now()',
  ])('[C039] is a pure predicate: %s is refused at load', async (expression) => {
    const name = /^\w+/.exec(expression)![0];
    const file = hookFile(returning('allow()'), `event: tool.pre\npriority: 1\nwhen: ${expression} == 1`);
    expect(await problemsOf(file)).toMatchObject([
      {
        code: 'WHEN_INVALID',
        message: `when is a pure predicate: ${name} belongs into handle(event, payload)`,
        position: { line: 4, col: 7 },
      },
    ]);
  });

  it.each([
    ['payload["name" == "x"', 4],
    ['payload.name ==', 4],
    ['x = 1', 4],
    ['undefined_name', 4],
    ['exec("ls")', 4],
  ])('that is no expression is reported at its line: %j', async (when, line) => {
    const file = hookFile(returning('allow()'), `event: tool.pre\npriority: 1\nwhen: ${when}`);
    expect(await problemsOf(file)).toMatchObject([{ code: 'WHEN_INVALID', position: { line } }]);
  });

  it('sees nothing of the script, and the script’s names are not in its way', async () => {
    const script = `LIMIT = 1\n${returning('allow()')}`;
    const file = hookFile(script, 'event: tool.pre\npriority: 1\nwhen: LIMIT == 1');
    expect((await problemsOf(file))[0]?.message).toContain('undefined: LIMIT');
  });
});
