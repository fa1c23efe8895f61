// The wiring of the Loom documentation: only the name of the package is another one.
import { createDefaultRegistry, HookRegistry, HookRuntime, ReminderInjector, Session } from 'harness-hooks';
import { scriptedProvider } from 'harness-hooks/agent';

const archived = [];
const registry = new HookRegistry();
registry.register('tool.pre', {
  type: 'fn',
  name: 'no-prod',
  fn: (ctx) => {
    if (ctx.event !== 'tool.pre') return { continue: true };
    const target = String(ctx.toolInput.file_path ?? '');
    if (target.startsWith('/srv/prod')) {
      return { continue: false, reason: 'Production paths are off-limits in this session.' };
    }
    return { continue: true };
  },
});
registry.register('model.post', {
  type: 'fn',
  name: 'meter',
  fn: (ctx) => {
    console.log(`${ctx.model}: ${ctx.inputTokens} in, ${ctx.toolCallCount} calls`);
    return {};
  },
});
registry.register('session.end', {
  type: 'fn',
  name: 'archive',
  fn: (ctx) => {
    if (ctx.event === 'session.end') archived.push(ctx.reason);
    return { continue: true };
  },
});

// One injector, shared by the runtime and the session: hook outcomes reach the model on its next turn.
const reminders = new ReminderInjector(createDefaultRegistry());
const hooks = new HookRuntime({ registry, reminders });
const provider = scriptedProvider({
  completions: [
    {
      tool_calls: [{ name: 'write', args: { file_path: '/srv/prod/app.conf' } }],
      usage: { input_tokens: 7, output_tokens: 1 },
    },
    { text: 'I will not touch production.', usage: { input_tokens: 9, output_tokens: 1 } },
  ],
});
const write = {
  name: 'write',
  description: 'Writes a file.',
  parameters: { type: 'object' },
  source: 'example',
  run: () => 'written',
};
const config = { model: 'demo', systemPrompt: 'Be careful.', maxTurns: 10, temperature: 0.2 };
const session = new Session({ config, provider, tools: [write], hooks, reminders });
const { text } = await session.run('Deploy it.').result;
console.log(text);
console.log(archived.join());
const told = JSON.stringify(provider.requests[1].messages);
console.log(
  told.includes('Production paths are off-limits') ? 'the model knows why' : 'the model was not told',
);
