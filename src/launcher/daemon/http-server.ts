/**
 * The daemon's address on loopback, for agents whose hooks call a URL. Only this machine reaches it, only who knows the token is
 * answered, and no page in a browser can: a request that names another host or comes from an origin is refused.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  type Admission,
  createFile,
  listenAt,
  readBody,
  readOwnFile,
  refusedFor,
  replaceFile,
} from '../../machine/index.ts';

/** What was asked, as data: objects of the platform's own kind take longer to make than a decision. */
export interface HttpQuestion {
  readonly method: string;
  readonly url: URL;
  /** Null: it was too large, and was not read. */
  readonly body: Buffer | null;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type HttpAnswer = (asked: HttpQuestion) => Promise<HttpReply>;

export interface HttpOptions {
  /** Of the daemon: the token and the address are written there. */
  readonly folder: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly answer: HttpAnswer;
}

export interface OpenHttp {
  readonly url: string;
  readonly close: () => void;
}

const HOST = '127.0.0.1';
const MOST_HEADERS_MS = 10_000;
const MOST_REQUEST_MS = 30_000;
const MOST_SECRET_BYTES = 4096;

/** What callers show. Kept from one start to the next: the configuration of agents names it. */
export function httpToken(folder: string): string {
  return secretIn(folder, 'http-token');
}

function secretIn(folder: string, name: string): string {
  const path = join(folder, name);
  createFile(path, randomBytes(32).toString('hex'));
  const secret = readOwnFile(path, MOST_SECRET_BYTES, 'private').trim();
  if (secret.length < 32) throw new Error(`${path} has no secret of at least 32 characters`);
  return secret;
}

export async function serveHttp({ folder, port, answer }: HttpOptions): Promise<OpenHttp> {
  const token = `Bearer ${httpToken(folder)}`;
  const key = secretIn(folder, 'http-proof-key');
  let names: readonly string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { host, origin, authorization } = incoming.headers;
    const admission: Admission = { names, isOwnPage: () => false, token };
    const refused = refusedFor({ host, origin, token: authorization }, admission);
    if (refused !== null) return void end(outgoing, REFUSED[refused]);
    respond(incoming, outgoing, answer, key).catch(() => end(outgoing, 500));
  });
  server.headersTimeout = MOST_HEADERS_MS;
  server.requestTimeout = MOST_REQUEST_MS;
  const { url, ...at } = await listenAt(server, { host: HOST, port }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? portTaken(port, folder) : error;
    },
  );
  names = [HOST, 'localhost'].map((name) => `${name}:${at.port}`);
  replaceFile(join(folder, 'http.json'), `${JSON.stringify({ url, pid: process.pid })}\n`, { flush: false });
  return { url, close: () => void at.close() };
}

function portTaken(port: number, folder: string): Error {
  return new Error(
    `another process listens on ${HOST}:${port}: agents that call a URL there are answered by that one, and have shown it the token. End it, and delete ${join(folder, 'http-token')}`,
  );
}

function end(outgoing: ServerResponse, status: number): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  outgoing.end(JSON.stringify({ error: REFUSALS[status] ?? 'it failed', stop: true }));
}

const REFUSED = { host: 421, origin: 403, token: 401 } as const;

const REFUSALS: Readonly<Record<number, string>> = {
  401: 'want a bearer token',
  403: 'not for pages',
  421: 'not this host',
};

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: HttpAnswer,
  key: string,
): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  const body = method === 'POST' ? await readBody(incoming, MOST_BODY_BYTES) : Buffer.alloc(0);
  const { status, headers, body: text } = await answer({ method, url: new URL(url, `http://${HOST}`), body });
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, {
    ...headers,
    ...proofFor(incoming.headers[NONCE], status, bytes, key),
    'content-length': bytes.length,
  });
  outgoing.end(bytes);
}

/**
 * What a caller sends to know afterwards that the answer is the daemon's: the port may be anybody's by then. The key is not the
 * token, which the holder of the port has just been shown.
 */
const NONCE = 'x-harness-nonce';

function proofFor(
  nonce: string | string[] | undefined,
  status: number,
  text: Buffer,
  key: string,
): Record<string, string> {
  if (typeof nonce !== 'string') return {};
  const proof = createHmac('sha256', key).update(`${nonce}\n${status}\n`).update(text).digest('hex');
  return { 'x-harness-proof': proof };
}

export const MOST_BODY_BYTES = 16 * 1024 * 1024;
