/**
 * The MCP proxy over HTTP, on either side and on both, between the official client and the official server in both eras.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { connect, front, httpServer, mcp, policy, type Running, STDIO, type Where } from './mcp-http.ts';

/** Everything a client can see, as text: equal texts are equal bytes but for what no client sees. */
async function story(client: Client): Promise<string> {
  const progress: unknown[] = [];
  const told = {
    server: client.getServerVersion(),
    tools: await client.listTools(),
    echo: await client.callTool({ name: 'echo', arguments: { text: 'hello\n"there" 💙' } }),
    count: await client.callTool(
      { name: 'count', arguments: { to: 3 } },
      { onprogress: (step) => progress.push(step) },
    ),
    progress,
    who: await client.callTool({ name: 'who' }),
    prompts: await client.listPrompts(),
    prompt: await client.getPrompt({ name: 'hello' }),
    resources: await client.listResources(),
    unknown: await client.readResource({ uri: 'note://2' }).catch((error: Error) => String(error)),
    wrong: await client
      .callTool({ name: 'echo', arguments: { text: 5 } })
      .catch((error: Error) => String(error)),
  };
  return JSON.stringify(told, null, 1);
}

const SHAPES = [
  ['stdio in front of HTTP', 'stateless', 'legacy'],
  ['stdio in front of HTTP', 'stateless', 'auto'],
  ['stdio in front of HTTP with sessions', 'sessions', 'legacy'],
  ['HTTP in front of HTTP', 'stateless', 'legacy'],
  ['HTTP in front of HTTP', 'stateless', 'auto'],
  ['HTTP in front of HTTP with sessions', 'sessions', 'legacy'],
  ['HTTP in front of a program', 'stdio', 'legacy'],
  ['HTTP in front of a program', 'stdio', 'auto'],
] as const;

const servers = new Map<string, Running>();
beforeAll(async () => {
  for (const kind of ['stateless', 'sessions']) servers.set(kind, await httpServer(kind));
});

const direct = (kind: string): Where =>
  kind === 'stdio' ? { argv: STDIO } : { url: servers.get(kind)!.url };
async function proxied(shape: string, kind: string, dir: string): Promise<Where> {
  const behind = kind === 'stdio' ? ['--', ...STDIO] : ['--http', servers.get(kind)!.url];
  if (shape.startsWith('stdio')) return { argv: mcp(dir, ...behind) };
  return { url: (await front(dir, ...behind)).url };
}

describe.each(SHAPES)('%s (%s), %s', (shape, kind, mode) => {
  it('is not noticed where no hook speaks', async () => {
    const elicit = () => ({ name: 'Ada' });
    const plain = await connect(mode, direct(kind), elicit);
    const through = await connect(mode, await proxied(shape, kind, policy()), elicit);
    expect(await story(through)).toBe(await story(plain));
  });

  it('blocks, rewrites, redacts and asks, and writes it down', async () => {
    const dir = policy();
    const where = await proxied(shape, kind, dir);
    const asked: string[] = [];
    const answers = [true, false];
    const client = await connect(mode, where, (message) => {
      asked.push(message);
      return { approve: answers.shift() ?? false };
    });
    const echo = (text: string) => client.callTool({ name: 'echo', arguments: { text } });
    expect(await echo('forbidden')).toMatchObject({
      isError: true,
      content: [{ text: 'blocked by policy (guard): not this word' }],
    });
    expect(await echo('rewrite me')).toMatchObject({ content: [{ text: 'rewritten' }] });
    const person = await client.callTool({ name: 'person', arguments: { name: 'Ada' } });
    expect(person.structuredContent).toEqual({ name: 'Ada', token: '[token]' });
    const failed = JSON.stringify(await client.callTool({ name: 'fails' }));
    expect(failed).toContain('no luck with [token]');
    await expect(client.readResource({ uri: 'note://1' })).rejects.toThrow('no notes');
    expect(await echo('ask me')).toMatchObject({ content: [{ text: 'ask me' }] });
    expect(await echo('ask me')).toMatchObject({ isError: true });
    expect(asked[0]).toContain('is that so?');
    await client.close();
    const folder = join(dir, '.harness/runs');
    const tape = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    for (const verdict of ['blocked', 'denied', 'ran']) expect(tape).toContain(`"verdict":"${verdict}"`);
  });
});
