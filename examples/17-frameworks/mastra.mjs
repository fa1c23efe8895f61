import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { guardAgent, openGuard } from 'harness-hooks/mastra';
import { z } from 'zod';
import { play } from './play.mjs';

await play(async ({ folder, url, echo }) => {
  const guard = await openGuard({ policy: folder });
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1`, apiKey: 'none' });
  const inputSchema = z.object({ text: z.string() });
  const agent = new Agent({
    id: 'example',
    name: 'example',
    instructions: 'Say it back.',
    model: provider('scripted'),
    tools: { echo: createTool({ id: 'echo', description: 'Says it back.', inputSchema, execute: echo }) },
  });
  const { text } = await guardAgent(guard, agent).generate('go', { maxSteps: 10 });
  await guard.close();
  return text;
});
