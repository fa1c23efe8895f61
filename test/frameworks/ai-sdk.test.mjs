import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { openPolicy } from 'harness-hooks';
import { defineTool, Session } from 'harness-hooks/agent';
import { aiSdkProvider, guardModel, guardTools, openGuard } from 'harness-hooks/ai-sdk';
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

test('AI SDK: tools are blocked, rewritten, redacted, asked about and recorded', async () => {
  const dir = policyFolder();
  const server = await modelFor(TEXTS);
  const guard = await openGuard({ policy: dir, host: 'ai-sdk' });
  const ran = [];
  const provider = createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' });
  const model = wrapLanguageModel({
    model: provider('fake-model'),
    middleware: { specificationVersion: 'v3', ...guardModel(guard) },
  });
  const { text } = await generateText({
    model,
    tools: guardTools(guard, { echo: echoTool(ran) }),
    prompt: 'go',
    stopWhen: stepCountIs(10),
  });
  await guard.close();
  await server.close();
  assert.equal(text, 'Done.');
  assert.deepEqual(ran, RAN);
  judgeRequests(server.requests(), assert);
  assert.deepEqual(verdicts(dir), VERDICTS);
});

test('AI SDK: a prompt is blocked before anything is sent', async () => {
  const server = await modelFor([]);
  const guard = await openGuard({ policy: policyFolder(), tape: false });
  const provider = createOpenAICompatible({ name: 'fake', baseURL: `${server.url}/v1`, apiKey: 'dummy' });
  const model = wrapLanguageModel({
    model: provider('fake-model'),
    middleware: { specificationVersion: 'v3', ...guardModel(guard) },
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
