/**
 * The OpenAI provider against a server that speaks Chat Completions: what is sent, and what is made of every kind of
 * answer, those of servers that only speak like it included.
 */
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { Message } from '../../src/agent/message.ts';
import type { Attempt, CompletionRequest, Provider } from '../../src/agent/provider.ts';
import { type OpenAiOptions, openAiProvider } from '../../src/agent/providers/openai.ts';
import { callPiece, callStart, chunk, DONE, delta, finish, START, saying, usage } from './openai-wire.ts';
import { hostWith, json, type Reply, raw, stream, type WireServer, wireServer } from './wire-server.ts';

const KEY = 'sk-test-0123456789';

const REQUEST: CompletionRequest = {
  model: 'gpt-test',
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
};

interface Setting {
  readonly server: WireServer;
  readonly provider: Provider;
}

async function serving(replies: readonly Reply[], options: OpenAiOptions = {}): Promise<Setting> {
  const server = await wireServer(...replies);
  const host = hostWith({ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: KEY });
  return { server, provider: await openAiProvider(options, host) };
}

interface Answered {
  readonly attempt: Attempt;
  readonly pieces: readonly string[];
}

async function ask(provider: Provider, request: Partial<CompletionRequest> = {}): Promise<Answered> {
  const pieces: string[] = [];
  const { signal } = new AbortController();
  const onText = (piece: string) => pieces.push(piece);
  return { attempt: await provider.complete({ ...REQUEST, ...request }, { signal, onText }), pieces };
}

async function answerTo(reply: Reply, options: OpenAiOptions = {}): Promise<Answered> {
  return ask((await serving([reply], options)).provider);
}

describe('a request to Chat Completions', () => {
  it('carries the key as a bearer token, and nothing of the machine', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider);
    const { method, path, headers } = server.asked[0]!;
    expect({ method, path }).toEqual({ method: 'POST', path: '/v1/chat/completions' });
    expect(headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'x-stainless-retry-count': '0',
    });
  });

  it('does not send the organization, project or admin key that are on the machine', async () => {
    const names = ['OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_ADMIN_KEY', 'OPENAI_API_KEY'];
    for (const name of names) vi.stubEnv(name, 'of-the-machine');
    try {
      const server = await wireServer(stream(saying('Hi')));
      const provider = await openAiProvider({ baseUrl: server.url }, hostWith({ OPENAI_API_KEY: KEY }));
      expect((await ask(provider)).attempt.ok).toBe(true);
      const { headers } = server.asked[0]!;
      expect(Object.values(headers).filter((value) => String(value).includes('of-the-machine'))).toEqual([]);
      expect(headers.authorization).toBeUndefined();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('holds the model, the system prompt and the messages, asks for a count of tokens, and no more', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider);
    expect(server.asked[0]!.body).toEqual({
      model: 'gpt-test',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('names the limit as servers that speak like it know it', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { max_tokens: 100 });
    expect(server.asked[0]!.body).toMatchObject({ max_tokens: 100 });
    expect(server.asked[0]!.body).not.toHaveProperty('max_completion_tokens');
  });

  it('holds tools, calls and their results, errors in words', async () => {
    const parameters = { type: 'object', properties: { path: { type: 'string' } } };
    const messages: Message[] = [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'call_1', name: 'read_file', args: { path: 'a' } },
          { id: 'call_2', name: 'read_file', args: {}, malformed: '{"path' },
        ],
      },
      { role: 'tool', call_id: 'call_1', name: 'read_file', content: 'A', is_error: false },
      { role: 'tool', call_id: 'call_2', name: 'read_file', content: 'invalid', is_error: true },
      { role: 'assistant', content: 'Done.', tool_calls: [] },
      { role: 'user', content: 'Thanks.' },
    ];
    const tools = [{ name: 'read_file', description: 'Reads a file.', parameters }];
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { system: '', messages, tools });
    expect(server.asked[0]!.body.tools).toEqual([
      { type: 'function', function: { name: 'read_file', description: 'Reads a file.', parameters } },
    ]);
    const call = (id: string, args: string) => ({
      id,
      type: 'function',
      function: { name: 'read_file', arguments: args },
    });
    expect(server.asked[0]!.body.messages).toEqual([
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('call_1', '{"path":"a"}'), call('call_2', '{}')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'A' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Error: invalid' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Thanks.' },
    ]);
  });

  it('answers a call that has no result with an error', async () => {
    const messages: Message[] = [
      { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', name: 'read_file', args: {} }] },
      { role: 'user', content: 'Still there?' },
    ];
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { messages });
    expect((server.asked[0]!.body.messages as object[])[2]).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'Error: tool failed: the call was not finished',
    });
  });

  it('is not made without a key', async () => {
    await expect(openAiProvider({}, hostWith({}))).rejects.toMatchObject({
      code: 'PROVIDER_KEY',
      message: 'no key for openai: set the environment variable OPENAI_API_KEY',
    });
  });
});

