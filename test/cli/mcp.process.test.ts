/**
 * The MCP proxy between the official client and the official server, in both eras of the protocol, and between sides that
 * misbehave.
 */
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { until } from '../support/until.ts';
import { harness, hookFile, project } from './harness.ts';

const SERVER = join(dirname(fileURLToPath(import.meta.url)), '../support/mcp-both-eras.mjs');

const HOOK = hookFile(`event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      args = payload["args"]
      if payload["name"] == "mcp__both__echo" and args["text"] == "forbidden":
          return block("not this word")
      if args.get("text") == "rewrite me":
          return modify({"args": {"text": "rewritten"}})
      if args.get("text") == "ask me":
          return ask("is that so?")
      if args.get("uri") == "note://1":
          return block("no notes")
      return allow()`);

const REDACT = hookFile(`event: tool.post
priority: 10
script: |
  def handle(event, payload):
      if "ghp_" in payload["content"]:
          return modify({"content": re.replace("ghp_[A-Za-z0-9]+", "[token]", payload["content"])})
      if payload["content"] == "hide me":
          return block("nothing to see")
      return allow()`);

// The official client waits for its pipe once for each message it has, a thousand times at once.
EventEmitter.defaultMaxListeners = 0;

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close().catch(() => {})));
});

const policy = (files: Record<string, string> = {}) =>
  project({ '.harness/hooks/guard.md': HOOK, '.harness/hooks/redact.md': REDACT, ...files });

const ERAS = ['legacy', 'auto'] as const;

async function connect(
  mode: (typeof ERAS)[number],
  command: readonly string[],
  elicit?: (message: string) => boolean,
) {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: elicit === undefined ? {} : { elicitation: {} }, versionNegotiation: { mode } },
  );
  if (elicit !== undefined)
    client.setRequestHandler('elicitation/create', async (request) => ({
      action: 'accept',
      content: { approve: elicit((request.params as { message: string }).message) },
    }));
  const [file, ...args] = command;
  const env = { PATH: process.env.PATH ?? '' };
  await client.connect(new StdioClientTransport({ command: file!, args, stderr: 'ignore', env }));
  clients.push(client);
  return client;
}

const direct = [process.execPath, SERVER];
const through = (dir: string, ...more: string[]) => [
  ...[process.execPath, CLI_FILE, 'mcp', '--name', 'both', '--dir', dir, ...more, '--'],
  ...direct,
];

const tapesOf = (dir: string) => {
  const folder = join(dir, '.harness/runs');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
};

