/** The server itself: what it refuses, waits for, breaks off and records, the same for every dialect. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ServerScript, startModelServer } from '../../src/agent/model-server/index.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { machineHost } from '../../src/machine/host.ts';
import { until } from '../support/until.ts';
import { answeredBy, post, serve } from './serve.ts';

const ASKED: JsonObject = {
  model: 'm',
  max_tokens: 100,
  tools: [{ name: 'Bash' }],
  messages: [{ role: 'user', content: 'go' }],
};

const MESSAGES = '/v1/messages';

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'harness-model-'));
  made.push(dir);
  return dir;
}

const saying = (text: string): JsonObject => ({ ...ASKED, messages: [{ role: 'user', content: text }] });

async function textOf(response: Response): Promise<unknown> {
  const { content } = (await response.json()) as { content: { text?: string }[] };
  return content[0]?.text;
}

describe('where the server is', () => {
  it('listens on loopback alone', async () => {
    const server = await serve([]);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal);
    for (const { address } of others) {
      await expect(fetch(`http://${address}:${server.port}/`)).rejects.toThrow();
    }
  });

  it('a port that is taken is an error with its number', async () => {
    const { port } = await serve([]);
    const script: ServerScript = { completions: [] };
    await expect(startModelServer({ script, port })).rejects.toMatchObject({
      code: 'MODEL_SERVER',
      message: expect.stringContaining(`cannot listen on 127.0.0.1:${port}`),
    });
  });

  it('closing it frees the port, also twice', async () => {
    const server = await serve([]);
    await Promise.all([server.close(), server.close()]);
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('is found by clients whose base address ends in a slash', async () => {
    const server = await serve([{ text: 'Done.' }]);
    expect(await textOf(await post(`${server.url}/${MESSAGES}`, ASKED))).toBe('Done.');
    expect(server.requests()[0]!.path).toBe(MESSAGES);
  });

  it('answers those who only look whether it is there', async () => {
    const server = await serve([{ text: 'Done.' }]);
    for (const path of ['/', '/api/hello']) {
      expect((await fetch(server.url + path)).status).toBe(200);
      expect((await fetch(server.url + path, { method: 'HEAD' })).status).toBe(200);
    }
    expect(server.unused()).toEqual([0]);
  });
});

describe('what it refuses', () => {
  it('a script with a mistake, at the start', async () => {
    const script = { completions: [{ txt: 'hi' }] } as unknown as ServerScript;
    await expect(startModelServer({ script })).rejects.toMatchObject({
      code: 'MODEL_SERVER',
      message: expect.stringContaining('did you mean text?'),
    });
  });

  it.each([
    ['not JSON', 'no json', 400],
    ['no object', '[1]', 400],
    ['nothing', '', 400],
  ])('a body that is %s, and records it', async (_what, body, status) => {
    const server = await serve([{ text: 'Done.' }]);
    const response = await post(server.url + MESSAGES, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(server.requests()).toMatchObject([
      { answeredBy: { kind: 'refused', reason: 'want a JSON object as body' } },
    ]);
    expect(server.unused()).toEqual([0]);
  });

  it('bytes that are not UTF-8', async () => {
    const server = await serve([{ text: 'Done.' }]);
    const body = Buffer.from(JSON.stringify(ASKED).replace('"m"', '"\xff"'), 'latin1');
    const response = await fetch(server.url + MESSAGES, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('want a body in UTF-8');
  });

  it('a compressed body', async () => {
    const server = await serve([]);
    const response = await post(server.url + MESSAGES, ASKED, { 'content-encoding': 'gzip' });
    expect(response.status).toBe(415);
  });

  it('a body over the limit, and goes on serving', async () => {
    const server = await serve([{ text: 'Done.' }], { maxRequestBytes: 1000 });
    const response = await post(server.url + MESSAGES, saying('x'.repeat(20_000_000)));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: 'request_too_large' } });
    expect(server.requests()[0]).toMatchObject({ body: null, status: 413 });
    expect(await textOf(await post(server.url + MESSAGES, ASKED))).toBe('Done.');
  });

  it('a client that never stops sending, whatever length it promised', async () => {
    const server = await serve([], { maxRequestBytes: 1000 });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const piece = `400\r\n${'x'.repeat(1024)}\r\n`;
    const timer = setInterval(() => socket.write(piece), 5);
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(timer);
    expect(server.requests()).toMatchObject([{ status: 413 }]);
  });

  it.each([
    ['POST', '/v1/embeddings'],
    ['GET', '/v1/messages'],
    ['DELETE', '/v1/models/m'],
    ['POST', '//evil.example/v1/x'],
  ])('%s %s with 404', async (method, path) => {
    const server = await serve([]);
    expect((await fetch(server.url + path, { method })).status).toBe(404);
    expect(server.requests()[0]!.answeredBy).toMatchObject({ kind: 'refused' });
  });

  it('nothing because a request is nested too deep to be read', async () => {
    const server = await serve([{ text: 'Done.' }], { record: join(folder(), 'r.jsonl') });
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = JSON.stringify(ASKED).replace('"go"', `[{"type":"tool_result","content":${deep}}]`);
    expect(await textOf(await post(server.url + MESSAGES, body))).toBe('Done.');
    const result = `{"contents":[{"parts":[{"functionResponse":{"response":${deep}}}]}]}`;
    expect((await post(`${server.url}/v1beta/models/m:generateContent`, result)).status).toBe(200);
  });
});

describe('which item answers', () => {
  it('the first that is not used; past the last, a text that ends the turn', async () => {
    const server = await serve([{ text: 'one' }, { text: 'two' }]);
    const texts: unknown[] = [];
    for (let i = 0; i < 3; i++) texts.push(await textOf(await post(server.url + MESSAGES, ASKED)));
    expect(texts).toEqual(['one', 'two', 'The script has no item for this request.']);
    expect(answeredBy(server)).toEqual([0, 1, 'no-item']);
    expect(server.unused()).toEqual([]);
  });

  it('tells requests in parallel apart by what they say', async () => {
    const agents = Array.from({ length: 20 }, (_, i) => `agent-${i}.`);
    const server = await serve(agents.map((name) => ({ match: name, text: `for ${name}`, delay_ms: 10 })));
    const texts = await Promise.all(
      agents
        .toReversed()
        .map(async (name) => textOf(await post(server.url + MESSAGES, saying(`I am ${name}`)))),
    );
    expect(texts).toEqual(agents.toReversed().map((name) => `for ${name}`));
  });

  it('a title that an agent asks for on the way takes none', async () => {
    const server = await serve([{ tool_calls: [{ name: 'Bash', args: {} }] }, { text: 'Done.' }]);
    const { tools: _, ...aside } = saying('Write a title.');
    await post(server.url + MESSAGES, ASKED);
    await post(server.url + MESSAGES, aside);
    await post(server.url + MESSAGES, { ...ASKED, max_tokens: 1 });
    expect(await textOf(await post(server.url + MESSAGES, ASKED))).toBe('Done.');
    expect(answeredBy(server)).toEqual([0, 'no-tools', 'probe', 1]);
  });
});

describe('how it answers', () => {
  it('waits for delay_ms', async () => {
    const server = await serve([{ text: 'late', delay_ms: 120 }]);
    const begun = performance.now();
    await post(server.url + MESSAGES, ASKED);
    expect(performance.now() - begun).toBeGreaterThan(100);
  });

  it('keeps pace_ms between events', async () => {
    const events = ['one', 'two', 'three'];
    const server = await serve([
      { raw: events, pace_ms: 80 },
      { raw: events, pace_ms: 3_600_000 },
    ]);
    const begun = performance.now();
    const whole = await post(server.url + MESSAGES, { ...ASKED, stream: true });
    expect(await whole.text()).toBe('onetwothree');
    expect(performance.now() - begun).toBeGreaterThan(150);
    // The first is there while the second is not sent yet.
    const response = await post(server.url + MESSAGES, { ...ASKED, stream: true });
    const { value } = await response.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('one');
  });

  it.each([
    ['in a delay', { text: 'late', delay_ms: 60_000 }],
    ['while it hangs', { hang: true }],
    ['while it hangs after its first bytes', { raw: ['event: ping\n'], hang: true }],
    ['between two events', { raw: ['one', 'two'], pace_ms: 60_000 }],
  ])('a client that gives up %s is noticed, and the next request is answered', async (_when, item) => {
    const server = await serve([item, { text: 'Done.' }]);
    const controller = new AbortController();
    const asked = fetch(server.url + MESSAGES, {
      method: 'POST',
      body: JSON.stringify(ASKED),
      signal: controller.signal,
    })
      .then((response) => response.text())
      .catch((error: Error) => error.name);
    await until(() => server.requests().length === 1);
    expect(server.requests()[0]!.delivery).toBeNull();
    controller.abort();
    expect(await asked).toBe('AbortError');
    await until(() => server.requests()[0]!.delivery === 'client-left');
    expect(await textOf(await post(server.url + MESSAGES, ASKED))).toBe('Done.');
    await until(() => server.requests()[1]!.delivery === 'sent');
  });

  it('a client that gives up while its request is being recorded is noticed', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let writes = 0;
    const host = { ...machineHost, appendFile: () => (writes++ === 0 ? Promise.resolve() : held) };
    const server = await serve([{ hang: true }], { record: 'r.jsonl', host });
    const controller = new AbortController();
    const asked = fetch(server.url + MESSAGES, {
      method: 'POST',
      body: JSON.stringify(ASKED),
      signal: controller.signal,
    }).catch((error: Error) => error.name);
    await until(() => server.requests().length === 1);
    controller.abort();
    expect(await asked).toBe('AbortError');
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    await until(() => server.requests()[0]!.delivery === 'client-left');
  });

  it('closing breaks off what hangs, however much of it', async () => {
    const server = await serve(Array.from({ length: 50 }, () => ({ hang: true })));
    const asked = Array.from({ length: 50 }, () =>
      post(server.url + MESSAGES, ASKED).catch(() => 'broken off'),
    );
    await until(() => server.requests().length === 50);
    await server.close();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['broken off']));
    await until(() => server.requests().every(({ delivery }) => delivery === 'closed'));
  });

  it('cut_after breaks the connection after so many texts', async () => {
    const server = await serve([{ raw: ['one', 'two', 'three'], cut_after: 2 }]);
    const response = await post(server.url + MESSAGES, { ...ASKED, stream: true });
    let seen = '';
    const read = async () => {
      for await (const piece of response.body!) seen += Buffer.from(piece as Uint8Array).toString();
    };
    await expect(read()).rejects.toThrow();
    expect(seen).toBe('onetwo');
    expect(server.requests()[0]!.delivery).toBe('sent');
  });

  it('a side request that wants JSON of a schema gets some', async () => {
    const server = await serve([{ tool_calls: [{ name: 'Bash' }] }]);
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' }, speaker: { enum: ['user', 'model'] } },
      required: ['title', 'speaker'],
    };
    const { tools: _, ...aside } = ASKED;
    const asked = { ...aside, output_config: { format: { type: 'json_schema', schema } } };
    const text = await textOf(await post(server.url + MESSAGES, asked));
    expect(JSON.parse(String(text))).toEqual({ title: 'ok', speaker: 'user' });
  });
});

describe('the record', () => {
  const KEYS = { 'x-api-key': 'sk-secret-1', authorization: 'Bearer sk-secret-2', cookie: 'sk-secret-3' };

  it('has a line for every request before it is answered, without keys', async () => {
    const file = join(folder(), 'requests.jsonl');
    const seen: string[] = [];
    const server = await serve([{ text: 'Done.' }], { record: file });
    await post(`${server.url}${MESSAGES}?key=sk-secret-4&beta=true`, ASKED, KEYS);
    seen.push(readFileSync(file, 'utf8'));
    await fetch(`${server.url}/v1/models`);
    seen.push(readFileSync(file, 'utf8'));
    expect(seen.map((text) => text.split('\n').length - 1)).toEqual([1, 2]);
    expect(seen[1]).not.toContain('sk-secret');
    const lines = seen[1]!
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        number: 1,
        method: 'POST',
        path: '/v1/messages?key=removed&beta=true',
        headers: { 'x-api-key': 'removed', 'content-type': 'application/json' },
        dialect: 'anthropic',
        model: 'm',
        body: ASKED,
        answeredBy: { kind: 'item', place: 0 },
        status: 200,
      },
      { number: 2, method: 'GET', path: '/v1/models', answeredBy: { kind: 'service' } },
    ]);
    expect(JSON.stringify(server.requests())).not.toContain('sk-secret');
  });

  it('has its lines in order, however many requests arrive at once', async () => {
    const file = join(folder(), 'requests.jsonl');
    const server = await serve([], { record: file });
    await Promise.all(Array.from({ length: 40 }, () => post(server.url + MESSAGES, ASKED)));
    const numbers = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).number);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });

  it('that cannot be written is an error at the start', async () => {
    const script: ServerScript = { completions: [] };
    await expect(
      startModelServer({ script, record: join(folder(), 'missing', 'r.jsonl') }),
    ).rejects.toMatchObject({
      code: 'MODEL_SERVER',
      message: expect.stringContaining('cannot write the record'),
    });
    const dir = folder();
    symlinkSync('elsewhere', join(dir, 'r.jsonl'));
    await expect(startModelServer({ script, record: join(dir, 'r.jsonl') })).rejects.toMatchObject({
      code: 'MODEL_SERVER',
    });
  });

  it('that can no longer be written turns every answer into an error', async () => {
    let writes = 0;
    const host = {
      ...machineHost,
      appendFile: async () => {
        if (writes++ > 0) throw new Error('the disk is full');
      },
    };
    const server = await serve([{ text: 'Done.' }], { record: 'r.jsonl', host });
    const response = await post(server.url + MESSAGES, ASKED);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('cannot write the record: the disk is full');
  });

  it('tells onRequest what answered, and when', async () => {
    const seen: unknown[] = [];
    const server = await serve([{ text: 'Done.' }], {
      host: { ...machineHost, now: () => 1_700_000_000_123 },
      onRequest: ({ number, at, answeredBy: by }) => seen.push([number, at, by]),
    });
    await post(server.url + MESSAGES, ASKED);
    expect(seen).toEqual([[1, 1_700_000_000_123, { kind: 'item', place: 0 }]]);
  });
});