describe('a streamed answer', () => {
  it('comes in pieces and as a whole, with the tokens of its last chunk', async () => {
    const text =
      START + delta({ content: 'Hello' }) + delta({ content: '!' }) + finish('stop') + usage(42, 7) + DONE;
    const { attempt, pieces } = await answerTo(stream(text));
    expect(pieces).toEqual(['Hello', '!']);
    expect(attempt).toEqual({
      ok: true,
      completion: {
        text: 'Hello!',
        tool_calls: [],
        stop_reason: 'end_turn',
        usage: { input_tokens: 42, output_tokens: 7 },
      },
    });
  });

  it.each([1, 2, 3, 7])('is the same in chunks of %i bytes, inside characters and lines', async (size) => {
    const text =
      START +
      ': keep-alive\n\n' +
      delta({ content: 'Grüße 👋🏽 日本語' }) +
      callStart(0, 'call_1', 'write') +
      callPiece(0, '{"text": "naï') +
      callPiece(0, 've 🎉"}') +
      finish('tool_calls') +
      usage() +
      DONE;
    const { attempt, pieces } = await answerTo(stream(text, { size }));
    expect(pieces).toEqual(['Grüße 👋🏽 日本語']);
    expect(attempt).toMatchObject({
      ok: true,
      completion: {
        text: 'Grüße 👋🏽 日本語',
        tool_calls: [{ id: 'call_1', name: 'write', args: { text: 'naïve 🎉' } }],
        stop_reason: 'tool_use',
      },
    });
  });

  it('may call several tools whose pieces are mixed', async () => {
    const text =
      START +
      callStart(0, 'call_1', 'read_file') +
      callStart(1, 'call_2', 'now') +
      callPiece(0, '{"path"') +
      callPiece(1, '{}') +
      callPiece(0, ':"a"}') +
      finish('tool_calls') +
      DONE;
    expect((await answerTo(stream(text))).attempt).toMatchObject({
      completion: {
        tool_calls: [
          { id: 'call_1', name: 'read_file', args: { path: 'a' } },
          { id: 'call_2', name: 'now', args: {} },
        ],
      },
    });
  });

  it('may come from a server that counts every call as the first, or not at all', async () => {
    const whole = (id: string, more: object) =>
      delta({
        tool_calls: [{ id, type: 'function', function: { name: id, arguments: `{"of":"${id}"}` }, ...more }],
      });
    for (const more of [{ index: 0 }, {}]) {
      const text = START + whole('a', more) + whole('b', more) + finish('stop') + DONE;
      expect((await answerTo(stream(text))).attempt).toMatchObject({
        completion: {
          stop_reason: 'tool_use',
          tool_calls: [
            { id: 'a', name: 'a', args: { of: 'a' } },
            { id: 'b', name: 'b', args: { of: 'b' } },
          ],
        },
      });
    }
  });

  it.each(['{"path": ', '["a"]', 'null', 'read a'])(
    'keeps arguments that are no object as %s',
    async (text) => {
      const reply =
        START + callStart(0, 'call_1', 'read_file') + callPiece(0, text) + finish('tool_calls') + DONE;
      expect((await answerTo(stream(reply))).attempt).toMatchObject({
        completion: { tool_calls: [{ id: 'call_1', name: 'read_file', args: {}, malformed: text }] },
      });
    },
  );

  it('that was cut off before the arguments of its last call does not call the tool without any', async () => {
    const text = START + callStart(0, 'call_1', 'list') + callStart(1, 'call_2', 'delete_all');
    const { attempt } = await answerTo(stream(text + finish('length') + DONE));
    expect(attempt).toMatchObject({
      completion: { stop_reason: 'max_tokens', tool_calls: [{ args: {} }, { args: {}, malformed: '' }] },
    });
    expect(attempt.ok && attempt.completion.tool_calls[0]).not.toHaveProperty('malformed');
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['something_new', 'end_turn'],
  ])('that finishes with %s stops with %s', async (said, meant) => {
    const { attempt } = await answerTo(stream(START + delta({ content: 'Hi' }) + finish(said) + DONE));
    expect(attempt).toMatchObject({ ok: true, completion: { text: 'Hi', stop_reason: meant } });
  });

  it('that is a refusal says why', async () => {
    const text = START + delta({ refusal: 'I ' }) + delta({ refusal: 'will not.' }) + finish('stop') + DONE;
    const { attempt, pieces } = await answerTo(stream(text));
    expect(pieces).toEqual(['I ', 'will not.']);
    expect(attempt).toMatchObject({ completion: { text: 'I will not.', stop_reason: 'refusal' } });
  });

  it('may be empty, uncounted, and hold chunks without a choice', async () => {
    const text = chunk([], { prompt_filter_results: [] }) + START + finish('stop') + DONE;
    const { attempt, pieces } = await answerTo(stream(text));
    expect(pieces).toEqual([]);
    expect(attempt).toMatchObject({
      ok: true,
      completion: { text: '', tool_calls: [], usage: { input_tokens: 0, output_tokens: 0 } },
    });
  });

  it('has its cost where prices are known', async () => {
    const text = START + finish('stop') + usage(1000, 500, 800) + DONE;
    const { attempt } = await answerTo(stream(text), { price: { input: 2, output: 8, cacheRead: 0.5 } });
    expect(attempt).toMatchObject({ completion: { usage: { input_tokens: 1000, output_tokens: 500 } } });
    expect(attempt.ok && attempt.completion.cost_usd).toBeCloseTo(0.0004 + 0.0004 + 0.004, 10);
  });
});

