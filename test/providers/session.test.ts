/**
 * Whole sessions over the wire: the loop, the hooks and a real provider, for each service.
 */
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../src/agent/provider.ts';
import { createProvider } from '../../src/agent/providers/create-provider.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Hook } from '../../src/engine/hook.ts';
import { Session, type SessionEvent, type Tool } from '../../src/exports/agent.ts';
import { decisions, hook } from '../support/plain-hook.ts';
import * as anthropic from './anthropic-wire.ts';
import * as openai from './openai-wire.ts';
import { hostWith, json, type Reply, stream, wireServer } from './wire-server.ts';

interface Wire {
  readonly model: string;
  readonly says: (text: string) => Reply;
  readonly calls: (name: string, args: JsonObject) => Reply;
  /** Texts of the tool results in a request. */
  readonly results: (body: JsonObject) => readonly unknown[];
}

type Sent = readonly { readonly role: string; readonly content: unknown }[];

const WIRES: readonly Wire[] = [
  {
    model: 'anthropic/claude-test',
    says: (text) => stream(anthropic.saying(text)),
    calls: (name, args) =>
      stream(
        anthropic.messageStart() +
          anthropic.toolBlock(0, 'toolu_1', name, JSON.stringify(args)) +
          anthropic.messageEnd('tool_use'),
      ),
    results: ({ messages }) =>
      (messages as Sent)
        .flatMap(({ content }) => content as { type: string; content: string }[])
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => content),
  },
  {
    model: 'openai/gpt-test',
    says: (text) => stream(openai.saying(text)),
    calls: (name, args) =>
      stream(
        openai.START +
          openai.callStart(0, 'call_1', name) +
          openai.callPiece(0, JSON.stringify(args)) +
          openai.finish('tool_calls') +
          openai.usage() +
          openai.DONE,
      ),
    results: ({ messages }) =>
      (messages as Sent).filter(({ role }) => role === 'tool').map(({ content }) => content),
  },
];

const TOOL: Tool = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  source: '<code>',
  run: ({ path }) => `the text of ${path}`,
};

async function talk(provider: Provider, hooks: readonly Hook[] = []) {
  const events: SessionEvent[] = [];
  const session = new Session({
    config: { model: 'test', retry: { baseMs: 1 } },
    provider,
    tools: [TOOL],
    hooks: [...hooks],
    onEvent: (event) => events.push(event),
  });
  const result = await session.run('Read notes.md.').result;
  return { events, result };
}

function fired(events: readonly SessionEvent[], name: string): JsonObject[] {
  return events.flatMap((event) =>
    event.type === 'hook' && event.event === name ? [event.payload as JsonObject] : [],
  );
}

describe.each(WIRES)('a session with $model', ({ model, says, calls, results }) => {
  async function providerFor(...replies: Reply[]) {
    const server = await wireServer(...replies);
    const settings = { model, baseUrl: server.url, apiKeyEnv: 'KEY' };
    return { server, provider: await createProvider(settings, hostWith({ KEY: 'sk-1' })) };
  }

  it('runs the tool the model calls and sends its result back', async () => {
    const { server, provider } = await providerFor(calls('read_file', { path: 'notes.md' }), says('Done.'));
    const { result } = await talk(provider);
    expect(result).toMatchObject({
      reason: 'end_turn',
      text: 'Done.',
      usage: { input_tokens: 50, output_tokens: 30 },
    });
    expect(results(server.asked[1]!.body)).toEqual(['the text of notes.md']);
  });

  it('shows the text as it comes', async () => {
    const { provider } = await providerFor(says('Done.'));
    const { events } = await talk(provider);
    expect(events).toContainEqual({ type: 'text', text: 'Done.' });
  });

  it('tries again after a rate limit, as long after as it was told, and asks the hooks again', async () => {
    const limited = json(
      429,
      { error: { type: 'rate_limit_error', message: 'slow down' } },
      { 'retry-after-ms': '5' },
    );
    const { server, provider } = await providerFor(limited, says('Done.'));
    const { events, result } = await talk(provider);
    expect(result).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(server.asked.length).toBe(2);
    expect(fired(events, 'completion.pre').map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(fired(events, 'completion.post').length).toBe(1);
    expect(events.filter((event) => event.type === 'retry')).toMatchObject([
      { attempt: 1, waitMs: 5, failure: { code: 'rate_limited' } },
    ]);
  });

  it('tries again after a stream that broke off, and shows what the whole answer says', async () => {
    const { server, provider } = await providerFor(stream('', { ending: 'reset' }), says('Done.'));
    const { result } = await talk(provider);
    expect(result).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(server.asked.length).toBe(2);
  });

  it('ends at once with an error that no second attempt can change', async () => {
    const { server, provider } = await providerFor(json(401, { error: { message: 'no' } }));
    const { events, result } = await talk(provider);
    expect(result.reason).toBe('error');
    expect(server.asked.length).toBe(1);
    expect(fired(events, 'session.end').length).toBe(1);
  });

  it('sends what the hooks left of the request', async () => {
    const { server, provider } = await providerFor(says('Done.'));
    const body = () => decisions.modify({ tools: [], model: 'smaller' });
    const strip = hook({ event: 'completion.pre', body });
    await talk(provider, [strip]);
    expect(server.asked[0]!.body.model).toBe('smaller');
    expect(server.asked[0]!.body).not.toHaveProperty('tools');
  });
});
