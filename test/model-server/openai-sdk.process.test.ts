/** The official OpenAI SDK against the server, through both of its APIs. */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ModelServer } from '../../src/agent/model-server/index.ts';
import { answeredBy, post, serve, TWO_CALLS } from './serve.ts';

function clientOf({ url }: ModelServer, maxRetries = 0): OpenAI {
  return new OpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1`, maxRetries });
}

const ARGUMENTS = JSON.stringify(TWO_CALLS.tool_calls![0]!.args);

const CHAT: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'gpt-test',
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Look around.' },
  ],
  tools: ['read_file', 'list_files'].map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  })),
};

const CHAT_CALLS = [
  { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: ARGUMENTS } },
  { id: 'call_2', type: 'function', function: { name: 'list_files', arguments: '{}' } },
];

describe('the OpenAI SDK, chat completions', () => {
  it('reads a whole answer with text, two tool calls and usage', async () => {
    const server = await serve([TWO_CALLS]);
    expect(await clientOf(server).chat.completions.create(CHAT)).toMatchObject({
      model: 'gpt-test',
      choices: [
        { message: { content: TWO_CALLS.text, tool_calls: CHAT_CALLS }, finish_reason: 'tool_calls' },
      ],
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    });
  });

  it('reads the same from a stream, put together from several pieces', async () => {
    const server = await serve([TWO_CALLS]);
    const stream = clientOf(server).chat.completions.stream({
      ...CHAT,
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    stream.on('content', (piece) => pieces.push(piece));
    expect(await stream.finalChatCompletion()).toMatchObject({
      choices: [
        { message: { content: TWO_CALLS.text, tool_calls: CHAT_CALLS }, finish_reason: 'tool_calls' },
      ],
      usage: { prompt_tokens: 12, completion_tokens: 5 },
    });
    expect(pieces.length).toBeGreaterThan(1);
  });

  it('counts the tokens of a stream only if it is asked to', async () => {
    const server = await serve([{ text: 'Done.' }]);
    for await (const chunk of await clientOf(server).chat.completions.create({ ...CHAT, stream: true })) {
      expect(chunk).not.toHaveProperty('usage');
    }
  });

  it('holds a conversation: the results of the calls are recorded as the model got them', async () => {
    const server = await serve([TWO_CALLS, { text: 'Done.' }]);
    const client = clientOf(server);
    const first = await client.chat.completions.create(CHAT);
    const second = await client.chat.completions.create({
      ...CHAT,
      messages: [
        ...CHAT.messages,
        first.choices[0]!.message,
        { role: 'tool', tool_call_id: 'call_1', content: 'the notes' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'a.txt' }] },
      ],
    });
    expect(second.choices[0]).toMatchObject({ message: { content: 'Done.' }, finish_reason: 'stop' });
    expect(server.requests()[1]!.request).toMatchObject({
      dialect: 'openai-chat',
      system: 'Be brief.',
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

  it('a call of a tool that takes free text is one of its kind, whole and streamed', async () => {
    const item = { tool_calls: [{ name: 'apply_patch', arguments: '*** Begin Patch' }] };
    const server = await serve([item, item]);
    const asked = { ...CHAT, tools: [{ type: 'custom' as const, custom: { name: 'apply_patch' } }] };
    const called = {
      id: 'call_1',
      type: 'custom',
      custom: { name: 'apply_patch', input: '*** Begin Patch' },
    };
    expect(await clientOf(server).chat.completions.create(asked)).toMatchObject({
      choices: [{ message: { tool_calls: [called] } }],
    });
    const seen: unknown[] = [];
    for await (const { choices } of await clientOf(server).chat.completions.create({
      ...asked,
      stream: true,
    })) {
      seen.push(...(choices[0]?.delta.tool_calls ?? []));
    }
    expect(seen).toEqual([{ index: 0, ...called, id: 'call_2' }]);
  });

  it.each([
    ['max_tokens', 'length'],
    ['refusal', 'content_filter'],
    ['end_turn', 'stop'],
  ] as const)('an answer that stops for %s has the finish reason %s', async (stop_reason, finish_reason) => {
    const server = await serve([{ text: 'So far', stop_reason }]);
    expect(await clientOf(server).chat.completions.create(CHAT)).toMatchObject({
      choices: [{ finish_reason }],
    });
  });
});

const RESPONSE: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
  model: 'gpt-test',
  instructions: 'Be brief.',
  input: 'Look around.',
  tools: ['read_file', 'list_files'].map((name) => ({
    type: 'function',
    name,
    parameters: { type: 'object' },
    strict: false,
  })),
};

const OUTPUT = [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TWO_CALLS.text }] },
  { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: ARGUMENTS },
  { type: 'function_call', call_id: 'call_2', name: 'list_files', arguments: '{}' },
];

describe('the OpenAI SDK, responses', () => {
  it('reads a whole answer with text, two tool calls and usage', async () => {
    const server = await serve([TWO_CALLS]);
    const response = await clientOf(server).responses.create(RESPONSE);
    expect(response).toMatchObject({
      status: 'completed',
      output: OUTPUT,
      output_text: TWO_CALLS.text,
      usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
    });
  });

  it('reads the same from a stream, put together from several pieces', async () => {
    const server = await serve([TWO_CALLS]);
    const stream = clientOf(server).responses.stream({ ...RESPONSE, stream: true });
    const deltas = { text: '', arguments: '' };
    let pieces = 0;
    stream.on('response.output_text.delta', ({ delta }) => {
      deltas.text += delta;
      pieces++;
    });
    stream.on('response.function_call_arguments.delta', ({ delta }) => {
      deltas.arguments += delta;
    });
    expect(await stream.finalResponse()).toMatchObject({
      status: 'completed',
      output: OUTPUT,
      usage: { input_tokens: 12, output_tokens: 5 },
    });
    expect(deltas).toEqual({ text: TWO_CALLS.text, arguments: `${ARGUMENTS}{}` });
    expect(pieces).toBeGreaterThan(1);
  });

  it('holds a conversation: the results of the calls are recorded as the model got them', async () => {
    const server = await serve([TWO_CALLS, { text: 'Done.' }]);
    const client = clientOf(server);
    const first = await client.responses.create(RESPONSE);
    const second = await client.responses.create({
      ...RESPONSE,
      input: [
        { role: 'developer', content: 'And polite.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Look around.' }] },
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'function_call_output', call_id: 'call_1', output: 'the notes' },
        { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'a.txt' }] },
      ],
    });
    expect(second.output_text).toBe('Done.');
    expect(server.requests()[1]!.request).toMatchObject({
      dialect: 'openai-responses',
      system: 'Be brief.\nAnd polite.',
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

  it('a call is written as the kind of tool the request declares', async () => {
    const server = await serve([
      {
        tool_calls: [
          { name: 'apply_patch', arguments: '*** Begin Patch' },
          { name: 'echo', args: { message: 'hi' } },
        ],
      },
    ]);
    const tools = [
      { type: 'custom', name: 'apply_patch' },
      { type: 'namespace', name: 'mcp__everything', tools: [{ type: 'function', name: 'echo' }] },
    ] as unknown as NonNullable<typeof RESPONSE.tools>;
    const stream = clientOf(server).responses.stream({ ...RESPONSE, tools, stream: true });
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'function_call', call_id: 'call_2', name: 'echo', namespace: 'mcp__everything' },
    ]);
  });

  it('an answer cut off by a limit is incomplete', async () => {
    const items = [{ text: 'So far', stop_reason: 'max_tokens' as const }];
    const server = await serve([...items, ...items]);
    const wanted = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(await clientOf(server).responses.create(RESPONSE)).toMatchObject(wanted);
    let last: unknown;
    for await (const event of await clientOf(server).responses.create({ ...RESPONSE, stream: true }))
      last = event;
    expect(last).toMatchObject({ type: 'response.incomplete', response: wanted });
  });

  it('counts tokens without taking an item', async () => {
    const server = await serve([{ text: 'Done.' }]);
    const counted = await clientOf(server).responses.inputTokens.count({ input: 'Look around.' });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect(answeredBy(server)).toEqual(['service']);
  });
});

describe('the OpenAI SDK', () => {
  it.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [429, OpenAI.RateLimitError],
    [503, OpenAI.InternalServerError],
  ])('an error item of status %i is its error of that kind, in both APIs', async (status, kind) => {
    const item = { error: { status, message: 'not today' } };
    const server = await serve([item, item]);
    const client = clientOf(server);
    const asked = [client.chat.completions.create(CHAT), client.responses.create(RESPONSE)];
    for (const one of asked) {
      const thrown = await one.catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(kind);
      expect(thrown).toMatchObject({ status, message: `${status} not today` });
    }
  });

  it('tries again by itself, and the next item answers', async () => {
    const server = await serve([
      { error: { status: 429, message: 'slow down', retry_after_ms: 1 } },
      { text: 'Done.' },
    ]);
    const { choices } = await clientOf(server, 1).chat.completions.create(CHAT);
    expect(choices[0]!.message.content).toBe('Done.');
  });

  it('a stream that is cut off is an error in both APIs', async () => {
    const item = { text: 'A long text that never comes to its end.', cut_after: 3 };
    const server = await serve([item, item]);
    const client = clientOf(server);
    const streams = [
      await client.chat.completions.create({ ...CHAT, stream: true }),
      await client.responses.create({ ...RESPONSE, stream: true }),
    ];
    for (const stream of streams) {
      const read = async () => {
        for await (const _ of stream);
      };
      await expect(read()).rejects.toThrow();
    }
  });

  it('a chat stream ends with its mark, which clients without an SDK wait for', async () => {
    const server = await serve([{ text: 'Done.' }]);
    const response = await post(`${server.url}/v1/chat/completions`, { model: 'm', stream: true });
    expect((await response.text()).endsWith('}\n\ndata: [DONE]\n\n')).toBe(true);
  });

  it('lists models and knows every name', async () => {
    const server = await serve([]);
    // Codex reads this key as a list of another format, and stops at an entry that lacks its fields.
    expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({ models: [] });
    const client = clientOf(server);
    expect((await client.models.list()).data).toMatchObject([{ id: 'scripted-model', object: 'model' }]);
    expect(await client.models.retrieve('gpt-test')).toMatchObject({ id: 'gpt-test' });
  });
});