describe('an answer in one piece', () => {
  const completion = (message: object, finish_reason = 'stop') => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'gpt-test',
    choices: [{ index: 0, message: { role: 'assistant', refusal: null, ...message }, finish_reason }],
    usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
  });
  const call = (id: string, text: string) => ({
    id,
    type: 'function',
    function: { name: 'read_file', arguments: text },
  });

  it('is asked for without a stream and read as a whole', async () => {
    const message = { content: null, tool_calls: [call('call_1', '{"path":"a"}'), call('call_2', '{"pa')] };
    const { server, provider } = await serving([json(200, completion(message, 'tool_calls'))], {
      stream: false,
    });
    const { attempt } = await ask(provider);
    expect(server.asked[0]!.body).not.toHaveProperty('stream');
    expect(attempt).toEqual({
      ok: true,
      completion: {
        text: '',
        tool_calls: [
          { id: 'call_1', name: 'read_file', args: { path: 'a' } },
          { id: 'call_2', name: 'read_file', args: {}, malformed: '{"pa' },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 5, output_tokens: 6 },
      },
    });
  });

  it('may come in parts, of which those with text are the answer', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ];
    const { attempt } = await answerTo(json(200, completion({ content })), { stream: false });
    expect(attempt).toMatchObject({ completion: { text: 'Hi' } });
  });

  it.each([
    ['a page', raw(200, 'text/html', '<p>Log in</p>')],
    ['broken JSON', raw(200, 'application/json', '{"choices": [')],
    ['without choices', json(200, { choices: [] })],
  ])('that is %s is malformed', async (_what, reply) => {
    const { attempt } = await answerTo(reply, { stream: false });
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'malformed', retryable: false } });
  });
});

