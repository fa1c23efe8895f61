import { ChatOpenAI } from '@langchain/openai';
import { guardAgent, openGuard } from 'harness-hooks/langchain';
import { createAgent, createMiddleware, ToolMessage, tool } from 'langchain';
import { play } from './play.mjs';

await play(async ({ folder, url, echo }) => {
  const guard = await openGuard({ policy: folder });
  const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const settings = {
    model: new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: `${url}/v1` } }),
    tools: [tool(echo, { name: 'echo', description: 'Says it back.', schema })],
  };
  const agent = createAgent(guardAgent(guard, settings, { createMiddleware, ToolMessage }));
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });
  await guard.close();
  return messages.at(-1).content;
});
