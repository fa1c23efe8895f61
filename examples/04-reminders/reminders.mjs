// Reminders from code: one that replaces its older self, and one that stays for two turns.
import { Session, scriptedProvider } from 'harness-hooks/agent';
import { createHooks } from 'harness-hooks/hooks';

const hooks = createHooks();
hooks.registerToolHook({
  pattern: 'fetch_*',
  pre: ({ tool }) => ({ reminder: { body: `${tool.name} may be out of date`, dedupe_key: 'stale' } }),
});
hooks.registerSessionHook('session_start', () => ({
  reminder: { body: 'The release is on Friday.', ttl_turns: 2, tags: ['plan'] },
}));

const fetchTool = (name) => ({
  name,
  description: 'Fetches a page.',
  parameters: { type: 'object', properties: {} },
  source: '<code>',
  run: () => 'a page',
});

const provider = scriptedProvider({
  completions: [{ tool_calls: [{ name: 'fetch_news' }, { name: 'fetch_docs' }] }, { text: 'Read both.' }],
});

const tools = [fetchTool('fetch_news'), fetchTool('fetch_docs')];
const run = new Session({ provider, tools, hooks: hooks.registry }).run('What is new?');
for await (const event of run) {
  if (event.type === 'reminder') console.log(event.text.replace(/<[^>]+>/g, '').trim());
}
