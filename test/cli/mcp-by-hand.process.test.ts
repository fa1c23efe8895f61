/**
 * The stateless era between a client and a server that are written by hand: what goes over the wire is held against the text of the
 * protocol, not against what two ends of one package make of it.
 */
import { spawn } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookFile, project } from './harness.ts';
import { accepting, BOTH, front, mcp, SUPPORT, start } from './mcp-http.ts';

const SERVER = [process.execPath, join(SUPPORT, 'mcp-by-hand.mjs')];
const VERSION = '2026-07-28';

const files = {
  ...accepting('both', 'test/seen'),
  '.harness/hooks/guard.md': hookFile(`event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      args = payload["args"]
      said = str(args)
      if "forbidden" in said:
          return block("not this word")
      if "rewrite me" in said:
          return modify({"args": {"text": "rewritten", "region": "north"}})
      if "ask me" in said:
          return ask("is that so?")
      return allow()`),
  '.harness/hooks/redact.md': hookFile(`event: tool.post
priority: 10
script: |
  def handle(event, payload):
      said = re.replace("ghp_[A-Za-z0-9]+", "[token]", payload["content"])
      return allow() if said == payload["content"] else modify({"content": said})`),
  '.harness/hooks/offers.md': hookFile(`event: meta.register_tool
priority: 10
script: |
  def handle(event, payload):
      return block("not this one") if payload["name"].endswith("unwanted") else allow()`),
};

// biome-ignore lint/suspicious/noExplicitAny: a message as it came, held against what is expected of it.
type Said = { [key: string]: any };

interface Wire {
  /** Sends a request and gives every message that belongs to it, its answer last. */
  ask(method: string, params?: Said, meta?: Said): Promise<Said[]>;
  /** Sends a request that stays open; gives what has come when `count` messages are there, and leaves it. */
  listen(method: string, params: Said, count: number): Promise<Said[]>;
  close(): void;
}

const bodyOf = (id: number, method: string, params: Said = {}, meta: Said = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': VERSION,
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        ...meta,
      },
    },
  });

function overStdio(argv: readonly string[]): Wire {
  const child = spawn(argv[0]!, argv.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
  const messages: Said[] = [];
  let [held, ids, changed] = ['', 0, () => {}];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop()!;
    messages.push(...lines.map((line) => JSON.parse(line) as Said));
    changed();
  });
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise<void>((resolve) => (changed = resolve));
  };
  return {
    async ask(method, params, meta) {
      const [id, from] = [++ids, messages.length];
      child.stdin.write(`${bodyOf(id, method, params, meta)}\n`);
      await until(() => messages.some((message) => message.id === id && message.method === undefined));
      return messages.slice(from);
    },
    async listen(method, params, count) {
      const [id, from] = [++ids, messages.length];
      child.stdin.write(`${bodyOf(id, method, params)}\n`);
      await until(() => messages.length >= from + count);
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
      child.stdin.write(`${JSON.stringify(cancelled)}\n`);
      return messages.slice(from);
    },
    close: () => child.stdin.end(),
  };
}

function overHttp(url: string, close: () => void): Wire {
  let ids = 0;
  const send = (method: string, params: Said = {}, meta: Said = {}, count?: number) =>
    new Promise<Said[]>((resolve, reject) => {
      const name = params.name ?? params.uri ?? params.taskId;
      const headers = {
        ...BOTH,
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
        ...(params.arguments?.region !== undefined && { 'mcp-param-region': params.arguments.region }),
      };
      const sent = httpRequest(url, { method: 'POST', headers, agent: false }, (response) => {
        expect(response.headers['mcp-session-id']).toBe(undefined);
        const streams = response.headers['content-type'] === 'text/event-stream';
        let text = '';
        const said = () =>
          streams
            ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Said)
            : [JSON.parse(text) as Said];
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
          if (count === undefined || !text.endsWith('\n\n') || said().length < count) return;
          resolve(said());
          sent.destroy();
        });
        response.on('end', () => resolve(said()));
      });
      sent.on('error', reject);
      sent.end(bodyOf(++ids, method, params, meta));
    });
  return {
    ask: (method, params, meta) => send(method, params, meta),
    listen: (method, params, count) => send(method, params, {}, count),
    close,
  };
}

const WAYS: Record<string, (dir: string) => Promise<Wire>> = {
  'stdio in front of stdio': async (dir) => overStdio(mcp(dir, '--', ...SERVER)),
  'HTTP in front of stdio': async (dir) => {
    const { url, child } = await front(dir, '--', ...SERVER);
    return overHttp(url, () => child.kill());
  },
  'HTTP in front of HTTP': async (dir) => {
    const { url, child } = await front(dir, '--http', (await start([...SERVER, 'http'])).url);
    return overHttp(url, () => child.kill());
  },
  'stdio in front of HTTP': async (dir) =>
    overStdio(mcp(dir, '--http', (await start([...SERVER, 'http'])).url)),
};

