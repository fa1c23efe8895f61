/**
 * `harness doctor --live` with agents of our own making in the place of Claude Code: one that obeys, one that does not, one that
 * does not work, one that looks around. The real agents are tried by `npm run test:agents`; what is shown here is that nothing
 * of the user is reached, and that only proof is called proof.
 */
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { wholeTree } from '../support/whole-tree.ts';
import { hookFile, project } from './harness.ts';

const HARMLESS = hookFile(
  'event: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return allow()',
);

/** As much of Claude Code as it takes: its hooks, its dialect of a model, one tool. `OBEYS` is put in. */
const AGENT = `#!/usr/bin/env node
const { execSync, spawnSync } = require('node:child_process');
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const settings = JSON.parse(readFileSync('.claude/settings.json', 'utf8'));
const fire = (event, more) => (settings.hooks?.[event] ?? []).flatMap(({ hooks }) => hooks).map(({ command }) => {
  const input = JSON.stringify({ session_id: 's1', cwd: process.cwd(), hook_event_name: event, transcript_path: null, ...more });
  const { stdout } = spawnSync('/bin/sh', ['-c', command], { input, encoding: 'utf8', env: { ...process.env, CLAUDE_PROJECT_DIR: process.cwd() } });
  return stdout === '' ? {} : JSON.parse(stdout);
});
const ask = async (messages) => {
  const tools = [{ name: 'Bash', description: 'runs', input_schema: { type: 'object', properties: { command: { type: 'string' } } } }];
  const body = JSON.stringify({ model: 'm', max_tokens: 100, messages, tools });
  const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  return (await answer.json()).content;
};
(async () => {
  console.log(JSON.stringify({
    saw: existsSync(process.env.HOME + '/.ssh/id'),
    home: readdirSync(process.env.HOME).sort(),
    project: readdirSync('.').sort(),
    interfaces: Object.keys(require('node:os').networkInterfaces()),
    variables: Object.keys(process.env).filter((name) => /SECRET|TOKEN|_KEY/.test(name)),
  }));
  const messages = [{ role: 'user', content: process.argv[3] }];
  if (fire('UserPromptSubmit', { prompt: process.argv[3] }).some(({ decision }) => decision === 'block')) return;
  for (;;) {
    const content = await ask(messages);
    const call = content.find(({ type }) => type === 'tool_use');
    if (call === undefined) return;
    const given = { tool_name: 'Bash', tool_input: call.input, tool_use_id: call.id };
    const denied = fire('PreToolUse', given).map(({ hookSpecificOutput }) => hookSpecificOutput).find((out) => out?.permissionDecision === 'deny');
    const obeys = OBEYS && denied !== undefined;
    if (!obeys) execSync(call.input.command);
    const result = { type: 'tool_result', tool_use_id: call.id, content: obeys ? denied.permissionDecisionReason : 'done' };
    messages.push({ role: 'assistant', content }, { role: 'user', content: [result] });
  }
})();
`;

const OBEDIENT = AGENT.replace('OBEYS', 'true');
const DISOBEDIENT = AGENT.replace('OBEYS', 'false');
const BROKEN = '#!/bin/sh\necho "no licence" >&2\nexit 3\n';

/** Everything there but the compiled code of the user's copy, a cache that any run writes. */
function treeOf(folder: string) {
  return Object.fromEntries(
    Object.entries(wholeTree(folder)).filter(([path]) => !/\/dist\/cli\/cache/.test(path)),
  );
}

interface Live {
  readonly verdict: string;
  readonly causes: readonly string[];
  readonly limits: readonly string[];
  readonly facts: {
    readonly said: string;
    readonly toolRan: boolean;
    readonly ordinaryRan: boolean;
    readonly reasonSeen: boolean;
  } | null;
}

