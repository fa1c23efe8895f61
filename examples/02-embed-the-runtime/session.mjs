// The whole loop: a session with a tool and a hook in code, beside the hooks that are files.
import { loadProject } from 'harness-hooks';
import { defineTool, Session, scriptedProvider } from 'harness-hooks/agent';

const refund = defineTool({
  name: 'refund',
  description: 'Gives money back.',
  parameters: { amount: { type: 'number', required: true }, currency: { type: 'string' } },
  run: ({ amount, currency }) => ({ refunded: `${amount} ${currency}` }),
});

// Any provider will do; this one answers from a list.
const provider = scriptedProvider({
  completions: [
    { tool_calls: [{ name: 'refund', args: { amount: 2000 } }] },
    { text: 'A person has to do that.', tool_calls: [{ name: 'refund', args: { amount: 20 } }] },
    { text: 'I gave 20 back now.' },
  ],
});

const { hooks } = await loadProject(import.meta.dirname);
const session = new Session({ provider, tools: [refund], hooks });
const run = session.run('Give Ada her 2000 back.');
for await (const event of run) {
  if (event.type === 'tool.end') console.log(`${event.name}: ${event.content}`);
}
const { reason, text } = await run.result;
console.log(`${reason}: ${text}`);
