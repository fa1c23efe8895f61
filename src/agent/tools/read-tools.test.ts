import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { toolContext } from '../../../test/support/tool-context.ts';
import { afterTime } from '../../../test/support/until.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { FolderSnapshot } from '../../files/folder-snapshot.ts';
import { readTools } from './read-tools.ts';

function toolFile(script: string, fields = '', body = 'Does something.\n'): string {
  const indented = script.split('\n').map((line) => `  ${line}`);
  const lines = fields === '' ? [] : [fields];
  return ['---', ...lines, 'script: |', ...indented, '---', body].join('\n');
}

const TOOL = '.harness/tools/sample.md';

async function readOne(text: string) {
  const read = await readTools(new FolderSnapshot(tempProject({ [TOOL]: text })), []);
  return { ...read, tool: read.tools[0], messages: read.problems.map((problem) => problem.message) };
}

/** Runs one script as a tool, in a workspace with these files. */
async function runScript(
  script: string,
  {
    args = {},
    files = {},
    fields = '',
    domains = ['*'],
  }: { args?: JsonObject; files?: Record<string, string>; fields?: string; domains?: string[] } = {},
) {
  const dir = tempProject({ [TOOL]: toolFile(script, fields), ...files });
  const { tools, problems } = await readTools(new FolderSnapshot(dir), domains);
  const [tool] = tools;
  if (tool === undefined) throw new Error(problems.map((problem) => problem.message).join('\n'));
  const recorded = toolContext(dir);
  const result = () => tool.run(args, recorded.context) as Promise<Json>;
  return { dir, ...recorded, result };
}

const returned = async (expression: string, more: Parameters<typeof runScript>[1] = {}) =>
  (await runScript(`def run(args):\n    return ${expression}`, more)).result();

/** With so much of its time gone once it has said what it has to say. */
async function late(ms: number, expression: string, fields = '') {
  const { dir, result } = await runScript(`def run(args):\n    return ${expression}`, { fields });
  return afterTime(ms, () => existsSync(join(dir, 'said')), result);
}

