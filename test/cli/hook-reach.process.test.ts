/** Hooks that no call of an agent can meet: `validate`, `hooks --target`, `status` and `doctor` say so. */
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const guard = (name: string) =>
  `---\nevent: tool.pre\npriority: 1\nwhen: payload["name"] == "${name}"\nscript: |\n  def handle(event, payload):\n      return block("no")\n---\n`;

const NEVER = 'no tool of Claude Code is called "apply_patch"';

/** A folder in which Claude Code is guarded, with a hook for a tool of Codex. */
async function guarded(agents: readonly string[] = ['claude-code']) {
  const dir = realpathSync(project({ '.harness/hooks/patches.md': guard('apply_patch') }));
  const env = { HOME: mkdtempSync(join(tmpdir(), 'harness-home-')) };
  for (const agent of agents) expect((await harness(['install', agent, '--dir', dir], { env })).code).toBe(0);
  const run = (...args: string[]) => harness(args, { cwd: dir, env });
  return { dir, run };
}

describe('a hook for a tool that no agent here has', () => {
  it('is a guard that is off in status, a problem of doctor and a warning of validate', async () => {
    const { run } = await guarded();
    const status = await run('status');
    expect(status.stdout).toContain(`! hook "patches" on tool.pre never runs: ${NEVER}`);
    expect(status.stdout).not.toMatch(/^no (?:other )?guard is off/m);
    const doctor = await run('doctor', 'claude-code');
    expect(doctor).toMatchObject({ code: 1 });
    expect(doctor.stdout).toContain(`problem  hook "patches" on tool.pre never runs: ${NEVER}`);
    const validate = await run('validate');
    expect(validate.stdout).toContain(`warning[TOOL_UNKNOWN]: hook "patches" never runs: ${NEVER}`);
    expect(validate.code).toBe(0);
  });

  it('is none where a second agent has the tool', async () => {
    const { run } = await guarded(['claude-code', 'codex']);
    expect((await run('status')).stdout).not.toContain('never runs');
    expect((await run('validate')).stdout).not.toContain('never runs');
  });

  it('is named for each agent by hooks --target', async () => {
    const { run } = await guarded([]);
    const { stdout } = await run('hooks', '--target', 'claude-code,codex');
    expect(stdout).toContain(`claude-code: never runs: ${NEVER}`);
    expect(stdout).toContain('codex: runs on PreToolUse');
    const { chains } = JSON.parse((await run('hooks', '--target', 'claude-code,codex', '--json')).stdout) as {
      chains: { event: string; hooks: { name: string; targets: unknown }[] }[];
    };
    const [patches] = chains.find(({ event }) => event === 'tool.pre')!.hooks;
    expect(patches!.targets).toEqual([
      { agent: 'claude-code', runs: false, natives: ['PreToolUse'], why: NEVER },
      { agent: 'codex', runs: true, natives: ['PreToolUse'], why: null },
    ]);
  });
});

describe('a hook on an event that no agent here fires', () => {
  it('is named by status and doctor, which then do not say that no guard is off', async () => {
    const { dir, run } = await guarded(['codex']);
    const file = '.harness/hooks/models.md';
    const text = guard('x')
      .replace('tool.pre', 'completion.post')
      .replace(/when: .*\n/, '');
    writeFileSync(join(dir, file), text);
    const status = await run('status');
    expect(status.stdout).toContain(
      'hook "models" on completion.post never runs: completion.post does not fire',
    );
    expect(status.stdout).not.toMatch(/^no guard is off/m);
    expect((await run('doctor', 'codex')).stdout).toMatch(
      /^note +hook "models" on completion\.post never runs/m,
    );
  });
});

describe('a table of permissions', () => {
  const table = (tools: string) =>
    project({
      '.harness/harness.md': `---\npermissions:\n  default: auto\n  rules:\n    - {tools: ${tools}, zone: never}\n---\n`,
    });

  it('is an error of validate --target where a row names no tool of the agent', async () => {
    const { stdout, code } = await harness(['validate', table('NotebookEdit'), '--target', 'codex']);
    expect(stdout).toContain(
      'error[TOOL_UNKNOWN]: permissions.rules[0] never applies: no tool of Codex CLI is called "NotebookEdit"',
    );
    expect(code).toBe(1);
  });

  it.each(['Bash', 'shell', '"Ba*"', '[NotebookEdit, exec_command]', 'mcp__github__search'])(
    'is fine with %s',
    async (tools) => {
      expect(await harness(['validate', table(tools), '--target', 'claude-code'])).toMatchObject({ code: 0 });
    },
  );

  it('is said to be unknown where a pattern fits no tool that is known', async () => {
    const { stdout, code } = await harness(['validate', table('"Bsh*"'), '--target', 'claude-code']);
    expect(stdout).toContain('no tool that Harness knows of Claude Code is called "Bsh*"');
    expect(code).toBe(0);
  });
});
