import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fire, hookFile, loadHooks, tempProject } from '../../test/support/temp-project.ts';
import { isGate } from '../engine/catalog.ts';
import type { Hook } from '../engine/hook.ts';
import { reason } from '../files/read-file.ts';
import { loadProject, type Project } from './project.ts';

const ALLOW = 'def handle(event, payload):\n    return allow()';
const BLOCK = 'def handle(event, payload):\n    return block("no")';
const HOOKS = '.harness/hooks';
const good = hookFile(ALLOW);

const messages = (project: Project, severity?: 'error' | 'warning') =>
  project.problems
    .filter((one) => severity === undefined || one.severity === severity)
    .map((one) => one.message);
const names = (project: Project) => project.hooks.map((hook) => hook.name);
const only = (project: Project): Hook => {
  expect(project.hooks).toHaveLength(1);
  return project.hooks[0]!;
};

describe('a project', () => {
  it('[C045] [C046] reads each file of .harness/hooks as one hook named like the file', async () => {
    const project = await loadHooks({ b: good, a: good, 'with.dots': good });
    expect(project.problems).toEqual([]);
    expect(names(project)).toEqual(['a', 'b', 'with.dots']);
    expect(project.hooks[0]).toMatchObject({
      event: 'tool.pre',
      priority: 10,
      source: '.harness/hooks/a.md',
      origin: 'project',
      mode: 'enforce',
      onError: 'block',
      onWhenError: 'skip',
      timeoutMs: 5000,
    });
    expect(project.files).toContain('.harness/hooks/a.md');
  });

  it('[C046] ignores name: and handler: in a file, with a warning', async () => {
    const project = await loadHooks({
      real: hookFile(ALLOW, 'event: error\npriority: 1\nname: other\nhandler: x'),
    });
    expect(names(project)).toEqual(['real']);
    expect(messages(project)).toEqual([
      'name is ignored: the file name is the name of the hook',
      'handler is ignored: the file name is the name of the hook',
    ]);
  });

  it('reads only *.md directly in the folder, and no dot files', async () => {
    const dir = tempProject({
      [`${HOOKS}/a.md`]: good,
      [`${HOOKS}/.#a.md`]: 'lock',
      [`${HOOKS}/notes.txt`]: 'text',
      [`${HOOKS}/sub/b.md`]: 'text',
    });
    expect(names(await loadProject(dir))).toEqual(['a']);
  });

  it('without any hook says so, and a folder that is not there blocks', async () => {
    const empty = await loadProject(tempProject());
    expect(empty.hooks).toEqual([]);
    expect(empty.problems).toMatchObject([{ severity: 'warning', code: 'PROJECT_EMPTY' }]);
    const missing = await loadProject(join(tempProject(), 'typo'));
    expect(missing.problems).toMatchObject([{ severity: 'error', code: 'FILE_UNREADABLE' }]);
    expect((await fire(missing, 'tool.pre', { name: 'x', args: {} })).outcome.action).toBe('block');
  });

  it('[C047] demands an event, with the exact text', async () => {
    for (const fields of ['priority: 1', 'event:\npriority: 1', 'event: ""\npriority: 1']) {
      const project = await loadHooks({ command_guard: hookFile(ALLOW, fields) });
      expect(messages(project)).toEqual(['hook "command_guard": event field is required in frontmatter']);
    }
  });

  it('[C001] rejects an unknown event with its place in the list and the nearest name', async () => {
    const project = await loadHooks({ a: good, b: hookFile(ALLOW, 'event: tool.pree\npriority: 1') });
    expect(messages(project)).toEqual([
      expect.stringMatching(/^hooks\[1\]\.event "tool\.pree" is invalid.*tool\.pre/),
    ]);
    expect(project.problems[0]?.position).toMatchObject({ file: '.harness/hooks/b.md', line: 2, col: 8 });
  });

  it('resolves aliases, custom and meta events', async () => {
    const project = await loadHooks({
      a: hookFile(ALLOW, 'event: PreToolUse\npriority: 1'),
      b: hookFile(ALLOW, 'event: custom.my_event\npriority: 1'),
      c: hookFile(ALLOW, 'event: meta.register_tool\npriority: 1'),
    });
    expect(project.hooks.map((hook) => hook.event)).toEqual([
      'tool.pre',
      'custom.my_event',
      'meta.register_tool',
    ]);
  });

  it('compares the number in an event name with the payload', async () => {
    const project = await loadHooks({ a: hookFile(BLOCK, 'event: OnBudgetThreshold(80)\npriority: 1') });
    const matches = async (percentage: number) =>
      (await fire(project, 'budget.threshold', { percentage })).outcome.trace[0]?.matched;
    expect([await matches(79), await matches(80), await matches(120)]).toEqual([false, true, true]);
  });

  it('[C048] ignores unknown keys and warns with the nearest name', async () => {
    const project = await loadHooks({
      a: hookFile(ALLOW, 'event: error\npriority: 1\nprioritty: 2\nx_own: 3'),
    });
    expect(only(project).priority).toBe(1);
    expect(project.problems).toMatchObject([
      { severity: 'warning', code: 'FIELD_UNKNOWN', position: { line: 4, col: 1 } },
      { severity: 'warning', code: 'FIELD_UNKNOWN', position: { line: 5, col: 1 } },
    ]);
    expect(messages(project)[0]).toBe('unknown field prioritty is ignored (did you mean priority?)');
  });

  it('warns of a missing priority, and keeps an explicit 0', async () => {
    for (const fields of ['event: error', 'event: error\npriority:']) {
      const absent = await loadHooks({ a: hookFile(ALLOW, fields) });
      expect(only(absent).priority).toBe(0);
      expect(absent.problems).toMatchObject([{ severity: 'warning', code: 'PRIORITY_MISSING' }]);
    }
    const zero = await loadHooks({ a: hookFile(ALLOW, 'event: error\npriority: 0') });
    expect([only(zero).priority, zero.problems]).toEqual([0, []]);
  });

  it('[C049] never executes the body, fenced code included', async () => {
    const text = `${hookFile(ALLOW)}# doc\n\n\`\`\`starlark\nfail("executed")\ndef handle(event, payload):\n    return block("x")\n\`\`\`\n`;
    const project = await loadHooks({ a: text });
    expect(project.problems).toEqual([]);
    expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.action).toBe('allow');
  });

  it('[C050] takes a hook without a script as a no-op, and says so', async () => {
    const project = await loadHooks({
      a: '---\nevent: tool.pre\npriority: 1\n---\n',
      b: '---\nevent: error\npriority: 1\nscript:\n---\n',
    });
    expect(project.hooks.map((hook) => hook.body)).toEqual([null, null]);
    expect(messages(project, 'error')).toEqual([]);
    expect(messages(project)[0]).toContain('placeholder');
    expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.action).toBe('allow');
  });

  it('blocks on a failure by default on gates only, unless the hook says otherwise', async () => {
    const project = await loadHooks({
      a: hookFile(ALLOW, 'event: tool.pre\npriority: 1'),
      b: hookFile(ALLOW, 'event: session.end\npriority: 1'),
      c: hookFile(
        ALLOW,
        'event: tool.pre\npriority: 1\non_error: throw\nmode: warn\ntimeout_ms: 7\non_when_error: block',
      ),
    });
    expect(project.hooks.map((hook) => hook.onError)).toEqual(['block', 'allow', 'throw']);
    expect(project.hooks[2]).toMatchObject({ mode: 'warn', timeoutMs: 7, onWhenError: 'block' });
  });

  it('takes the description from the field or from the first sentence of the body', async () => {
    const project = await loadHooks({
      a: `${hookFile(ALLOW)}# a\n\nGuards the door. And more.\n`,
      b: hookFile(ALLOW, 'event: error\npriority: 1\ndescription: My own'),
    });
    expect(project.hooks.map((hook) => hook.description)).toEqual(['Guards the door.', 'My own']);
  });

  it('collects inline test cases', async () => {
    const tests = `tests:
  - name: blocks it
    payload: {name: x}
    expect: block
  - name: leaves it
    expect: {action: modify, payload: {a: 1}, reason: because}`;
    const project = await loadHooks({ a: hookFile(ALLOW, `event: tool.pre\npriority: 1\n${tests}`) });
    expect(messages(project)).toEqual([]);
    expect(project.tests().tests).toMatchObject([
      {
        hook: 'a',
        event: 'tool.pre',
        written: { name: 'blocks it', payload: { name: 'x' }, expect: 'block' },
        line: 5,
      },
      {
        written: {
          name: 'leaves it',
          expect: { action: 'modify', payload: { a: 1 }, reason: 'because' },
        },
      },
    ]);
  });
});

