import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { guardTools, openGuard, promptGuardrail } from 'harness-hooks/openai-agents';
import { hook, modelFor, policyFolder } from './policy.mjs';

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

test('OpenAI Agents: a prompt trips the wire before anything is sent, however long a hook takes', async () => {
  const server = await modelFor([]);
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'sleep 1; exit 2' }] }] };
  const policy = policyFolder({ '../settings.json': JSON.stringify({ hooks }) });
  const guard = await openGuard({ policy, tape: false });
  const { agent, runner } = setUp(server, guard, []);
  for (const prompt of ['a bad question', 'any other'])
    await assert.rejects(runner.run(agent, prompt), /guardrail/i);
  await server.close();
  assert.equal(server.requests().length, 0);
});

test('OpenAI Agents: a guard that it has no place for is named aloud, by a warning', async () => {
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const policy = policyFolder({
    'stop.md': hook('agent.stop', 'block("go on")'),
    'log.md': hook('session.start', 'allow()'),
  });
  await openGuard({ policy, tape: false });
  assert.equal((await warned).message, 'OpenAI Agents has no place for these hooks: stop (agent.stop)');
});
