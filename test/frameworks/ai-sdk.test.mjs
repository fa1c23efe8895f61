import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { openPolicy } from 'harness-hooks';
import { defineTool, Session } from 'harness-hooks/agent';
import { aiSdkProvider, guardModel, guardTools, openGuard } from 'harness-hooks/ai-sdk';
import { startModelServer } from 'harness-hooks/testing';
import { judgeRequests, modelFor, policyFolder, RAN, TEXTS, VERDICTS, verdicts } from './policy.mjs';

const echoTool = (ran) =>
  tool({
    description: 'Says it back.',
    inputSchema: jsonSchema({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
    execute: async ({ text }) => {
      ran.push(text);
      return `echo: ${text}`;
    },
  });

test('AI SDK: a prompt is blocked before anything is sent', async () => {
  const server = await modelFor([]);
  const guard = await openGuard({ policy: policyFolder(), tape: false });
  const provider = createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' });
  const model = wrapLanguageModel({
    model: provider('fake-model'),
    middleware: { specificationVersion: 'v4', ...guardModel(guard) },
  });
  await assert.rejects(generateText({ model, prompt: 'a bad question' }), /not that question/);
  await server.close();
  assert.equal(server.requests().length, 0);
});

test('AI SDK: a model of it drives a session of ours', async () => {
  const server = await modelFor(TEXTS);
  const provider = createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' });
  const ran = [];
  const echo = defineTool({
    name: 'echo',
    description: 'Says it back.',
    parameters: { text: { type: 'string', required: true } },
    run: ({ text }) => {
      ran.push(text);
      return `echo: ${text}`;
    },
  });
  const session = new Session({
    config: { model: 'fake-model' },
    provider: aiSdkProvider(provider('fake-model')),
    tools: [echo],
    policy: await openPolicy(policyFolder()),
  });
  const { text } = await session.run('go').result;
  await session.close();
  await server.close();
  assert.equal(text, 'Done.');
  assert.deepEqual(ran, RAN);
  judgeRequests(server.requests(), assert);
});

const ANSWERS = `---
event: completion.post
priority: 10
script: |
  def handle(event, payload):
      text = str(payload["choices"])
      if "unspeakable" in text:
          return block("not that answer")
      parts = payload["choices"][0]["message"]["content"]
      if "secret" in text:
          clean = [dict(part, text = part["text"].replace("secret", "[redacted]")) if part["type"] == "text" else part for part in parts]
          return modify({"choices": [{"message": {"role": "assistant", "content": clean}}]})
      if "wipe" in text:
          return modify({"choices": [{"message": {"role": "assistant", "content": [part for part in parts if part["type"] != "tool-call"]}}]})
      return allow()
---
`;

async function streamed(completions, hooks) {
  const server = await startModelServer({ script: { completions } });
  const dir = policyFolder(hooks);
  const guard = await openGuard({ policy: dir });
  const provider = createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' });
  const model = wrapLanguageModel({
    model: provider('fake-model'),
    middleware: { specificationVersion: 'v4', ...guardModel(guard) },
  });
  const ran = [];
  const errors = [];
  const pieces = [];
  const result = streamText({
    model,
    tools: guardTools(guard, { echo: echoTool(ran) }),
    prompt: 'go',
    stopWhen: stepCountIs(10),
    onError: ({ error }) => errors.push(String(error?.message ?? error)),
  });
  try {
    for await (const piece of result.fullStream) if (piece.type === 'text-delta') pieces.push(piece.text);
  } catch (error) {
    errors.push(error.message);
  }
  await guard.close();
  await server.close();
  return { ran, errors, text: pieces.join(''), requests: server.requests(), dir };
}

test('AI SDK: a streamed answer is judged as a whole before any of it is read', async () => {
  const hooks = { 'answers.md': ANSWERS };
  assert.equal((await streamed([{ text: 'all is well' }], hooks)).text, 'all is well');
  assert.equal((await streamed([{ text: 'the secret word' }], hooks)).text, 'the [redacted] word');
  const blocked = await streamed([{ text: 'something unspeakable' }], hooks);
  assert.equal(blocked.text, '');
  assert.match(blocked.errors.join(), /not that answer/);
});

test('AI SDK: tool calls in a stream are judged before the tool runs', async () => {
  const call = (text) => ({ tool_calls: [{ name: 'echo', args: { text } }] });
  const gone = await streamed([call('wipe'), { text: 'Done.' }], { 'answers.md': ANSWERS });
  assert.deepEqual(gone.ran, []);
  const { ran, requests, dir, text } = await streamed([...TEXTS.map(call), { text: 'Done.' }]);
  assert.deepEqual(ran, RAN);
  assert.equal(text, 'Done.');
  judgeRequests(requests, assert);
  assert.deepEqual(verdicts(dir), VERDICTS);
});
