// What a framework does by itself it does under a policy that allows: tools that throw, inputs that are no object, results that are commands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import * as sdk from '@openai/agents';
import * as ai from 'ai';
import * as aiSdk from 'harness-hooks/ai-sdk';
import * as langchain from 'harness-hooks/langchain';
import * as openAi from 'harness-hooks/openai-agents';
import { startModelServer } from 'harness-hooks/testing';
import { createAgent, createMiddleware, ToolMessage, tool } from 'langchain';
import { z } from 'zod';
import { calls, hook, policyFolder } from './policy.mjs';

sdk.setTracingDisabled(true);
const parts = { createMiddleware, ToolMessage };

/** A model that calls `it` once, and what it was sent then. */
async function withModel(run, args = {}) {
  const completions = [{ tool_calls: [{ name: 'it', args }] }, { text: 'Done.' }];
  const server = await startModelServer({ script: { completions } });
  try {
    return { said: await run(server.url), sent: server.requests().at(-1).body };
  } finally {
    await server.close();
  }
}

const langchainAgent = (url, execute, guard, { middleware = [], schema = z.object({}) } = {}) => {
  const configuration = { baseURL: `${url}/v1` };
  const model = new ChatOpenAI({ model: 'fake-model', apiKey: 'dummy', configuration });
  const params = { model, tools: [tool(execute, { name: 'it', description: 'x', schema })], middleware };
  return createAgent(guard === null ? params : langchain.guardAgent(guard, params, parts));
};
const go = { messages: [{ role: 'user', content: 'go' }] };
const boom = async () => {
  throw new Error('BOOM');
};

test('LangChain: a tool that throws is a message to the model as without a policy, and is on the tape as failed', async () => {
  const dir = policyFolder();
  const guard = await langchain.openGuard({ policy: dir });
  const results = [];
  for (const each of [null, guard]) {
    const { said } = await withModel((url) => langchainAgent(url, boom, each).invoke(go));
    results.push(said.messages.map((message) => [message.getType(), message.content, message.status]));
  }
  await guard.close();
  assert.match(results[0][2][1], /BOOM/);
  assert.deepEqual(results[1], results[0]);
  assert.deepEqual(
    calls(dir).map(({ verdict }) => verdict),
    ['failed'],
  );
});

test('LangChain: a middleware of the program that answers for what a tool throws still does', async () => {
  const guard = await langchain.openGuard({ policy: policyFolder(), tape: false });
  const answers = createMiddleware({
    name: 'answers',
    wrapToolCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        return new ToolMessage({ content: `mended ${error.message}`, tool_call_id: request.toolCall.id });
      }
    },
  });
  const { said } = await withModel((url) =>
    langchainAgent(url, boom, guard, { middleware: [answers] }).invoke(go),
  );
  assert.equal(said.messages[2].content, 'mended BOOM');
});

test('LangChain: a call that a middleware of the program rewrites is judged as it was rewritten', async () => {
  const dir = policyFolder();
  const guard = await langchain.openGuard({ policy: dir });
  const rewrites = createMiddleware({
    name: 'rewrites',
    wrapToolCall: (request, handler) =>
      handler({ ...request, toolCall: { ...request.toolCall, args: { text: 'forbidden' } } }),
  });
  const ran = [];
  const execute = async ({ text }) => ran.push(text);
  const options = { middleware: [rewrites], schema: z.object({ text: z.string() }) };
  await withModel((url) => langchainAgent(url, execute, guard, options).invoke(go), { text: 'hello' });
  await guard.close();
  assert.deepEqual(ran, []);
  assert.deepEqual(
    calls(dir).map(({ verdict }) => verdict),
    ['blocked'],
  );
});

test('LangChain: a command that a hook redacts stays a command', async () => {
  const redact = hook(
    'tool.post',
    'modify({"content": payload["content"].replace("TOKEN", "[removed]")}) if "TOKEN" in payload["content"] else allow()',
  );
  const guard = await langchain.openGuard({ policy: policyFolder({ 'token.md': redact }), tape: false });
  const stateSchema = z.object({ found: z.string().optional(), when: z.any().optional() });
  const keeps = createMiddleware({ name: 'keeps', stateSchema });
  const execute = async (_args, config) =>
    new Command({
      update: {
        found: 'a TOKEN',
        when: new Date(0),
        messages: [new ToolMessage({ content: 'it is TOKEN', tool_call_id: config.toolCall.id })],
      },
    });
  const { said } = await withModel((url) =>
    langchainAgent(url, execute, guard, { middleware: [keeps] }).invoke(go),
  );
  assert.equal(said.messages[2].content, 'it is [removed]');
  assert.equal(said.found, 'a [removed]');
  assert.ok(said.when instanceof Date);
});

test('OpenAI Agents: a tool that throws is on the tape as failed, and the model reads what it reads without a policy', async () => {
  const dir = policyFolder();
  const guard = await openAi.openGuard({ policy: dir });
  const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const results = [];
  for (const guarded of [false, true]) {
    const it = sdk.tool({ name: 'it', description: 'x', strict: true, parameters, execute: boom });
    const agent = new sdk.Agent({ name: 'a', instructions: 'x', tools: [it], model: 'fake-model' });
    const { sent } = await withModel((url) => {
      const modelProvider = new sdk.OpenAIProvider({
        apiKey: 'dummy',
        baseURL: `${url}/v1`,
        useResponses: true,
      });
      return new sdk.Runner({ modelProvider, tracingDisabled: true }).run(
        guarded ? openAi.guardAgent(guard, agent) : agent,
        'go',
      );
    });
    results.push(sent.input.at(-1).output);
  }
  await guard.close();
  assert.equal(results[1], results[0]);
  assert.deepEqual(
    calls(dir).map(({ verdict }) => verdict),
    ['failed'],
  );
});

test('AI SDK: a tool whose input is a text gets a text, as hooks left it', async () => {
  const dir = policyFolder({
    'rewrite.md': hook('tool.pre', 'modify({"args": {"input": payload["args"]["input"] + "!"}})'),
  });
  const guard = await aiSdk.openGuard({ policy: dir, tape: false });
  const ran = [];
  const it = ai.tool({
    description: 'x',
    inputSchema: ai.jsonSchema({}),
    execute: async (input) => ran.push(input),
  });
  const { it: guarded } = aiSdk.guardTools(guard, { it });
  await guarded.execute('hello', { toolCallId: 'c1', messages: [] });
  await guarded.execute('{"a":1}', { toolCallId: 'c2', messages: [] });
  assert.deepEqual(ran, ['hello!', '{"a":1}!']);
});
