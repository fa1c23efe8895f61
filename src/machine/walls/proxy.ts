/**
 * The way out of a sandbox whose network is `allowed`: an HTTP proxy on a socket in a folder of our own, which the sandbox is
 * given and nobody else can reach. It looks at every host by the same rules as scripts, and passes on what is allowed. Programs that
 * do not ask a proxy have no network at all, so that to go around it is to go nowhere.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { judgeUrl } from '../addresses.ts';

export interface SandboxProxy {
  readonly socket: string;
  close(): void;
}

/** Ends with this process, and does not keep it alive. */
export function startProxy(allowed: () => readonly string[]): Promise<SandboxProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'harness-proxy-'));
  const socket = join(folder, 'socket');
  const server = createServer((asked, answer) => passOn(asked, answer, allowed()));
  server.on('connect', (asked: IncomingMessage, client: Duplex) =>
    tunnel(asked, client as Socket, allowed()),
  );
  server.on('clientError', (_error, client) => client.destroy());
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const close = () => {
    process.off('exit', remove);
    server.close();
    server.closeAllConnections();
    remove();
  };
  process.on('exit', remove);
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(socket, () => {
      server.unref();
      resolve({ socket, close });
    });
  });
}

/** `CONNECT host:port`: what goes through it cannot be read, so the host is all there is to judge. */
function tunnel(asked: IncomingMessage, client: Socket, allowed: readonly string[]): void {
  client.on('error', () => {});
  const judged = judgeUrl(`https://${asked.url ?? ''}/`, allowed);
  if (!judged.ok) {
    client.end(refusal(judged.message));
    return;
  }
  const { hostname, port } = judged.url;
  const server = connect({ host: bare(hostname), port: Number(port || 443), lookup: undefined });
  const stop = () => {
    server.destroy();
    client.destroy();
  };
  server.once('connect', () => {
    const inside = isInside(server.remoteAddress) && !isListedAddress(hostname, allowed);
    if (inside) {
      client.end(refusal(`${hostname} leads to an address of this machine or its network`));
      server.destroy();
      return;
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.pipe(client);
    client.pipe(server);
  });
  server.on('error', (error) => {
    if (server.connecting || !client.writableEnded) client.end(failure(error.message));
    stop();
  });
  client.on('close', stop);
  server.on('close', stop);
}

/** A plain request with a whole address. */
function passOn(asked: IncomingMessage, answer: ServerResponse, allowed: readonly string[]): void {
  const judged = judgeUrl(asked.url ?? '', allowed);
  if (!judged.ok) {
    say(answer, 403, judged.message);
    return;
  }
  const { url } = judged;
  const headers = { ...asked.headers };
  for (const name of HOP_HEADERS) delete headers[name];
  const outgoing = request(
    {
      host: bare(url.hostname),
      port: url.port || 80,
      path: url.pathname + url.search,
      method: asked.method,
      headers: { ...headers, host: url.host },
    },
    (incoming) => {
      answer.writeHead(incoming.statusCode ?? 502, incoming.headers);
      incoming.pipe(answer);
    },
  );
  outgoing.on('socket', (socket) => {
    socket.once('connect', () => {
      if (!isInside(socket.remoteAddress) || isListedAddress(url.hostname, allowed)) return;
      outgoing.destroy();
      say(answer, 403, `${url.hostname} leads to an address of this machine or its network`);
    });
  });
  outgoing.on('error', (error) => say(answer, 502, error.message));
  answer.on('close', () => outgoing.destroy());
  asked.pipe(outgoing);
}

const HOP_HEADERS = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade'];

/** A name may be made to lead anywhere by its owner: to this machine only if it is listed for what it is. */
function isListedAddress(hostname: string, allowed: readonly string[]): boolean {
  const host = hostname.toLowerCase();
  return allowed.includes(host) && (host === 'localhost' || isIP(bare(host)) !== 0);
}

function isInside(address: string | undefined): boolean {
  if (address === undefined) return true;
  const plain = address.replace(/^::ffff:/i, '').toLowerCase();
  return PRIVATE_ADDRESSES.some((pattern) => pattern.test(plain));
}

const PRIVATE_ADDRESSES: readonly RegExp[] = [
  /^127\./,
  /^10\./,
  /^192\.168\./,
  /^172\.(?:1[6-9]|2\d|3[01])\./,
  /^169\.254\./,
  /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^0\./,
  /^::1?$/,
  /^f[cd]/,
  /^fe[89ab]/,
];

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function say(answer: ServerResponse, status: number, why: string): void {
  if (answer.headersSent) {
    answer.destroy();
    return;
  }
  answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  answer.end(`harness: ${why}\n`);
}

function refusal(why: string): string {
  return response('403 Forbidden', why);
}

function failure(why: string): string {
  return response('502 Bad Gateway', why);
}

function response(status: string, why: string): string {
  const body = `harness: ${why.replace(/[^\x20-\x7e]/g, '?')}\n`;
  return `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}