describe('a tool artifact', () => {
  it('has its file name as name, its body as description and its table as schema', async () => {
    const fields = [
      'parameters:',
      '  path: {type: string, description: Where., required: true}',
      '  depth: {type: integer, default: 2, enum: [1, 2, 3]}',
      'timeout_ms: 1500',
    ].join('\n');
    const { tool, problems } = await readOne(
      toolFile('def run(args):\n    return 1', fields, '\nLooks around.\n\nTwice.\n'),
    );
    expect(problems).toEqual([]);
    expect(tool).toMatchObject({
      name: 'sample',
      description: 'Looks around.\n\nTwice.',
      timeoutMs: 1500,
      source: TOOL,
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where.' },
          depth: { type: 'integer', default: 2, enum: [1, 2, 3] },
        },
        required: ['path'],
      },
    });
  });

  it('may give its parameters as a JSON Schema', async () => {
    const fields =
      'parameters:\n  type: object\n  properties: {type: {type: string}, n: {type: [integer, "null"]}}\n  required: [type]\n  additionalProperties: false';
    const { tool, problems } = await readOne(toolFile('def run(args):\n    return 1', fields));
    expect(problems).toEqual([]);
    expect(tool?.parameters).toEqual({
      type: 'object',
      properties: { type: { type: 'string' }, n: { type: ['integer', 'null'] } },
      required: ['type'],
      additionalProperties: false,
    });
  });

  it('may have a parameter called type, and none at all', async () => {
    const named = await readOne(
      toolFile('def run(args):\n    return 1', 'parameters:\n  type: {type: string}'),
    );
    expect(named.tool?.parameters).toEqual({ type: 'object', properties: { type: { type: 'string' } } });
    const none = await readOne(toolFile('def run(args):\n    return 1'));
    expect(none.tool?.parameters).toEqual({ type: 'object', properties: {} });
  });

  it.each([
    ['parameters: [a]', 'parameters must be a map of parameters; got a list'],
    ['parameters: {a: string}', 'parameters.a must be a map such as {type: string}; got the text "string"'],
    [
      'parameters: {a: {type: strng}}',
      'one of string, integer, number, boolean, array, object; got the text "strng" (did you mean string?)',
    ],
    ['parameters: {a: {description: x}}', 'parameters.a.type is required'],
    ['parameters: {a: {type: string, required: yes please}}', 'parameters.a.required must be true or false'],
    ['parameters: {a: {type: integer, default: two}}', 'the default of a is the text "two" (want integer)'],
    [
      'parameters: {a: {type: string, enum: [x, y], default: z}}',
      'the default of a is the text "z" (want one of "x", "y")',
    ],
    ['parameters: {a: {type: array, items: {type: text}}}', 'parameters.a.items.type "text" is none of'],
    ['parameters: {type: array}', 'parameters.type must be object; got the text "array"'],
    [
      'parameters: {type: object, properties: {path: {type: string}}, required: [pth]}',
      'names "pth", which is not in properties (did you mean path?)',
    ],
    ['timeout_ms: -1', 'timeout_ms must be from 0 to'],
    ['timeout_ms: soon', 'timeout_ms must be an integer; got the text "soon"'],
  ])('with %s is not offered, and says so', async (fields, message) => {
    const { tool, messages } = await readOne(toolFile('def run(args):\n    return 1', fields));
    expect(tool).toBeUndefined();
    expect(messages).toEqual([expect.stringContaining(message)]);
    expect(messages[0]).toMatch(/^parse tool sample\.md: yaml: line \d/);
  });

  it.each([
    ['def handle(event, payload):\n    return allow()', 'SCRIPT_INVALID', 'undefined: allow'],
    [
      'def handle(a, b):\n    return 1',
      'SCRIPT_RUN',
      'the script defines handle, but the entry point of a tool is run(args)',
    ],
    ['def run():\n    return 1', 'SCRIPT_RUN', 'run takes 0 parameters: want def run(args)'],
    ['def run(args, more):\n    return 1', 'SCRIPT_RUN', 'run takes 2 parameters'],
    ['run = 3', 'SCRIPT_RUN', 'run is of type int'],
    ['load("x.star", "y")\ndef run(args):\n    return 1', 'SCRIPT_INVALID', 'cannot load other files'],
    ['def run(args):\n    return open("x")', 'SCRIPT_INVALID', 'use fs.read and fs.write'],
    ['def run(args):\n    return block("x")', 'SCRIPT_INVALID', 'tools return a value; hooks decide'],
    ['def run(args)\n    return 1', 'SCRIPT_INVALID', ''],
  ])('whose script is %j is not offered', async (script, code, message) => {
    const { tool, problems } = await readOne(toolFile(script));
    expect(tool).toBeUndefined();
    expect(problems[0]).toMatchObject({
      code,
      message: expect.stringContaining(message),
      position: { file: TOOL },
    });
  });

  it('without a script or frontmatter is not offered', async () => {
    expect(await readOne('---\ntimeout_ms: 5\n---\nText\n')).toMatchObject({
      tool: undefined,
      messages: ['parse tool sample.md: yaml: line 2: script is required'],
    });
    expect((await readOne('Only text\n')).messages).toEqual([expect.stringContaining('missing frontmatter')]);
  });

  it('warns about what it ignores and about what the model is not told', async () => {
    const fields = 'async: true\nname: other\ndescription: x\ntimout_ms: 3';
    const { tool, problems } = await readOne(toolFile('def run(args):\n    return 1', fields, ''));
    expect(tool?.name).toBe('sample');
    expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: name is ignored: the file name is the name of the tool',
      'warning: description is ignored: the text below the frontmatter is what the model reads',
      'warning: unknown field timout_ms is ignored (did you mean timeout_ms?)',
      'warning: tool "sample" has no text below its frontmatter: the model is told nothing about it',
      'warning: async is ignored: calls of one completion always run side by side',
    ]);
  });

  it('must have a name every provider takes', async () => {
    const dir = tempProject({ '.harness/tools/fs.read.md': toolFile('def run(args):\n    return 1') });
    const { tools, problems } = await readTools(new FolderSnapshot(dir), []);
    expect(tools).toEqual([]);
    expect(problems).toMatchObject([{ code: 'TOOL_NAME', message: expect.stringContaining('"fs.read"') }]);
  });
});

