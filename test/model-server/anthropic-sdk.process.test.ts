/** The official Anthropic SDK against the server: what it makes of every kind of item. */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import type { ModelServer } from '../../src/agent/model-server/index.ts';
import { answeredBy, serve, TWO_CALLS } from './serve.ts';

const TOOLS: Anthropic.Tool[] = ['read_file', 'list_files'].map((name) => ({
  name,
  input_schema: { type: 'object' },
}));

const ASKED: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'claude-test',
  max_tokens: 100,
  system: 'Be brief.',
  tools: TOOLS,
  messages: [{ role: 'user', content: 'Look around.' }],
};

function clientOf({ url }: ModelServer, maxRetries = 0): Anthropic {
  return new Anthropic({ apiKey: 'sk-test', baseURL: url, maxRetries });
}

const CONTENT = [
  { type: 'text', text: TWO_CALLS.text },
  { type: 'tool_use', id: 'call_1', name: 'read_file', input: TWO_CALLS.tool_calls![0]!.args },
  { type: 'tool_use', id: 'call_2', name: 'list_files', input: {} },
];

describe('the Anthropic SDK', () => {
  it('reads a whole answer with text, two tool calls and usage', async () => {
    const server = await serve([TWO_CALLS]);
    const message = await clientOf(server).messages.create(ASKED);
    expect(message).toMatchObject({
      role: 'assistant',
      model: 'claude-test',
      content: CONTENT,
      stop_reason: 'tool_use',
      usage: { input_tokens: 12, output_tokens: 5 },
    });
  });

  it('reads the same from a stream, put together from several pieces', async () => {
    const server = await serve([TWO_CALLS]);
    const stream = clientOf(server).messages.stream(ASKED);
    const pieces: string[] = [];
    stream.on('text', (piece) => pieces.push(piece));
    expect(await stream.finalMessage()).toMatchObject({
      content: CONTENT,
      stop_reason: 'tool_use',
      usage: { input_tokens: 12, output_tokens: 5 },
    });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(TWO_CALLS.text);
  });

  it('holds a conversation: the results of the calls are recorded as the model got them', async () => {
    const server = await serve([TWO_CALLS, { text: 'Done.' }]);
    const client = clientOf(server);
    const first = await client.messages.create(ASKED);
    const results = ['the notes', 'a.txt'].map((content, at) => ({
      type: 'tool_result' as const,
      tool_use_id: `call_${at + 1}`,
      content: [{ type: 'text' as const, text: content }],
    }));
    const second = await client.messages.create({
      ...ASKED,
      messages: [
        ...ASKED.messages,
        { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
        { role: 'user', content: results },
      ],
    });
    expect(second.content).toEqual([{ type: 'text', text: 'Done.' }]);
    expect(server.requests()[1]!.request).toMatchObject({
      dialect: 'anthropic',
      system: 'Be brief.',
      tools: [{ name: 'read_file' }, { name: 'list_files' }],
      messages: [
        { role: 'user', text: 'Look around.' },
        { role: 'assistant', text: TWO_CALLS.text },
        { role: 'call', id: 'call_1', name: 'read_file', args: TWO_CALLS.tool_calls![0]!.args },
        { role: 'call', id: 'call_2', name: 'list_files', args: {} },
        { role: 'result', id: 'call_1', text: 'the notes' },
        { role: 'result', id: 'call_2', text: 'a.txt' },
      ],
    });
  });

  it.each([
    [400, Anthropic.BadRequestError, 'invalid_request_error'],
    [401, Anthropic.AuthenticationError, 'authentication_error'],
    [404, Anthropic.NotFoundError, 'not_found_error'],
    [429, Anthropic.RateLimitError, 'rate_limit_error'],
    [500, Anthropic.InternalServerError, 'api_error'],
    [529, Anthropic.InternalServerError, 'overloaded_error'],
  ])('an error item of status %i is its error of that kind', async (status, kind, type) => {
    const server = await serve([{ error: { status, message: 'not today' } }]);
    const thrown = await clientOf(server)
      .messages.create(ASKED)
      .catch((error) => error);
    expect(thrown).toBeInstanceOf(kind);
    expect(thrown).toMatchObject({ status, error: { type: 'error', error: { type, message: 'not today' } } });
  });

  it('tries again by itself, and the next item answers', async () => {
    const server = await serve([
      { error: { status: 529, message: 'busy', retry_after_ms: 1 } },
      { text: 'Done.' },
    ]);
    const message = await clientOf(server, 2).messages.create(ASKED);
    expect(message.content).toMatchObject([{ text: 'Done.' }]);
    expect(answeredBy(server)).toEqual([0, 1]);
  });

  it.each(['max_tokens', 'refusal', 'stop_sequence', 'pause_turn'] as const)(
    'is told that the answer stops for %s',
    async (stop_reason) => {
      const server = await serve([{ text: 'So far', stop_reason }]);
      expect(await clientOf(server).messages.create(ASKED)).toMatchObject({ stop_reason });
    },
  );

  it('a stream that is cut off is an error, not a short answer', async () => {
    const server = await serve([{ text: 'A long text that never comes to its end.', cut_after: 4 }]);
    const stream = clientOf(server).messages.stream(ASKED);
    const pieces: string[] = [];
    stream.on('text', (piece) => pieces.push(piece));
    await expect(stream.finalMessage()).rejects.toThrow();
    expect(pieces).toEqual(['A long text that never c']);
  });

  it('reads raw events as they were written', async () => {
    const server = await serve([
      {
        raw: [
          'event: error\n',
          'data: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
        ],
      },
    ]);
    const stream = await clientOf(server).messages.create({ ...ASKED, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow('overloaded_error');
  });

  it('arguments that are no JSON arrive as they were written', async () => {
    const server = await serve([{ tool_calls: [{ name: 'read_file', arguments: '{"path": ' }] }]);
    const pieces: string[] = [];
    for await (const event of await clientOf(server).messages.create({ ...ASKED, stream: true })) {
      if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta') {
        pieces.push(event.delta.partial_json);
      }
    }
    expect(pieces.join('')).toBe('{"path": ');
  });

  it('counts tokens and lists models without taking an item', async () => {
    const server = await serve([{ text: 'Done.' }]);
    const client = clientOf(server);
    const { model, messages, tools } = ASKED;
    const counted = await client.messages.countTokens({ model, messages, ...(tools && { tools }) });
    expect(counted.input_tokens).toBeGreaterThan(10);
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['scripted-model']);
    expect(await client.models.retrieve('claude-test')).toMatchObject({ id: 'claude-test', type: 'model' });
    expect(await client.messages.create(ASKED)).toMatchObject({ content: [{ text: 'Done.' }] });
  });
});
