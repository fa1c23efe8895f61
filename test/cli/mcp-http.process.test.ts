/**
 * What the HTTP front of the MCP proxy lets through, and what it refuses before anything is judged.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { towardsServer } from '../../src/mcp/http-headers.ts';
import {
  type Answer,
  BOTH,
  clients,
  connect,
  front,
  httpServer,
  JSON_TYPE,
  mcp,
  policy,
  raw,
  STDIO,
  SUPPORT,
  start,
} from './mcp-http.ts';

describe('what goes through the HTTP front', () => {
  it('tokens and challenges go through untouched, and are written down nowhere', async () => {
    const dir = policy();
    const server = await httpServer('stateless', { TOKEN: 'token-of-ada' });
    const { url } = await front(dir, '--http', server.url);
    const refused = await raw(url, 'POST', { ...JSON_TYPE }, '{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="tests"' } });
    const client = await connect('auto', { url, headers: { authorization: 'Bearer token-of-ada' } });
    expect(await client.callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({
      content: [{ text: 'x' }],
    });
    const folder = join(dir, '.harness/runs');
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('token-of-ada');
    const argv = mcp(dir, '--http', server.url, '--header-env', 'Authorization=KEY');
    const env = { PATH: process.env.PATH ?? '', KEY: 'Bearer token-of-ada' };
    const own = new Client({ name: 'test', version: '1' });
    const [command, ...args] = argv;
    await own.connect(new StdioClientTransport({ command: command!, args, env, stderr: 'ignore' }));
    clients.push(own);
    expect(await own.callTool({ name: 'echo', arguments: { text: 'y' } })).toMatchObject({
      content: [{ text: 'y' }],
    });
  });

  it('answers only this machine, and refuses what a header says otherwise than the body', async () => {
    const { url } = await front(policy(), '--', ...STDIO);
    const call = (name: string) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      });
    const post = (headers: Record<string, string>, body = call('echo')) =>
      raw(url, 'POST', { ...JSON_TYPE, ...headers }, body);
    expect((await post({ host: 'evil.example' })).status).toBe(403);
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ 'mcp-name': 'slow' })).body).toContain('-32020');
    expect((await post({ 'mcp-method': 'tools/list' })).body).toContain('-32020');
    expect((await post({ 'mcp-protocol-version': '2025-11-25' })).body).toContain('-32020');
    const told = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
    expect((await post({ ...told, 'mcp-session-id': 'none' })).status).toBe(404);
    expect((await post({}, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(400);
    expect((await post({}, '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]')).status).toBe(400);
    expect((await post({}, '{"id":1,"method":"a","method":"b"}')).body).toContain('twice');
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post({}, `"${'x'.repeat(5 * 1024 * 1024)}"`)).status).toBe(413);
    expect((await raw(url, 'PUT', {}, '')).status).toBe(405);
  });

  it('refuses a request of the stateless era whose headers are missing or wrong, under its id', async () => {
    const { url } = await front(policy(), '--', process.execPath, join(SUPPORT, 'mcp-by-hand.mjs'));
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 'one',
      method: 'tools/call',
      params: {
        name: 'echo',
        arguments: { region: 'north' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    const headers: Record<string, string> = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      'mcp-param-region': 'north',
    };
    const post = (sent: Record<string, string>) => raw(url, 'POST', { ...BOTH, ...sent }, body);
    for (const name of Object.keys(headers)) {
      const { [name]: _left, ...missing } = headers;
      for (const sent of [missing, { ...headers, [name]: 'other' }]) {
        const { status, body: said } = await post(sent);
        expect([status, JSON.parse(said)]).toMatchObject([400, { id: 'one', error: { code: -32020 } }]);
        expect(said).toContain(name);
      }
    }
    expect(await post(headers)).toMatchObject({ status: 200 });
  });

  it('answers a method of the stateless era that it refuses itself with status 404, in front of a program and of HTTP', async () => {
    const { url: server } = await httpServer('stateless');
    const params = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'one', method: 'echo/nothing', params });
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'echo/nothing' };
    for (const behind of [
      ['--', ...STDIO],
      ['--http', server],
    ]) {
      const { url } = await front(policy(), ...behind);
      const { status, body: answer } = await raw(url, 'POST', { ...BOTH, ...headers }, body);
      expect([status, JSON.parse(answer)]).toMatchObject([404, { id: 'one', error: { code: -32601 } }]);
      expect(answer).toContain('echo/nothing is refused');
    }
  });

  it('answers first calls that come at once from clients without a session, all under the same id', async () => {
    const { url } = await front(policy(), '--', process.execPath, join(SUPPORT, 'mcp-by-hand.mjs'));
    const headers = {
      ...BOTH,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    };
    const post = (text: string) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const params = { name: 'echo', arguments: { text }, _meta };
      return raw(
        url,
        'POST',
        headers,
        JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/call', params }),
      );
    };
    const texts = ['of Ada', 'of Bob', 'of Cai', 'of Dot'];
    const answers = await Promise.all(texts.map(post));
    for (const [at, { status, body }] of answers.entries()) {
      expect([status, body]).toMatchObject([200, expect.stringContaining(texts[at]!)]);
    }
  });

  it('cancels no call of another user under the same id', async () => {
    const dir = policy();
    const { url } = await front(dir, '--', ...STDIO);
    const post = (user: string, method: string, params: object, id?: number) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const headers = {
        ...BOTH,
        authorization: user,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(method === 'tools/call' && { 'mcp-name': 'count' }),
      };
      return raw(
        url,
        'POST',
        headers,
        JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
      );
    };
    let counted: Answer | null = null;
    const counting = post('Ada', 'tools/call', { name: 'count', arguments: { to: 20 } }, 7).then((answer) => {
      counted = answer;
    });
    while (counted === null) await post('Bob', 'notifications/cancelled', { requestId: 7 });
    await counting;
    expect(counted).toMatchObject({ status: 200, body: expect.stringContaining('counted to 20') });
  });

  it('with a token, answers only clients that show it, and the server behind never sees it', async () => {
    const token = 'a-token-of-the-proxy';
    const server = await httpServer('stateless', { TOKEN: 'token-of-ada' });
    const argv = mcp(policy(), '--listen', '0', '--http', server.url, '--token-env', 'PROXY_TOKEN');
    const { url } = await start(argv, { PROXY_TOKEN: token });
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    for (const shown of [{}, { 'harness-token': 'another' }, { authorization: `Bearer ${token}` }]) {
      const { status, body } = await raw(url, 'POST', { ...JSON_TYPE, ...shown }, ping);
      expect([status, body]).toEqual([401, expect.stringContaining('Harness-Token')]);
    }
    const headers = { 'harness-token': token, authorization: 'Bearer token-of-ada' };
    const client = await connect('auto', { url, headers });
    expect(await client.callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({
      content: [{ text: 'x' }],
    });
    expect(towardsServer(headers)).toEqual({ authorization: 'Bearer token-of-ada' });
  });

  it('is not opened to other machines without a token', async () => {
    for (const [env, ...rest] of [
      [{}],
      [{}, '--token-env', 'PROXY_TOKEN'],
      [{ PROXY_TOKEN: 'short' }, '--token-env', 'PROXY_TOKEN'],
    ] as const) {
      const argv = mcp(policy(), '--listen', '0.0.0.0:0', ...rest, '--', ...STDIO);
      await expect(start(argv, env)).rejects.toThrow('--token-env');
    }
  });

  it('streams can be taken up again where they broke off', async () => {
    const { url } = await front(policy(), '--http', (await httpServer('sessions')).url);
    const hello = await raw(
      url,
      'POST',
      BOTH,
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
    );
    const session = { ...BOTH, 'mcp-session-id': hello.headers['mcp-session-id'] as string };
    await raw(url, 'POST', session, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const counted = await raw(
      url,
      'POST',
      session,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"to":3},"_meta":{"progressToken":7}}}',
    );
    const ids = [...counted.body.matchAll(/^id: (.+)$/gm)].map(([, id]) => id!);
    expect(ids.length).toBeGreaterThan(3);
    const after = ids.at(-3)!;
    const again = await raw(url, 'GET', { ...session, 'last-event-id': after }, '', 1500);
    expect([...again.body.matchAll(/^id: (.+)$/gm)].map(([, id]) => id)).toEqual(ids.slice(-2));
    expect((await raw(url, 'DELETE', session, '')).status).toBeLessThan(300);
    expect((await raw(url, 'POST', session, '{"jsonrpc":"2.0","id":2,"method":"tools/list"}')).status).toBe(
      404,
    );
  });

  it('an address that is not https, or leads elsewhere, is refused', async () => {
    const start = spawn(process.execPath, [...mcp(policy(), '--http', 'http://example.com/mcp').slice(1)]);
    let said = '';
    start.stderr.on('data', (chunk) => {
      said += chunk;
    });
    expect(await new Promise((resolve) => start.once('exit', resolve))).toBe(2);
    expect(said).toContain('wanted https (http only for localhost)');
  });
});