describe('an error of the service', () => {
  const said = (type: string, code: string | null = null) => ({
    error: { message: 'so it is', type, param: null, code },
  });

  it.each([
    [400, 'bad_request', false],
    [401, 'auth', false],
    [403, 'auth', false],
    [404, 'bad_request', false],
    [429, 'rate_limited', true],
    [500, 'overloaded', true],
    [503, 'overloaded', true],
  ] as const)('%i is %s', async (status, code, retryable) => {
    const { server, provider } = await serving([json(status, said('x'), { 'x-request-id': 'req_1' })]);
    const { attempt } = await ask(provider);
    const message = `openai answered ${status}: so it is (request req_1)`;
    expect(attempt).toEqual({ ok: false, failure: { code, status, retryable, message } });
    expect(server.asked.length).toBe(1);
  });

  it('says how long to wait', async () => {
    const reply = json(429, said('tokens', 'rate_limit_exceeded'), { 'retry-after-ms': '1500' });
    expect((await answerTo(reply)).attempt).toMatchObject({
      failure: { retryAfterMs: 1500, retryable: true },
    });
  });

  it('is not tried again where money has run out', async () => {
    const reply = json(429, said('insufficient_quota', 'insufficient_quota'));
    expect((await answerTo(reply)).attempt).toMatchObject({
      failure: { code: 'rate_limited', retryable: false },
    });
  });

  it.each([
    ['server_error', { type: 'server_error', code: null }, 'overloaded', true],
    ['the number of a status', { code: 502, type: null }, 'overloaded', true],
    ['rate_limit_exceeded', { type: 'tokens', code: 'rate_limit_exceeded' }, 'rate_limited', true],
    ['nothing known', { type: 'x', code: null }, 'unknown', false],
  ] as const)('in the middle of a stream: %s', async (_what, error, code, retryable) => {
    const text = `${START}${delta({ content: 'Hel' })}data: ${JSON.stringify({ error: { message: 'Sorry', ...error } })}\n\n`;
    const { attempt, pieces } = await answerTo(stream(text));
    expect(pieces).toEqual(['Hel']);
    expect(attempt).toMatchObject({
      ok: false,
      failure: { code, retryable, message: 'openai broke off: Sorry' },
    });
  });
});

describe('a connection', () => {
  it('that is reset in the middle of a stream is a failure of the network', async () => {
    const { attempt } = await answerTo(stream(START + delta({ content: 'Hel' }), { ending: 'reset' }));
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'network', retryable: true } });
  });

  it('that breaks after the finish takes at most the count of tokens away', async () => {
    const text = START + delta({ content: 'Hi' }) + finish('stop');
    for (const ending of ['reset', 'end'] as const) {
      const { attempt } = await answerTo(stream(text, { ending }));
      expect(attempt).toMatchObject({ ok: true, completion: { text: 'Hi', stop_reason: 'end_turn' } });
    }
  });

  it('that ends before the answer is whole is a failure of the network, not a short answer', async () => {
    for (const text of [START + delta({ content: 'Hello' }), START + delta({ content: 'Hello' }) + DONE]) {
      const { attempt } = await answerTo(stream(text));
      const message = 'openai ended the stream before the answer was whole';
      expect(attempt).toMatchObject({ ok: false, failure: { code: 'network', retryable: true, message } });
    }
  });

  it.each([
    ['is no JSON', 'data: {"id": "chat\n\n'],
    ['is a page', '<!doctype html>\n<title>Log in</title>\n'],
  ])('whose stream %s is malformed, and the SDK does not print it', async (_what, text) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { attempt } = await answerTo(stream(text));
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'malformed', retryable: false } });
    expect(log.mock.calls).toEqual([]);
    log.mockRestore();
  });

  it('that is slow ends with an abort: the service is hung up on, and no listener stays', async () => {
    const { server, provider } = await serving([
      stream(START + delta({ content: 'Hel' }), { ending: 'stay open' }),
    ]);
    const controller = new AbortController();
    const attempt = await provider.complete(REQUEST, {
      signal: controller.signal,
      onText: () => controller.abort(),
    });
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'aborted', retryable: false } });
    await server.hungUp;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('that says nothing more ends when time is up', async () => {
    const { server, provider } = await serving([stream(START, { ending: 'stay open' })], { timeoutMs: 150 });
    const { attempt } = await ask(provider);
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'timeout', retryable: true } });
    await server.hungUp;
  });
});
