import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { SourceFile } from '../base/source.ts';
import type { HookCall } from '../engine/hook.ts';
import { openPolicy } from '../policy/open-policy.ts';
import { compile, compileExpression, Thread, wrapJson } from '../starlark/index.ts';
import type { Callable } from '../starlark/values/value.ts';
import { folding, HOOK_SCRIPT } from './compile-script.ts';

const NOWHERE = { places: { managed: null, user: null } };

const calls = {
  claude: { id: '1', name: 'run_command', args: {}, native: { name: 'Bash', input: {} } },
  codex: { id: '1', name: 'run_command', args: {}, native: { name: 'exec_command', input: {} } },
  gemini: { id: '1', name: 'run_command', args: {}, native: { name: 'run_shell_command', input: {} } },
  notebook: { id: '1', name: 'edit_file', args: {}, native: { name: 'NotebookEdit', input: {} } },
  edit: { id: '1', name: 'edit_file', args: {}, native: { name: 'Edit', input: {} } },
  server: { id: '1', name: 'mcp__web__get', args: {}, native: { name: 'web_get', input: {} } },
  own: { id: '1', name: 'run_command', args: {} },
  ownBash: { id: '1', name: 'Bash', args: {} },
};
type Who = keyof typeof calls;
const SHELLS: readonly Who[] = ['claude', 'codex', 'gemini'];
const ALL = Object.keys(calls) as Who[];

