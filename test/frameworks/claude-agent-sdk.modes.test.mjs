// What switches hooks off in the Claude Agent SDK, tried on its own program: what switches the policy off is refused, nothing else.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { guardAgent, openGuard } from 'harness-hooks/claude-agent-sdk';
import { startModelServer } from 'harness-hooks/testing';
import { ASKS_HOOKS, NO_HOOK, REFUSED_TOO } from './claude-modes.mjs';
import { blockEverything, calls } from './policy.mjs';

const LIMIT = { timeout: 110_000 };
const ACCEPT = { accept: ['bare', 'CLAUDE_CODE_SIMPLE'] };

/** A home and a folder with the settings of this form, and its options. */
function madeOf({ user, project, local, env = {}, ...options }) {
  const home = mkdtempSync(join(tmpdir(), 'harness-claude-'));
  const cwd = join(home, 'work');
  for (const folder of [home, cwd]) mkdirSync(join(folder, '.claude'), { recursive: true });
  const put = (path, data) => data && writeFileSync(join(home, path), JSON.stringify(data));
  const projects = { [cwd]: { hasTrustDialogAccepted: true } };
  put('.claude.json', { hasCompletedOnboarding: true, projects });
  put('.claude/settings.json', user);
  put('work/.claude/settings.json', project);
  put('work/.claude/settings.local.json', local);
  const fixed = {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  };
  return { settingSources: [], ...options, cwd, env: { ...fixed, ...env } };
}

/** Whether a command runs under a policy that blocks every call. */
async function commandRuns(form) {
  const command = { name: 'Bash', args: { command: 'touch ran', description: 'x' } };
  const server = await startModelServer({
    script: { completions: [{ tool_calls: [command] }, { text: 'Done.' }] },
  });
  const guard = await openGuard({ policy: blockEverything(), tape: false });
  const made = madeOf(form);
  const env = { ...made.env, ANTHROPIC_BASE_URL: server.url };
  const options = { ...made, env, maxTurns: 5, model: 'claude-fake', allowedTools: ['Bash'] };
  let said = '';
  for await (const message of query({ prompt: 'go', options: guardAgent(guard, options, ACCEPT) }))
    if (message.type === 'result') said = message.result ?? message.subtype;
  await server.close();
  assert.equal(said, 'Done.');
  return existsSync(join(made.cwd, 'ran'));
}

for (const [how, form] of Object.entries(NO_HOOK))
  test(
    `Claude Agent SDK: it asks no hook in the mode that is refused, switched on by ${how}`,
    LIMIT,
    async () => {
      assert.ok(await commandRuns(form));
    },
  );

for (const [how, form] of Object.entries(ASKS_HOOKS))
  test(`Claude Agent SDK: the policy holds where hooks are switched off by ${how}`, LIMIT, async () => {
    const guard = await openGuard({ policy: blockEverything(), tape: false });
    guardAgent(guard, madeOf(form));
    assert.equal(await commandRuns(form), false);
  });

test('Claude Agent SDK: the mode in which it asks no hook is refused by its name, wherever it is switched on, unless the program accepts it', async () => {
  const dir = blockEverything();
  const guard = await openGuard({ policy: dir });
  for (const [how, form] of Object.entries({ ...NO_HOOK, ...REFUSED_TOO }))
    assert.throws(() => guardAgent(guard, madeOf(form)), /^HarnessError: (bare|CLAUDE_CODE_SIMPLE): /, how);
  guardAgent(guard, madeOf({ env: { CLAUDE_CODE_SIMPLE: '0' } }));
  guardAgent(guard, madeOf({ extraArgs: { bare: null } }), ACCEPT);
  await guard.close();
  assert.deepEqual(
    calls(dir).map(({ tool, reason }) => [tool, reason]),
    [['bare', 'not judged: the program lists this tool under `accept`']],
  );
});
