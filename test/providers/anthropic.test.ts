/**
 * The Anthropic provider against a server that speaks the Messages API: what is sent, and what is made of every kind of
 * answer.
 */
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { Message } from '../../src/agent/message.ts';
import type { Attempt, CompletionRequest, Provider } from '../../src/agent/provider.ts';
import { type AnthropicOptions, anthropicProvider } from '../../src/agent/providers/anthropic.ts';
import {
  delta,
  event,
  messageEnd,
  messageStart,
  PING,
  saying,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './anthropic-wire.ts';
import {
  deadUrl,
  hostWith,
  json,
  type Reply,
  raw,
  stream,
  type WireServer,
  wireServer,
} from './wire-server.ts';

const KEY = 'sk-ant-test-0123456789';

const TOOL = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const REQUEST: CompletionRequest = {
  model: 'claude-test',
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
};

interface Setting {
  readonly server: WireServer;
  readonly provider: Provider;
}

async function serving(replies: readonly Reply[], options: AnthropicOptions = {}): Promise<Setting> {
  const server = await wireServer(...replies);
  const host = hostWith({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY });
  return { server, provider: await anthropicProvider(options, host) };
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

async function answerTo(reply: Reply, options: AnthropicOptions = {}): Promise<Answered> {
  return ask((await serving([reply], options)).provider);
}

describe('a request to the Messages API', () => {
  it('carries the version, the key as a bearer token, and nothing to retry', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider);
    const { method, path, headers } = server.asked[0]!;
    expect({ method, path }).toEqual({ method: 'POST', path: '/v1/messages' });
    expect(headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'anthropic-version': '2026-10-21',
      'content-type': 'application/json',
      'x-stainless-retry-count': '0',
    });
    expect(headers['x-api-key']).toBeUndefined();
  });

  it('holds the model, the limit, the system prompt and the messages, and no more', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { max_tokens: 100 });
    expect(server.asked[0]!.body).toEqual({
      model: 'claude-test',
      max_tokens: 100,
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      stream: true,
    });
  });

  it('leaves out an empty system prompt and asks for 32,000 tokens unless told', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { system: '' });
    expect(server.asked[0]!.body).not.toHaveProperty('system');
    expect(server.asked[0]!.body).not.toHaveProperty('tools');
    expect(server.asked[0]!.body.max_tokens).toBe(32_000);
  });

  it('offers tools with their schema', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { tools: [TOOL] });
    expect(server.asked[0]!.body.tools).toEqual([
      { name: 'read_file', description: 'Reads a file.', input_schema: TOOL.parameters },
    ]);
  });

  it('brings the results of one answer back in one message of the user, errors marked', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'toolu_1', name: 'read_file', args: { path: 'a' } },
          { id: 'toolu_2', name: 'read_file', args: {}, malformed: '{"path' },
        ],
      },
      { role: 'tool', call_id: 'toolu_1', name: 'read_file', content: 'A', is_error: false },
      { role: 'tool', call_id: 'toolu_2', name: 'read_file', content: 'invalid', is_error: true },
      { role: 'user', content: 'And?' },
    ];
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { messages });
    expect(server.asked[0]!.body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
          { type: 'tool_use', id: 'toolu_2', name: 'read_file', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'A' },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: 'invalid', is_error: true },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  it('leaves out an answer without content, which the service would refuse', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'One.' },
      { role: 'assistant', content: ' \n', tool_calls: [] },
      { role: 'user', content: 'Two.' },
    ];
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { messages });
    expect(server.asked[0]!.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
    ]);
  });

  it('answers a call that has no result with an error, so that a conversation that was cut off goes on', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'toolu_1', name: 'read_file', args: {} }] },
      { role: 'user', content: 'Still there?' },
    ];
    const { server, provider } = await serving([stream(saying('Hi'))]);
    await ask(provider, { messages });
    expect((server.asked[0]!.body.messages as object[])[2]).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: 'tool failed: the call was not finished',
          is_error: true,
        },
        { type: 'text', text: 'Still there?' },
      ],
    });
  });

  it('asks for prompt caching where told', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))], { cache: true });
    await ask(provider);
    expect(server.asked[0]!.body.cache_control).toEqual({ type: 'ephemeral' });
  });
});

