/**
 * `harness validate` looks into scripts: what it says of a policy as a whole, how it prints it, and that nothing this
 * project ships or shows is reported.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { harness, project } from './harness.ts';

const root = join(import.meta.dirname, '..', '..');

function hook(script: string, { event = 'tool.pre', when = '', priority = 10 } = {}): string {
  const lines = script.split('\n').map((line) => `  ${line}`);
  const condition = when === '' ? [] : [`when: ${when}`];
  return [
    '---',
    `event: ${event}`,
    `priority: ${priority}`,
    ...condition,
    'script: |',
    ...lines,
    '---',
    '# h',
    '',
  ].join('\n');
}

const ALLOWS = 'def handle(event, payload):\n    return allow()';
const BLOCKS = 'def handle(event, payload):\n    return block("no")';

function tool(name: string): Record<string, string> {
  return {
    [`.harness/tools/${name}.md`]: '---\nscript: |\n  def run(args):\n      return "ok"\n---\nDoes it.\n',
  };
}

async function problems(files: Record<string, string>, ...more: string[]) {
  const { stdout } = await harness(['validate', '--json', ...more, project(files)]);
  const { problems: found } = JSON.parse(stdout) as {
    problems: { code: string; severity: string; message: string; position: { line: number; col: number } }[];
  };
  const inScripts = found.filter(({ code }) => code !== 'GUARD_MAY_BE_OFF');
  return inScripts.map(({ code, severity, message, position }) => ({
    code,
    severity,
    message,
    line: position.line,
  }));
}

/** What is said of the scripts in a folder; that a guard may be off is a matter of its settings. */
async function findings(dir: string) {
  const { stdout } = await harness(['validate', '--json', dir]);
  const { problems: found } = JSON.parse(stdout) as { problems: { code: string; message: string }[] };
  return found.filter(({ code }) => code !== 'GUARD_MAY_BE_OFF' && code !== 'PRIORITY_MISSING');
}

