import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { guardAgent, openGuard } from 'harness-hooks/claude-agent-sdk';
import { z } from 'zod';
import { play } from './play.mjs';

const TOOL = 'mcp__example__echo';

await play(async ({ folder, url, echo }) => {
  const guard = await openGuard({ policy: folder });
  const said = async (args) => ({ content: [{ type: 'text', text: await echo(args) }] });
  const tools = [tool('echo', 'Says it back.', { text: z.string() }, said)];
  const options = guardAgent(guard, {
    cwd: folder,
    env: offline(join(folder, 'home'), url),
    model: 'scripted',
    maxTurns: 12,
    settingSources: [],
    mcpServers: { example: createSdkMcpServer({ name: 'example', tools }) },
    allowedTools: [TOOL],
  });
  let answer = '';
  for await (const message of query({ prompt: 'go', options }))
    if (message.type === 'result') answer = message.result ?? message.subtype;
  await guard.close();
  return answer;
}, TOOL);

/** The SDK starts a program of its own: with a home of its own, a key that is none, and the scripted model. */
function offline(home, url) {
  mkdirSync(home);
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }));
  return {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  };
}
