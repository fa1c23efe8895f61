// One agent with one tool in each framework that runs in the process of the program, made the documented way.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Agent, OpenAIProvider, tool as openAiTool, Runner, setTracingDisabled } from '@openai/agents';
import { isStepCount, jsonSchema, ToolLoopAgent, tool } from 'ai';
import * as aiSdk from 'harness-hooks/ai-sdk';
import * as langchain from 'harness-hooks/langchain';
import * as mastra from 'harness-hooks/mastra';
import * as openAi from 'harness-hooks/openai-agents';
import { createAgent, createMiddleware, tool as langchainTool, ToolMessage } from 'langchain';
import { z } from 'zod';

setTracingDisabled(true);
const SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};
const described = { name: 'echo', description: 'Says it back.' };
const modelAt = (url) =>
  createOpenAICompatible({ name: 'fake', baseURL: `${url}/v1`, apiKey: 'dummy' })('fake-model');

/** `late` is a message that comes when the first step is over, where a framework has a place for it. `make` gives a function that sends messages to an agent and gives what it said; it throws, or says why, if it was stopped. */
export const FRAMEWORKS = {
  'AI SDK': {
    openGuard: aiSdk.openGuard,
    make: (guard, url, execute, late) => {
      const echo = tool({ ...described, inputSchema: jsonSchema(SCHEMA), execute });
      const stopWhen = isStepCount(10);
      const prepareStep = ({ messages, stepNumber }) =>
        late !== undefined && stepNumber === 1 ? { messages: [...messages, late] } : undefined;
      const model = modelAt(url);
      const settings = { model, tools: { echo }, stopWhen, allowSystemInMessages: true, prepareStep };
      const agent = new ToolLoopAgent(aiSdk.guardAgent(guard, settings));
      return async (messages) => (await agent.generate({ messages })).text;
    },
  },
  'OpenAI Agents': {
    openGuard: openAi.openGuard,
    make: (guard, url, execute) => {
      const echo = openAiTool({ ...described, strict: true, parameters: SCHEMA, execute });
      const agent = openAi.guardAgent(
        guard,
        new Agent({ name: 'test', instructions: 'x', tools: [echo], model: 'fake-model' }),
      );
      const modelProvider = new OpenAIProvider({ apiKey: 'dummy', baseURL: `${url}/v1`, useResponses: true });
      const runner = new Runner({ modelProvider, tracingDisabled: true });
      return async (messages) => (await runner.run(agent, messages)).finalOutput;
    },
  },
  LangChain: {
    openGuard: langchain.openGuard,
    make: (guard, url, execute) => {
      const echo = langchainTool(execute, { ...described, schema: SCHEMA });
      const configuration = { baseURL: `${url}/v1` };
      const model = new ChatOpenAI({ model: 'fake-model', apiKey: 'dummy', configuration });
      const parts = { createMiddleware, ToolMessage };
      const agent = createAgent(langchain.guardAgent(guard, { model, tools: [echo] }, parts));
      return async (messages) => (await agent.invoke({ messages })).messages.at(-1).content;
    },
  },
  Mastra: {
    openGuard: mastra.openGuard,
    make: (guard, url, execute, late) => {
      const processInputStep = ({ messageList, stepNumber }) => {
        if (late !== undefined && stepNumber === 1) messageList.add(late, 'input');
      };
      const inputProcessors = [{ id: 'late', processInputStep }];
      const inputSchema = z.object({ text: z.string() });
      const echo = createTool({ id: 'echo', description: 'Says it back.', inputSchema, execute });
      const named = { id: 'test', name: 'test', instructions: 'x' };
      const settings = { ...named, model: modelAt(url), tools: { echo }, inputProcessors };
      const agent = mastra.guardAgent(guard, new MastraAgent(settings));
      return async (messages) => {
        const { text, tripwire } = await agent.generate(messages, { maxSteps: 10 });
        if (tripwire) throw new Error(tripwire.reason);
        return text;
      };
    },
  },
};