describe('the key', () => {
  const host = (url: string) => hostWith({ ANTHROPIC_API_KEY: KEY, TEAM_KEY: 'sk-team', OTHER_URL: url });

  it('comes from the variable the settings name', async () => {
    const server = await wireServer(stream(saying('Hi')));
    const provider = await anthropicProvider(
      { baseUrl: server.url, apiKeyEnv: 'TEAM_KEY' },
      host(server.url),
    );
    await ask(provider);
    expect(server.asked[0]!.headers.authorization).toBe('Bearer sk-team');
  });

  it('is not sent to an address of the settings that names no key, nor is any other of the machine', async () => {
    const server = await wireServer(stream(saying('Hi')));
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-of-the-machine');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-the-machine');
    try {
      const provider = await anthropicProvider({ baseUrl: server.url }, host(server.url));
      expect((await ask(provider)).attempt.ok).toBe(true);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(server.asked[0]!.headers.authorization).toBeUndefined();
    expect(server.asked[0]!.headers['x-api-key']).toBeUndefined();
  });

  it('is missed before the first request, by the name of its variable', async () => {
    await expect(anthropicProvider({}, hostWith({}))).rejects.toMatchObject({
      code: 'PROVIDER_KEY',
      message: 'no key for anthropic: set the environment variable ANTHROPIC_API_KEY',
    });
    await expect(anthropicProvider({ apiKeyEnv: 'TEAM_KEY' }, hostWith({ TEAM_KEY: ' ' }))).rejects.toThrow(
      'set the environment variable TEAM_KEY',
    );
  });

  it('is in no message, even where the service repeats it, and in no log', async () => {
    vi.stubEnv('ANTHROPIC_LOG', 'debug');
    const logs = (['debug', 'info', 'log', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => {}),
    );
    try {
      const body = { type: 'error', error: { type: 'authentication_error', message: `bad key ${KEY}` } };
      const { attempt } = await answerTo(json(401, body));
      expect(attempt).toMatchObject({
        ok: false,
        failure: { message: 'anthropic answered 401: bad key [key]' },
      });
      await answerTo(stream(`event: message_start\ndata: {"broken\n\n`));
      expect(logs.flatMap((log) => log.mock.calls)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    }
  });
});

describe('a streamed answer', () => {
  it('comes in pieces and as a whole, with the tokens of its last event', async () => {
    const text =
      messageStart({ input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: 2 }) +
      PING +
      textBlock(0, 'Hello', ', ', 'world') +
      messageEnd('end_turn', 7);
    const { attempt, pieces } = await answerTo(stream(text));
    expect(pieces).toEqual(['Hello', ', ', 'world']);
    expect(attempt).toEqual({
      ok: true,
      completion: {
        text: 'Hello, world',
        tool_calls: [],
        stop_reason: 'end_turn',
        usage: { input_tokens: 42, output_tokens: 7 },
      },
    });
  });

  it.each([1, 2, 3, 7])('is the same in chunks of %i bytes, inside characters and lines', async (size) => {
    const text =
      messageStart() +
      textBlock(0, 'Grüße 👋🏽 ', '日本語') +
      toolBlock(1, 'toolu_1', 'write', '{"te', 'xt": "naï', 've 🎉"}') +
      messageEnd('tool_use');
    const { attempt, pieces } = await answerTo(stream(text, { size }));
    expect(pieces).toEqual(['Grüße 👋🏽 ', '日本語']);
    expect(attempt).toMatchObject({
      ok: true,
      completion: {
        text: 'Grüße 👋🏽 日本語',
        tool_calls: [{ id: 'toolu_1', name: 'write', args: { text: 'naïve 🎉' } }],
        stop_reason: 'tool_use',
      },
    });
  });

  it('may end its lines with a carriage return', async () => {
    const { attempt } = await answerTo(stream(saying('Hi').replaceAll('\n', '\r\n'), { size: 5 }));
    expect(attempt).toMatchObject({ ok: true, completion: { text: 'Hi' } });
  });

  it('may call several tools, each with arguments in pieces or none at all', async () => {
    const text =
      messageStart() +
      toolBlock(0, 'toolu_1', 'read_file', '', '{"pa', 'th": "a"', '}') +
      toolBlock(1, 'toolu_2', 'now') +
      toolBlock(2, 'toolu_3', 'now', '') +
      messageEnd('tool_use');
    const { attempt } = await answerTo(stream(text));
    expect(attempt).toMatchObject({
      completion: {
        tool_calls: [
          { id: 'toolu_1', name: 'read_file', args: { path: 'a' } },
          { id: 'toolu_2', name: 'now', args: {} },
          { id: 'toolu_3', name: 'now', args: {} },
        ],
      },
    });
  });

  it.each(['{"path": ', '["a"]', 'null', '"a"'])('keeps arguments that are no object as %s', async (json) => {
    const text = messageStart() + toolBlock(0, 'toolu_1', 'read_file', json) + messageEnd('tool_use');
    const { attempt } = await answerTo(stream(text));
    expect(attempt).toMatchObject({
      completion: { tool_calls: [{ id: 'toolu_1', name: 'read_file', args: {}, malformed: json }] },
    });
  });

  it('that was cut off before the arguments of its last call does not call the tool without any', async () => {
    const text =
      messageStart() +
      toolBlock(0, 'toolu_1', 'list') +
      toolBlock(1, 'toolu_2', 'delete_all') +
      messageEnd('max_tokens');
    const { attempt } = await answerTo(stream(text));
    expect(attempt).toMatchObject({
      completion: {
        stop_reason: 'max_tokens',
        tool_calls: [
          { id: 'toolu_1', args: {} },
          { id: 'toolu_2', args: {}, malformed: '' },
        ],
      },
    });
    expect(attempt.ok && attempt.completion.tool_calls[0]).not.toHaveProperty('malformed');
  });

  it('may hold events, blocks and pieces nobody knows yet', async () => {
    const text =
      messageStart() +
      event('solar_flare', { strength: 9 }) +
      event('content_block_start', { index: 0, content_block: { type: 'hologram', depth: 3 } }) +
      delta(0, { type: 'hologram_delta', light: 'green' }) +
      event('content_block_stop', { index: 0 }) +
      textBlock(1, 'Hi') +
      messageEnd('end_turn');
    const { attempt } = await answerTo(stream(text));
    expect(attempt).toMatchObject({ ok: true, completion: { text: 'Hi' } });
  });

  it.each([
    ['end_turn', 'end_turn'],
    ['tool_use', 'tool_use'],
    ['max_tokens', 'max_tokens'],
    ['model_context_window_exceeded', 'max_tokens'],
    ['stop_sequence', 'stop_sequence'],
    ['refusal', 'refusal'],
    ['pause_turn', 'pause_turn'],
    ['something_new', 'end_turn'],
  ])('that stops with %s stops with %s', async (said, meant) => {
    const { attempt } = await answerTo(stream(messageStart() + textBlock(0, 'Hi') + messageEnd(said)));
    expect(attempt).toMatchObject({ ok: true, completion: { text: 'Hi', stop_reason: meant } });
  });

  it('may be empty', async () => {
    const { attempt, pieces } = await answerTo(stream(messageStart() + messageEnd('refusal', 0)));
    expect(pieces).toEqual([]);
    expect(attempt).toMatchObject({ completion: { text: '', tool_calls: [], stop_reason: 'refusal' } });
  });

  it('has its cost where prices are known', async () => {
    const usage = { input_tokens: 1000, cache_read_input_tokens: 10_000, cache_creation_input_tokens: 100 };
    const text = messageStart(usage) + textBlock(0, 'Hi') + messageEnd('end_turn', 500);
    const price = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 };
    const { attempt } = await answerTo(stream(text), { price });
    expect(attempt.ok && attempt.completion.cost_usd).toBeCloseTo(0.004 + 0.002 + 0.0005 + 0.01, 10);
  });
});

