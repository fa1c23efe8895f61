import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatOpenAI } from '@langchain/openai';
import { guardMiddleware, openGuard } from 'harness-hooks/langchain';
import { createAgent, createMiddleware, ToolMessage, tool } from 'langchain';
import { modelFor, policyFolder } from './policy.mjs';

const SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

async function agentFor(server, guard, ran) {
  const echo = tool(
    async ({ text }) => {
      ran.push(text);
      return `echo: ${text}`;
    },
    { name: 'echo', description: 'Says it back.', schema: SCHEMA },
  );
  const model = new ChatOpenAI({
    model: 'fake-model',
    apiKey: 'dummy',
    configuration: { baseURL: `${server.url}/v1` },
  });
  return createAgent({
    model,
    tools: [echo],
    middleware: [createMiddleware(guardMiddleware(guard, { ToolMessage }))],
  });
}

test('LangChain: a prompt is blocked before anything is sent', async () => {
  const server = await modelFor([]);
  const guard = await openGuard({ policy: policyFolder(), tape: false });
  const agent = await agentFor(server, guard, []);
  await assert.rejects(
    agent.invoke({ messages: [{ role: 'user', content: 'a bad question' }] }),
    /not that question/,
  );
  await server.close();
  assert.equal(server.requests().length, 0);
});
