import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, jsonSchema, ToolLoopAgent, tool } from 'ai';
import { guardAgent, openGuard } from 'harness-hooks/ai-sdk';
import { play } from './play.mjs';

await play(async ({ folder, url, echo }) => {
  const guard = await openGuard({ policy: folder });
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1`, apiKey: 'none' });
  const inputSchema = jsonSchema({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  const agent = new ToolLoopAgent(
    guardAgent(guard, {
      model: provider('scripted'),
      tools: { echo: tool({ description: 'Says it back.', inputSchema, execute: echo }) },
      stopWhen: isStepCount(10),
    }),
  );
  const { text } = await agent.generate({ prompt: 'go' });
  await guard.close();
  return text;
});
