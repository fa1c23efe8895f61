import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { guardModel, guardTools, openGuard } from 'harness-hooks/ai-sdk';
import { play } from './play.mjs';

await play(async ({ folder, url, echo }) => {
  const guard = await openGuard({ policy: folder });
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1`, apiKey: 'none' });
  const middleware = { specificationVersion: 'v3', ...guardModel(guard) };
  const inputSchema = jsonSchema({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  const { text } = await generateText({
    model: wrapLanguageModel({ model: provider('scripted'), middleware }),
    tools: guardTools(guard, { echo: tool({ description: 'Says it back.', inputSchema, execute: echo }) }),
    stopWhen: stepCountIs(10),
    prompt: 'go',
  });
  await guard.close();
  return text;
});
