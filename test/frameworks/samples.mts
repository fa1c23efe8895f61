// What the documents show for each framework, as a program in TypeScript has it: `samples.test.mjs` compiles it.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Agent, tool } from '@openai/agents';
import { generateText, ToolLoopAgent, type ToolSet, wrapLanguageModel } from 'ai';
import * as aiSdk from 'harness-hooks/ai-sdk';
import * as claude from 'harness-hooks/claude-agent-sdk';
import * as langchain from 'harness-hooks/langchain';
import * as mastra from 'harness-hooks/mastra';
import * as openai from 'harness-hooks/openai-agents';
import { createAgent, createMiddleware, ToolMessage } from 'langchain';
import { z } from 'zod';

declare const model: Parameters<typeof wrapLanguageModel>[0]['model'];
declare const shell: ToolSet[string];
const [policy, prompt, name, instructions] = ['.', 'x', 'a', 'b'];
const parameters = z.object({ command: z.string() });

const inAiSdk = await aiSdk.openGuard({ policy });
new ToolLoopAgent(aiSdk.guardAgent(inAiSdk, { model, tools: { shell } }));
await generateText(aiSdk.guardAgent(inAiSdk, { model, tools: { shell }, prompt }));
await generateText({
  model: wrapLanguageModel({
    model,
    middleware: { specificationVersion: 'v4', ...aiSdk.guardModel(inAiSdk) },
  }),
  tools: aiSdk.guardTools(inAiSdk, { shell }),
  prompt,
});

const inOpenAi = await openai.openGuard({ policy });
const run = tool({ name, description: name, parameters, execute: async ({ command }) => command });
const guarded: Agent = openai.guardAgent(inOpenAi, new Agent({ name, instructions, tools: [run] }));
new Agent({
  name: guarded.name,
  instructions,
  tools: openai.guardTools(inOpenAi, [run]),
  inputGuardrails: [openai.promptGuardrail(inOpenAi)],
});

const inLangChain = await langchain.openGuard({ policy });
createAgent(langchain.guardAgent(inLangChain, { model: name, tools: [] }, { createMiddleware, ToolMessage }));
createAgent({
  model: name,
  tools: [],
  middleware: [createMiddleware(langchain.guardMiddleware(inLangChain, { ToolMessage }))],
});

const inMastra = await mastra.openGuard({ policy });
const made = createTool({ id: name, description: name, inputSchema: parameters, execute: async () => 'x' });
const settings = { id: name, name, instructions, model: 'openai/x' } as const;
const agent: MastraAgent = mastra.guardAgent(inMastra, new MastraAgent(settings), { accept: ['voice'] });
new MastraAgent({
  ...settings,
  name: agent.name,
  tools: mastra.guardTools(inMastra, { made }),
  inputProcessors: [mastra.promptProcessor(inMastra)],
});

const inClaude = await claude.openGuard({ policy });
for await (const message of query({
  prompt,
  options: claude.guardAgent(inClaude, { allowedTools: ['Bash'] }),
}))
  console.log(message);
await inClaude.close();
