/**
 * A model service on loopback for tests: answers each request with the next reply and keeps what it was asked. Replies are
 * the bytes of the real wire formats, so that the SDKs and all that is built on them are tested as they are.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

export type Reply = (response: ServerResponse) => void | Promise<void>;

export interface WireServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Resolves when the client has hung up on a response that was not finished. */
  readonly hungUp: Promise<void>;
}

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** A request beyond the last reply is answered with 418, which nothing retries. */
export async function wireServer(...replies: Reply[]): Promise<WireServer> {
  const asked: Asked[] = [];
  let hangUp: () => void;
  const hungUp = new Promise<void>((resolve) => {
    hangUp = resolve;
  });
  const server = createServer(async (request, response) => {
    const bytes: Buffer[] = [];
    for await (const piece of request) bytes.push(piece);
    response.on('close', () => {
      if (!response.writableFinished) hangUp();
    });
    const { method = '', url: path = '', headers } = request;
    const place = asked.push({ method, path, headers, body: JSON.parse(Buffer.concat(bytes).toString()) });
    await (replies[place - 1] ?? json(418, { error: { message: 'no reply is left' } }))(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, hungUp };
}

/** An address at which nobody listens any more. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function raw(status: number, type: string, body: string): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
}

/** What becomes of a stream after its bytes. */
export type Ending = 'end' | 'reset' | 'stay open';

/** An event stream, `size` bytes at a time: each piece is one HTTP chunk and arrives as such. */
export function stream(text: string, { size = 0, ending = 'end' as Ending } = {}): Reply {
  return async (response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const bytes = Buffer.from(text);
    const step = size || bytes.length || 1;
    for (let at = 0; at < bytes.length; at += step) response.write(bytes.subarray(at, at + step));
    if (ending === 'end') response.end();
    // The bytes have to be out first, or there is nothing to break off from.
    else if (ending === 'reset') setTimeout(() => response.socket?.resetAndDestroy(), 20);
  };
}

/** The machine, with an environment of the test's own. */
export function hostWith(env: Readonly<Record<string, string>>): Host {
  return { ...machineHost, env: (name) => env[name] };
}
