import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { guardTools, openGuard, promptGuardrail } from 'harness-hooks/openai-agents';
import { modelFor, policyFolder } from './policy.mjs';

setTracingDisabled(true);

function setUp(server, guard, ran) {
  const echo = tool({
    name: 'echo',
    description: 'Says it back.',
    strict: true,
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
    execute: async ({ text }) => {
      ran.push(text);
      return `echo: ${text}`;
    },
  });
  const modelProvider = new OpenAIProvider({
    apiKey: 'dummy',
    baseURL: `${server.url}/v1`,
    useResponses: true,
  });
  const agent = new Agent({
    name: 'test',
    instructions: 'x',
    tools: guardTools(guard, [echo]),
    model: 'fake-model',
    inputGuardrails: [promptGuardrail(guard)],
  });
  return { agent, runner: new Runner({ modelProvider, tracingDisabled: true }) };
}

test('OpenAI Agents: a prompt trips the wire', async () => {
  const server = await modelFor([]);
  const guard = await openGuard({ policy: policyFolder(), tape: false });
  const { agent, runner } = setUp(server, guard, []);
  await assert.rejects(runner.run(agent, 'a bad question'), /guardrail/i);
  await server.close();
});
