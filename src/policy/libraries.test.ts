/**
 * `load("//lib/…")`: who finds what, that it stays pure and part of the policy, and that whatever is wrong with it is said and never
 * leaves a guard off.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { loadAgent } from '../agent/config/load-agent.ts';
import { hookFromText } from '../frontends/markdown/hook-from-text.ts';
import { loadPolicyCopy, savePolicyCopy } from '../launcher/keep-policy.ts';
import { checkScript } from '../script/check/check-script.ts';
import { openPolicy } from './open-policy.ts';
import type { Policy } from './policy.ts';
import { coverageOf } from './testing/coverage.ts';
import { runCase, testsOf } from './testing/run-tests.ts';
import { watchPolicy } from './watch.ts';

const NONE = { managed: null, user: null };

const PATHS = `def inside(path, root):
    return path == root or path.startswith(root + "/")

def test_inside():
    return [(inside("a/b", "a"), True), (inside("ab", "a"), False)]
`;

const GUARD = `load("//lib/paths.star", "inside")

def handle(event, payload):
    if not inside(payload["args"]["path"], "src"):
        return block("outside")
    return allow()`;

const call = (path: string) => ({ id: '1', name: 'write', args: { path } });

const open = (files: Record<string, string>, more = {}) =>
  openPolicy(tempProject(files), { places: NONE, ...more });

const messagesOf = ({ problems }: Pick<Policy, 'problems'>) =>
  problems.map(({ message }) => message).join('\n');

const actionOn = async (policy: Policy, path: string) => (await policy.decide('tool.pre', call(path))).action;

describe('a script that loads', () => {
  it('calls what a library of its folder defines', async () => {
    const policy = await open({ '.harness/hooks/g.md': hookFile(GUARD), '.harness/lib/paths.star': PATHS });
    expect(messagesOf(policy)).toBe('');
    expect(await actionOn(policy, 'src/a')).toBe('allow');
    expect(await actionOn(policy, 'etc/a')).toBe('block');
  });

  it('pays for what the library does, step by step', async () => {
    const loop = `def work(n):
    total = 0
    for i in range(n):
        total += i
    return total
`;
    const script = `load("//lib/work.star", "work")

def handle(event, payload):
    return block(str(work(payload["args"]["n"])))`;
    const policy = await open({ '.harness/hooks/g.md': hookFile(script), '.harness/lib/work.star': loop });
    const few = await policy.decide('tool.pre', { id: '1', name: 'x', args: { n: 10 } });
    const many = await policy.decide('tool.pre', { id: '1', name: 'x', args: { n: 1000 } });
    const endless = await policy.decide('tool.pre', { id: '1', name: 'x', args: { n: 100_000_000 } });
    const stepsOf = (outcome: typeof few) => outcome.trace.find(({ hook }) => hook === 'g')!.steps!;
    expect(stepsOf(many) - stepsOf(few)).toBeGreaterThanOrEqual(990);
    expect(endless).toMatchObject({ action: 'block' });
    expect(endless.trace.find(({ hook }) => hook === 'g')?.failure?.message).toMatch(/step limit/);
  });

  it('cannot change what others load', async () => {
    const script = `load("//lib/names.star", "NAMES")

def handle(event, payload):
    NAMES.append("x")
    return allow()`;
    const policy = await open({
      '.harness/hooks/g.md': hookFile(script),
      '.harness/lib/names.star': 'NAMES = ["a"]\n',
    });
    const outcome = await policy.decide('tool.pre', call('x'));
    expect(outcome.action).toBe('block');
    expect(outcome.trace[0]?.failure?.message).toContain('frozen');
  });

  it('also does so in a tool and in a .star handler', async () => {
    const policy = await open({
      '.harness/lib/paths.star': PATHS,
      '.harness/tools/where.md':
        '---\nparameters: {path: {type: string}}\nscript: |\n  load("//lib/paths.star", "inside")\n  def run(args):\n      return str(inside(args["path"], "src"))\n---\nSays where.\n',
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\npattern = "*"\nhandler = "policy::guard"\n',
      'policy.star':
        'load("//lib/paths.star", "inside")\n\ndef guard(event):\n    return None if inside("src", "src") else {"deny": "no"}\n',
    });
    const agent = await loadAgent(policy);
    expect(agent.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(agent.tools.map(({ name }) => name)).toContain('where');
  });
});

describe('layers', () => {
  const user = (lib: Record<string, string>, hooks: Record<string, string> = {}) => ({
    managed: null,
    user: tempProject({
      ...Object.fromEntries(Object.entries(lib).map(([name, text]) => [`lib/${name}`, text])),
      ...Object.fromEntries(Object.entries(hooks).map(([name, text]) => [`hooks/${name}.md`, text])),
    }),
  });

  it('find their own library first, then one of a layer above', async () => {
    const dir = tempProject({ '.harness/hooks/g.md': hookFile(GUARD) });
    const above = await openPolicy(dir, { places: user({ 'paths.star': PATHS }) });
    expect(messagesOf(above)).toBe('');
    expect(await actionOn(above, 'src/a')).toBe('allow');
    mkdirSync(join(dir, '.harness/lib'));
    writeFileSync(join(dir, '.harness/lib/paths.star'), 'def inside(path, root):\n    return False\n');
    const own = await openPolicy(dir, { places: user({ 'paths.star': PATHS }) });
    expect(await actionOn(own, 'src/a')).toBe('block');
  });

  it('never find one of a layer below: a guard above means what it meant', async () => {
    const dir = tempProject({
      '.harness/lib/paths.star': 'def inside(path, root):\n    return True\n',
      '.harness/hooks/other.md': hookFile('def handle(event, payload):\n    return allow()'),
    });
    const policy = await openPolicy(dir, { places: user({}, { g: hookFile(GUARD) }) });
    expect(messagesOf(policy)).toContain('no layer has .harness/lib/paths.star');
    expect(await actionOn(policy, 'src/a')).toBe('block');
    const kept = await openPolicy(dir, { places: user({ 'paths.star': PATHS }, { g: hookFile(GUARD) }) });
    expect(await actionOn(kept, 'etc/a')).toBe('block');
  });

  it('have every library in their digest, whether it is loaded or not', async () => {
    const files = { '.harness/hooks/g.md': hookFile(GUARD), '.harness/lib/paths.star': PATHS };
    const dir = tempProject(files);
    const before = (await openPolicy(dir, { places: NONE })).digest;
    expect(Object.keys(before.files)).toContain('.harness/lib/paths.star');
    writeFileSync(join(dir, '.harness/lib/paths.star'), `${PATHS}# changed\n`);
    expect((await openPolicy(dir, { places: NONE })).digest.digest).not.toBe(before.digest);
  });
});

describe('a session', () => {
  it('keeps the libraries of its policy with it, whatever becomes of the files', async () => {
    const dir = tempProject({ '.harness/hooks/g.md': hookFile(GUARD), '.harness/lib/paths.star': PATHS });
    const before = await openPolicy(dir, { places: NONE });
    const folder = tempProject();
    await savePolicyCopy(folder, before, 'scratch');
    writeFileSync(join(dir, '.harness/lib/paths.star'), 'def inside(path, root):\n    return True\n');
    const kept = await openPolicy(dir, { places: NONE, kept: loadPolicyCopy(folder, before.digest.digest)! });
    expect(kept.digest.digest).toBe(before.digest.digest);
    expect(await actionOn(kept, 'etc/a')).toBe('block');
    expect(await actionOn(await openPolicy(dir, { places: NONE }), 'etc/a')).toBe('allow');
  });

  it('hears of a library that changes, and holds one that can no longer be loaded', async () => {
    const dir = tempProject({ '.harness/hooks/g.md': hookFile(GUARD), '.harness/lib/paths.star': PATHS });
    const policy = await openPolicy(dir, { places: NONE });
    const changes: (string | null)[] = [];
    const told = new Map<number, () => void>();
    const watch = watchPolicy(policy, {
      settleMs: 5,
      pollMs: 20,
      onChange: ({ held }) => {
        changes.push(held);
        told.get(changes.length)?.();
      },
    });
    const next = (count: number) => new Promise<void>((done) => told.set(count, done));
    try {
      const first = next(1);
      writeFileSync(join(dir, '.harness/lib/paths.star'), 'def inside(path, root):\n    return False\n');
      await first;
      expect(changes).toEqual([null]);
      expect(await actionOn(policy, 'src/a')).toBe('block');
      const second = next(2);
      writeFileSync(join(dir, '.harness/lib/paths.star'), 'def inside(:\n');
      await second;
      expect(changes[1]).toContain('cannot be read without an error');
      expect((await policy.decide('tool.pre', call('src/a'))).reason).toBe('outside');
    } finally {
      await watch.stop();
    }
  });
});

describe('what is wrong with a load is said, and its guard blocks', () => {
  const cases: [string, Record<string, string>, string, RegExp][] = [
    ['a file that is not there', {}, 'load("//lib/path.star", "inside")', /did you mean.*paths\.star/],
    [
      'a name that is not there',
      {},
      'load("//lib/paths.star", inside = "insid")',
      /defines no insid \(did you mean.*inside/,
    ],
    [
      'another path',
      {},
      'load("../paths.star", "inside")',
      /load wants "\/\/lib\/NAME\.star".*did you mean "\/\/lib\/paths\.star"/,
    ],
    ['a way out', {}, 'load("//lib/../hooks/x.star", "inside")', /load wants "\/\/lib\/NAME\.star"/],
    [
      'a circle',
      { 'a.star': 'load("//lib/b.star", "b")\na = 1\n', 'b.star': 'load("//lib/a.star", "a")\nb = 1\n' },
      'load("//lib/a.star", inside = "a")',
      /needs itself: \/\/lib\/a\.star loads \/\/lib\/b\.star loads \/\/lib\/a\.star/,
    ],
    [
      'a mistake in it',
      { 'bad.star': 'def inside(:\n' },
      'load("//lib/bad.star", "inside")',
      /bad\.star:1:12/,
    ],
    [
      'a decision in it',
      { 'bad.star': 'def inside(a, b):\n    return block("x")\n' },
      'load("//lib/bad.star", "inside")',
      /block: a library only computes/,
    ],
    [
      'a top level that prints',
      { 'bad.star': 'print("x")\ndef inside(a, b):\n    return True\n' },
      'load("//lib/bad.star", "inside")',
      /only computes/,
    ],
    [
      'a top level that fails',
      { 'bad.star': 'x = 1 // 0\ndef inside(a, b):\n    return True\n' },
      'load("//lib/bad.star", "inside")',
      /top level of the library fails/,
    ],
  ];
  it.each(cases)('%s', async (_title, lib, statement, said) => {
    const script = GUARD.replace('load("//lib/paths.star", "inside")', statement);
    const policy = await open({
      '.harness/hooks/g.md': hookFile(script),
      '.harness/lib/paths.star': PATHS,
      ...Object.fromEntries(Object.entries(lib).map(([name, text]) => [`.harness/lib/${name}`, text])),
    });
    expect(messagesOf(policy)).toMatch(said);
    expect(await actionOn(policy, 'src/a')).toBe('block');
  });

  it('a link that leads out of the folder', async () => {
    const dir = tempProject({ '.harness/hooks/g.md': hookFile(GUARD), '.harness/lib/.keep': '' });
    symlinkSync(join(tempProject({ 'p.star': PATHS }), 'p.star'), join(dir, '.harness/lib/paths.star'));
    const policy = await openPolicy(dir, { places: NONE });
    expect(messagesOf(policy)).toContain('leads out of the policy folder');
    expect(await actionOn(policy, 'src/a')).toBe('block');
  });

  it('and a hook that comes from no folder has nothing to load', async () => {
    const { problems } = await hookFromText('g.md', hookFile(GUARD));
    expect(problems.map(({ message }) => message).join()).toContain('no layer has .harness/lib/paths.star');
    const given = await hookFromText('g.md', hookFile(GUARD), { library: { 'paths.star': PATHS } });
    expect(given.problems).toEqual([]);
  });
});

describe('what is known before it runs', () => {
  it('includes the parameters of what is loaded', async () => {
    const said = async (text: string) => {
      const script = GUARD.replace('inside(payload["args"]["path"], "src")', text);
      const policy = await open(
        { '.harness/hooks/g.md': hookFile(script), '.harness/lib/paths.star': PATHS },
        { check: (each: Parameters<typeof checkScript>[0]) => checkScript(each).findings },
      );
      return messagesOf(policy);
    };
    expect(await said('inside("a")')).toContain('inside is missing root: inside(path, root)');
    expect(await said('inside("a", "b", "c")')).toContain('inside takes 2 arguments, got 3');
    expect(await said('inside("a", rot = "b")')).toContain('did you mean');
    expect(await said('inside("a", root = "b")')).toBe('');
  });
});

describe('what a library reads of a payload', () => {
  it('is held against the event of the hook that passes it', async () => {
    const said = async (key: string) => {
      const script = `load("//lib/tool.star", "tool")

def handle(event, payload):
    return block("no") if tool(payload) == "x" else allow()`;
      const policy = await open(
        {
          '.harness/hooks/g.md': hookFile(script),
          '.harness/lib/tool.star': `def tool(call):\n    return call["${key}"]\n`,
        },
        { check: (each: Parameters<typeof checkScript>[0]) => checkScript(each).findings },
      );
      return policy.problems.map(({ code, message, position }) => [code, position?.line, message]);
    };
    expect(await said('name')).toEqual([]);
    const [[code, line, message] = []] = await said('nme');
    expect([code, line]).toEqual(['PAYLOAD_KEY', 8]);
    expect(message).toContain('(in .harness/lib/tool.star:2:');
  });
});

describe('tests of a library', () => {
  const golden = { read: () => null };

  it('stand beside what they test and are counted in the coverage', async () => {
    const policy = await open({ '.harness/lib/paths.star': PATHS }, { coverage: true });
    const { cases } = testsOf(policy);
    const results = await Promise.all(cases.map((each) => runCase(policy, each, golden)));
    expect(results.map(({ test, status }) => [test.source, test.name, status])).toEqual([
      ['.harness/lib/paths.star', 'inside', 'passed'],
    ]);
    const [covered] = (await coverageOf(policy, results)).libraries;
    expect(covered?.lines.get(2)).toBe(2);
  });

  it('fail with what was wanted, and do not pass if they compare nothing', async () => {
    const run = async (body: string) => {
      const policy = await open({ '.harness/lib/a.star': `def test_it():\n    return ${body}\n` });
      const [only] = testsOf(policy).cases;
      const { status, problem } = await runCase(policy, only!, golden);
      return `${status}: ${problem}`;
    };
    expect(await run('[(1, 1), (1, 2)]')).toBe('failed: pair 2: want 2, got 1');
    expect(await run('[]')).toContain('failed: want a list of pairs');
    expect(await run('True')).toContain('failed: want a list of pairs');
    expect(await run('[1 // 0]')).toContain('division by zero');
  });
});
