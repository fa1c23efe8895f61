import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { pidIn } from '../../../test/support/pid-file.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { toolContext } from '../../../test/support/tool-context.ts';
import { until } from '../../../test/support/until.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Host, machineHost } from '../../machine/host.ts';
import { connectMcp, type McpConnections, type McpServer } from './mcp.ts';
import { resultText } from './mcp-result.ts';
import { offeredName } from './tool-name.ts';

const SERVER = join(dirname(fileURLToPath(import.meta.url)), '../../../test/support/mcp-server.mjs');

const open: McpConnections[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((connections) => connections.close()));
});

interface Started extends McpConnections {
  readonly dir: string;
  readonly pid: () => number;
  readonly call: (name: string, args?: JsonObject) => Promise<unknown>;
}

/** It is there at once, also on a busy machine, and says nothing. */
const SILENT = ['/bin/sh', '-c', 'echo $$ > "$0"; exec sleep 3600'] as const;

async function start({
  mode = 'normal',
  name = 'sample',
  more = [] as McpServer[],
  env = {},
  host = machineHost,
  timeoutMs = 100_000,
  signal = undefined as AbortSignal | undefined,
  dir = tempProject(),
} = {}): Promise<Started> {
  const pidFile = join(dir, 'pid');
  const [command, ...args] = mode === 'silent' ? SILENT : [process.execPath, SERVER];
  const server = { name, command, args: [...args, pidFile, mode], env };
  const options = { host, workspace: dir, timeoutMs, ...(signal !== undefined && { signal }) };
  const connections = await connectMcp([server, ...more], options);
  open.push(connections);
  const call = async (tool: string, args: JsonObject = {}) =>
    connections.tools.find((one) => one.name === tool)!.run(args, toolContext(dir).context);
  return { ...connections, dir, pid: () => Number(readFileSync(pidFile, 'utf8')), call };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('tools of an MCP server', () => {
  it('are listed with their server before their name, and called', async () => {
    const { tools, faults, call, dir } = await start();
    expect(faults).toEqual([]);
    expect(tools.map((tool) => tool.name)).toContain('sample__add');
    expect(tools.find((tool) => tool.name === 'sample__add')).toMatchObject({
      description: 'Adds two numbers.',
      source: 'sample',
      parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
    });
    expect(await call('sample__add', { a: 2, b: 3 })).toBe('5');
    expect(await call('sample__where')).toBe(dir);
  });

  it('have names every provider takes', async () => {
    const { call, tools } = await start({ name: 'my server', env: { TOKEN: 'x' } });
    expect(tools.map((tool) => tool.name)).toContain('my_server__env_show');
    expect(await call('my_server__env_show')).toBe('x');
  });

  it('fail as the server says, and as the server dies', async () => {
    const { call } = await start();
    await expect(call('sample__broken')).rejects.toThrow('out of paper');
    await expect(call('sample__add', { a: 'two', b: 3 })).rejects.toThrow();
    await expect(call('sample__crash')).rejects.toThrow();
    await expect(call('sample__add', { a: 1, b: 1 })).rejects.toThrow();
  });

  it('answer in text, also what is no text', async () => {
    const { call } = await start();
    expect(await call('sample__picture')).toBe('Here:\n[image image/png, 6 bytes]\na note');
    expect(await call('sample__noisy')).toBe('said');
    expect(await call('sample__noisy')).toBe('said');
  });

  it('end with the signal of their call', async () => {
    const { tools, dir } = await start();
    const slow = tools.find((tool) => tool.name === 'sample__slow')!;
    const { context, abort } = toolContext(dir);
    const running = slow.run({}, context) as Promise<unknown>;
    await sleep(100);
    abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});

describe('an MCP server', () => {
  it('is ended by close, also where it would rather stay', async () => {
    const polite = await start();
    const careless = await start({ mode: 'lingers' });
    expect([isRunning(polite.pid()), isRunning(careless.pid())]).toEqual([true, true]);
    await Promise.all([polite.close(), careless.close(), careless.close()]);
    expect([isRunning(polite.pid()), isRunning(careless.pid())]).toEqual([false, false]);
  });

  it('that dies at once costs its own tools, and its last words are kept', async () => {
    const { tools, faults } = await start({ mode: 'dies', more: [await extra('other')] });
    expect(tools.map((tool) => tool.source)).toContain('other');
    expect(tools.map((tool) => tool.source)).not.toContain('sample');
    expect(faults).toMatchObject([{ server: 'sample', code: 'MCP_FAILED' }]);
    expect(faults[0]?.message).toContain('(it said: no database to be found)');
  });

  it('that does not answer in time is ended', async () => {
    const { tools, faults, pid } = await start({ mode: 'silent', timeoutMs: 6000 });
    expect(tools).toEqual([]);
    expect(faults).toMatchObject([{ server: 'sample', code: 'MCP_FAILED' }]);
    await until(() => !isRunning(pid()));
  });

  it('is not waited for after an abort', async () => {
    const controller = new AbortController();
    const dir = tempProject();
    const starting = start({ mode: 'silent', signal: controller.signal, dir });
    await until(() => pidIn(join(dir, 'pid')) !== null);
    controller.abort();
    const { faults, pid } = await starting;
    expect(faults).toHaveLength(1);
    await until(() => !isRunning(pid()));
  });

  it('whose program does not exist is a fault, not an exception', async () => {
    const server = { name: 'none', command: 'no-such-program-here', args: [], env: {} };
    const { faults } = await connectMcp([server], { host: machineHost, workspace: tempProject() });
    expect(faults).toMatchObject([{ server: 'none', message: expect.stringContaining('ENOENT') }]);
  });

  it('gets secrets from the environment by their name, and none that is not set', async () => {
    const host: Host = { ...machineHost, env: (name) => (name === 'MY_TOKEN' ? 's3cret' : undefined) };
    const named = { TOKEN: ['Bearer $', '{MY_TOKEN}'].join('') };
    const { call } = await start({ env: named, host });
    expect(await call('sample__env_show')).toBe('Bearer s3cret');
    const missing = await start({ env: { TOKEN: ['$', '{OTHER}'].join('') }, host });
    expect(missing.faults[0]?.message).toContain(
      'the environment variable OTHER, which TOKEN needs, is not set',
    );
    expect(existsSync(join(missing.dir, 'pid'))).toBe(false);
  });

  it('is not even looked for where none is named', async () => {
    const { tools, faults } = await connectMcp([], { host: machineHost, workspace: '/nowhere' });
    expect({ tools, faults }).toEqual({ tools: [], faults: [] });
  });
});

describe('an MCP server behind an address', () => {
  const ANSWERS: Record<string, (params: JsonObject) => JsonObject> = {
    initialize: ({ protocolVersion = null }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'web', version: '1' },
    }),
    'tools/list': () => ({
      tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object' } }],
    }),
    'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }),
  };

  /** Answers each request with one JSON document, the plainest form the protocol has. */
  function answer(request: IncomingMessage, response: ServerResponse, seen: (string | undefined)[]): void {
    seen.push(request.headers.authorization);
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params = {} } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method]!(params) }));
    });
  }

  it('is asked with the headers it was given', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => answer(request, response, seen));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    const host: Host = { ...machineHost, env: () => 's3cret' };
    try {
      const headers = { Authorization: ['Bearer $', '{KEY}'].join('') };
      const web = await connectMcp([{ name: 'web', url, headers }], { host, workspace: tempProject() });
      open.push(web);
      expect(web.faults).toEqual([]);
      expect(web.tools[0]).toMatchObject({
        name: 'web__greet',
        parameters: { type: 'object', properties: {} },
      });
      expect(await web.tools[0]!.run({ who: 'you' }, toolContext('/').context)).toBe('{"who":"you"}');
      expect(new Set(seen)).toEqual(new Set(['Bearer s3cret']));
    } finally {
      server.close();
      server.closeAllConnections();
    }
    const gone = await connectMcp([{ name: 'web', url, headers: {} }], { host, workspace: tempProject() });
    expect(gone.faults).toMatchObject([{ server: 'web', code: 'MCP_FAILED' }]);
  });
});

/** A second server that works. */
async function extra(name: string): Promise<McpServer> {
  return { name, command: process.execPath, args: [SERVER, join(tempProject(), 'pid'), 'normal'], env: {} };
}

describe('names and results', () => {
  it('a name that is taken or too long is told apart', () => {
    const taken = new Set(['a__b']);
    expect(offeredName('a', 'b', taken)).toBe('a__b_2');
    const long = offeredName('server', 'x'.repeat(100), new Set());
    expect(long).toHaveLength(64);
    expect(offeredName('server', 'x'.repeat(100), new Set([long]))).toMatch(/^server__x+_2$/);
  });

  it.each([
    [{ content: [], structuredContent: { a: 1 } }, '{"a":1}'],
    [{ content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 } }, 'x'],
    [{ content: [{ type: 'resource_link', uri: 'file://x' }] }, '[resource file://x]'],
    [{ content: [{ type: 'resource', resource: { uri: 'b://1', blob: '' } }] }, '[resource b://1]'],
    [{ content: [{ type: 'dance' }, null] }, '[dance]\n'],
    [{}, ''],
  ])('%j reads as %j', (result, text) => {
    expect(resultText(result)).toBe(text);
  });
});