describe.each(ERAS)('the proxy, %s', (mode) => {
  it('is not noticed where no hook speaks', async () => {
    const dir = policy();
    const [plain, proxied] = await Promise.all([connect(mode, direct), connect(mode, through(dir))]);
    const story = async (client: Client) => ({
      server: client.getServerVersion(),
      tools: await client.listTools(),
      echo: await client.callTool({ name: 'echo', arguments: { text: 'hello\n"there" 💙' } }),
      prompts: await client.listPrompts(),
      prompt: await client.getPrompt({ name: 'hello' }),
      resources: await client.listResources(),
      wrong: await client
        .callTool({ name: 'echo', arguments: { text: 5 } })
        .catch((error: Error) => error.message),
    });
    const [a, b] = await Promise.all([story(plain), story(proxied)]);
    expect(b).toEqual(a);
  });

  it('blocks, rewrites, hides and redacts, and writes it down', async () => {
    const dir = policy();
    const client = await connect(mode, through(dir));
    const echo = (text: string) => client.callTool({ name: 'echo', arguments: { text } });
    expect(await echo('forbidden')).toMatchObject({
      isError: true,
      content: [{ text: 'blocked by policy (guard): not this word' }],
    });
    expect(await echo('rewrite me')).toMatchObject({ content: [{ text: 'rewritten' }] });
    expect(await echo('hide me')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('nothing to see') }],
    });
    const person = await client.callTool({ name: 'person', arguments: { name: 'Ada' } });
    expect(person.structuredContent).toEqual({ name: 'Ada', token: '[token]' });
    expect(JSON.stringify(person)).not.toContain('ghp_');
    await expect(client.readResource({ uri: 'note://1' })).rejects.toThrow('no notes');
    await client.close();
    const [tape] = tapesOf(dir);
    const { stdout } = await harness(['tape', 'show', join(dir, '.harness/runs', tape!), '--json']);
    expect(stdout).toContain('"verdict":"blocked"');
    expect(stdout).toContain('"verdict":"hidden"');
    expect((await harness(['tape', 'verify', join(dir, '.harness/runs', tape!)])).code).toBe(0);
    expect((await harness(['replay', join(dir, '.harness/runs', tape!), '--dir', dir])).code).toBe(0);
  });

  it('leaves no session behind for a client that only looks', async () => {
    const dir = policy();
    await (await connect(mode, through(dir))).close();
    expect(tapesOf(dir)).toEqual([]);
  });

  it('answers an ask with a no where nobody can be asked', async () => {
    const client = await connect(mode, through(policy()));
    expect(await client.callTool({ name: 'echo', arguments: { text: 'ask me' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('is that so?') }],
    });
  });

  it('does not show a description that has changed, and refuses the calls of its tool from then on', async () => {
    const dir = policy();
    const client = await connect(mode, through(dir));
    await client.listTools();
    await client.callTool({ name: 'redefine' });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('echo');
    expect(await client.callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('changed since it was pinned') }],
    });
    const { stdout } = await harness(['mcp', 'diff', '--name', 'both', '--dir', dir, '--', ...direct]);
    expect(stdout).toContain('as pinned');
  });

  it('tells those who wait when the server dies', async () => {
    const client = await connect(mode, through(policy()));
    const gone = /the server ended with exit code 7|closed/i;
    // Both at once: either may be told first.
    await Promise.all([
      expect(client.callTool({ name: 'slow' })).rejects.toThrow(gone),
      expect(client.callTool({ name: 'crash' })).rejects.toThrow(gone),
    ]);
  });

  it('stops a server that sends more than a message may be', async () => {
    const client = await connect(mode, through(policy()));
    await expect(client.callTool({ name: 'flood' })).rejects.toThrow(/more than 10485760 bytes|closed/i);
  });

  it('lets a call be cancelled, and goes on', async () => {
    const client = await connect(mode, through(policy()));
    const cancel = new AbortController();
    const slow = client.callTool({ name: 'slow' }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 100);
    await expect(slow).rejects.toThrow();
    expect(await client.callTool({ name: 'echo', arguments: { text: 'still there' } })).toMatchObject({
      content: [{ text: 'still there' }],
    });
  });

  it('carries a thousand calls at once', async () => {
    const client = await connect(mode, through(policy()));
    const texts = Array.from({ length: 1000 }, (_, at) => (at % 10 === 0 ? 'forbidden' : `call ${at}`));
    const results = await Promise.all(
      texts.map((text) => client.callTool({ name: 'echo', arguments: { text } })),
    );
    const said = results.map(({ content }) => (content as { text: string }[])[0]!.text);
    const refusal = 'blocked by policy (guard): not this word';
    // From the second on it also says that it was said before.
    const own = said.map((text) => (text.startsWith(`${refusal} (This was refused`) ? refusal : text));
    expect(own).toEqual(texts.map((text) => (text === 'forbidden' ? refusal : text)));
  });
});