describe('a wrong value for a field', () => {
  it.each([
    ['event: [tool.pre]', 'event must be a string; got a list'],
    ['event: 5', 'event must be a string; got the number 5'],
    ['event: error\npriority: high', 'priority must be an integer; got the text "high"'],
    ['event: error\npriority: 1.5', 'priority must be an integer; got the number 1.5'],
    ['event: error\npriority: "10"', 'priority must be an integer; got the text "10"'],
    ['event: error\npriority: .inf', 'priority must be an integer'],
    ['event: error\npriority: 99999999999999999999', 'priority must be from'],
    [
      'event: error\nwhen: true',
      'when must be a string; got the boolean true (a condition is a Starlark expression in quotes',
    ],
    ['event: error\nwhen: [a]', 'when must be a string; got a list'],
    [
      'event: error\non_error: blok',
      'on_error must be one of block, allow, throw; got the text "blok" (did you mean block?)',
    ],
    ['event: error\non_error: true', 'on_error must be a string'],
    ['event: error\non_when_error: allow', 'on_when_error must be one of skip, block'],
    ['event: error\ntimeout_ms: 0', 'timeout_ms must be from 1 to 600000; got the number 0'],
    ['event: error\ntimeout_ms: soon', 'timeout_ms must be an integer'],
    ['event: error\nmode: loud', 'mode must be one of enforce, warn, shadow'],
    ['event: error\ndescription: 4', 'description must be a string'],
    ['event: error\ntests: yes', 'tests must be a list'],
    ['event: error\ntests: [{name: a}]', 'tests[0].expect is required'],
    ['event: error\ntests: [{name: a, expect: blck}]', 'tests[0].expect must be one of allow, block'],
  ])('%j', async (fields, message) => {
    const project = await loadHooks({ a: `---\n${fields}\n---\n` });
    const errors = messages(project, 'error');
    const line = fields.split('\n').length + 1;
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`parse hook a.md: yaml: line ${line}: ${message}`);
    expect(project.hooks.length).toBeGreaterThan(0);
  });

  it('is reported for a script that is not text, and all mistakes come at once', async () => {
    const project = await loadHooks({ a: '---\nevent: tool.pre\npriority: x\nscript: [1]\nmode: y\n---\n' });
    expect(messages(project, 'error').map((text) => text.replace(/;.*/, ''))).toEqual([
      'parse hook a.md: yaml: line 3: priority must be an integer',
      'parse hook a.md: yaml: line 4: script must be a string',
      expect.stringContaining('line 5: mode must be one of'),
    ]);
  });
});