describe('tools in lists', () => {
  const RUN = (value: number) => `    script: |\n      def run(args):\n          return ${value}`;
  const listed = (name: string, value: number, head = '') =>
    `---\n${head}tools:\n  - name: ${name}\n    description: From a list.\n${RUN(value)}\n---\n`;
  const bundle = (kind: string, more = '') =>
    `schema_version: harness_artifact/v1alpha1\nkind: ${kind}\nname: b-${kind}\ndescription: d\n${more}`;

  const answer = async (files: Record<string, string>) => {
    const dir = tempProject(files);
    const { tools, problems, names } = await readTools(new FolderSnapshot(dir), []);
    const values = await Promise.all(
      tools.map(async (tool) => [tool.name, await tool.run({}, toolContext(dir).context)]),
    );
    return { values: Object.fromEntries(values), problems, names };
  };

  it.each([
    [
      'a field of another type',
      `name: a\n    description: A.\n    timeout_ms: soon\n${RUN(1)}`,
      5,
      'timeout_ms',
    ],
    ['a field that is missing', `name: a\n${RUN(1)}`, 3, 'description'],
    ['no name', `description: A.\n${RUN(1)}`, 3, 'name'],
    ['no map', 'just a text', 3, 'tools[0]'],
  ])('one with %s is an error at its place, not a tool that is gone', async (_title, item, line, word) => {
    for (const path of ['harness.md', '.harness/plugins/p.md']) {
      const { values, problems } = await answer({ [path]: `---\ntools:\n  - ${item}\n---\n` });
      expect(values).toEqual({});
      const [problem] = problems.filter(({ severity }) => severity === 'error');
      expect(problem).toMatchObject({
        position: { file: path, line },
        message: expect.stringContaining(word),
      });
    }
  });

  it('of harness.md are offered beside the files', async () => {
    const { values, problems } = await answer({
      'harness.md': listed('one', 1),
      '.harness/tools/two.md': toolFile('def run(args):\n    return 2'),
    });
    expect({ values, problems }).toEqual({ values: { one: 1, two: 2 }, problems: [] });
  });

  it('give way to a file of their name, which is an error', async () => {
    const { values, problems } = await answer({
      'harness.md': listed('one', 1),
      '.harness/tools/one.md': toolFile('def run(args):\n    return 2'),
    });
    expect(values).toEqual({ one: 2 });
    expect(problems).toMatchObject([{ code: 'TOOL_DUPLICATE', position: { file: 'harness.md' } }]);
  });

  it('of an override replace the project’s, those of a plugin do not', async () => {
    const files = {
      '.harness/tools/one.md': toolFile('def run(args):\n    return 1'),
      '.harness/plugins/p.md': listed('one', 2, bundle('plugin')),
      '.harness/overrides/o.md': listed('one', 3, bundle('override')),
    };
    expect(await answer(files)).toMatchObject({ values: { one: 3 }, problems: [] });
    const { '.harness/overrides/o.md': _, ...without } = files;
    expect(await answer(without)).toMatchObject({ values: { one: 1 }, problems: [] });
    const raised = {
      ...without,
      '.harness/plugins/p.md': listed('one', 2, bundle('plugin', 'priority: 90\n')),
    };
    expect(await answer(raised)).toMatchObject({ values: { one: 2 } });
  });

  it('that are broken do not let a laxer tool of their name back in', async () => {
    const { values, problems, names } = await answer({
      '.harness/tools/one.md': toolFile('def run(args):\n    return 1'),
      '.harness/overrides/o.md': listed('one', 3, bundle('override')).replace('return', 'retrun'),
    });
    expect(values).toEqual({});
    expect(names).toEqual(['one']);
    expect(problems).toMatchObject([
      { code: 'SCRIPT_INVALID', position: { file: '.harness/overrides/o.md' } },
    ]);
  });
});

