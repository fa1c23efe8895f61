import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { guardTools, openGuard, promptProcessor } from 'harness-hooks/mastra';
import { z } from 'zod';
import { modelFor, policyFolder } from './policy.mjs';

function agentFor(server, guard, ran) {
  const echo = createTool({
    id: 'echo',
    description: 'Says it back.',
    inputSchema: z.object({ text: z.string() }),
    execute: async (input) => {
      const { text } = input.context ?? input;
      ran.push(text);
      return `echo: ${text}`;
    },
  });
  const provider = createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' });
  return new Agent({
    id: 'test',
    name: 'test',
    instructions: 'x',
    model: provider('fake-model'),
    tools: guardTools(guard, { echo }),
    inputProcessors: [promptProcessor(guard)],
  });
}

test('Mastra: a prompt is blocked before anything is sent', async () => {
  const server = await modelFor([]);
  const guard = await openGuard({ policy: policyFolder(), tape: false });
  const result = await agentFor(server, guard, []).generate('a bad question');
  await server.close();
  assert.ok(JSON.stringify(result.tripwireReason ?? result.tripwire).includes('not that question'));
  assert.equal(server.requests().length, 0);
});
