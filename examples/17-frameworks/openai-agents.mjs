import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { guardAgent, openGuard } from 'harness-hooks/openai-agents';
import { play } from './play.mjs';

setTracingDisabled(true);
await play(async ({ folder, url, echo }) => {
  const guard = await openGuard({ policy: folder });
  const parameters = {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  };
  const agent = new Agent({
    name: 'example',
    instructions: 'Say it back.',
    model: 'scripted',
    tools: [tool({ name: 'echo', description: 'Says it back.', strict: true, parameters, execute: echo })],
  });
  const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: `${url}/v1`, useResponses: true });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const { finalOutput } = await runner.run(guardAgent(guard, agent), 'go', { maxTurns: 10 });
  await guard.close();
  return finalOutput;
});
