// An approval channel of one's own: it says yes to exactly what it was shown, and can be told to remember.
import { defineTool, permissionPolicy, Session, scriptedProvider } from 'harness-hooks/agent';

const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text to a channel.',
  parameters: { channel: { type: 'string' }, text: { type: 'string' } },
  run: ({ channel }) => `published to ${channel}`,
});

const approvals = {
  // A web page or a chat would wait here for somebody. Nobody answering in time is a no, and so is a failure.
  request: async ({ toolInput, reason }) => {
    const approved = !toolInput.text.includes('secret');
    console.log(`? ${toolInput.channel}: ${toolInput.text} (${reason})`);
    console.log(approved ? '  yes, and again for this call' : '  no');
    return approved ? { approved, remember: 'call' } : { approved, reason: 'that is not for the public' };
  },
};

const say = (text) => ({ name: 'publish', args: { channel: 'news', text } });
const provider = scriptedProvider({
  completions: [
    { tool_calls: [say('Version 2 is out.')] },
    { tool_calls: [say('Version 2 is out.')] },
    { tool_calls: [say('The secret is out.')] },
    { text: 'Done.' },
  ],
});

const permissions = permissionPolicy({
  rules: [{ tools: ['publish'], zone: 'ask', reason: 'a person reads it first' }],
});
const session = new Session({ provider, tools: [publish], permissions, approvals });
for await (const event of session.run('Publish.')) {
  if (event.type === 'tool.end') console.log(`= ${event.content}`);
}
