import { createOpenAICompatible } from '@ai-sdk/openai-compatible-v1';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { guardTools, openGuard, promptProcessor } from 'harness-hooks/mastra';
import { z } from 'zod';
import { play } from './play.mjs';

// The first major version of the provider, which this version of Mastra wants: npm install @ai-sdk/openai-compatible-v1@npm:@ai-sdk/openai-compatible@1
await play(async ({ folder, url, echo }) => {
  const guard = await openGuard({ policy: folder });
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1`, apiKey: 'none' });
  const inputSchema = z.object({ text: z.string() });
  const execute = (input) => echo(input.context ?? input);
  const agent = new Agent({
    id: 'example',
    name: 'example',
    instructions: 'Say it back.',
    model: provider('scripted'),
    tools: guardTools(guard, {
      echo: createTool({ id: 'echo', description: 'Says it back.', inputSchema, execute }),
    }),
    inputProcessors: [promptProcessor(guard)],
  });
  const { text } = await agent.generate('go', { maxSteps: 10 });
  await guard.close();
  return text;
});
