/** The code the specification of these hooks prints, run as printed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingsProject, sh } from '../../../test/support/settings-project.ts';

const SECURITY_VALIDATOR = `#!/usr/bin/env bun
// Hook: SecurityValidator
// Event: PreToolUse
// Description: Validates tool operations against security policies
// Matcher: tool_name = "Bash"

import { readFileSync } from "fs";

// 1. Read payload from stdin
const payload = JSON.parse(readFileSync("/dev/stdin", "utf-8"));

// 2. Extract relevant fields
const { tool_name, tool_input } = payload;

// 3. Implement hook logic
if (tool_name === "Bash" && tool_input.command.includes("rm -rf /")) {
  // Hard block: write decision and exit 2
  console.log(JSON.stringify({
    decision: "block",
    message: "Blocked: recursive deletion of root filesystem"
  }));
  process.exit(2);
}

// 4. Normal completion
process.exit(0);
`;

function projectWith(file: string): SettingsProject {
  const entry = { path: `hooks/${file}`, timeout: 10_000, matcher: { tool_name: 'Bash' } };
  return new SettingsProject({ hooks: { PreToolUse: [entry] } }, { [`hooks/${file}`]: SECURITY_VALIDATOR });
}

async function expectToGuard(project: SettingsProject): Promise<void> {
  const blocked = await project.decide('PreToolUse', {
    name: 'Bash',
    args: { command: 'rm -rf / --no-preserve' },
  });
  const reason = 'Blocked: recursive deletion of root filesystem';
  expect(blocked).toMatchObject({ action: 'block', reason, hook: 'SecurityValidator' });
  const passed = await project.decide('PreToolUse', { name: 'Bash', args: { command: 'ls' } });
  expect(passed).toMatchObject({ action: 'allow' });
  expect(passed.trace[0]).toMatchObject({ state: 'ran', failure: null });
  const other = await project.decide('PreToolUse', { name: 'Write', args: { command: 'rm -rf /' } });
  expect(other.trace[0]!.state).toBe('unmatched');
}

describe('SecurityValidator.ts', () => {
  it('runs as printed on a machine that has only Node', async () => {
    await expectToGuard(projectWith('SecurityValidator.ts'));
  });

  it('never runs with a runner that is in its project: an agent could have put it there', async () => {
    const project = projectWith('SecurityValidator.ts');
    for (const name of ['bun', 'tsx', 'node', 'sh'])
      project.write(`node_modules/.bin/${name}`, sh(`touch "${project.dir}/planted"`));
    await project.decide('PreToolUse', { name: 'Bash', args: { command: 'ls' } });
    expect(existsSync(join(project.dir, 'planted'))).toBe(false);
  });

  it('describes itself by its header', async () => {
    const { hooks } = await projectWith('SecurityValidator.ts').load();
    expect(hooks[0]!.description).toBe('Validates tool operations against security policies');
  });

  it('the same logic as JavaScript needs nothing but Node', async () => {
    const project = projectWith('SecurityValidator.mjs');
    project.write('hooks/SecurityValidator.mjs', SECURITY_VALIDATOR.replace(/^#!.*\n/, ''), 0o644);
    await expectToGuard(project);
  });
});

describe('the decisions of the specification [C125]', () => {
  it.each([
    ['{"continue": true}', 'allow', null],
    [
      '{"decision": "block", "message": "Cannot delete protected path: /etc/hosts"}',
      'block',
      'Cannot delete protected path: /etc/hosts',
    ],
    [
      '{"decision": "ask", "message": "This will force-push to main. Are you sure?"}',
      'ask',
      'This will force-push to main. Are you sure?',
    ],
  ])('%s', async (json, action, reason) => {
    const project = new SettingsProject(
      { hooks: { PreToolUse: [{ path: 'say.sh' }] } },
      { 'say.sh': sh(`cat <<'END'\n${json}\nEND`) },
    );
    expect(await project.decide('PreToolUse', { name: 'Bash', args: {} })).toMatchObject({ action, reason });
  });
});
