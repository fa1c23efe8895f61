// Every kind of tool that LangChain exports or that a part of an agent brings, under a policy that blocks every call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunnableLambda } from '@langchain/core/runnables';
import * as coreTools from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { guardAgent, openGuard } from 'harness-hooks/langchain';
import { startModelServer } from 'harness-hooks/testing';
import { createAgent, createMiddleware, ToolMessage } from 'langchain';
import { z } from 'zod';
import { LANGCHAIN_AGENT } from './kinds.mjs';
import { AT_PROVIDER, blockEverything, calls } from './policy.mjs';

const { DynamicStructuredTool, DynamicTool, StructuredTool, Tool, tool } = coreTools;
const parts = { createMiddleware, ToolMessage };
const schema = z.object({ input: z.string().optional() });
const described = { name: 'it', description: 'x' };

/** By the class or function that makes it. */
const MADE = {
  tool: (run) => tool(run, { ...described, schema }),
  DynamicTool: (func) => new DynamicTool({ ...described, func }),
  DynamicStructuredTool: (func) => new DynamicStructuredTool({ ...described, schema, func }),
  StructuredTool: (run) =>
    new (class extends StructuredTool {
      name = 'it';
      description = 'x';
      schema = schema;
      _call = run;
    })(),
  Tool: (run) =>
    new (class extends Tool {
      name = 'it';
      description = 'x';
      _call = run;
    })(),
};
/** What the package tells apart by a function of its own: `RunnableToolLike`. */
const ASKED = { isRunnableToolLike: (run) => RunnableLambda.from(run).asTool({ ...described, schema }) };
const NOT_KINDS = ['isLangChainTool', 'isStructuredTool'];

test('LangChain: every class and function that makes a tool is known here', () => {
  const makers = Object.keys(coreTools).filter((name) => /(^t|T)ool(Like)?$/.test(name));
  assert.deepEqual(makers.sort(), [...Object.keys(MADE), ...Object.keys(ASKED), ...NOT_KINDS].sort());
});

async function play(settings, name, dir) {
  const completions = [{ tool_calls: [{ name, args: { input: 'x' } }] }, { text: 'Done.' }];
  const server = await startModelServer({ script: { completions } });
  const guard = await openGuard({ policy: dir });
  const configuration = { baseURL: `${server.url}/v1` };
  const model = new ChatOpenAI({ model: 'fake-model', apiKey: 'dummy', configuration });
  const agent = createAgent(guardAgent(guard, { model, ...settings }, parts));
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });
  await guard.close();
  await server.close();
  return messages.at(-1).content;
}

const pairs = (dir) => calls(dir).map(({ tool: name, verdict }) => [name, verdict]);

for (const [kind, make] of Object.entries({ ...MADE, ...ASKED }))
  test(`LangChain: a tool made by ${kind} does not run under a policy that blocks every call, and is on the tape`, async () => {
    const ran = [];
    const dir = blockEverything();
    const it = make(async () => {
      ran.push(kind);
      return 'x';
    });
    assert.equal(await play({ tools: [it] }, 'it', dir), 'Done.');
    assert.deepEqual(ran, []);
    assert.deepEqual(pairs(dir), [['it', 'blocked']]);
  });

const PARTS = {
  tools: (it) => ({ tools: [it] }),
  middleware: (it) => ({ middleware: [createMiddleware({ name: 'brings', tools: [it] })] }),
};

for (const part of Object.keys(LANGCHAIN_AGENT))
  test(`LangChain: what ${part} of an agent brings does not run under a policy that blocks every call, and is on the tape`, async () => {
    const ran = [];
    const dir = blockEverything();
    const it = MADE.tool(async () => ran.push(part));
    assert.equal(await play(PARTS[part](it), 'it', dir), 'Done.');
    assert.deepEqual(ran, []);
    assert.deepEqual(pairs(dir), [['it', 'blocked']]);
  });

test('LangChain: a tool that a middleware adds to a request is judged when it is called', async () => {
  const ran = [];
  const dir = blockEverything();
  const late = MADE.tool(async () => ran.push('late'));
  const brings = createMiddleware({
    name: 'late',
    wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, late] }),
    wrapToolCall: (request, handler) => handler({ ...request, tool: late }),
  });
  const other = tool(async () => 'x', { name: 'other', description: 'x', schema });
  assert.equal(await play({ tools: [other], middleware: [brings] }, 'it', dir), 'Done.');
  assert.deepEqual(ran, []);
  assert.deepEqual(pairs(dir), [['it', 'blocked']]);
});

test('LangChain: a tool that the provider runs is on the tape of a run as not judged', async () => {
  const dir = blockEverything();
  const search = {
    type: 'function',
    function: { name: 'web_search', description: 'x', parameters: { type: 'object', properties: {} } },
  };
  await play({ tools: [{ ...search, name: 'web_search' }, MADE.tool(async () => 'x')] }, 'it', dir);
  assert.deepEqual(
    calls(dir).map(({ tool: name, verdict, reason }) => [
      name,
      verdict,
      reason.includes('no tool') ? 'blocked' : reason,
    ]),
    [
      ['web_search', 'allowed', AT_PROVIDER],
      ['it', 'blocked', 'blocked'],
    ],
  );
});

test('LangChain: tools that are not a list of tools are refused', async () => {
  const guard = await openGuard({ policy: blockEverything(), tape: false });
  assert.throws(
    () => guardAgent(guard, { model: 'x', tools: { invoke: () => {} } }, parts),
    /tools: want a list of tools/,
  );
});