describe('a running tool', () => {
  it('gets its arguments with defaults, and returns JSON data', async () => {
    const fields = 'parameters: {a: {type: integer}, b: {type: integer, default: 5}}';
    expect(
      await returned('{"sum": args["a"] + args["b"], "t": (1, "x"), "n": None}', { args: { a: 2 }, fields }),
    ).toEqual({
      sum: 7,
      t: [1, 'x'],
      n: null,
    });
  });

  it('fails with its own words, and its author finds the place in the log', async () => {
    const { result, logs } = await runScript('def run(args):\n    fail("no such ticket: " + args["id"])', {
      args: { id: 'T-1' },
    });
    await expect(result()).rejects.toThrow('no such ticket: T-1');
    expect(logs).toEqual([expect.stringContaining(`${TOOL}:4:`)]);
  });

  it('shares cache, metrics and the values of the turn with hooks', async () => {
    const { result, context } = await runScript(
      'def run(args):\n    metrics.incr("n", 2)\n    cache.set("k", [1])\n    ctx.set("t", 1)\n    return cache.get("from_hook")',
    );
    context.run.cache.set('from_hook', 'hello');
    expect(await result()).toBe('hello');
    expect(context.run.metrics.get('n')).toBe(2);
    expect(context.run.cache.get('k')).toEqual([1]);
    expect(context.run.turn.get('t')).toBe(1);
  });

  it('logs, prints and emits; a refused event raises [C004]', async () => {
    const { result, logs, emitted } = await runScript(
      'def run(args):\n    log.warn("careful", n=1)\n    print("plain")\n    return emit("custom.note", {"a": 1})',
    );
    expect(await result()).toEqual({ a: 1 });
    expect(logs).toEqual(['warn: careful n=1', 'info: plain']);
    expect(emitted).toEqual([{ event: 'custom.note', payload: { a: 1 } }]);
    await expect(returned('events.emit("custom.refused", {})')).rejects.toThrow('events.emit: not today');
  });

  it('has the helpers of hooks, and no decision', async () => {
    const expression =
      '[json.decode("[1]"), re.findall("b+", "abbc"), string.upper("x"), math.floor(1.5), base64.encode("hi"), len(hash.sha256("x")), len(uuid()), type(time.now())]';
    expect(await returned(expression)).toEqual([[1], ['bb'], 'X', 1, 'aGk=', 64, 36, 'time.time']);
  });

  it('with a top level that acts is run anew each time', async () => {
    const { result } = await runScript('ID = uuid()\ndef run(args):\n    return ID');
    expect(await result()).not.toBe(await result());
  });

  it.each([
    ['steps', 'def run(args):\n    for i in range(1000000000):\n        pass', 'limit'],
    [
      'memory',
      'def run(args):\n    x = "x" * 1000000\n    return [x + str(i) for i in range(1000)]',
      'memory limit',
    ],
    ['the clock', 'def run(args):\n    for i in range(1000000000):\n        len(str(i))', 'limit'],
  ])('is ended by the limit of %s', async (_, script, message) => {
    const { result } = await runScript(script, { fields: 'timeout_ms: 400' });
    await expect(result()).rejects.toThrow(message);
  });

  it('that was aborted has no further effects', async () => {
    const script =
      'def run(args):\n    exec.run(["sleep", "20"])\n    fs.write("late.txt", "x")\n    return 1';
    const { result, abort, dir, edited } = await runScript(script);
    const running = result();
    await sleep(150);
    const began = cpuTime();
    abort();
    await expect(running).rejects.toThrow('the call is over');
    expect(cpuTime() - began).toBeLessThan(5000);
    expect(existsSync(join(dir, 'late.txt'))).toBe(false);
    expect(edited).toEqual([]);
    await expect(result()).rejects.toThrow('the call is over');
  });
});

describe('fs in a tool', () => {
  it('reads, writes, lists, finds, moves and removes, and every change is reported', async () => {
    const script = `def run(args):
    fs.write("out/a.txt", "one")
    fs.append("out/a.txt", " two")
    fs.mkdir("empty")
    fs.move("out/a.txt", "out/b.txt")
    fs.write("gone.txt", "")
    fs.remove("gone.txt")
    return [fs.read("out/b.txt"), fs.list("out"), fs.glob("**/*.txt"), fs.exists("gone.txt"), fs.list()]`;
    const { result, edited, dir } = await runScript(script, { files: { 'in.txt': 'x' } });
    expect(await result()).toEqual([
      'one two',
      ['b.txt'],
      ['in.txt', 'out/b.txt'],
      false,
      ['.harness/', 'empty/', 'in.txt', 'out/'],
    ]);
    expect(edited).toEqual(['out/a.txt', 'out/a.txt', 'out/a.txt', 'out/b.txt', 'gone.txt', 'gone.txt']);
    expect(readFileSync(join(dir, 'out/b.txt'), 'utf8')).toBe('one two');
  });

  it('raises for paths outside and for arguments of the wrong type', async () => {
    await expect(returned('fs.read("../x")')).rejects.toThrow('fs.read: "../x" is outside the workspace');
    await expect(returned('fs.write("x", 3)')).rejects.toThrow(
      'fs.write: for parameter content: got int, want string',
    );
    await expect(returned('fs.glob("/etc/*")')).rejects.toThrow('fs.glob: the pattern "/etc/*" must stay');
  });

  it('reports no edit for a write that failed', async () => {
    const { result, edited } = await runScript('def run(args):\n    fs.write("../x", "y")');
    await expect(result()).rejects.toThrow('outside');
    expect(edited).toEqual([]);
  });
});

