import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Message } from './message.ts';
import { Remote } from './remote.ts';

/** A server that answers one request on each connection and breaks off at the next. */
async function impatientServer(): Promise<{ readonly url: URL; readonly asked: string[] }> {
  const asked: string[] = [];
  const used = new WeakSet<object>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    asked.push(method);
    if (used.has(request.socket)) request.socket.resetAndDestroy();
    used.add(request.socket);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), asked };
}

it('what a server breaks off on a connection that was used before is sent once more, but never a call', async () => {
  const { url, asked } = await impatientServer();
  let over: (how: string) => void = () => {};
  const remote = new Remote({
    url,
    headers: {},
    onMessage: async () => over('answered'),
    isOpen: () => true,
    fail: (_id, why) => over(why),
    onEnd: over,
    note: over,
  });
  onTestFinished(() => remote.close());
  let id = 0;
  const send = (method: string) =>
    new Promise<string>((resolve) => {
      over = resolve;
      const message = { jsonrpc: '2.0', id: ++id, method };
      remote.send(JSON.stringify(message), message as unknown as Message, null);
    });
  expect(await send('tools/list')).toBe('answered');
  expect(await send('tools/list')).toBe('answered');
  expect(await send('prompts/list')).toBe('answered');
  expect(await send('tools/call')).toContain('cannot be reached');
  expect(asked.filter((method) => method === 'tools/call')).toHaveLength(1);
});
