/**
 * The scripted model server: a model service on loopback that answers from a script and records what it was sent. For
 * testing agents offline; it speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { HarnessError } from '../../base/index.ts';
import { type Host, listenAt, machineHost } from '../../machine/index.ts';
import { DIALECTS } from './dialects.ts';
import { readBody } from './read-body.ts';
import { pathWithoutKeys, type RecordedRequest, RequestRecord, withoutKeys } from './record.ts';
import { failureReply } from './reply.ts';
import { respond } from './respond.ts';
import type { ServerScript } from './script.ts';
import { parseServerScript } from './script-file.ts';
import { ScriptPlayer } from './script-player.ts';
import { send } from './send.ts';

export interface ModelServerOptions {
  readonly script: ServerScript;
  /** A free one by default. */
  readonly port?: number;
  /** A file to which every request is appended as a line of JSON, without its keys. */
  readonly record?: string;
  /** 32 MiB by default; a larger request is answered with 413. */
  readonly maxRequestBytes?: number;
  /** Called before a request is answered. */
  readonly onRequest?: (request: RecordedRequest) => void;
  readonly host?: Host;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, to which clients add the path of their API. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, oldest first; only the last ones if they are larger than 256 MiB together. */
  requests(): readonly RecordedRequest[];
  /** Places in `completions` of items that answered nothing so far. */
  unused(): readonly number[];
  /** Breaks off what is under way; resolves when the port is free. */
  close(): Promise<void>;
}

const ADDRESS = '127.0.0.1';
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
const MAX_CONNECTIONS = 256;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than agents think: one that comes back to a connection just closed would see an error the script did not write. */
const KEEP_ALIVE_MS = 600_000;

/** Rejects with a HarnessError if the script is wrong, the port is taken or the record cannot be written. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { script, port = 0, host = machineHost } = options;
  checkScript(script);
  const player = new ScriptPlayer(script);
  const record = new RequestRecord(options.record, host);
  await record.append('').catch((thrown: Error) => {
    throw new HarnessError('MODEL_SERVER', `cannot write the record ${options.record}: ${thrown.message}`);
  });
  let closed: Promise<void> | null = null;
  const answer = answerer(options, player, record, () => closed !== null, host);
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const at = await listenAt(server, { host: ADDRESS, port }).catch((thrown: Error) => {
    throw new HarnessError('MODEL_SERVER', `cannot listen on ${ADDRESS}:${port}: ${thrown.message}`);
  });
  return {
    url: at.url,
    port: at.port,
    requests: () => record.requests(),
    unused: () => player.unused(),
    close: () => {
      closed ??= at.close();
      return closed;
    },
  };
}

/** A script from a program is held to the same rules as one from a file. */
function checkScript(script: ServerScript): void {
  const checked = parseServerScript(JSON.stringify(script), 'script');
  if (checked.ok) return;
  throw new HarnessError('MODEL_SERVER', checked.problems.map(({ message }) => message).join('\n'));
}

function answerer(
  { maxRequestBytes = MAX_REQUEST_BYTES, onRequest }: ModelServerOptions,
  player: ScriptPlayer,
  record: RequestRecord,
  isClosing: () => boolean,
  host: Host,
) {
  let requests = 0;
  let calls = 0;
  const voice = { player, nextCallId: () => `call_${++calls}` };
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming, maxRequestBytes);
    const number = ++requests;
    const at = host.now();
    const method = incoming.method ?? '';
    const url = urlOf(incoming.url);
    const stamp = { number, unixSeconds: Math.floor(at / 1000) };
    const { reply, ...told } = respond({ method, url, body, stamp }, voice);
    const entry = {
      number,
      at,
      method,
      path: pathWithoutKeys(url),
      headers: withoutKeys(incoming.headers),
      ...told,
      status: reply.status,
      delivery: null as RecordedRequest['delivery'],
    };
    const headers = { ...reply.headers, 'request-id': `req_${number}`, 'x-request-id': `req_${number}` };
    const written = record.add(entry, body.ok ? body.text.length : 0);
    onRequest?.(entry);
    const fault = await written.then(
      () => null,
      (thrown: Error) => `cannot write the record: ${thrown.message}`,
    );
    const sent = fault === null ? reply : failureReply(DIALECTS.anthropic, { status: 500, message: fault });
    if (!body.ok) response.shouldKeepAlive = false;
    entry.delivery = await send(response, { ...sent, headers: { ...headers, ...sent.headers } }, isClosing);
  };
}

function urlOf(target = '/'): URL {
  const base = `http://${ADDRESS}`;
  // A path that begins with two slashes would be read as the name of a host.
  const path = target.replace(/^\/+/, '/');
  return URL.canParse(path, base) ? new URL(path, base) : new URL('/invalid', base);
}