describe('an answer in one piece', () => {
  const message = {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [
      { type: 'text', text: 'I look.', citations: null },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'read_file',
        input: { path: 'a' },
        caller: { type: 'direct' },
      },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: null },
  };

  it('is asked for without a stream and read as a whole', async () => {
    const { server, provider } = await serving([json(200, message)], { stream: false });
    const { attempt, pieces } = await ask(provider);
    expect(server.asked[0]!.body).not.toHaveProperty('stream');
    expect(pieces).toEqual([]);
    expect(attempt).toEqual({
      ok: true,
      completion: {
        text: 'I look.',
        tool_calls: [{ id: 'toolu_1', name: 'read_file', args: { path: 'a' } }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 5, output_tokens: 6 },
      },
    });
  });

  it('that was cut off does not run its last call, whose arguments may be half of what was meant', async () => {
    const { attempt } = await answerTo(json(200, { ...message, stop_reason: 'max_tokens' }), {
      stream: false,
    });
    expect(attempt).toMatchObject({ completion: { tool_calls: [{ id: 'toolu_1', malformed: '' }] } });
  });

  it.each([
    ['a page', raw(200, 'text/html', '<p>Log in</p>'), 'gave an answer without content'],
    ['broken JSON', raw(200, 'application/json', '{"content": ['), 'sent what is no JSON'],
    ['another object', json(200, { hello: 'world' }), 'gave an answer without content'],
  ])('that is %s is malformed', async (_what, reply, message) => {
    const { attempt } = await answerTo(reply, { stream: false });
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'malformed', retryable: false } });
    expect(!attempt.ok && attempt.failure.message).toContain(message);
  });
});

