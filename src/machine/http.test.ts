import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpRequest } from './host.ts';
import { exchange } from './http.ts';

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((req, res) => {
    if (req.url === '/moved') res.writeHead(302, { location: '/elsewhere' }).end();
    else if (req.url === '/large') res.end('x'.repeat(5000));
    else if (req.url === '/slow') res.write('first');
    else if (req.url === '/echo') {
      res.setHeader('set-cookie', ['a=1', 'b=2']);
      req.pipe(res);
    } else res.writeHead(404).end('näh');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (path: string, more: Partial<HttpRequest> = {}, signal = new AbortController().signal) =>
  exchange(
    { method: 'GET', url: base + path, headers: {}, body: null, timeoutMs: 2000, maxBytes: 1000, ...more },
    signal,
  );

describe('one HTTP exchange', () => {
  it('returns status, headers and body, also of a refusal', async () => {
    expect(await ask('/none')).toMatchObject({ status: 404, body: 'näh' });
  });

  it('sends method, headers and body, and joins repeated headers', async () => {
    const answer = await ask('/echo', { method: 'POST', body: 'ping', headers: { 'x-a': 'b' } });
    expect(answer).toMatchObject({ status: 200, body: 'ping', headers: { 'set-cookie': 'a=1, b=2' } });
  });

  it('does not follow a redirect', async () => {
    expect(await ask('/moved')).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
  });

  it('stops at the size limit', async () => {
    await expect(ask('/large')).rejects.toThrow('larger than 1000 bytes');
  });

  it('stops at the time limit, also in the middle of a body', async () => {
    await expect(ask('/slow', { timeoutMs: 60 })).rejects.toThrow('no complete answer within 60 ms');
  });

  it('stops when it is aborted', async () => {
    const controller = new AbortController();
    const pending = ask('/slow', {}, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await expect(pending).rejects.toThrow(/abort/i);
  });

  it('rejects where nothing listens', async () => {
    await expect(ask('', { url: 'http://127.0.0.1:1/' })).rejects.toThrow();
  });
});