async function world(agent: string | null, files: Readonly<Record<string, string>> = {}) {
  const root = project({
    'p/.harness/hooks/harmless.md': HARMLESS,
    ...files,
    'p/secret-plans.d/deep.txt': 'not to be copied',
    'home/.ssh/id': 'PRIVATE',
    'bin/.keep': '',
    ...(agent !== null && { 'bin/claude': agent }),
  });
  if (agent !== null) chmodSync(join(root, 'bin/claude'), 0o755);
  const [dir, home] = [join(root, 'p'), join(root, 'home')];
  const env = {
    HOME: home,
    HARNESS_DAEMON: 'off',
    PATH: `${join(root, 'bin')}:${process.env.PATH}:/usr/sbin:/sbin`,
    MY_SECRET: 'x',
    HARNESS_TRUST: 'all',
  };
  const run = (...args: string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [CLI_FILE, ...args], { cwd: dir, env });
      const said = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => (said.stdout += chunk));
      child.stderr.on('data', (chunk) => (said.stderr += chunk));
      child.on('close', (code) => resolve({ code, ...said }));
    });
  expect((await run('install', 'claude-code')).stderr).toBe('');
  const live = async () => {
    const { code, stdout } = await run('doctor', '--live', 'claude-code', '--json');
    const { agents } = JSON.parse(stdout) as { agents: { live: Live }[] };
    return { code, ...agents[0]!.live };
  };
  return { root, dir, home, run, live };
}

/** Where there are no namespaces nothing can be proved, and the command has to say that. */
const isolated = async (live: () => Promise<Live & { code: number | null }>) => {
  const result = await live();
  if (result.causes.some((cause) => cause.startsWith('namespaces cannot be had'))) {
    expect(result).toMatchObject({ verdict: 'unproved', code: 1 });
    console.warn(`SKIPPED: ${result.causes[0]}`);
    return null;
  }
  return result;
};

describe('harness doctor --live', () => {
  it('an agent that is stopped is proof; nothing of the user was seen or changed', async () => {
    const { root, live } = await world(OBEDIENT);
    const before = treeOf(root);
    const result = await isolated(live);
    if (result === null) return;
    expect(result).toMatchObject({ verdict: 'proved', causes: [], code: 0 });
    expect(result.facts).toMatchObject({ toolRan: false, ordinaryRan: true, reasonSeen: true });
    const seen = JSON.parse(result.facts!.said.split('\n')[0]!);
    expect(seen).toMatchObject({ saw: false, interfaces: ['lo'], variables: ['ANTHROPIC_API_KEY'] });
    expect(seen.home).not.toContain('.ssh');
    expect(seen.project).not.toContain('secret-plans.d');
    expect(treeOf(root)).toEqual(before);
  });

  it.each([
    ['cannot start is red', '#!/nowhere/interpreter\n', 'broken', 'failed: '],
    [
      'stops it is a note',
      '#!/bin/sh\ncat >/dev/null\necho "not on Fridays" >&2\nexit 2\n',
      'proved',
      'not on Fridays',
    ],
  ])(
    'a program of a hook is tried on an ordinary command: one that %s',
    async (_what, guard, verdict, words) => {
      const entry = { type: 'command', command: './guard.sh', on_error: 'block', timeout: 60_000 };
      const { root, live } = await world(OBEDIENT, {
        'p/.harness/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ hooks: [entry] }] } }),
        'p/guard.sh': guard,
      });
      chmodSync(join(root, 'p/guard.sh'), 0o755);
      const result = await isolated(live);
      if (result === null) return;
      const said = verdict === 'broken' ? result.causes : [...result.causes, ...result.limits].slice(0, 1);
      expect({ ...result, facts: null, said: said.join() }).toMatchObject({
        verdict,
        said: expect.stringMatching(`^ordinary work, run a command: hook .*settings.json.*${words}`),
      });
    },
  );

  it('an agent that reads the block and runs the tool all the same is not safe, and the cause is said', async () => {
    const { live } = await world(DISOBEDIENT);
    const result = await isolated(live);
    if (result === null) return;
    expect(result).toMatchObject({ verdict: 'broken', code: 1 });
    expect(result.causes.join()).toContain('the agent did not obey');
  });

  it('an agent that does not work without hooks either proves nothing', async () => {
    const { live } = await world(BROKEN);
    const result = await isolated(live);
    if (result === null) return;
    expect(result).toMatchObject({ verdict: 'unproved', code: 1 });
    expect(result.causes.join()).toContain('no licence');
  });

  it('an agent that is not there proves nothing, and in words', async () => {
    const { run } = await world(null);
    const { code, stdout } = await run('doctor', '--live', 'claude-code');
    expect(code).toBe(1);
    expect(stdout).toContain('COULD NOT PROVE');
    expect(stdout).toContain('not found on the PATH');
  });
});