describe('a file that cannot be loaded', () => {
  const cases: Record<string, (path: string) => void> = {
    'not valid UTF-8: byte 0xff at offset 4': (path) =>
      writeFileSync(path, Buffer.from([45, 45, 45, 10, 0xff, 10])),
    'at offset 5': (path) => writeFileSync(path, Buffer.from([45, 45, 45, 10, 97, 0xe2, 0x82])),
    'more than an artifact may have': (path) => writeFileSync(path, Buffer.alloc(50_000_000, 32)),
    'link to a file that does not exist': (path) => symlinkSync('/nonexistent/x', path),
    'go in a circle': (path) => symlinkSync(path, path),
    'it is a folder, not a file': (path) => mkdirSync(path),
    'missing frontmatter': (path) => writeFileSync(path, '# just text\n'),
    'not closed by a second ---': (path) => writeFileSync(path, '---\nevent: tool.pre\n'),
    'yaml: line 3': (path) => writeFileSync(path, '---\nevent: tool.pre\nwhen: "a" in b\n---\n'),
  };

  it.each(Object.entries(cases))(
    '(%s) is a problem, blocks every gate, and leaves the others in force',
    async (text, make) => {
      const dir = tempProject({ [`${HOOKS}/good.md`]: good, [`${HOOKS}/zzz.md`]: good });
      make(join(dir, HOOKS, 'guard.md'));
      const project = await loadProject(dir);
      expect(messages(project, 'error')[0]).toContain('parse hook guard.md: ');
      expect(messages(project, 'error')[0]).toContain(text);
      const standIns = project.hooks.filter((hook) => hook.name === 'guard');
      expect(standIns.length).toBeGreaterThan(5);
      expect(standIns.every((hook) => isGate(hook.event) && hook.onError === 'block')).toBe(true);
      expect(names(project)).toEqual(expect.arrayContaining(['good', 'zzz']));
      const { outcome } = await fire(project, 'tool.pre', { id: '1', name: 'x', args: {} });
      expect(outcome).toMatchObject({ action: 'block', hook: 'guard' });
      expect(outcome.reason).toContain('.harness/hooks/guard.md');
      expect(outcome.trace.find((entry) => entry.hook === 'guard')?.failure?.code).toBe('HOOK_NOT_LOADED');
    },
  );

  it('stands in on its event alone where that could be read', async () => {
    const project = await loadHooks({
      guard: hookFile('def handle(event, payload:\n  pass', 'event: tool.pre\npriority: 4'),
    });
    expect(only(project)).toMatchObject({ name: 'guard', event: 'tool.pre', priority: 4, onError: 'block' });
    expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.action).toBe('block');
    expect((await fire(project, 'completion.pre', {})).outcome.action).toBe('allow');
  });

  it('blocks also where the hook asked to allow on errors, but a hook that only watches never does', async () => {
    const broken = 'def nothing():\n    pass';
    const allowing = await loadHooks({
      a: hookFile(broken, 'event: tool.pre\npriority: 1\non_error: allow'),
    });
    expect((await fire(allowing, 'tool.pre', { name: 'x', args: {} })).outcome.action).toBe('block');
    const shadow = await loadHooks({ a: hookFile(broken, 'event: tool.pre\npriority: 1\nmode: shadow') });
    const { outcome } = await fire(shadow, 'tool.pre', { name: 'x', args: {} });
    expect(outcome.action).toBe('allow');
    expect(outcome.trace[0]?.failure?.code).toBe('HOOK_NOT_LOADED');
  });

  it('is not confused by a folder that cannot be listed', async () => {
    const project = await loadProject(tempProject({ [HOOKS]: 'a file' }));
    expect(messages(project, 'error')[0]).toContain('the folder .harness/hooks cannot be read');
    expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.action).toBe('block');
  });

  it('says in words why the system refused', () => {
    expect(reason(Object.assign(new Error('x'), { code: 'EACCES' }))).toBe('permission denied');
    expect(reason(Object.assign(new Error('x'), { code: 'EWEIRD' }))).toBe('EWEIRD');
  });
});