describe.each(Object.keys(WAYS))('the stateless era by hand, %s', (way) => {
  const isHttpBehind = way.endsWith('of HTTP');
  let wire: Wire;
  beforeAll(async () => {
    wire = await WAYS[way]!(project(files));
  });
  afterAll(() => wire.close());
  const last = async (...asked: Parameters<Wire['ask']>) => (await wire.ask(...asked)).at(-1)!;
  const call = (name: string, args: Said = {}, more: Said = {}, meta: Said = {}) =>
    last('tools/call', { name, arguments: args, ...more }, meta);
  const seen = async () => (await last('test/seen')).result.seen as string[];

  it('server/discover and completion pass; a method that nobody has heard of is answered as one that is not there', async () => {
    expect((await last('server/discover')).result).toMatchObject({
      supportedVersions: [VERSION],
      cacheScope: 'public',
      ttlMs: 60000,
    });
    expect((await last('completion/complete')).result.completion).toEqual({ values: ['a'] });
    expect((await last('made/up')).error.code).toBe(-32601);
  });

  it('a list that was filtered keeps its order and ttlMs, and is nobody else’s', async () => {
    const { tools, ttlMs, cacheScope, resultType } = (await last('tools/list')).result;
    expect(tools.map(({ name }: Said) => name)).toEqual(['echo', 'record', 'who', 'count', 'later', 'never']);
    expect({ ttlMs, cacheScope, resultType }).toEqual({
      ttlMs: 5000,
      cacheScope: 'private',
      resultType: 'complete',
    });
  });

  it('every result that the proxy makes itself is complete, and the server hears nothing', async () => {
    for (const said of [await call('echo', { text: 'forbidden' }), await call('unwanted')])
      expect(said.result).toMatchObject({ resultType: 'complete', isError: true });
    const refused = [
      await last('resources/read', { uri: 'note://forbidden' }),
      await last('prompts/get', { name: 'forbidden' }),
    ];
    for (const said of refused) expect(said.error.message).toContain('not this word');
    expect((await seen()).filter((one) => !/^(tools\/list|server|completion|made)/.test(one))).toEqual([]);
  });

  it('what nobody knows in _meta is kept, and a rewritten call has the headers of its body', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const said = await call(
      'echo',
      { text: 'rewrite me', region: 'south' },
      {},
      { traceparent, 'x/own': [1] },
    );
    const { params, headers } = JSON.parse(said.result.content[0].text);
    expect(params.arguments).toEqual({ text: 'rewritten', region: 'north' });
    expect(params._meta).toMatchObject({ traceparent, 'x/own': [1] });
    if (isHttpBehind)
      expect(headers).toMatchObject({
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': 'echo',
        'mcp-param-region': 'north',
      });
  });

  it('a secret leaves both copies of a result, which still fits its schema', async () => {
    const { result } = await call('record');
    expect(result.structuredContent).toEqual({ token: '[token]' });
    expect(JSON.parse(result.content[0].text)).toEqual({ token: '[token]' });
  });

  it('input_required is passed on whole; the call that goes on has the state to the byte', async () => {
    const { result } = await call('who');
    expect(result).toMatchObject({
      resultType: 'input_required',
      requestState: 'state \u00e9 "quoted" \\ /',
    });
    expect(Object.keys(result.inputRequests)).toEqual(['name', 'roots']);
    const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } }, roots: { roots: [] } };
    const done = await call('who', {}, { requestState: result.requestState, inputResponses });
    expect(done.result.content[0].text).toBe('same state, Ada');
  });

  it('a person is asked inside the answer, and the call goes on only with their yes', async () => {
    const asked = (await call('echo', { text: 'ask me' })).result;
    expect(asked.resultType).toBe('input_required');
    const { requestState } = asked;
    const [[key, { method }]] = Object.entries(asked.inputRequests) as [[string, Said]];
    expect(method).toBe('elicitation/create');
    const answer = (approve: boolean) => ({ [key]: { action: 'accept', content: { approve } } });
    const yes = await call('echo', { text: 'ask me' }, { requestState, inputResponses: answer(true) });
    const { params } = JSON.parse(yes.result.content[0].text);
    expect(Object.keys(params).sort()).toEqual(['_meta', 'arguments', 'name']);
    const again = (await call('echo', { text: 'ask me' })).result;
    const no = await call(
      'echo',
      { text: 'ask me' },
      { requestState: again.requestState, inputResponses: answer(false) },
    );
    expect(no.result).toMatchObject({ resultType: 'complete', isError: true });
    // The state is good for one call and for that call only.
    const open = (await call('echo', { text: 'ask me' })).result.requestState;
    const other = { text: 'ask me', region: 'x' };
    const stolen = await call('echo', other, { requestState: open, inputResponses: answer(true) });
    expect(stolen.result.resultType).toBe('input_required');
    const stale = await call('echo', { text: 'plain' }, { requestState, inputResponses: answer(true) });
    expect(JSON.parse(stale.result.content[0].text).params).not.toHaveProperty('requestState');
  });

  it('progress comes with the token of its call, before the answer; a blocked call has none', async () => {
    const told = await wire.ask('tools/call', { name: 'count', arguments: {} }, { progressToken: 'p-1' });
    expect(told.slice(0, -1).map(({ params }) => [params.progressToken, params.progress])).toEqual([
      ['p-1', 1],
      ['p-1', 2],
      ['p-1', 3],
    ]);
    const blocked = await wire.ask(
      'tools/call',
      { name: 'count', arguments: { text: 'forbidden' } },
      { progressToken: 'p-2' },
    );
    expect(blocked).toHaveLength(1);
  });

  it('a call may become a task, and what the task comes to is judged', async () => {
    expect((await call('later')).result).toMatchObject({ resultType: 'task', task: { taskId: 't1' } });
    const got = (await last('tasks/get', { taskId: 't1' })).result;
    expect(JSON.stringify(got)).toContain('late [token]');
    expect(JSON.stringify(got)).not.toContain('ghp_');
  });

  it('subscriptions/listen is one stream that stays open', async () => {
    const told = await wire.listen('subscriptions/listen', {}, 2);
    expect(told.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ]);
    expect((await call('echo', { text: 'still there' })).result.resultType).toBe('complete');
  });
});
