import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { guardOptions, openGuard } from 'harness-hooks/claude-agent-sdk';
import { startModelServer } from 'harness-hooks/testing';
import { z } from 'zod';
import { modelFor, policyFolder, verdicts } from './policy.mjs';

const NAME = 'mcp__t__echo';
const LIMIT = { timeout: 110_000 };

const echoServer = (ran) =>
  createSdkMcpServer({
    name: 't',
    tools: [
      tool('echo', 'Says it back.', { text: z.string() }, async ({ text }) => {
        ran.push(text);
        return { content: [{ type: 'text', text: `echo: ${text}` }] };
      }),
    ],
  });

/** The SDK starts a program of its own: with a folder and a home of its own, a dummy key and the scripted model. */
async function run(guard, server, prompt, options = {}) {
  const home = mkdtempSync(join(tmpdir(), 'harness-claude-'));
  mkdirSync(join(home, 'work'));
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  };
  const all = guardOptions(guard, {
    cwd: join(home, 'work'),
    env,
    maxTurns: 12,
    model: 'claude-fake',
    settingSources: [],
    stderr: (text) => process.env.DEBUG_CLAUDE && process.stderr.write(text),
    ...options,
  });
  let result = '';
  for await (const message of query({ prompt, options: all }))
    if (message.type === 'result') result = message.result ?? message.subtype;
  await guard.close();
  await server.close();
  return result;
}

test('Claude Agent SDK: a person may approve what a hook asks about', LIMIT, async () => {
  const dir = policyFolder();
  const server = await modelFor(['ask me'], NAME);
  const asked = [];
  const approvals = {
    request: async ({ toolName, toolInput, reason }) => {
      asked.push([toolName, toolInput.text, reason]);
      return { approved: true };
    },
  };
  const guard = await openGuard({ policy: dir, approvals });
  const ran = [];
  await run(guard, server, 'go', { mcpServers: { t: echoServer(ran) }, allowedTools: [NAME] });
  assert.deepEqual(asked, [[NAME, 'ask me', 'is that so?']]);
  assert.deepEqual(ran, ['ask me']);
  assert.deepEqual(verdicts(dir), ['ran']);
});

test('Claude Agent SDK: a prompt is blocked before anything is sent', LIMIT, async () => {
  const server = await modelFor([]);
  const guard = await openGuard({ policy: policyFolder(), tape: false });
  await run(guard, server, 'a bad question');
  assert.ok(!JSON.stringify(server.requests()).includes('a bad question'));
});

test('Claude Agent SDK: context, a stop that is sent back, and what a sub-agent does', LIMIT, async () => {
  const dir = policyFolder({
    'context.md': `---\nevent: turn.start\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow(context = "CONTEXT of a hook")\n---\n`,
    'stop.md': `---\nevent: agent.stop\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("say please") if "please" not in payload["response"] else allow()\n---\n`,
  });
  const ran = [];
  const delegate = {
    name: 'Agent',
    args: {
      description: 'a test',
      prompt: 'work',
      subagent_type: 'general-purpose',
      run_in_background: false,
    },
  };
  const server = await startModelServer({
    script: {
      completions: [
        { tool_calls: [delegate] },
        { tool_calls: [{ name: NAME, args: { text: 'forbidden' } }] },
        { text: 'The sub-agent is done.' },
        { text: 'Done.' },
        { text: 'Done, please.' },
      ],
    },
  });
  const guard = await openGuard({ policy: dir });
  const options = { mcpServers: { t: echoServer(ran) }, allowedTools: [NAME, 'Agent', 'Task'] };
  const result = await run(guard, server, 'go', options);
  const sent = JSON.stringify(server.requests());
  assert.ok(sent.includes('CONTEXT of a hook'), 'the model reads the context');
  assert.ok(sent.includes('not this word'), 'the call of the sub-agent is blocked');
  assert.ok(sent.includes('say please'), 'the agent is sent back');
  assert.equal(result, 'Done, please.');
  assert.deepEqual(ran, []);
});