/** Whose calls a hook blocks. */
async function blocks(files: Readonly<Record<string, string>>): Promise<Who[]> {
  const policy = await openPolicy(tempProject(files), NOWHERE);
  expect(policy.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const blocked: Who[] = [];
  for (const who of ALL) {
    const outcome = await policy.decide('tool.pre', calls[who]);
    // A guard that fails blocks as well, and says so.
    if (outcome.action === 'block') expect(outcome.reason).toBe('no');
    if (outcome.action === 'block') blocked.push(who);
  }
  return blocked;
}

const BLOCKS = 'def handle(event, payload):\n    return block("no")';

const when = (condition: string) =>
  blocks({
    '.harness/hooks/h.md': hookFile(
      BLOCKS,
      `event: tool.pre\npriority: 1\nwhen: ${JSON.stringify(condition)}`,
    ),
  });

const script = (...lines: string[]) => blocks({ '.harness/hooks/h.md': hookFile(lines.join('\n')) });

/** Both for the tool with any of its names, and for none but it. */
const NAMED_BASH: readonly Who[] = [...SHELLS, 'ownBash'];

describe('the name of a tool in a condition', () => {
  it.each([
    ['payload["name"] == "Bash"', NAMED_BASH],
    ['"Bash" == payload.get("name")', NAMED_BASH],
    ['payload["name"] in ["Write", "Bash"]', NAMED_BASH],
    ['payload["name"] in ("shell",)', SHELLS],
    ['payload["name"] in {"Bash": 1}', NAMED_BASH],
    ['payload["name"] == "run_command"', [...SHELLS, 'own']],
    ['payload["name"] == "NotebookEdit"', ['notebook']],
    ['payload["name"] == "Edit"', ['notebook', 'edit']],
    ['payload["name"] == "web_get"', ['server']],
    ['payload["name"] == "mcp__web__get"', ['server']],
    ['not payload["name"] != "Bash"', NAMED_BASH],
    ['not (payload["name"] not in ["Bash"])', NAMED_BASH],
    ['payload["name"].lower() == "bash"', NAMED_BASH],
    ['re.match("Bash|Edit", payload["name"])', ['claude', 'edit', 'ownBash']],
    ['re.search("^run_", payload["name"])', [...SHELLS, 'own']],
    ['payload["name"].startswith("Ba")', ['claude', 'ownBash']],
    ['payload["name"].lower().startswith(("ba", "exec"))', ['claude', 'codex', 'ownBash']],
    ['"Edit" in payload["name"]', ['notebook', 'edit']],
    ['payload["name"] in "Bash, Edit"', ['claude', 'edit', 'ownBash']],
    ['{"Bash": True}.get(payload["name"], False)', NAMED_BASH],
    ['payload["native"]["name"] == "Bash"', ['claude']],
  ] satisfies [string, readonly Who[]][])(
    '%s holds for every name of the tool',
    async (condition, expected) => {
      expect(await when(condition)).toEqual(ALL.filter((who) => expected.includes(who)));
    },
  );

  it('that is negated holds for every other tool', async () => {
    const others = ALL.filter((who) => !NAMED_BASH.includes(who));
    expect(await when('payload["name"] != "Bash"')).toEqual(others);
    expect(await when('payload["name"] not in ["Bash", "nothing"]')).toEqual(others);
    expect(await when('not payload["name"].startswith("Ba")')).not.toContain('claude');
  });
});

describe('an index by the names of a tool', () => {
  it('keeps two names apart from any one name, whatever letters it has', async () => {
    const fields = `event: tool.pre\npriority: 1\nwhen: payload["name"] == "run_command"`;
    const dir = tempProject({ '.harness/hooks/h.md': hookFile(BLOCKS, fields) });
    const policy = await openPolicy(dir, NOWHERE);
    const call = (name: string, own?: string) =>
      policy.decide('tool.pre', { name, args: {}, ...(own !== undefined && { native: { name: own } }) });
    for (const name of ['run_command\0Bash', '11 run_commandBash', 'run_commandBash']) await call(name);
    await call('run_commandB', 'ash');
    await call('run_comman', 'dBash');
    expect(await call('run_command', 'Bash')).toMatchObject({ action: 'block' });
    expect(await call('x', 'y')).toMatchObject({ action: 'allow' });
  });
});

describe('the name of a tool in a script', () => {
  const handle = (...body: string[]) => ['def handle(event, payload):', ...body.map((line) => `    ${line}`)];
  const GUARD = 'return block("no") if is_it else allow()';

  it.each([
    ['a comparison', handle('is_it = payload["name"] == "Bash"', GUARD)],
    ['a variable', handle('tool = payload["name"]', 'is_it = tool == "Bash"', GUARD)],
    ['a list of the module', ['SHELLS = ["Bash"]', ...handle('is_it = payload["name"] in SHELLS', GUARD)]],
    [
      'a loop over names',
      handle('is_it = any([payload["name"] == each for each in ["Write", "Bash"]])', GUARD),
    ],
    [
      'a function',
      ['def shell(x):', '    return x == "Bash"', ...handle('is_it = shell(payload["name"])', GUARD)],
    ],
    [
      'a function that is given the payload',
      ['def tool(call):', '    return call["name"]', ...handle('is_it = tool(payload) == "Bash"', GUARD)],
    ],
    [
      'a dict made by hand',
      handle('call = {}', 'call["t"] = payload["name"]', 'is_it = call["t"] == "Bash"', GUARD),
    ],
    [
      'a table',
      ['T = {"Bash": True}', ...handle('is_it = payload["name"] in T and T[payload["name"]]', GUARD)],
    ],
    [
      'a table with a default',
      ['T = {"Bash": True}', ...handle('is_it = T.get(payload["name"], False)', GUARD)],
    ],
    [
      'other names of the parameters',
      ['def handle(e, p):', '    is_it = p["name"] == "Bash"', `    ${GUARD}`],
    ],
  ])('is known in %s', async (_what, lines) => {
    expect(await script(...lines)).toEqual(NAMED_BASH);
  });

  it('is known in a library that is given it', async () => {
    const lib =
      'def is_shell(tool):\n    return tool in ["Bash"]\ndef is_write(t):\n    return bool(re.match("Write|Edit", t))';
    const hook = [
      'load("//lib/names.star", "is_shell", "is_write")',
      'def handle(event, payload):',
      '    n = payload["name"]',
      '    return block("no") if is_shell(n) or is_write(n) else allow()',
    ];
    const files = { '.harness/lib/names.star': lib, '.harness/hooks/h.md': hookFile(hook.join('\n')) };
    expect(await blocks(files)).toEqual(ALL.filter((who) => [...NAMED_BASH, 'edit'].includes(who)));
  });

  it('is the canonical one, and the agent’s own is payload["native"]["name"], which no hook rewrites', async () => {
    const first = 'def handle(event, payload):\n    return modify({"native": {"name": "Read"}})';
    const second =
      'def handle(event, payload):\n    return block(payload["name"] + " " + payload["native"]["name"])';
    const dir = tempProject({
      '.harness/hooks/a.md': hookFile(first, 'event: tool.pre\npriority: 1'),
      '.harness/hooks/b.md': hookFile(second, 'event: tool.pre\npriority: 2'),
    });
    const outcome = await (await openPolicy(dir, NOWHERE)).decide('tool.pre', calls.claude);
    expect(outcome).toMatchObject({ action: 'block', reason: 'run_command Bash' });
    const [changed] = outcome.trace;
    expect(changed!.warnings).toEqual(['"native" identifies the operation and was not rewritten']);
  });

  it('leaves other values alone, tables that are written, and families of built-ins', async () => {
    const lines = handle(
      'counts = {}',
      'counts[payload["name"]] = 1',
      'counts[payload["name"]] += 1',
      'if payload["args"].get("x", "nothing") == "Bash" or "Bash" in counts:',
      '    return block("wrong")',
      'if state.get(payload["name"], 5) != 5:',
      '    return block("wrong")',
      'return block("right") if counts == {payload["name"]: 2} else allow()',
    );
    const policy = await openPolicy(
      tempProject({ '.harness/hooks/h.md': hookFile(lines.join('\n')) }),
      NOWHERE,
    );
    expect(await policy.decide('tool.pre', calls.claude)).toMatchObject({ reason: 'right' });
  });

  it('is known in a hook of a question and of a result', async () => {
    for (const event of ['permission.asked', 'tool.post']) {
      const fields = `event: ${event}\npriority: 1\nwhen: payload["name"] == "Bash"`;
      const policy = await openPolicy(
        tempProject({ '.harness/hooks/h.md': hookFile(BLOCKS, fields) }),
        NOWHERE,
      );
      expect([event, await policy.decide(event, calls.codex)]).toMatchObject([event, { action: 'block' }]);
    }
  });
});

describe('both back ends', () => {
  const thread = (who: Who) =>
    new Thread({
      host: {
        toolNames: {
          name: calls[who].name,
          own: (calls[who] as { native?: { name: string } }).native?.name ?? null,
        },
      } as Partial<HookCall>,
    });
  const FORMS = [
    'payload["name"] == "Bash"',
    'payload["name"] != "NotebookEdit"',
    'payload["name"] in ["Bash", "Edit"]',
    'payload["name"] not in ("LS", "Bash")',
    'payload["name"].startswith("Ba")',
    'bool(re.search("Edit$", payload["name"]))',
    '{"Bash": 1, "NotebookEdit": 2}.get(payload["name"])',
  ];

  it.each(FORMS)('say the same of %s', (form) => {
    const source = new SourceFile('<test>', form);
    const file = new SourceFile(
      '<test>',
      `def handle(event, payload):\n    n = payload["name"]\n    return ${form.replaceAll('payload["name"]', 'n')}\n`,
    );
    const said = (['js', 'closures'] as const).map((backend) =>
      ALL.map((who) => {
        const payload = wrapJson(calls[who]);
        const made = compileExpression(source, ['event', 'payload'], {
          ...folding(source, 'condition', undefined),
          backend,
        });
        const program = compile(file, { ...folding(file, HOOK_SCRIPT, undefined), backend });
        if (!made.ok || !program.ok) throw new Error('does not compile');
        const module = program.program.run(new Thread());
        const handle = (module as { globals: ReadonlyMap<string, unknown> }).globals.get(
          'handle',
        ) as Callable;
        return [
          made.program.evaluate(thread(who), ['tool.pre', payload]),
          handle.invoke(thread(who), ['tool.pre', payload], null),
        ];
      }),
    );
    expect(said[0]).toEqual(said[1]);
    for (const [condition, handler] of said[0]!) expect(condition).toEqual(handler);
    expect(new Set(said[0]!.map(([condition]) => condition)).size).toBeGreaterThan(1);
  });
});
