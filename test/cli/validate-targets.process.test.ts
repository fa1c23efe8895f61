/** `harness validate --target`: what becomes of each hook in an agent, before anything is installed there. */
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const hook = (event: string, said: string) =>
  `---\nevent: ${event}\npriority: 1\nscript: |\n  def handle(event, payload):\n    return ${said}\n---\n`;

const policy = () =>
  project({
    '.harness/harness.md': '---\nstrict: true\n---\n',
    '.harness/hooks/asks.md': hook('tool.pre', 'ask("sure?")'),
    '.harness/hooks/redacts.md': hook('tool.post', 'modify({"content": "x"})'),
    '.harness/hooks/refuses.md': hook('tool.pre', 'block("no")'),
    '.harness/hooks/watches.md': hook('session.end', 'allow()'),
    '.harness/hooks/before_model.md': hook('completion.pre', 'block("no")'),
  });

describe('harness validate --target', () => {
  it('says per hook and agent what holds, what degrades and what is ignored', async () => {
    const { stdout, code } = await harness(['validate', policy(), '--target', 'gemini,codex,qwen-code']);
    const [gemini, codex, qwen] = stdout.split(/\n(?=\S+ {2}\S)/);
    expect(gemini).toMatch(/^gemini-cli {2}Gemini CLI, seen with 0\.61\.0$/m);
    expect(gemini).toMatch(/asks +tool\.pre +ask becomes a block$/m);
    expect(gemini).toMatch(/before_model +completion\.pre +holds$/m);
    expect(codex).toMatch(/refuses +tool\.pre +holds$/m);
    expect(codex).toMatch(/redacts +tool\.post +holds$/m);
    expect(codex).toMatch(/before_model +completion\.pre +completion\.pre does not fire here$/m);
    expect(qwen).toMatch(/redacts +tool\.post +PostToolUse: modify is ignored by the agent; /m);
    expect(qwen).toMatch(/asks +tool\.pre +holds$/m);
    expect(qwen).toMatch(/watches +session\.end +holds$/m);
    expect(code).toBe(0);
  });

  it('a hook that does not hold is a warning, and with --strict an error', async () => {
    const dir = policy();
    const plain = await harness(['validate', dir, '--target', 'codex', '--json']);
    expect(JSON.parse(plain.stdout)).toMatchObject({ ok: true, warnings: 1, targets: [{ lost: 1 }] });
    expect((await harness(['validate', dir, '--target', 'codex', '--strict'])).code).toBe(1);
    expect((await harness(['validate', dir, '--target', 'gemini-cli', '--strict'])).code).toBe(0);
  });

  describe('a hook that asks for a tool by its name', () => {
    const named = (...names: string[]) =>
      project(
        Object.fromEntries(
          names.map((name, i) => [
            `.harness/hooks/h${i}.md`,
            hook(`tool.pre\nwhen: payload["name"] == "${name}"`, 'block("no")'),
          ]),
        ),
      );
    const on = async (dir: string, agent: string, ...more: string[]) => {
      const { stdout, code } = await harness(['validate', dir, '--target', agent, '--json', ...more]);
      const { problems, targets } = JSON.parse(stdout) as {
        problems: { code: string; severity: string; message: string }[];
        targets: { hooks: { never: string | null; unknown: string | null }[] }[];
      };
      const errors = problems.filter(({ code: each }) => each === 'TOOL_UNKNOWN');
      return { code, errors, hooks: targets[0]!.hooks };
    };

    it('is fine by any name of the tool in any agent that has it, and by that of a tool of a server', async () => {
      const dir = named('Bash', 'run_command', 'exec_command', 'shell', 'mcp__github__create_issue');
      for (const agent of ['claude-code', 'codex', 'gemini-cli', 'cursor'])
        expect([agent, await on(dir, agent)]).toMatchObject([agent, { code: 0, errors: [] }]);
    });

    it('is an error where no tool of the agent can have that name, with or without --strict', async () => {
      const dir = named('NotebookEdit');
      expect(await on(dir, 'claude-code')).toMatchObject({ code: 0, errors: [] });
      const { code, errors } = await on(dir, 'codex');
      expect(code).toBe(1);
      expect(errors).toMatchObject([
        {
          severity: 'error',
          message: 'hook "h0" never runs: no tool of Codex CLI is called "NotebookEdit"',
        },
      ]);
      expect((await on(dir, 'codex', '--strict')).code).toBe(1);
      const text = await harness(['validate', dir, '--target', 'codex']);
      expect(text.stdout).toContain('1 hook can never match here');
      expect(text.code).toBe(1);
    });

    it('is an error in a matcher too', async () => {
      const run = { hooks: [{ type: 'command', command: 'true' }] };
      const settings = { hooks: { PreToolUse: [{ matcher: 'NotebookEdit', ...run }] } };
      const dir = project({ '.harness/settings.json': JSON.stringify(settings) });
      expect((await on(dir, 'codex')).code).toBe(1);
      expect((await on(dir, 'claude-code')).errors).toEqual([]);
    });

    it('is an error where the agent has nothing of the kind', async () => {
      expect((await on(named('web_search'), 'claude-code')).code).toBe(0);
      expect((await on(named('WebSearch'), 'goose')).errors[0]!.message).toContain(
        'no tool of Goose is called "WebSearch" or "web_search"',
      );
    });

    it('is an error where the name is misspelt, with the nearest', async () => {
      const { code, errors } = await on(named('Bsh'), 'claude-code');
      expect(code).toBe(1);
      expect(errors.map(({ message }) => message)).toContain(
        'hook "h0" never runs: no tool of Claude Code is called "Bsh" (did you mean Bash?)',
      );
    });

    it('is left alone where one of its names fits, or where the tool is one of the policy', async () => {
      const dir = project({
        '.harness/hooks/a.md': hook('tool.pre\nwhen: payload["name"] in ["LS", "Bash"]', 'block("no")'),
        '.harness/hooks/b.md': hook('tool.pre\nwhen: payload["name"] == "deploy"', 'block("no")'),
        '.harness/tools/deploy.md':
          '---\ndescription: Deploys.\nscript: |\n  def run(args):\n      return "done"\n---\n',
      });
      expect(await on(dir, 'codex')).toMatchObject({
        code: 0,
        errors: [],
        hooks: [
          { never: null, unknown: null },
          { never: null, unknown: null },
        ],
      });
    });

    it('is said to be unknown where no table has the name: agents have more tools than Harness knows', async () => {
      const { code, errors, hooks } = await on(named('TodoWrite'), 'claude-code');
      expect({ code, errors }).toEqual({ code: 0, errors: [] });
      expect(hooks[0]!.unknown).toBe('no tool that Harness knows of Claude Code is called "TodoWrite"');
    });
  });

  it('an agent that nobody knows is wrong usage, with the nearest name', async () => {
    const { code, stderr } = await harness(['validate', policy(), '--target', 'codx']);
    expect(code).toBe(2);
    expect(stderr).toContain('codex');
  });
});
