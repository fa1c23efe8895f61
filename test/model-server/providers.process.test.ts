/** Our own providers and the session loop against the server: whole sessions, as with a real service. */
import { describe, expect, it } from 'vitest';
import type { ServerCompletion } from '../../src/agent/model-server/index.ts';
import { createProvider } from '../../src/agent/providers/create-provider.ts';
import { Session, type SessionEvent, type Tool } from '../../src/exports/agent.ts';
import { machineHost } from '../../src/machine/host.ts';
import { answeredBy, serve } from './serve.ts';

const TOOL: Tool = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  source: '<code>',
  run: ({ path }) => `the text of ${path}`,
};

const read = (path: string) => ({ name: 'read_file', args: { path } });

const MODELS = [
  { model: 'anthropic/claude-test', path: '', stream: true },
  { model: 'anthropic/claude-test', path: '', stream: false },
  { model: 'openai/gpt-test', path: '/v1', stream: true },
  { model: 'openai/gpt-test', path: '/v1', stream: false },
];

describe.each(MODELS)('a session with $model, stream: $stream', ({ model, path, stream }) => {
  async function talk(completions: readonly ServerCompletion[]) {
    const server = await serve(completions);
    const settings = { model, baseUrl: server.url + path, apiKeyEnv: 'KEY', stream };
    const provider = await createProvider(settings, { ...machineHost, env: () => 'sk-test' });
    const events: SessionEvent[] = [];
    const session = new Session({
      config: { model: 'test', retry: { baseMs: 1, maxWaitMs: 5 } },
      provider,
      tools: [TOOL],
      onEvent: (event) => events.push(event),
    });
    const result = await session.run('Read notes.md.').result;
    return { server, result, events };
  }

  it('tells the story of the script from beginning to end', async () => {
    const { server, result } = await talk([
      {
        text: 'I will read two files.',
        tool_calls: [read('a.md'), read('b.md')],
        usage: { input_tokens: 10, output_tokens: 4 },
      },
      { error: { status: 529, message: 'busy', retry_after_ms: 1 } },
      {
        when: { tool_result: 'the text of b.md' },
        text: 'Done.',
        usage: { input_tokens: 20, output_tokens: 1 },
      },
    ]);
    expect(result).toMatchObject({
      reason: 'end_turn',
      text: 'Done.',
      usage: { input_tokens: 30, output_tokens: 5 },
    });
    expect(answeredBy(server)).toEqual([0, 1, 2]);
    expect(server.unused()).toEqual([]);
  });

  it('tries again after an answer that broke off', async () => {
    const broken = stream ? { text: 'Half of', cut_after: 2 } : { raw: ['{"type":'], cut_after: 1 };
    const { result, events } = await talk([broken, { text: 'Done.' }]);
    expect(result).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(events.filter(({ type }) => type === 'retry')).toMatchObject([{ failure: { code: 'network' } }]);
  });

  it('a story that ends too early still ends the session', async () => {
    const { server, result } = await talk([{ tool_calls: [read('a.md')] }]);
    expect(result).toMatchObject({ reason: 'end_turn', text: 'The script has no item for this request.' });
    expect(answeredBy(server)).toEqual([0, 'no-item']);
  });

  it('arguments that are no JSON come back to the model as an error', async () => {
    const { server } = await talk([
      { tool_calls: [{ name: 'read_file', arguments: '{"path": ' }] },
      { text: 'Sorry.' },
    ]);
    const results = server.requests()[1]!.request!.messages.filter(({ role }) => role === 'result');
    expect(results).toMatchObject([{ text: expect.stringMatching(/JSON/) }]);
  });
});