describe('exec in a tool', () => {
  const whole = { signal: null, timed_out: false, truncated: false };

  it('runs a list without a shell, and a command line with one', async () => {
    expect(await returned('exec.run(["echo", "$HOME; ls", "*"])')).toEqual({
      ...whole,
      exit_code: 0,
      stdout: '$HOME; ls *\n',
      stderr: '',
    });
    expect(await returned('exec.shell("echo a; echo b >&2; exit 3")')).toEqual({
      ...whole,
      exit_code: 3,
      stdout: 'a\n',
      stderr: 'b\n',
    });
  });

  it('runs in the workspace or a folder of it, with input and variables', async () => {
    const files = { 'sub/here.txt': '' };
    expect(await returned('exec.run(["ls"], cwd="sub")["stdout"]', { files })).toBe('here.txt\n');
    expect(
      await returned('exec.shell("cat; echo $GREETING", stdin="in ", env={"GREETING": "hi"})["stdout"]'),
    ).toBe('in hi\n');
    await expect(returned('exec.run(["ls"], cwd="..")')).rejects.toThrow(
      'exec.run: for parameter cwd: ".." is outside the workspace',
    );
  });

  it('ends a program whose time is up, and keeps what it said', async () => {
    expect(await late(300, 'exec.shell("echo first; touch said; sleep 3600", timeout_ms=300)')).toMatchObject(
      {
        stdout: 'first\n',
        timed_out: true,
        exit_code: null,
      },
    );
  });

  it('ends it before the tool’s own time is up, so that the answer still comes', async () => {
    const result = await late(999, 'exec.shell("echo first; touch said; sleep 3600")', 'timeout_ms: 1000');
    expect(result).toMatchObject({ stdout: 'first\n', timed_out: true });
  });

  it('keeps a bounded part of a large output', async () => {
    const script = 'exec.shell("head -c 3000000 /dev/zero | tr \'\\\\0\' x")';
    expect(await returned(`[len(${script}["stdout"]), ${script}["truncated"]]`)).toEqual([1024 * 1024, true]);
  });

  it.each([
    ['exec.run("ls -l")', 'got string, want list such as ["git", "status"]; exec.shell takes a command line'],
    ['exec.run([])', 'want the name of a program'],
    [
      'exec.run(["no-such-program-here"])',
      '"no-such-program-here" cannot be started: there is no such program',
    ],
    ['exec.run(["ls", 3])', 'exec.run: for parameter argv[1]: got int, want string'],
    ['exec.run(["ls"], timeout_ms=0)', 'for parameter timeout_ms: want 1 to'],
    ['exec.run(["ls"], env={"A=B": "x"})', 'for parameter env: "A=B" is no name'],
    ['exec.run(["a\\000b"])', 'holds a NUL character'],
  ])('%s raises', async (expression, message) => {
    await expect(returned(expression)).rejects.toThrow(message);
  });
});

describe('http in a tool', () => {
  it('reaches the domains it was given: any, or those listed', async () => {
    const server = createServer((_request, response) => response.end('pong'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const get = (domains: string[]) => returned(`http.get("http://127.0.0.1:${port}/")["body"]`, { domains });
    try {
      expect(await get(['*'])).toBe('pong');
      await expect(get(['example.com'])).rejects.toThrow('is an IP address');
      await expect(get([])).rejects.toThrow('network.allowed_domains lists no domain');
    } finally {
      server.close();
    }
  });
});
