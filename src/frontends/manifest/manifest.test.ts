import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fire, hookFile, tempProject } from '../../../test/support/temp-project.ts';
import type { Json } from '../../base/json.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import { watchPolicy } from '../../policy/watch.ts';
import { loadProject, type Project } from '../project.ts';
import { manifestReader } from './manifest-reader.ts';

type Files = Readonly<Record<string, string>>;

async function load(manifest: string, files: Files = {}): Promise<Project> {
  return loadProject(tempProject({ 'harn.toml': manifest, ...files }), { readers: [manifestReader] });
}

const entry = (event: string, handler: string, more = '') =>
  `[[hooks]]\nevent = "${event}"\nhandler = "${handler}"\n${more}\n`;

const told = (project: Project) => project.problems.map(({ severity, message }) => `${severity}: ${message}`);

/** What one handler, alone in its project, makes of an event. */
async function decide(event: string, source: string, payload: Json, file = 'policy.star') {
  const project = await load(entry(event, 'policy::check'), { [file]: source });
  expect(told(project).filter((line) => line.startsWith('error'))).toEqual([]);
  return (await fire(project, event, payload)).outcome;
}

const CALL = { id: 'c1', name: 'exec_shell', args: { path: '/etc/passwd' } };

describe('harn.toml', () => {
  it('[C120] the entry of the specification vetoes a prompt with a secret', async () => {
    const manifest =
      '[[hooks]]\nevent = "UserPromptSubmit"\npattern = "*"\nhandler = "policy::reject_secrets"\n';
    const star = [
      'def reject_secrets(event):',
      '    if "secret" in event["prompt"]:',
      '        return {"block": True, "reason": "policy violation: secret in prompt"}',
      '    return None',
    ].join('\n');
    const project = await load(manifest, { 'policy.star': star });
    expect(told(project)).toEqual([]);
    expect(project.hooks).toMatchObject([
      {
        name: 'policy::reject_secrets',
        event: 'turn.start',
        onError: 'throw',
        origin: 'project',
        source: 'harn.toml',
        line: 1,
        frontEnd: { name: 'manifest' },
      },
    ]);
    expect(project.files).toEqual(['harn.toml', 'policy.star']);
    const blocked = await fire(project, 'turn.start', 'tell me the secret');
    expect(blocked.outcome).toMatchObject({ action: 'block', reason: 'policy violation: secret in prompt' });
    expect((await fire(project, 'turn.start', 'hello')).outcome.action).toBe('allow');
  });

  it('[C120] module and JavaScript handlers see the same event and answer in the same way', async () => {
    const star =
      'def check(event):\n    return {"deny": "%s %s %s" % (event["event"], event["tool"]["name"], event["tool_call_id"])}';
    const code = 'export const check = (e) => ({ deny: [e.event, e.tool.name, e.tool_call_id].join(" ") });';
    const reason = 'PreToolUse exec_shell c1';
    expect(await decide('PreToolUse', star, CALL)).toMatchObject({ action: 'block', reason });
    for (const file of ['policy.js', 'policy.mjs', 'policy.ts']) {
      expect(await decide('PreToolUse', code, CALL, file)).toMatchObject({ action: 'block', reason });
    }
  });

  it('[C097] a tool is denied by a pattern and a handler; other tools are not asked about', async () => {
    const manifest = entry('PreToolUse', 'policy::gate', `pattern = "exec_*"`);
    const project = await load(manifest, {
      'policy.star': 'def gate(event):\n    return {"deny": "exec is gated"}',
    });
    expect(project.hooks[0]!.condition!.text).toBe('exec_*');
    expect((await fire(project, 'tool.pre', CALL)).outcome).toMatchObject({
      action: 'block',
      reason: 'exec is gated',
    });
    const { outcome } = await fire(project, 'tool.pre', { ...CALL, name: 'read_file' });
    expect(outcome).toMatchObject({ action: 'allow', trace: [{ state: 'unmatched' }] });
  });

  it('[C041] a pattern may compare a value inside the event, for both kinds of handlers', async () => {
    const pattern = `pattern = 'tool.args.path =~ "^/etc"'`;
    const manifest = entry('PreToolUse', 'a::no', pattern) + entry('PreToolUse', 'b::no', pattern);
    const project = await load(manifest, {
      'a.star': 'def no(event):\n    return None',
      'b.mjs': 'export function no() { return null; }',
    });
    const states = async (path: string) =>
      (await fire(project, 'tool.pre', { name: 'x', args: { path } })).outcome.trace.map((one) => one.state);
    expect(await states('/etc/passwd')).toEqual(['ran', 'ran']);
    expect(await states('/home')).toEqual(['unmatched', 'unmatched']);
  });

  it('arguments and results are rewritten, by Starlark and by code', async () => {
    const pre =
      'def check(event):\n    args = dict(event["tool"]["args"])\n    args["path"] = "/safe"\n    return {"args": args}';
    expect(await decide('PreToolUse', pre, CALL)).toMatchObject({
      action: 'modify',
      payload: { args: { path: '/safe' }, arguments: '{"path":"/safe"}' },
    });
    const post = 'def check(event):\n    return event["result"]["text"].upper()';
    const result = { call_id: 'c1', name: 'x', args: {}, content: 'done' };
    expect(await decide('PostToolUse', post, result)).toMatchObject({
      action: 'modify',
      payload: { content: 'DONE' },
    });
    const shorter = 'export const check = (e) => ({ result: "d", truncated: true, dropped_bytes: 3 });';
    const cut = await decide('PostToolUse', shorter, { ...result, dropped_bytes: 4 } as Json, 'policy.mjs');
    expect(cut.payload).toMatchObject({ content: 'd', truncated: true, dropped_bytes: 7 });
  });

  it('reminders, booleans and permissions follow the protocol of the event', async () => {
    const reminds =
      'def check(event):\n    return {"reminder": {"body": "look out", "tags": ["x"]}, "then": {"deny": "no"}}';
    const outcome = await decide('PreToolUse', reminds, CALL);
    expect(outcome).toMatchObject({ action: 'block', reason: 'no' });
    expect(outcome.effects).toMatchObject([
      { kind: 'reminder', reminder: { body: 'look out', tags: ['x'] } },
    ]);
    const no = 'def check(event):\n    return False';
    expect(await decide('PreCompact', no, { trigger: 'auto' })).toMatchObject({
      action: 'block',
      reason: 'PreCompact hook returned false',
    });
    const permits = 'def check(event):\n    return {"decision": "allow", "reason": event["tool"]["name"]}';
    expect(await decide('PermissionAsked', permits, CALL)).toMatchObject({
      action: 'permit',
      reason: 'exec_shell',
    });
  });

  it('a Starlark handler may answer with the decisions Markdown hooks have', async () => {
    const star = 'def check(event):\n    return block("no " + event["tool"]["name"])';
    expect(await decide('PreToolUse', star, CALL)).toMatchObject({
      action: 'block',
      reason: 'no exec_shell',
    });
    const asks = 'def check(event):\n    return ask("sure?")';
    expect((await decide('PreToolUse', asks, CALL)).trace[0]).toMatchObject({ decision: 'ask' });
  });

  it.each([
    ['a number', 'return 42', 'invalid_return'],
    ['a text', 'return "deny"', 'invalid_return'],
    ['a dict of unknown keys', 'return {"Deny": "x"}', 'invalid_return'],
    ['a function', 'return len', 'invalid_return'],
    ['an error', 'fail("broken")', 'error'],
  ])('[C032] %s from a handler fails the operation', async (_what, line, kind) => {
    const outcome = await decide('PreToolUse', `def check(event):\n    ${line}`, CALL);
    expect(outcome).toMatchObject({ action: 'block', failure: { kind, hook: 'policy::check' } });
    expect(outcome.trace[0]).toMatchObject({ onFailure: 'threw' });
  });

  it('a traceback points into the module', async () => {
    const outcome = await decide(
      'PreToolUse',
      'def check(event):\n    x = 1\n    return event["nope"]',
      CALL,
    );
    expect(outcome.failure!.position).toMatchObject({ file: 'policy.star', line: 3 });
  });

  it('a Starlark handler runs in the sandbox, under its time limit', async () => {
    const manifest = entry('PreToolUse', 'policy::spin', 'timeout_ms = 50\non_error = "block"');
    const star = 'def spin(event):\n    for i in range(1000000000):\n        pass';
    const project = await load(manifest, { 'policy.star': star });
    const { outcome } = await fire(project, 'tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'block', trace: [{ onFailure: 'blocked' }] });
    expect(outcome.trace[0]!.failure!.code).toMatch(/HOOK_TIMEOUT|HOOK_LIMIT/);
  });

  it('a handler cannot change the event behind the pipeline’s back', async () => {
    const star = 'def check(event):\n    event["tool"]["args"]["path"] = "/x"';
    expect((await decide('PreToolUse', star, CALL)).failure!.message).toContain('frozen');
    const code = 'export function check(event) { event.tool.args.path = "/x"; }';
    const outcome = await decide('PreToolUse', code, CALL, 'policy.mjs');
    expect(outcome.payload).toMatchObject({ args: { path: '/etc/passwd' } });
    expect(outcome.failure).toMatchObject({ kind: 'error' });
  });

  it('mode and on_error are those of the entry', async () => {
    const manifest = entry(
      'PreToolUse',
      'policy::no',
      'mode = "shadow"\non_error = "allow"\ndescription = "Looks."',
    );
    const project = await load(manifest, { 'policy.star': 'def no(event):\n    return {"deny": "x"}' });
    expect(project.hooks).toMatchObject([{ mode: 'shadow', onError: 'allow', description: 'Looks.' }]);
    expect((await fire(project, 'tool.pre', CALL)).outcome.action).toBe('allow');
  });

  it('[C096] the number in the name of an event is a part of the condition', async () => {
    const project = await load(entry('OnBudgetThreshold(80)', 'policy::spent'), {
      'policy.star': 'def spent(event):\n    return {"body": "nearly spent"}',
    });
    const effects = async (percentage: number) =>
      (await fire(project, 'budget.threshold', { percentage })).outcome.effects.length;
    expect(await effects(79)).toBe(0);
    expect(await effects(80)).toBe(1);
  });

  it('hooks of a manifest and of Markdown files stand in one chain', async () => {
    const dir = tempProject({
      'harn.toml': entry('PreToolUse', 'policy::no'),
      'policy.star': 'def no(event):\n    return {"deny": "manifest"}',
      '.harness/hooks/first.md': hookFile(
        'def handle(event, payload):\n  return allow()',
        'event: tool.pre\npriority: -1',
      ),
      '.harness/hooks/last.md': hookFile('def handle(event, payload):\n  return block("late")'),
    });
    const { outcome } = await fire(await loadProject(dir), 'tool.pre', CALL);
    expect(outcome.trace.map(({ hook, state }) => `${hook} ${state}`)).toEqual([
      'first ran',
      'policy::no ran',
      'last unreached',
    ]);
    expect(outcome.reason).toBe('manifest');
  });
});

describe('trusted code', () => {
  it('says so where hooks are listed, and is not run to be read', async () => {
    const dir = tempProject();
    writeFileSync(join(dir, 'harn.toml'), entry('PreToolUse', 'policy::no'));
    const marker = join(dir, 'ran');
    writeFileSync(
      join(dir, 'policy.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\nexport function no() {}`,
    );
    const project = await loadProject(dir, { readers: [manifestReader] });
    expect(project.hooks[0]!.description).toBe('Trusted code (policy.mjs), run without a sandbox.');
    expect(existsSync(marker)).toBe(false);
    await fire(project, 'tool.pre', CALL);
    expect(existsSync(marker)).toBe(true);
  });

  it('[C120] is loaded on first use, and a module that cannot be loaded fails the operation', async () => {
    const outcome = await decide(
      'PreToolUse',
      'throw new Error("no luck");\nexport const check = 1;',
      CALL,
      'policy.mjs',
    );
    expect(outcome).toMatchObject({
      action: 'block',
      failure: { message: 'policy.mjs cannot be loaded: no luck' },
    });
    const value = await decide('PreToolUse', 'export const check = 1;', CALL, 'policy.mjs');
    expect(value.failure!.message).toBe('policy.mjs exports no function check');
  });

  it('an edited module is loaded anew', async () => {
    const dir = tempProject({ 'harn.toml': entry('PreToolUse', 'policy::no') });
    const reason = async (text: string) => {
      writeFileSync(join(dir, 'policy.mjs'), `export const no = () => ({ deny: '${text}' });`);
      const project = await loadProject(dir, { readers: [manifestReader] });
      return (await fire(project, 'tool.pre', CALL)).outcome.reason;
    };
    expect(await reason('one')).toBe('one');
    expect(await reason('two')).toBe('two');
  });

  it('a promise is waited for, up to the limit', async () => {
    const slow = 'export const check = async () => ({ deny: "late" });';
    expect(await decide('PreToolUse', slow, CALL, 'policy.mjs')).toMatchObject({ reason: 'late' });
    const project = await load(entry('PreToolUse', 'policy::check', 'timeout_ms = 60'), {
      'policy.mjs': 'export const check = () => new Promise(() => {});',
    });
    expect((await fire(project, 'tool.pre', CALL)).outcome).toMatchObject({
      action: 'block',
      failure: { kind: 'timeout' },
    });
  });

  it.each([
    ['export function check() {}', []],
    ['export async function check() {}', []],
    ['export const check = () => null', []],
    ['const f = 1;\nexport { f as check };', []],
    ['exports.check = () => null', []],
    ['export * from "./other.mjs"', ['warning']],
    ['export const { check } = rules', ['warning']],
    ['export function chek() {}', ['error']],
    ['// export function check() {}', ['error']],
    ['function check() {}', ['error']],
  ])('[C120] whether it exports the function is seen in %j', async (text, expected) => {
    const project = await load(entry('PreToolUse', 'policy::check'), { 'policy.mjs': text });
    expect(project.problems.map((problem) => problem.severity)).toEqual(expected);
    for (const problem of project.problems) {
      expect(problem).toMatchObject({ code: 'HANDLER_INVALID', position: { line: 3, col: 11 } });
      expect(problem.message).toContain('policy.mjs does not export check');
    }
    if (text.includes('chek')) expect(project.problems[0]!.message).toContain('(did you mean chek?)');
  });
});

describe('hot reload', () => {
  it('[C054] notices an edit of a module that the manifest names', async () => {
    const dir = tempProject({
      'harn.toml': entry('PreToolUse', 'lib/policy::no'),
      'lib/policy.star': 'def no(event):\n    return {"deny": "one"}',
    });
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const reason = async () => (await policy.decide('tool.pre', CALL)).reason;
    const watch = watchPolicy(policy, { settleMs: 5, pollMs: 20 });
    try {
      await expect.poll(reason).toBe('one');
      writeFileSync(join(dir, 'lib/policy.star'), 'def no(event):\n    return {"deny": "two"}');
      await expect.poll(reason).toBe('two');
    } finally {
      await watch.stop();
    }
  });
});

describe('mistakes in harn.toml', () => {
  const STAR = {
    'policy.star':
      'def check(event):\n    return None\ndef _own(event):\n    return None\nvalue = 3\ndef two(a, b):\n    return None',
  };

  it.each([
    [
      'PreToolUs',
      'policy::check',
      'hooks[0].event: harn.toml has no event "PreToolUs" (did you mean PreToolUse?)',
    ],
    ['completion.pre', 'policy::check', 'hooks[0].event: harn.toml has no event "completion.pre"'],
    ['PreToolUse', 'policy', 'hooks[0].handler: wanted "module::function", got "policy"'],
    [
      'PreToolUse',
      'policy::chek',
      'hooks[0].handler: policy.star defines no function chek (did you mean check?)',
    ],
    ['PreToolUse', 'policy::_own', '_own is private to policy: wanted a public function'],
    ['PreToolUse', 'policy::', 'wanted the name of a function after "::", got ""'],
    ['PreToolUse', 'polcy::check', 'there is no polcy.star, polcy.ts, polcy.mjs, polcy.js beside harn.toml'],
    ['PreToolUse', 'policy.star::check', 'wanted a module without its ending: "policy::check"'],
    ['PreToolUse', '../policy::check', 'wanted a module beside harn.toml or below it, got "../policy"'],
    ['PreToolUse', 'a/../../policy::check', 'wanted a module beside harn.toml or below it'],
    ['PreToolUse', '/tmp/policy::check', 'wanted a module beside harn.toml or below it, got "/tmp/policy"'],
    ['PreToolUse', 'a b::check', 'wanted the name of a module before "::", got "a b"'],
  ])('event %s with handler %s: %s', async (event, handler, message) => {
    const project = await load(entry(event, handler), STAR);
    expect(told(project)[0]).toContain(`error: `);
    expect(told(project)[0]).toContain(message);
    const fired = event === 'completion.pre' ? 'completion.pre' : 'tool.pre';
    const { outcome } = await fire(
      project,
      fired,
      fired === 'tool.pre' ? CALL : { model: 'm', messages: [] },
    );
    expect(outcome).toMatchObject({ action: 'block', trace: [{ failure: { code: 'HOOK_NOT_LOADED' } }] });
  });

  it.each([
    ['policy::value', 'value is of type int, not a function', 5],
    ['policy::two', 'two takes 2 parameters: want def two(event)', 6],
  ])('handler %s: %s', async (handler, message, line) => {
    const project = await load(entry('PreToolUse', handler), STAR);
    expect(project.problems).toMatchObject([{ severity: 'error', position: { file: 'policy.star', line } }]);
    expect(told(project)[0]).toContain(message);
  });

  it('a module in a folder below is found; one that does not compile is one problem, at its place', async () => {
    const manifest = entry('PreToolUse', 'lib/rules::a') + entry('PostToolUse', 'lib/rules::b');
    const good = await load(manifest, {
      'lib/rules.star': 'def a(event):\n    pass\ndef b(event):\n    pass',
    });
    expect(told(good)).toEqual([]);
    const bad = await load(manifest, {
      'lib/rules.star': 'def a(event):\n    return (\ndef b(event):\n    pass',
    });
    expect(bad.problems.length).toBeGreaterThan(0);
    expect(new Set(bad.problems.map((problem) => JSON.stringify(problem))).size).toBe(bad.problems.length);
    expect(bad.problems[0]!.position).toMatchObject({ file: 'lib/rules.star' });
    expect(bad.hooks.map((hook) => [hook.name, hook.event])).toEqual([
      ['lib/rules::a', 'tool.pre'],
      ['lib/rules::b', 'tool.post'],
    ]);
  });

  it('the sandboxed module is taken where there are two, with a warning', async () => {
    const project = await load(entry('PreToolUse', 'policy::check'), {
      ...STAR,
      'policy.mjs': 'export const check = 1',
    });
    expect(told(project)).toEqual(['warning: hooks[0].handler: policy.star is used, not policy.mjs']);
    expect(project.hooks[0]!.description).toBeUndefined();
  });

  it('a Harn module is named as what it is', async () => {
    const project = await load(entry('PreToolUse', 'policy::check'), {
      'policy.harn': 'pub fn check(event) {}',
    });
    expect(told(project)[0]).toContain('Harn code is not run here: write it as policy.star');
  });

  it.each([
    ['a =', 'not TOML', 1],
    [
      '[hooks]\nevent = "PreToolUse"',
      'hooks: wanted a list of tables, each headed [[hooks]], got one table',
      1,
    ],
    ['x = 1\nhooks = 3', 'hooks: wanted a list of tables', 2],
    ['hooks = [1]', 'hooks[0]: wanted a table, got the number 1', 1],
    ['\n\n[[hooks]]\nhandler = "policy::check"', 'hooks[0]: event is missing', 3],
    ['[[hooks]]\nevent = "PreToolUse"', 'hooks[0]: handler is missing', 1],
    [
      '[[hooks]]\nevent = 3\nhandler = "policy::check"',
      'hooks[0].event: wanted a string, got the number 3',
      2,
    ],
  ])('%j is an error with its line, and blocks until it is repaired', async (manifest, message, line) => {
    const project = await load(manifest, STAR);
    expect(told(project)[0]).toContain(message);
    expect(project.problems[0]!.position).toMatchObject({ file: 'harn.toml', line });
    expect((await fire(project, 'tool.pre', CALL)).outcome.action).toBe('block');
  });

  it('[C044] a broken pattern is an error: the hook would never match', async () => {
    const project = await load(entry('PreToolUse', 'policy::check', `pattern = 'tool.name =~ "("'`), STAR);
    expect(project.problems).toMatchObject([{ code: 'PATTERN_INVALID', position: { line: 4, col: 11 } }]);
    expect((await fire(project, 'tool.pre', CALL)).outcome.action).toBe('block');
  });

  it('a pattern that cannot match its event is a warning', async () => {
    const project = await load(entry('UserPromptSubmit', 'policy::check', 'pattern = "exec_*"'), STAR);
    expect(told(project)[0]).toContain('UserPromptSubmit has none: it never matches');
  });

  it('an unknown key is a warning with the nearest name', async () => {
    const project = await load(entry('PreToolUse', 'policy::check', 'patern = "x"'), STAR);
    expect(told(project)).toEqual(['warning: hooks[0]: unknown key "patern" (did you mean pattern?)']);
  });

  it('an event of Harn that nothing here fires is a warning, and no hook', async () => {
    const project = await load(entry('WorkerSpawned', 'policy::check'), STAR);
    expect(told(project)[0]).toContain('nothing here fires WorkerSpawned');
    expect(project.hooks).toEqual([]);
  });

  it('one bad entry does not keep the others from loading', async () => {
    const project = await load(entry('PreToolUse', 'gone::x') + entry('PreToolUse', 'policy::check'), STAR);
    expect(project.hooks.map((hook) => hook.name).sort()).toEqual(['gone::x', 'policy::check']);
  });

  it('the same handler twice on one event has two names', async () => {
    const twice = entry('PreToolUse', 'policy::check');
    expect((await load(twice + twice, STAR)).hooks.map((hook) => hook.name)).toEqual([
      'policy::check',
      'policy::check (2)',
    ]);
  });
});