describe('the proxy', () => {
  it('asks the person at the client, if the client can', async () => {
    const asked: string[] = [];
    const answers = [true, false];
    const client = await connect('legacy', through(policy()), (message) => {
      asked.push(message);
      return answers.shift()!;
    });
    const ask = () => client.callTool({ name: 'echo', arguments: { text: 'ask me' } });
    expect(await ask()).toMatchObject({ content: [{ text: 'ask me' }] });
    expect(await ask()).toMatchObject({ isError: true });
    expect(asked[0]).toContain('is that so?');
    expect(asked[0]).toContain('mcp__both__echo\n  text: ask me');
  });

  it('pins what it first sees, and hides or asks about what is new', async () => {
    const dir = policy();
    const client = await connect('legacy', through(dir));
    await client.listTools();
    const path = join(dir, '.harness/mcp.lock');
    const lock = JSON.parse(readFileSync(path, 'utf8'));
    expect(Object.keys(lock.servers.both)).toContain('echo');
    delete lock.servers.both.echo;
    lock.servers.both.person.digest = '0'.repeat(64);
    writeFileSync(path, JSON.stringify(lock));
    const hiding = await connect('legacy', through(dir));
    const names = (await hiding.listTools()).tools.map(({ name }) => name);
    expect(names).not.toContain('echo');
    expect(names).not.toContain('person');
    expect(names).toContain('slow');
    expect(await hiding.callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({
      isError: true,
    });
    const asking = await connect('legacy', through(dir, '--on-change', 'ask'), () => true);
    expect((await asking.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect(await asking.callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({
      content: [{ text: 'x' }],
    });
    const diff = await harness(['mcp', 'diff', '--name', 'both', '--dir', dir, '--', ...direct]);
    expect(diff.code).toBe(1);
    expect(diff.stdout).toMatch(/new {6}echo\n[\s\S]*changed {2}person/);
    expect((await harness(['mcp', 'lock', '--name', 'both', '--dir', dir, '--', ...direct])).code).toBe(0);
    expect((await harness(['mcp', 'diff', '--name', 'both', '--dir', dir, '--', ...direct])).code).toBe(0);
  });

  it('pins every server of twelve proxies that start at once, and the first pins of a server stay', async () => {
    const dir = policy();
    // Each of the last two has another tool under the same name of a server: one of them was first, and the other agrees to nothing new.
    const servers = Array.from({ length: 14 }, (_, at) => [`s${Math.min(at, 12)}`, `t${at}`] as const);
    const listed = servers.map(async ([name, tool]) => {
      const [command, ...args] = [process.execPath, join(dirname(SERVER), 'mcp-one-tool.mjs'), tool];
      const client = await connect('legacy', [
        ...[process.execPath, CLI_FILE, 'mcp', '--name', name, '--dir', dir, '--', command, ...args],
      ]);
      return (await client.listTools()).tools.map((one) => one.name);
    });
    const shown = await Promise.all(listed);
    const lock = JSON.parse(readFileSync(join(dir, '.harness/mcp.lock'), 'utf8'));
    const pinned = (name: string) => Object.keys(lock.servers[name] ?? {});
    for (const [at, [name, tool]] of servers.slice(0, 12).entries()) {
      expect(pinned(name)).toEqual([tool]);
      expect(shown[at]).toEqual([tool]);
    }
    expect(pinned('s12')).toHaveLength(1);
    expect([shown[12], shown[13]].filter((tools) => tools!.length > 0)).toEqual([pinned('s12')]);
    expect(readdirSync(join(dir, '.harness')).filter((file) => file.startsWith('mcp.lock'))).toEqual([
      'mcp.lock',
    ]);
  });

  it('refuses to start without a policy, and with a lock that cannot be read', async () => {
    const none = await harness(['mcp', '--dir', project(), '--', ...direct]);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    const broken = await harness(['mcp', '--dir', policy({ '.harness/mcp.lock': 'x' }), '--', ...direct]);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain('no lock file');
  });

  /** Speaks with the proxy in raw bytes, in front of a server of a few lines. */
  function raw(server: string) {
    const dir = policy({ 'server.mjs': server });
    const child = spawn(
      process.execPath,
      [CLI_FILE, 'mcp', '--name', 'raw', '--dir', dir, '--', process.execPath, join(dir, 'server.mjs')],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const said = (words: string) => until(() => (out + err).includes(words));
    const end = () =>
      new Promise<number | null>((resolve) => {
        child.once('close', resolve);
        child.stdin.end();
      });
    return { write: (text: string) => child.stdin.write(text), said, end, out: () => out, err: () => err };
  }

  const ECHO_BYTES = `process.stdin.on('data', (chunk) => process.stderr.write('GOT ' + chunk));
setTimeout(() => process.stdout.write('{ "jsonrpc" : "2.0",  "method":"notifications/message","params":{"b":1, "a":1e2} }\\n'), 50);
process.stdin.on('end', () => process.exit(0));`;

  it('passes what it does not judge as the bytes it came as', async () => {
    const proxy = raw(ECHO_BYTES);
    proxy.write('{"jsonrpc":"2.0" ,"id":1,  "method":"ping","params":{ "z":1.0,"a":"\\u00e9" }}\n');
    await proxy.said('GOT');
    await proxy.said('notifications');
    expect(proxy.err()).toContain(
      'GOT {"jsonrpc":"2.0" ,"id":1,  "method":"ping","params":{ "z":1.0,"a":"\\u00e9" }}\n',
    );
    expect(proxy.out()).toBe(
      '{ "jsonrpc" : "2.0",  "method":"notifications/message","params":{"b":1, "a":1e2} }\n',
    );
    expect(await proxy.end()).toBe(0);
  });

  it('refuses what could be read in two ways, and answers nobody asked for', async () => {
    const proxy = raw(`process.stdout.write('{"jsonrpc":"2.0","id":99,"result":{}}\\nnot json\\n');
process.stdin.on('data', (chunk) => process.stderr.write('GOT ' + chunk)); process.stdin.on('end', () => process.exit(0));`);
    proxy.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{}}\n[{"jsonrpc":"2.0","id":2,"method":"ping"}]\nhello\n',
    );
    await proxy.said('not usable JSON: wanted');
    await proxy.said('dropped from the server: the message');
    expect(proxy.out()).toContain('stands twice');
    expect(proxy.out()).toContain('batches');
    expect(proxy.out()).not.toContain('"id":99');
    expect(proxy.err()).toContain('for which no request waits');
    expect(proxy.err()).not.toContain('GOT');
    await proxy.end();
  });

  it('has a thousand calls in flight without a warning of its own', async () => {
    const proxy =
      raw(`let held = ''; process.stdin.on('data', (chunk) => { const lines = (held + chunk).split('\\n'); held = lines.pop(); for (const line of lines) { const { id, method, params } = JSON.parse(line);
process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools: [{ name: 't', inputSchema: {} }] } : { content: [{ type: 'text', text: params.arguments.text }] } }) + '\\n'); } });
process.stdin.on('end', () => process.exit(0));`);
    const text = 'x'.repeat(2000);
    for (let id = 1; id <= 1000; id++)
      proxy.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 't', arguments: { text } } })}\n`,
      );
    await proxy.said('"id":1000,');
    expect(await proxy.end()).toBe(0);
    expect(proxy.out().trim().split('\n')).toHaveLength(1000);
    expect(proxy.err()).not.toContain('Warning');
  });

  it('judges what a server asks of the client', async () => {
    const proxy =
      raw(`process.stdin.on('data', (chunk) => process.stderr.write('GOT ' + chunk)); process.stdin.on('end', () => process.exit(0));
process.stdout.write('{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"uri":"note://1"}}\\n');
process.stdout.write('{"jsonrpc":"2.0","id":6,"method":"sampling/createMessage","params":{"text":"fine"}}\\n');`);
    await proxy.said('GOT');
    await proxy.said('"id":6');
    expect(proxy.err()).toContain(
      '"id":5,"error":{"code":-32000,"message":"blocked by policy (guard): no notes"',
    );
    expect(proxy.out()).toBe(
      '{"jsonrpc":"2.0","id":6,"method":"sampling/createMessage","params":{"text":"fine"}}\n',
    );
    await proxy.end();
  });

  it('judges what a server wants before it answers', async () => {
    const proxy =
      raw(`process.stdin.on('data', (chunk) => { for (const line of String(chunk).trim().split('\\n')) { const { id, method } = JSON.parse(line);
if (method === 'tools/list') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [{ name: 't', inputSchema: {} }] } }) + '\\n');
if (method === 'tools/call') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'input_required', requestState: 's', inputRequests: { a: { method: 'elicitation/create', params: { uri: 'note://1' } } } } }) + '\\n'); } });
process.stdin.on('end', () => process.exit(0));`);
    proxy.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}\n',
    );
    await proxy.said('"id":1');
    expect(JSON.parse(proxy.out())).toMatchObject({
      id: 1,
      result: {
        isError: true,
        resultType: 'complete',
        content: [{ text: expect.stringContaining('no notes') }],
      },
    });
    await proxy.end();
  });
});