describe('validate', () => {
  it('finds the typo that switches a guard off, at its place in the file', async () => {
    const dir = project({ '.harness/hooks/g.md': hook(BLOCKS, { when: 'payload["nme"] == "bash"' }) });
    const { code, stdout } = await harness(['validate', dir]);
    expect(stdout).toContain(
      '.harness/hooks/g.md:4:15: warning[PAYLOAD_KEY]: the payload of tool.pre has no key "nme" (did you mean "name"?)',
    );
    expect(code).toBe(0);
    expect(await harness(['validate', '--strict', dir])).toMatchObject({ code: 1 });
  });

  it('exits 1 for what is certain, and the hook decides as it would have', async () => {
    const script = 'def handle(event, payload):\n    block("no")\n    return allow()';
    const dir = project({ '.harness/hooks/g.md': hook(script) });
    const { code, stdout } = await harness(['validate', dir]);
    expect(code).toBe(1);
    expect(stdout).toContain('g.md:6:7: error[DECISION_DROPPED]');
    expect(stdout).toContain('1 hook, 1 error, 0 warnings');
    const decided = await harness(['decide', 'tool.pre', '--dir', dir, '--json'], {
      input: '{"name":"x","args":{}}',
    });
    expect(JSON.parse(decided.stdout)).toMatchObject({ action: 'allow' });
  });

  it('finds a member that a parsed command does not have, with the one that was meant', async () => {
    const script =
      'def handle(event, payload):\n    for c in shell.parse(payload["args"]["command"]).commands:\n        if c.progam == "rm":\n            return block("no")\n    return allow()';
    expect(await problems({ '.harness/hooks/g.md': hook(script) })).toEqual([
      {
        code: 'BUILTIN_MEMBER',
        severity: 'error',
        message: 'a shell.command has no .progam (did you mean program?)',
        line: 7,
      },
    ]);
  });

  it('says once, in its line, that a key of a hook is indented otherwise than the one above it', async () => {
    const wrong = hook(ALLOWS, { when: 'True' }).replace('when:', '  when:');
    expect(await problems({ '.harness/hooks/g.md': wrong })).toEqual([
      {
        code: 'YAML_INVALID',
        severity: 'error',
        message: expect.stringContaining(
          'the key when begins in column 3, and priority above it in column 1: keys of one map begin in the same column',
        ),
        line: 4,
      },
    ]);
  });

  it('looks into tools too', async () => {
    const script = '---\nscript: |\n  def run(args):\n      return json.dumps(args)\n---\nDoes it.\n';
    const found = await problems({ '.harness/tools/t.md': script, '.harness/hooks/g.md': hook(ALLOWS) });
    expect(found).toEqual([
      { code: 'SCRIPT_INVALID', severity: 'error', message: 'json has no dumps: use json.encode', line: 4 },
    ]);
  });

  it('names a hook that never runs because one before it blocks all it would see', async () => {
    const all = { '.harness/hooks/a.md': hook(BLOCKS, { priority: 1 }), '.harness/hooks/b.md': hook(ALLOWS) };
    expect(await problems(all)).toMatchObject([
      {
        code: 'GUARD_SHADOWED',
        severity: 'warning',
        message: expect.stringContaining('hook "b" never runs: "a"'),
      },
    ]);
    const one = (name: string) => ({
      '.harness/hooks/a.md': hook(BLOCKS, { priority: 1, when: 'payload["name"] in ["x", "y"]' }),
      '.harness/hooks/b.md': hook(ALLOWS, { when: `payload["name"] == "${name}" and payload["args"] != {}` }),
    });
    expect((await problems(one('x'))).map(({ code }) => code)).toEqual(['GUARD_SHADOWED']);
    expect(await problems(one('z'))).toEqual([]);
  });

  it('names a tool nobody has, where the tools of the project are known', async () => {
    const guard = { '.harness/hooks/g.md': hook(ALLOWS, { when: 'payload["name"] == "delpoy"' }) };
    expect(await problems({ ...guard, ...tool('deploy') })).toMatchObject([
      { code: 'TOOL_UNKNOWN', message: 'no tool is called "delpoy" (did you mean "deploy"?)', line: 4 },
    ]);
    expect(await problems(guard)).toEqual([]);
    const other = { '.harness/hooks/g.md': hook(ALLOWS, { when: 'payload["name"] == "Bash"' }) };
    expect(await problems({ ...other, ...tool('bash2') })).toEqual([]);
  });

  it('names a slip of a tool of an agent, in scripts, matchers and tables of permissions', async () => {
    const unknown = (name: string, meant: string) => ({
      code: 'TOOL_UNKNOWN',
      severity: 'warning',
      message: `no tool is called "${name}" (did you mean "${meant}"?)`,
    });
    const when = { '.harness/hooks/g.md': hook(ALLOWS, { when: 'payload["name"] == "Bsh"' }) };
    expect(await problems(when)).toMatchObject([unknown('Bsh', 'Bash')]);
    const script =
      'def handle(event, payload):\n    return block("no") if payload["name"] in ["run_comand", "Edit"] else allow()';
    expect(await problems({ '.harness/hooks/g.md': hook(script) })).toMatchObject([
      unknown('run_comand', 'run_command'),
    ]);
    const command = { hooks: [{ type: 'command', command: 'true' }] };
    const settings = { hooks: { PreToolUse: [{ matcher: 'Bsh|Write', ...command }] } };
    const found = await problems({ '.harness/settings.json': JSON.stringify(settings) });
    expect(found.filter(({ code }) => code === 'TOOL_UNKNOWN')).toMatchObject([unknown('Bsh', 'Bash')]);
    const table = '---\npermissions: {rules: [{tools: [Bsh, "read_*"], zone: ask}]}\n---\n';
    const inTable = await problems({ '.harness/harness.md': table });
    expect(inTable.filter(({ code }) => code === 'TOOL_UNKNOWN')).toMatchObject([unknown('Bsh', 'Bash')]);
  });

  it('says nothing of names that may well be those of other tools', async () => {
    const others = ['TodoWrite', 'Skill', 'ask', 'exit', 'send_email', 'mcp__x__Bsh'];
    const when = `payload["name"] in ${JSON.stringify(others)} or payload["name"] == "Bash" and payload["name"] == "shell"`;
    expect(await problems({ '.harness/hooks/g.md': hook(ALLOWS, { when }) })).toEqual([]);
  });

  it('accepts a finding with a reason, also in the front matter', async () => {
    const when = 'payload["nme"] == "x"  # harness: ignore PAYLOAD_KEY our host sends it';
    expect(await problems({ '.harness/hooks/g.md': hook(ALLOWS, { when }) })).toEqual([]);
  });
});