describe('an error of the service', () => {
  const said = (type: string, more = {}) => ({
    type: 'error',
    error: { type, message: 'so it is', ...more },
    request_id: 'req_1',
  });

  it.each([
    [400, 'invalid_request_error', 'bad_request', false],
    [401, 'authentication_error', 'auth', false],
    [403, 'permission_error', 'auth', false],
    [404, 'not_found_error', 'bad_request', false],
    [413, 'request_too_large', 'too_long', false],
    [429, 'rate_limit_error', 'rate_limited', true],
    [500, 'api_error', 'overloaded', true],
    [503, 'api_error', 'overloaded', true],
    [529, 'overloaded_error', 'overloaded', true],
  ] as const)('%i %s is %s', async (status, type, code, retryable) => {
    const { server, provider } = await serving([json(status, said(type), { 'request-id': 'req_1' })]);
    const { attempt } = await ask(provider);
    expect(attempt).toEqual({
      ok: false,
      failure: {
        code,
        status,
        retryable,
        message: `anthropic answered ${status}: so it is (request req_1)`,
      },
    });
    expect(server.asked.length).toBe(1);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['parts of a second', { 'retry-after': '0.25' }, 250],
    ['milliseconds', { 'retry-after': '9', 'retry-after-ms': '120' }, 120],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
  ])('says how long to wait, in %s', async (_unit, headers, retryAfterMs) => {
    const server = await wireServer(json(429, said('rate_limit_error'), headers));
    const host = { ...hostWith({ K: KEY }), now: () => Date.UTC(2026, 0, 1) };
    const provider = await anthropicProvider({ baseUrl: server.url, apiKeyEnv: 'K' }, host);
    expect((await ask(provider)).attempt).toMatchObject({ failure: { code: 'rate_limited', retryAfterMs } });
  });

  it.each(['soon', '', 'Thu, 01 Jan 2020 00:00:00 GMT', '-3'])(
    'that says to wait %j says nothing',
    async (text) => {
      const { attempt } = await answerTo(json(429, said('rate_limit_error'), { 'retry-after': text }));
      expect(!attempt.ok && attempt.failure).not.toHaveProperty('retryAfterMs');
    },
  );

  it('is not tried again where money has run out or the service says so', async () => {
    const spent = said('rate_limit_error', { details: { error_code: 'enforced_spend_limit_reached' } });
    expect((await answerTo(json(429, spent))).attempt).toMatchObject({
      failure: { code: 'rate_limited', retryable: false },
    });
    const told = json(500, said('api_error'), { 'x-should-retry': 'false' });
    expect((await answerTo(told)).attempt).toMatchObject({
      failure: { code: 'overloaded', retryable: false },
    });
  });

  it('that is a whole page is cut', async () => {
    const { attempt } = await answerTo(raw(502, 'text/html', `<h1>Bad gateway</h1>${'x'.repeat(10_000)}`));
    expect(attempt).toMatchObject({ failure: { code: 'overloaded', status: 502 } });
    const message = attempt.ok ? '' : attempt.failure.message;
    expect(message).toContain('anthropic answered 502: <h1>Bad gateway</h1>');
    expect(message.length).toBeLessThan(600);
  });

  it.each([
    ['overloaded_error', 'overloaded', true],
    ['rate_limit_error', 'rate_limited', true],
    ['api_error', 'overloaded', true],
    ['invalid_request_error', 'bad_request', false],
    ['something_new', 'unknown', false],
  ] as const)('in the middle of a stream: %s is %s', async (type, code, retryable) => {
    const error = event('error', { error: { type, message: 'Overloaded' } });
    const text = messageStart() + textBlock(0, 'Hel') + error;
    const { attempt, pieces } = await answerTo(stream(text));
    expect(pieces).toEqual(['Hel']);
    expect(attempt).toMatchObject({
      ok: false,
      failure: { code, retryable, message: 'anthropic broke off: Overloaded' },
    });
  });
});

