// Every kind of tool that the types of the AI SDK know, under a policy that blocks every call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import * as ai from 'ai';
import { guardAgent, openGuard } from 'harness-hooks/ai-sdk';
import { startModelServer } from 'harness-hooks/testing';
import { AI_SDK_AGENT, AI_SDK_TOOLS } from './kinds.mjs';
import { AT_PROVIDER, blockEverything, calls } from './policy.mjs';

const { dynamicTool, generateText, isStepCount, jsonSchema, streamText, ToolLoopAgent, tool } = ai;
const inputSchema = jsonSchema({ type: 'object', properties: {} });

const KINDS = {
  function: (execute) => tool({ description: 'x', inputSchema, execute }),
  dynamic: (execute) => dynamicTool({ description: 'x', inputSchema, execute }),
  provider: (execute) =>
    tool({
      type: 'provider',
      id: 'openai.local_shell',
      args: {},
      isProviderExecuted: false,
      inputSchema,
      execute,
    }),
};

/** The functions of the package that make a tool. */
const MAKERS = ['dynamicTool', 'experimental_toolCaller', 'tool', 'toolSearch'];

test('AI SDK: every function that makes a tool is known here', () => {
  const named = Object.keys(ai).filter((name) => /((^|_)t|T)ool(Search|Caller)?$/.test(name));
  assert.deepEqual(named.sort(), MAKERS);
});

const modelAt = (server) =>
  createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' })('fake-model');

/** Each way to run an agent. */
const WAYS = {
  'ToolLoopAgent.generate': async (settings) =>
    (await new ToolLoopAgent(settings).generate({ prompt: 'go' })).text,
  'ToolLoopAgent.stream': async (settings) =>
    (await new ToolLoopAgent(settings).stream({ prompt: 'go' })).text,
  generateText: async (settings) => (await generateText({ ...settings, prompt: 'go' })).text,
  streamText: async (settings) => streamText({ ...settings, prompt: 'go' }).text,
};

async function play(make, dir, way = 'generateText') {
  const completions = [{ tool_calls: [{ name: 'it', args: {} }] }, { text: 'Done.' }];
  const server = await startModelServer({ script: { completions } });
  const guard = await openGuard({ policy: dir });
  const settings = guardAgent(guard, { stopWhen: isStepCount(5), ...make(modelAt(server)) });
  const text = await WAYS[way](settings);
  await guard.close();
  await server.close();
  return text;
}

const pairs = (dir) => calls(dir).map(({ tool: name, verdict }) => [name, verdict]);

for (const kind of Object.keys(AI_SDK_TOOLS))
  for (const way of Object.keys(WAYS))
    test(`AI SDK: a tool of the kind ${kind} does not run in ${way} under a policy that blocks every call, and is on the tape`, async () => {
      const ran = [];
      const dir = blockEverything();
      const it = KINDS[kind](async () => ran.push(kind));
      // This provider leaves out tools that another one defines; with no other tool its request would have none.
      const other = KINDS.function(async () => 'x');
      assert.equal(await play((model) => ({ model, tools: { it, other } }), dir, way), 'Done.');
      assert.deepEqual(ran, []);
      assert.deepEqual(pairs(dir), [['it', 'blocked']]);
    });

const PARTS = {
  tools: (it, model) => ({ model, tools: { it } }),
  model: (it, model) => ({ model, tools: { it } }),
  prepareCall: (it, model) => ({ model, prepareCall: (given) => ({ ...given, tools: { it } }) }),
  prepareStep: (it, model) => ({ model, tools: { it }, prepareStep: () => ({ model }) }),
};

for (const part of Object.keys(AI_SDK_AGENT))
  test(`AI SDK: what ${part} of an agent brings is judged`, async () => {
    const ran = [];
    const dir = blockEverything();
    const it = KINDS.function(async () => ran.push(part));
    assert.equal(await play((model) => PARTS[part](it, model), dir, 'ToolLoopAgent.generate'), 'Done.');
    assert.deepEqual(ran, []);
    assert.deepEqual(pairs(dir), [['it', 'blocked']]);
  });

/** A model whose provider ran a tool by itself. */
const hosted = {
  specificationVersion: 'v4',
  provider: 'fake',
  modelId: 'fake-model',
  supportedUrls: {},
  doGenerate: async () => ({
    content: [
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'search',
        input: '{"query":"x"}',
        providerExecuted: true,
      },
      { type: 'tool-result', toolCallId: 'c1', toolName: 'search', result: {}, providerExecuted: true },
      { type: 'text', text: 'Done.' },
    ],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: {}, outputTokens: {} },
    warnings: [],
  }),
};

test('AI SDK: a call that the provider runs is on the tape as not judged', async () => {
  const dir = blockEverything();
  const search = tool({
    type: 'provider',
    id: 'openai.web_search',
    args: {},
    isProviderExecuted: true,
    inputSchema,
  });
  await play(() => ({ model: hosted, tools: { search } }), dir);
  assert.deepEqual(
    calls(dir).map(({ callId, tool: name, verdict, reason }) => [callId, name, verdict, reason]),
    [['c1', 'search', 'allowed', AT_PROVIDER]],
  );
});

test('AI SDK: what cannot be judged is refused by its name unless the program accepts it', async () => {
  const guard = await openGuard({ policy: blockEverything(), tape: false });
  const ask = tool({ description: 'x', inputSchema });
  assert.throws(() => guardAgent(guard, { model: hosted, tools: { ask } }), /ask: a tool without execute/);
  assert.throws(() => guardAgent(guard, { model: 'openai/x' }), /model openai\/x: a name/);
  assert.throws(
    () => guardAgent(guard, { tools: { odd: { type: 'odd', execute() {} } } }),
    /odd: a tool of the unknown kind "odd"/,
  );
  assert.throws(
    () => guardAgent(guard, new ToolLoopAgent({ model: hosted })),
    /agent: an agent that is made already/,
  );
  guardAgent(guard, { model: 'openai/x', tools: { ask } }, { accept: ['ask', 'model openai/x'] });
});