describe('validate --format', () => {
  const files = {
    'agent/.harness/hooks/g.md': hook('def handle(event, payload):\n    block("50%")\n    return allow()'),
  };

  it('github notes each problem beside its line', async () => {
    const ran = await harness(['validate', '--format', 'github', 'agent'], { cwd: project(files) });
    expect(ran).toMatchObject({
      code: 1,
      stdout:
        '::error file=agent/.harness/hooks/g.md,line=6,col=7,title=DECISION_DROPPED::the decision is dropped: write return block("50%25")\n',
    });
  });

  it('sarif is one run with the rules it uses', async () => {
    const ran = await harness(['validate', '--format', 'sarif', 'agent'], { cwd: project(files) });
    const { version, runs } = JSON.parse(ran.stdout);
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['DECISION_DROPPED']);
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'DECISION_DROPPED',
        ruleIndex: 0,
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'agent/.harness/hooks/g.md' },
              region: { startLine: 6, startColumn: 7 },
            },
          },
        ],
      },
    ]);
  });

  it('another word is wrong usage', async () => {
    const ran = await harness(['validate', '--format', 'sariff', project(files)]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('(did you mean sarif?)') });
  });
});

describe('validate --watch', () => {
  it('looks again when a hook changes, until it is interrupted', async () => {
    const dir = project({ '.harness/hooks/g.md': hook(ALLOWS) });
    const child = spawn(process.execPath, [CLI_FILE, 'validate', '--watch', dir]);
    onTestFinished(() => void child.kill('SIGKILL'));
    let text = '';
    const until = (wanted: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!text.includes(wanted)) return;
          child.stdout.off('data', look);
          resolve();
        };
        child.stdout.on('data', look);
        look();
      });
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await until('waiting for changes');
    expect(text).toContain('1 hook, 0 errors, 0 warnings');
    writeFileSync(join(dir, '.harness/hooks/g.md'), hook('def handle(event, payload):\n    return False'));
    await until('RETURN_TYPE');
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  });
});

describe('what ships and what is shown', () => {
  const examples = readdirSync(join(root, 'examples')).filter((name) => /^\d\d-/.test(name));

  it.each(examples)('example %s has no finding', async (name) => {
    expect(await findings(join(root, 'examples', name))).toEqual([]);
  });

  it('what init writes has no finding', async () => {
    const cwd = project();
    await harness(['init', 'agent'], { cwd });
    expect(await findings(join(cwd, 'agent'))).toEqual([]);
  });

  it('every hook and tool of the pages has no finding', async () => {
    const pages = ['README.md', ...markdown('docs').filter((path) => !path.includes('decisions'))];
    const shown = pages.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/^```(?:markdown|md|yaml)\n([\s\S]*?)^```$/gm)]
        .map(([, text]) => text!.replace(/^---\n/, ''))
        .filter((text) => /^event: /m.test(text) && /^script: \|/m.test(text))
        .map((text) => [path, text.split(/^---$/m)[0]!] as const),
    );
    expect(shown.length).toBeGreaterThan(2);
    for (const [path, text] of shown) {
      const page = readFileSync(join(root, path), 'utf8');
      // A page that shows a library shows it under its path.
      const libraries = [...page.matchAll(/^```python\n# (\.harness\/lib\/\S+)\n([\s\S]*?)^```$/gm)];
      const dir = project({
        '.harness/hooks/shown.md': `---\n${text}\n---\n# shown\n`,
        ...Object.fromEntries(libraries.map(([, file, source]) => [file!, source!])),
      });
      // A page is no policy with tests of its own, also if its library has some.
      const found = (await findings(dir)).filter(({ code }) => code !== 'GUARD_UNTESTED');
      expect({ path, found }).toEqual({ path, found: [] });
    }
  });

  it('the hook of the artifact specification has no finding', async () => {
    const script = [
      'def handle(event, payload):',
      '    cmd = payload.get("args", {}).get("command", "")',
      '    for d in ["mkfs", "shutdown"]:',
      '        if d in cmd:',
      '            metrics.incr("audit.policy.deny")',
      '            return block("dangerous command pattern blocked: \'" + d + "\'")',
      '    return allow()',
    ];
    const text = hook(script.join('\n'), { when: 'payload["name"] == "run_command"' });
    expect(await problems({ '.harness/hooks/command_guard.md': text })).toEqual([]);
  });
});

function markdown(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));
}