describe('a connection', () => {
  it('that cannot be made is a failure of the network', async () => {
    const url = await deadUrl();
    const host = hostWith({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY });
    const { attempt } = await ask(await anthropicProvider({}, host));
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'network', retryable: true } });
    expect(!attempt.ok && attempt.failure.message).toBe(
      `cannot reach anthropic at ${url}: connect ECONNREFUSED ${url.slice('http://'.length)}`,
    );
  });

  it('that is reset in the middle of a stream is a failure of the network', async () => {
    const text =
      messageStart() + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    const { attempt } = await answerTo(
      stream(text + delta(0, { type: 'text_delta', text: 'Hel' }), { ending: 'reset' }),
    );
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'network', retryable: true } });
    expect(!attempt.ok && attempt.failure.message).toContain('the connection to anthropic broke off: ');
  });

  it('that is reset after the last event takes nothing away', async () => {
    const { attempt } = await answerTo(stream(saying('Hi'), { ending: 'reset' }));
    expect(attempt).toMatchObject({ ok: true, completion: { text: 'Hi' } });
  });

  it('that ends before the answer is whole is a failure of the network, not a short answer', async () => {
    const { attempt } = await answerTo(stream(messageStart() + textBlock(0, 'Hello')));
    expect(attempt).toMatchObject({
      ok: false,
      failure: {
        code: 'network',
        retryable: true,
        message: 'anthropic ended the stream before the answer was whole',
      },
    });
  });

  it.each([
    ['is no JSON', 'event: message_start\ndata: {"type": "mess\n\n', 'anthropic sent what is no JSON: '],
    [
      'continues a block that never began',
      messageStart() + delta(3, { type: 'text_delta', text: 'x' }),
      'anthropic sent a piece of a block that had not begun',
    ],
    ['is a page', '<!doctype html>\n<title>Log in</title>\n', 'anthropic sent no event stream'],
  ])('whose stream %s is malformed', async (_what, text, message) => {
    const { attempt } = await answerTo(stream(text));
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'malformed', retryable: false } });
    expect(!attempt.ok && attempt.failure.message).toContain(message);
  });

  it('that is slow ends with an abort: the service is hung up on, and no listener stays', async () => {
    const text = messageStart() + textBlock(0, 'Hel');
    const { server, provider } = await serving([stream(text, { ending: 'stay open' })]);
    const controller = new AbortController();
    const attempt = await provider.complete(REQUEST, {
      signal: controller.signal,
      onText: () => controller.abort(),
    });
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'aborted', retryable: false } });
    await server.hungUp;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('is not even made where the signal has fired already', async () => {
    const { server, provider } = await serving([stream(saying('Hi'))]);
    const attempt = await provider.complete(REQUEST, { signal: AbortSignal.abort() });
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'aborted' } });
    expect(server.asked).toEqual([]);
  });

  it.each([
    ['before the first event', stream('', { ending: 'stay open' })],
    ['in the middle of a stream', stream(messageStart(), { ending: 'stay open' })],
    ['before it answers at all', () => {}],
  ])('that says nothing more %s ends when time is up', async (_when, reply) => {
    const { server, provider } = await serving([reply], { timeoutMs: 150 });
    const { attempt } = await ask(provider);
    expect(attempt).toMatchObject({ ok: false, failure: { code: 'timeout', retryable: true } });
    await server.hungUp;
  });

  it('leaves no listener on a signal that outlives many requests', async () => {
    const { provider } = await serving([stream(saying('1')), stream(saying('2')), json(400, {})]);
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i++) await provider.complete(REQUEST, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('what the model thought', () => {
  const THOUGHT = { type: 'thinking', thinking: 'Let me see.', signature: 'sig-1' };
  const CALLING = stream(
    messageStart() +
      thinkingBlock(0, 'Let me see.', 'sig-1') +
      event('content_block_start', { index: 1, content_block: { type: 'redacted_thinking', data: 'zzz' } }) +
      event('content_block_stop', { index: 1 }) +
      textBlock(2, 'I look.') +
      toolBlock(3, 'toolu_1', 'read_file', '{"path": "a"}') +
      messageEnd('tool_use'),
  );
  const ASKED: Message = { role: 'user', content: 'Look.' };
  const RESULT: Message = {
    role: 'tool',
    call_id: 'toolu_1',
    name: 'read_file',
    content: 'A',
    is_error: false,
  };
  const said = (args = { path: 'a' } as Record<string, string>, content = 'I look.'): Message => ({
    role: 'assistant',
    content,
    tool_calls: [{ id: 'toolu_1', name: 'read_file', args }],
  });

  /** The blocks of the answer as the second request sends them back. */
  async function sentBack(second: Partial<CompletionRequest>): Promise<Record<string, unknown>[]> {
    const { server, provider } = await serving([CALLING, stream(saying('Done'))]);
    const { attempt } = await ask(provider, { messages: [ASKED], tools: [TOOL] });
    expect(attempt).toMatchObject({ ok: true, completion: { text: 'I look.' } });
    await ask(provider, { tools: [TOOL], ...second });
    const messages = server.asked[1]!.body.messages as unknown as { role: string; content: never[] }[];
    return messages.find(({ role }) => role === 'assistant')!.content;
  }

  const types = (blocks: Record<string, unknown>[]) => blocks.map(({ type }) => type);

  it('is no text of the answer, and goes back as it came with the results of its calls', async () => {
    const blocks = await sentBack({ messages: [ASKED, said(), RESULT] });
    expect(blocks).toEqual([
      THOUGHT,
      { type: 'redacted_thinking', data: 'zzz' },
      { type: 'text', text: 'I look.', citations: null },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'read_file',
        input: { path: 'a' },
        caller: { type: 'direct' },
      },
    ]);
  });

  it('goes back although the call was given a default on its way, and the call as it ran', async () => {
    const blocks = await sentBack({ messages: [ASKED, said({ path: 'a', encoding: 'utf8' }), RESULT] });
    expect(blocks[0]).toEqual(THOUGHT);
    expect(blocks[3]).toMatchObject({ input: { path: 'a', encoding: 'utf8' } });
  });

  it.each<[string, Partial<CompletionRequest>]>([
    ['a hook took something out of the call', { messages: [ASKED, said({ path: '[removed]' }), RESULT] }],
    ['a hook rewrote the text', { messages: [ASKED, said(undefined, '[removed]'), RESULT] }],
    ['an earlier message is another', { messages: [{ role: 'user', content: 'Look!' }, said(), RESULT] }],
    ['the system prompt is another', { system: 'Be kind.', messages: [ASKED, said(), RESULT] }],
    ['a tool was taken away', { tools: [], messages: [ASKED, said(), RESULT] }],
  ])('stays away where %s, since the service would refuse it', async (_why, second) => {
    expect(types(await sentBack(second))).toEqual(['text', 'tool_use']);
  });

  it('that came later goes back although earlier thoughts had to stay away', async () => {
    const later = stream(
      messageStart() + thinkingBlock(0, 'Hm.', 'sig-2') + textBlock(1, 'Done') + messageEnd('end_turn'),
    );
    const { server, provider } = await serving([CALLING, later, stream(saying('Bye'))]);
    const removed = said({ path: '[removed]' });
    await ask(provider, { messages: [ASKED] });
    await ask(provider, { messages: [ASKED, removed, RESULT] });
    const messages: Message[] = [
      ASKED,
      removed,
      RESULT,
      { role: 'assistant', content: 'Done', tool_calls: [] },
      { role: 'user', content: 'Thanks.' },
    ];
    await ask(provider, { messages });
    const sent = server.asked[2]!.body.messages as unknown as { content: { type: string }[] }[];
    expect(sent.map(({ content }) => types(content))).toEqual([
      ['text'],
      ['text', 'tool_use'],
      ['tool_result'],
      ['thinking', 'text'],
      ['text'],
    ]);
  });
});
