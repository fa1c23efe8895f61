// The closures of the Harn documentation, registered from code.
import { Session, scriptedProvider } from 'harness-hooks/agent';
import { createHooks } from 'harness-hooks/hooks';

const hooks = createHooks();
hooks.registerToolHook({ pattern: 'exec_*', deny: 'exec is gated' });
hooks.registerToolHook({ pattern: '*', max_output: 4000 });
hooks.registerToolHook({
  pattern: 'fetch_*',
  pre: () => ({ reminder: { body: 'Network fetch is about to run', tags: ['tool'] } }),
});
hooks.registerSessionHook('file_edited', ({ path }) => {
  if (path.endsWith('.rs')) console.log(`re-running clippy after edit to ${path}`);
});
hooks.registerSessionHook('post_turn', ({ iteration, transcript = [] }) => {
  console.log(`turn ${iteration}: ${transcript.length} messages`);
});

const tool = (name, run) => ({
  name,
  description: name,
  parameters: { type: 'object' },
  source: 'example',
  run,
});
const session = new Session({
  hooks: hooks.registry,
  provider: scriptedProvider({
    completions: [
      {
        tool_calls: [
          { name: 'fetch_page', args: {} },
          { name: 'exec_root', args: {} },
        ],
      },
      { text: 'Done.' },
    ],
  }),
  tools: [
    tool('fetch_page', (_args, { fileEdited }) => {
      fileEdited('src/main.rs');
      return 'x'.repeat(10_000);
    }),
    tool('exec_root', () => 'never'),
  ],
});
const { messages } = await session.run('Go.').result;
for (const message of messages)
  if (message.role === 'tool') console.log(message.name, message.content.length, message.is_error);