describe('harness.md', () => {
  const inline = (handler: string, event = 'tool.pre', priority = 5) =>
    `  - handler: ${handler}\n    event: ${event}\n    priority: ${priority}\n    script: |\n      def handle(event, payload):\n          return block("inline ${handler}")\n`;

  it.each(['harness.md', '.harness/harness.md'])('[C051] holds hooks inline, in %s', async (path) => {
    const project = await loadProject(
      tempProject({ [path]: `---\nhooks:\n${inline('one')}${inline('two')}---\n` }),
    );
    expect(project.problems).toEqual([]);
    expect(project.hooks).toMatchObject([
      { name: 'one', source: path, position: 0, line: 3 },
      { name: 'two', source: path, position: 1 },
    ]);
    expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.reason).toBe('inline one');
  });

  it('[C052] an inline hook and a file of the same name are both in force, and a warning names both places', async () => {
    const project = await loadProject(
      tempProject({
        'harness.md': `---\nhooks:\n${inline('one')}${inline('two')}---\n`,
        [`${HOOKS}/two.md`]: hookFile(ALLOW, 'event: tool.pre\npriority: 1'),
        [`${HOOKS}/a.md`]: good,
      }),
    );
    expect(project.hooks.map((hook) => [hook.name, hook.source])).toEqual([
      ['one', 'harness.md'],
      ['two', 'harness.md'],
      ['a', '.harness/hooks/a.md'],
      ['two', '.harness/hooks/two.md'],
    ]);
    expect(project.problems).toMatchObject([
      {
        severity: 'warning',
        code: 'HOOK_DUPLICATE',
        message: 'a hook named "two" is also in harness.md:9; both are in force',
        position: { file: '.harness/hooks/two.md' },
      },
    ]);
  });

  it('an inline guard still blocks beside a file of its name that allows', async () => {
    const project = await loadProject(
      tempProject({
        'harness.md': `---\nhooks:\n${inline('guard')}---\n`,
        [`${HOOKS}/guard.md`]: hookFile(ALLOW, 'event: tool.pre\npriority: 1'),
      }),
    );
    const { outcome } = await fire(project, 'tool.pre', { name: 'x', args: {} });
    expect(outcome).toMatchObject({ action: 'block', reason: 'inline guard' });
  });

  it('a handler is used once; without one a hook is named by its place', async () => {
    const text = `---\nhooks:\n  - event: tool.pre\n    priority: 1\n${inline('one')}${inline('one')}  - 4\n---\n`;
    const project = await loadProject(tempProject({ 'harness.md': text }));
    expect(messages(project, 'error')).toEqual([
      'hooks[2].handler "one" is used twice',
      expect.stringContaining('hooks[3] must be a map'),
    ]);
    expect(project.hooks.map(({ name }) => name)).toContain('harness.md[0]');
    expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.action).toBe('block');
  });

  it('points into the file for mistakes of inline scripts', async () => {
    const text =
      '---\nhooks:\n  - handler: a\n    event: tool.pre\n    priority: 1\n    script: |\n      def handle(event, payload):\n          return nope\n---\n';
    const project = await loadProject(tempProject({ 'harness.md': text }));
    expect(project.problems).toMatchObject([
      {
        code: 'SCRIPT_INVALID',
        position: { file: 'harness.md', line: 8, col: 18 },
        excerpt: '          return nope',
      },
    ]);
  });

  it.each([
    ['network', '{allowed_domain: [example.com]}', { allowedDomains: [], restrictsNetwork: true }],
    ['tape', '{kye: tape.pem}', { tape: { payloads: 'digest', key: null } }],
    ['environment', '{pas: [AWS_*]}', { environment: { pass: null, name: null } }],
    ['approvals', '{webhok: "https://example.com"}', { asking: { webhook: null } }],
  ])('a misspelt field of %s is an error, and what it limits is limited most', async (field, value, held) => {
    const project = await loadProject(
      tempProject({ 'harness.md': `---\n${field}: ${value}\n---\n`, [`${HOOKS}/a.md`]: good }),
    );
    expect(messages(project, 'error')).toEqual([expect.stringContaining(`there is no ${field}.`)]);
    expect(project.settings).toMatchObject(held);
  });

  it('reads network.allowed_domains and what else it says about the policy', async () => {
    const text =
      '---\nnetwork:\n  allowed_domains: [Example.com, "*.test", "http://x"]\nmodel: m\nexit_policy: {mode: hook}\nmodle: x\n---\n';
    const project = await loadProject(tempProject({ 'harness.md': text, [`${HOOKS}/a.md`]: good }));
    expect(project.settings).toEqual({
      allowedDomains: ['example.com', '*.test'],
      restrictsNetwork: true,
      strict: false,
      requires: [],
      exitMode: 'hook',
      permissions: [],
      environment: null,
      tape: null,
      asking: null,
      hiddenText: null,
      use: [],
      observe: false,
      sandboxes: [],
      tables: [],
      sources: [],
    });
    expect(project.harness.map(({ fields }) => fields?.data)).toEqual([
      {
        network: { allowed_domains: ['Example.com', '*.test', 'http://x'] },
        model: 'm',
        exit_policy: { mode: 'hook' },
      },
    ]);
    expect(messages(project)).toEqual([
      expect.stringContaining('"http://x" is not a domain'),
      'unknown field modle is ignored (did you mean model?)',
    ]);
  });

  it('may be plain text, must not exist twice, and blocks where its hooks cannot be read', async () => {
    const plain = await loadProject(tempProject({ 'harness.md': '# About\n', [`${HOOKS}/a.md`]: good }));
    expect(plain.problems).toMatchObject([{ severity: 'warning', code: 'FRONTMATTER_MISSING' }]);
    const both = await loadProject(
      tempProject({
        'harness.md': `---\nhooks:\n${inline('one')}---\n`,
        '.harness/harness.md': `---\nhooks:\n${inline('one')}---\n`,
      }),
    );
    expect(messages(both, 'error').sort()).toEqual([
      'a hook named "one" is also in harness.md:3; both are in force',
      expect.stringContaining('both harness.md and .harness/harness.md exist'),
    ]);
    expect(names(both)).toEqual(['one', 'one']);
    for (const text of ['---\nhooks: 5\n---\n', '---\nhooks: [\n---\n']) {
      const broken = await loadProject(tempProject({ 'harness.md': text }));
      expect((await fire(broken, 'tool.pre', { name: 'x', args: {} })).outcome).toMatchObject({
        action: 'block',
        hook: 'harness',
      });
    }
  });
});

