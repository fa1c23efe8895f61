import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatOpenAI } from '@langchain/openai';
import { guardMiddleware, openGuard } from 'harness-hooks/langchain';
import { startModelServer } from 'harness-hooks/testing';
import { createAgent, createMiddleware, ToolMessage, tool } from 'langchain';
import { hook, modelFor, policyFolder } from './policy.mjs';

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

/** What the agent says to `ask` with these hooks beside the policy, and what the model was sent. */
async function saying(answers, hooks, ask) {
  const server = await startModelServer({ script: { completions: answers.map((text) => ({ text })) } });
  const guard = await openGuard({ policy: policyFolder(hooks), tape: false });
  const agent = await agentFor(server, guard, []);
  const said = await agent.invoke({ messages: [{ role: 'user', content: ask }] }).then(
    ({ messages }) => messages.at(-1).content,
    ({ message }) => `threw: ${message}`,
  );
  await server.close();
  return { said, sent: server.requests() };
}

test('LangChain: a request is judged before it is sent, and an answer before it is used', async () => {
  const hooks = {
    'request.md': hook(
      'completion.pre',
      'block("not this text") if "classified" in str(payload["messages"]) else allow()',
    ),
    'answer.md': hook(
      'completion.post',
      'block("not this answer") if "leak" in str(payload["choices"]) else allow()',
    ),
  };
  const blocked = await saying(['fine'], hooks, 'a classified thing');
  assert.match(blocked.said, /threw: .*not this text/);
  assert.equal(blocked.sent.length, 0);
  assert.match((await saying(['a leak'], hooks, 'hello')).said, /threw: .*not this answer/);
  assert.equal((await saying(['fine'], hooks, 'hello')).said, 'fine');
});

test('LangChain: a request that the policy would rewrite is refused', async () => {
  const hooks = { 'request.md': hook('completion.pre', 'modify({"messages": []})') };
  const { said, sent } = await saying(['fine'], hooks, 'hello');
  assert.match(said, /threw: .*rewrites/);
  assert.equal(sent.length, 0);
});

test('LangChain: a model that may not stop yet is told why, and goes on', async () => {
  const hooks = {
    'stop.md': hook(
      'agent.stop',
      'allow() if "tests ran" in payload["response"] else block("run the tests")',
    ),
  };
  const { said, sent } = await saying(['Done.', 'Done, and the tests ran.'], hooks, 'hello');
  assert.equal(said, 'Done, and the tests ran.');
  assert.ok(JSON.stringify(sent[1]).includes('run the tests'));
});
