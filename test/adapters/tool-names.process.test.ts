/** A hook that names a tool as one agent does, through the built launcher, as each agent calls it, and in a replay of the tapes. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { harness } from '../cli/harness.ts';
import { command, decisionIn, type Launched, launch, project } from './launched.ts';

const guard = (when: string, reason = 'no shells') =>
  [
    ...['---', 'event: tool.pre', 'priority: 1', `when: ${JSON.stringify(when)}`, 'script: |'],
    ...['  def handle(event, payload):', `      return block(${JSON.stringify(reason)})`, '---', ''],
  ].join('\n');

const RULE = '.harness/hooks/rule.md';

/** The call of a tool as an agent sends it. */
function fireIn(
  launched: Launched,
  agent: string,
  event: string,
  call: JsonObject,
): Promise<{ stdout: string; stderr: string }> {
  const samples = new URL(`payloads/${agent}.json`, import.meta.url);
  const sample = (JSON.parse(readFileSync(samples, 'utf8')) as Record<string, JsonObject>)[event];
  const payload = { ...sample, cwd: launched.dir, session_id: agent, ...call };
  return launch([agent, event, '--dir', launched.dir], JSON.stringify(payload), dirname(launched.dir));
}

const AGENTS = [
  ['claude-code', 'PreToolUse', 'Bash', { command: 'ls' }],
  ['codex', 'PreToolUse', 'exec_command', { cmd: 'ls' }],
  ['codex', 'PreToolUse', 'Bash', { command: 'ls' }],
  ['gemini-cli', 'BeforeTool', 'run_shell_command', { command: 'ls' }],
] as const;

describe('a hook that names a tool', () => {
  it.each(AGENTS)('as Claude Code does holds in %s (%s of %s)', async (agent, event, tool, input) => {
    for (const when of [
      'payload["name"] == "Bash"',
      'payload["name"] in ["Bash"]',
      'payload["name"] == "shell"',
    ]) {
      const launched = project({ [RULE]: guard(when) });
      const call = { tool_name: tool, tool_input: input };
      const { stdout, stderr } = await fireIn(launched, agent, event, call);
      expect(`${stdout}${stderr}`).toContain('no shells');
      const other = { tool_name: 'another_tool', tool_input: {} };
      expect((await fireIn(launched, agent, event, other)).stdout).not.toContain('no shells');
    }
  });

  it('by a narrower name holds for that one only', async () => {
    const { fire } = project({ [RULE]: guard('payload["name"] == "NotebookEdit"') });
    const edit = { tool_name: 'Edit', tool_input: { file_path: 'a', old_string: 'x', new_string: 'y' } };
    const cell = { tool_name: 'NotebookEdit', tool_input: { notebook_path: 'a', new_source: 'y' } };
    expect(decisionIn(await fire('PreToolUse', { ...edit, tool_use_id: '1' }))).toBeNull();
    expect(decisionIn(await fire('PreToolUse', { ...cell, tool_use_id: '2' }))).toBe('deny');
  });

  it('by a synonym holds in a table of permissions, in a pattern of harn.toml and in tools of agent.json', async () => {
    const table = '---\npermissions: {rules: [{tools: [shell], zone: never, reason: no shells}]}\n---\n';
    const policies: Readonly<Record<string, string>>[] = [
      { '.harness/harness.md': table },
      {
        'harn.toml':
          '[[hooks]]\nevent = "PreToolUse"\npattern = "exec_command"\nhandler = "policy::refuse"\n',
        'policy.star': 'def refuse(event):\n    return block("no shells")\n',
      },
      {
        'harn.toml':
          '[[hooks]]\nevent = "PreToolUse"\npattern = "tool.name =~ \'^Ba\'"\nhandler = "policy::refuse"\n',
        'policy.star':
          'def refuse(event):\n    return block("no shells") if event["tool"]["name"] == "shell" else None\n',
      },
      {
        'agent.json': JSON.stringify({ hooks: { onToolCall: [{ action: 'approve', tools: ['shell'] }] } }),
      },
    ];
    for (const files of policies) {
      const { fire } = project(files);
      expect([files, decisionIn(await fire('PreToolUse', command('ls', '1')))]).toEqual([files, 'deny']);
      const read = { tool_name: 'Read', tool_input: { file_path: 'a' }, tool_use_id: '2' };
      expect(decisionIn(await fire('PreToolUse', read))).toBeNull();
    }
  });

  it('is replayed to the same decisions, since the tape has the agent’s own name', async () => {
    const launched = project({ [RULE]: guard('payload["name"] == "Bash"') });
    for (const [agent, event, tool_name, tool_input] of AGENTS)
      await fireIn(launched, agent, event, { tool_name, tool_input });
    await fireIn(launched, 'claude-code', 'PreToolUse', {
      tool_name: 'Read',
      tool_input: { file_path: 'a' },
    });
    for (const agent of ['claude-code', 'codex', 'gemini-cli']) {
      const tape = `${launched.dir}/.harness/runs/${agent}.jsonl`;
      expect(readFileSync(tape, 'utf8')).toContain('no shells');
      const { stdout, code } = await harness(['replay', tape, '--dir', launched.dir, '--json']);
      expect([agent, code, JSON.parse(stdout)]).toMatchObject([agent, 0, { differences: [] }]);
      expect((JSON.parse(stdout) as { decisions: number }).decisions).toBeGreaterThan(0);
    }
  });

  it('holds when it asks, and the hooks of the question hear of it by that name', async () => {
    const asks = guard('payload["name"] == "Bash"').replace('block("no shells")', 'ask("sure?")');
    const hears = guard('payload["name"] == "Bash"', 'never mind').replace('tool.pre', 'permission.asked');
    const { fire } = project({ [RULE]: asks, '.harness/hooks/hears.md': hears });
    const answer = await fire('PreToolUse', command('ls', '1'));
    expect(decisionIn(answer)).toBe('deny');
    expect(answer.stdout).toContain('never mind');
  });
});