describe('[C053] bundles', () => {
  const bundle = (more: string, kind = 'plugin') =>
    `---\nschema_version: harness_artifact/v1alpha1\nkind: ${kind}\nname: pack\nversion: "1.0"\n${more}---\n`;
  const hooks =
    'hooks:\n  - handler: guard\n    event: tool.pre\n    priority: 3\n    when: payload["name"] == "x"\n    script: |\n      def handle(event, payload):\n          return block("from the bundle")\n';

  it.each(['plugins', 'builtins', 'overrides'])(
    'in .harness/%s add their hooks to the chain, never replacing others',
    async (folder) => {
      const dir = tempProject({
        [`.harness/${folder}/pack.md`]: bundle(`description: d\n${hooks}`, folder.slice(0, -1)),
        [`${HOOKS}/guard.md`]: good,
      });
      const project = await loadProject(dir);
      expect(messages(project, 'error')).toEqual([]);
      expect(project.hooks.map((hook) => hook.source)).toEqual([
        `${HOOKS}/guard.md`,
        `.harness/${folder}/pack.md`,
      ]);
      expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.reason).toBe(
        'from the bundle',
      );
    },
  );

  it('judge their condition at every dispatch, beside the hook’s own', async () => {
    const text = bundle(`description: d\ncondition: payload["args"].get("on") == True\n${hooks}`);
    const project = await loadProject(tempProject({ '.harness/plugins/pack.md': text }));
    expect(messages(project, 'error')).toEqual([]);
    const action = async (name: string, args: Record<string, boolean>) =>
      (await fire(project, 'tool.pre', { name, args })).outcome.action;
    expect(await action('x', { on: true })).toBe('block');
    expect(await action('x', { on: false })).toBe('allow');
    expect(await action('y', { on: true })).toBe('allow');
    expect(project.hooks[0]?.condition).toMatchObject({ indexable: { key: 'name', values: ['x'] } });
  });

  it('whose condition does not compile block instead of going missing', async () => {
    const text = bundle(`description: d\ncondition: metrics.get("x")\n${hooks}`);
    const project = await loadProject(tempProject({ '.harness/plugins/pack.md': text }));
    expect(messages(project, 'error')).toEqual([expect.stringContaining('condition is a pure predicate')]);
    expect((await fire(project, 'tool.pre', { name: 'q', args: {} })).outcome).toMatchObject({
      action: 'block',
      hook: 'guard',
    });
  });

  it.each([
    ['plugins', bundle(hooks), 'a plugin needs a description'],
    ['builtins', bundle('description: d\n', 'builtin'), 'a builtin needs a tool or a hook'],
    [
      'overrides',
      bundle('description: d\nhooks: []\n', 'override'),
      'an override needs tools, hooks or context',
    ],
    ['plugins', bundle(`description: d\ndepends_on: [other]\n${hooks}`), 'depends_on names "other"'],
    [
      'plugins',
      bundle(`description: d\n${hooks}${hooks.replace('hooks:\n', '')}`),
      'handler "guard" is used twice',
    ],
    [
      'plugins',
      bundle(`description: d\n${hooks}`).replace('v1alpha1', 'v9'),
      'schema_version must be one of',
    ],
    [
      'plugins',
      bundle(`description: d\n${hooks}`).replace('kind: plugin', 'kind: plugn'),
      '(did you mean plugin?)',
    ],
    ['plugins', bundle(`description: d\n${hooks}`).replace('name: pack\n', ''), 'name is required'],
    ['plugins', bundle(`description: d\n${hooks}`).replace('"1.0"', '1.0'), 'version must be a string'],
    ['plugins', bundle('description: d\nhooks: 4\n'), 'hooks must be a list'],
    ['plugins', '---\nkind: [\n---\n', 'parse bundle pack.md: yaml'],
  ])('in %s that break a rule are reported: %#', async (folder, text, message) => {
    const project = await loadProject(tempProject({ [`.harness/${folder}/pack.md`]: text }));
    expect(messages(project, 'error').join('\n')).toContain(message);
  });

  it('of another kind than their folder are worth a warning', async () => {
    const project = await loadProject(tempProject({ '.harness/plugins/pack.md': bundle(hooks, 'builtin') }));
    expect(messages(project)).toEqual(['a bundle of kind builtin in the folder for kind plugin']);
  });
});
