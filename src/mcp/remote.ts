/**
 * A server behind HTTP, as the far side of the proxy: every message is a request of its own, and its answers come back on the
 * response or on a stream that stays open. It speaks both eras, and the older way with one stream for all answers where a server
 * knows nothing else. A server that breaks off, answers too much or something else costs one request an error.
 */

import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  Agent as PlainAgent,
  request as plain,
} from 'node:http';
import { Agent as SecureAgent, request as secure } from 'node:https';
import { isJsonObject } from '../base/index.ts';
import { pause } from '../machine/index.ts';
import { EventReader, type StreamEvent } from './event-stream.ts';
import { mediaType, towardsClient } from './http-headers.ts';
import { MAX_MESSAGE_BYTES } from './lines.ts';
import { type MessageId, readMessage, versionOf } from './message.ts';
import type { Line, MessageRoute, Outgoing } from './message-route.ts';
import { bodyHeaders } from './param-headers.ts';

/** The request of an HTTP client that a message came with: its answer goes back there. */
export interface Exchange {
  /** What the client said, for the server. */
  readonly passed: OutgoingHttpHeaders;
  /** Fires when the client is gone. */
  readonly gone: AbortSignal;
  /** Set when the server is told: from then on the answer is its. */
  told: boolean;
  /** What the server answered with; `stream`: messages follow as they come. */
  head(status: number, headers: OutgoingHttpHeaders, stream: boolean): void;
  /** An event that carries no message. */
  mark(event: StreamEvent): void;
  /** No more messages. */
  end(): void;
  /** Resolves when the client has taken what was written. */
  drained(): Promise<void>;
}

/** With what a message came over HTTP. */
export interface HttpEra {
  readonly exchange: Exchange;
  readonly event?: StreamEvent;
  readonly resumable?: boolean;
  readonly replayed?: boolean;
}

export interface RemoteOptions {
  readonly url: URL;
  /** Sent with every request. */
  readonly headers: OutgoingHttpHeaders;
  readonly onMessage: (line: Buffer, route: MessageRoute) => Promise<void>;
  /** Somebody waits for the answer to this one. */
  readonly isOpen: (id: MessageId) => boolean;
  /** The server will not answer this one. */
  readonly fail: (id: MessageId, why: string) => void;
  /** Nothing will be answered any more. */
  readonly onEnd: (why: string) => void;
  readonly note: (text: string) => void;
}

const TOO_LONG = `sent a message of more than ${MAX_MESSAGE_BYTES} bytes`;
const SSE = 'text/event-stream';
const RETRY_MS = 1000;
const [SHORTEST_RETRY_MS, LONGEST_RETRY_MS] = [100, 60_000];
const MOST_RETRIES = 5;
/** How long a server may take to hear that a session is over. */
const GOODBYE_MS = 1000;

/** The server closed a connection that was open for the next request; whether it read that request is unknown, and a call must not run twice. */
class StaleConnection extends Error {}

/** How a stream ended: what came last, and how long to wait before it is taken up again. */
interface StreamEnd {
  readonly lastId: string | undefined;
  readonly retryMs: number | undefined;
  readonly tooLong: boolean;
}

export class Remote {
  private readonly options: RemoteOptions;
  private readonly agent: PlainAgent;
  private readonly closed = new AbortController();
  /** Of a client without HTTP of its own. */
  private session: string | undefined;
  private version: string | undefined;
  /** Where messages are sent in the older way. */
  private endpoint: URL | null = null;
  private handshaken = false;
  /** What the last client said, for what the proxy says itself. */
  private last: OutgoingHttpHeaders = {};

  constructor(options: RemoteOptions) {
    this.options = options;
    const keep = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
    this.agent = options.url.protocol === 'https:' ? new SecureAgent(keep) : new PlainAgent(keep);
  }

  send(line: Line, message: Outgoing, route: MessageRoute): void {
    const { id, method } = message;
    const answerTo = method === undefined || id === undefined || id === null ? null : id;
    const exchange = (route as HttpEra | null)?.exchange ?? null;
    if (exchange !== null) this.last = exchange.passed;
    if (exchange !== null && message.own === undefined) exchange.told = true;
    this.post(line, message, answerTo, message.own === undefined ? exchange : null).catch((error: Error) => {
      if (exchange !== null && message.own === undefined) exchange.head(502, {}, false);
      const why = `the server cannot be reached: ${error.message}`;
      if (answerTo !== null) this.options.fail(answerTo, why);
      else {
        this.options.note(why);
        exchange?.end();
      }
    });
  }

  /** The stream on which a server says what is no answer; `exchange` is that of the client who listens. */
  async listen(exchange: Exchange): Promise<void> {
    this.last = exchange.passed;
    try {
      const response = await this.open('GET', { ...exchange.passed }, null, exchange.gone);
      const streams = mediaType(response.headers) === SSE && response.statusCode === 200;
      exchange.head(response.statusCode ?? 502, towardsClient(response.headers), streams);
      if (streams) await this.read(response, exchange);
      else response.resume();
    } catch (error) {
      exchange.head(502, {}, false);
      this.options.note(`the stream of the server broke off: ${(error as Error).message}`);
    }
    exchange.end();
  }

  /** Tells the server that a session is over; its status and headers. */
  async forget(headers: OutgoingHttpHeaders): Promise<{ status: number; headers: OutgoingHttpHeaders }> {
    const late = AbortSignal.timeout(GOODBYE_MS);
    const response = await this.open('DELETE', headers, null, late, false);
    response.resume();
    return { status: response.statusCode ?? 502, headers: towardsClient(response.headers) };
  }

  async close(): Promise<void> {
    if (this.session !== undefined && this.endpoint === null) {
      const headers = { 'mcp-session-id': this.session, ...this.versionHeader() };
      await this.forget(headers).catch(() => {});
    }
    this.closed.abort();
    this.agent.destroy();
  }

  private async post(
    line: Line,
    message: Outgoing,
    answerTo: MessageId | null,
    exchange: Exchange | null,
  ): Promise<void> {
    const { method, params, marks = [], own } = message;
    const version = versionOf(params);
    const headers = {
      ...(exchange?.passed ?? (message.own === undefined ? this.sessionHeaders(method) : this.ownHeaders())),
      'content-type': 'application/json',
      accept: `application/json, ${SSE}`,
      ...(method !== undefined && version !== undefined && bodyHeaders(method, params!, version, marks)),
    };
    if (this.endpoint !== null) {
      const response = await this.open('POST', headers, line, this.closed.signal, true, this.endpoint);
      response.resume();
      const status = response.statusCode ?? 0;
      if (status >= 300 && answerTo !== null)
        this.options.fail(answerTo, `the server answered HTTP ${status}`);
      return;
    }
    const until = own === undefined ? this.closed.signal : AbortSignal.any([own, this.closed.signal]);
    const ask = (pooled: boolean) => this.open('POST', headers, line, exchange?.gone ?? until, pooled);
    const response = await ask(true).catch((error: unknown) => {
      if (!(error instanceof StaleConnection) || method === 'tools/call') throw error;
      return ask(false);
    });
    const status = response.statusCode ?? 502;
    const type = mediaType(response.headers);
    if (
      exchange === null &&
      message.own === undefined &&
      (await this.isOlder(line, message, status, response))
    )
      return;
    exchange?.head(status, towardsClient(response.headers), type === SSE && status < 300);
    if (answerTo === null) {
      response.resume();
      if (status >= 300 && exchange === null) this.options.note(`the server answered HTTP ${status}`);
      exchange?.end();
      if (method === 'notifications/initialized' && exchange === null) void this.standing({});
      return;
    }
    const session = response.headers['mcp-session-id'];
    if (method === 'initialize' && exchange === null && typeof session === 'string') this.session = session;
    if (type === SSE && status < 300) await this.stream(response, answerTo, method!, exchange);
    else if (type === 'application/json') await this.whole(response, answerTo, method!, status, exchange);
    else {
      response.resume();
      this.options.fail(answerTo, unusable(status, response));
    }
  }

  private async whole(
    response: IncomingMessage,
    id: MessageId,
    method: string,
    status: number,
    exchange: Exchange | null,
  ): Promise<void> {
    const body = await collect(response);
    if (body === null) {
      this.options.fail(id, `the server ${TOO_LONG}`);
      return;
    }
    const read = readMessage(body);
    if (!read.ok || read.message.id !== id || read.message.method !== undefined) {
      const why = read.ok ? 'with something that is no answer to it' : `with something else: ${read.problem}`;
      this.options.fail(id, status < 300 ? `the server answered ${why}` : unusable(status, response));
      return;
    }
    this.heard(method, read.message.result);
    await this.options.onMessage(body, exchange === null ? null : routeBy(exchange));
  }

  private async stream(
    response: IncomingMessage,
    id: MessageId,
    method: string,
    exchange: Exchange | null,
  ): Promise<void> {
    const end = await this.read(response, exchange, (line) => {
      if (method !== 'initialize') return;
      const read = readMessage(line);
      if (read.ok) this.heard(method, read.message.result);
    });
    // A stream whose events have ids may be gone on with: by the client itself, if it has HTTP.
    if (!this.options.isOpen(id)) {
      // Answered.
    } else if (end.lastId !== undefined && !end.tooLong) {
      if (exchange === null) await this.standing({ ...end, waitsFor: id });
    } else this.options.fail(id, end.tooLong ? `the server ${TOO_LONG}` : 'the server broke off its answer');
    exchange?.end();
  }

  /** What the handshake came to. */
  private heard(method: string, result: unknown): void {
    if (method !== 'initialize' || !isJsonObject(result)) return;
    this.handshaken = true;
    if (typeof result.protocolVersion === 'string') this.version = result.protocolVersion;
  }

  /** Event by event, in order: none is overtaken by one whose id says that the client has had all before it. */
  private async read(
    response: IncomingMessage,
    exchange: Exchange | null,
    before: (line: Buffer) => void = () => {},
  ): Promise<StreamEnd> {
    let events: StreamEvent[] = [];
    let [lastId, retryMs, tooLong]: [string | undefined, number | undefined, boolean] = [
      undefined,
      undefined,
      false,
    ];
    const reader = new EventReader(
      (event) => events.push(event),
      () => {
        tooLong = true;
        response.destroy();
      },
    );
    try {
      for await (const chunk of response) {
        reader.push(chunk as Buffer);
        const now = events;
        events = [];
        for (const event of now) {
          lastId = event.id ?? lastId;
          if (/^\d{1,8}$/.test(event.retry ?? ''))
            retryMs = Math.min(Math.max(Number(event.retry), SHORTEST_RETRY_MS), LONGEST_RETRY_MS);
          if (event.data === null || event.data.length === 0) {
            exchange?.mark(event);
            continue;
          }
          if (event.event !== 'message') continue;
          before(event.data);
          await this.options.onMessage(event.data, exchange === null ? null : routeBy(exchange, event));
        }
        await exchange?.drained();
      }
    } catch {
      // Broken off: the one who waits is told by the caller.
    }
    return { lastId, retryMs, tooLong };
  }

  /**
   * The stream of a client without HTTP of its own; taken up again where it broke off, after as long as the server says. `waitsFor` is the
   * request whose answer is to come on it.
   */
  private async standing({
    lastId,
    retryMs,
    waitsFor,
  }: Partial<StreamEnd> & { readonly waitsFor?: MessageId }): Promise<void> {
    const { signal } = this.closed;
    let [from, wait, tries] = [lastId, retryMs ?? RETRY_MS, 0];
    // One that was never there has not to be waited for.
    let isFirst = lastId === undefined;
    while (tries <= MOST_RETRIES) {
      if (!isFirst) await pause(wait, signal);
      isFirst = false;
      if (signal.aborted || (waitsFor !== undefined && !this.options.isOpen(waitsFor))) return;
      tries += 1;
      const headers = {
        ...this.sessionHeaders('GET'),
        accept: SSE,
        ...(from !== undefined && { 'last-event-id': from }),
      };
      try {
        const response = await this.open('GET', headers, null, signal);
        if (response.statusCode === 200 && mediaType(response.headers) === SSE) {
          const end = await this.read(response, null);
          [from, wait, tries] = [end.lastId ?? from, end.retryMs ?? wait, 0];
          continue;
        }
        response.resume();
        // A server need not offer it.
        if (waitsFor === undefined) return;
      } catch (error) {
        if (!signal.aborted && tries === 1) this.options.note(`no stream: ${(error as Error).message}`);
      }
    }
    if (waitsFor !== undefined) this.options.fail(waitsFor, 'the server broke off its answer');
  }

  /** A server of before 2025: one stream for all it says, and an address for what it is told. */
  private async isOlder(
    line: Line,
    { method, id }: Outgoing,
    status: number,
    response: IncomingMessage,
  ): Promise<boolean> {
    if (method !== 'initialize' || this.handshaken || ![400, 404, 405].includes(status)) return false;
    if (mediaType(response.headers) === 'application/json' && status === 400) return false;
    const stream = await this.open(
      'GET',
      { ...this.sessionHeaders('GET'), accept: SSE },
      null,
      this.closed.signal,
    );
    if (stream.statusCode !== 200 || mediaType(stream.headers) !== SSE) {
      stream.resume();
      return false;
    }
    response.resume();
    const known = new Promise<string>((resolve) => {
      const reader = new EventReader(
        ({ event, data }) => {
          if (event === 'endpoint' && data !== null) resolve(data.toString('utf8'));
          else if (event === 'message' && data !== null && data.length > 0)
            void this.options.onMessage(data, null);
        },
        () => stream.destroy(new Error(TOO_LONG)),
      );
      stream.on('data', (chunk: Buffer) => reader.push(chunk));
      const over = () => {
        resolve('');
        if (!this.closed.signal.aborted) this.options.onEnd('closed its stream');
      };
      stream.on('error', over);
      stream.on('close', over);
    });
    const address = await known;
    const { url } = this.options;
    if (address === '' || !URL.canParse(address, url.href) || new URL(address, url).origin !== url.origin) {
      this.options.fail(id!, 'the server gave no address for messages to it');
      stream.destroy();
      return true;
    }
    this.endpoint = new URL(address, url);
    const sent = await this.open(
      'POST',
      { ...this.sessionHeaders(method), 'content-type': 'application/json' },
      line,
      this.closed.signal,
      true,
      this.endpoint,
    );
    sent.resume();
    return true;
  }

  private versionHeader(): OutgoingHttpHeaders {
    return this.version === undefined ? {} : { 'mcp-protocol-version': this.version };
  }

  private sessionHeaders(method: string | undefined): OutgoingHttpHeaders {
    if (method === 'initialize') return {};
    const own = {
      ...this.versionHeader(),
      ...(this.session !== undefined && { 'mcp-session-id': this.session }),
    };
    return { ...this.last, ...own };
  }

  private ownHeaders(): OutgoingHttpHeaders {
    const { 'last-event-id': _event, ...said } = this.sessionHeaders(undefined);
    return said;
  }

  private open(
    method: string,
    headers: OutgoingHttpHeaders,
    body: Line | null,
    signal: AbortSignal,
    pooled = true,
    url: URL = this.options.url,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? secure : plain;
      const all = { ...headers, ...this.options.headers, 'accept-encoding': 'identity' };
      const request = send(
        url,
        { method, headers: all, agent: pooled ? this.agent : false, signal },
        (response) => {
          // Where it leads is not what was agreed to, and a token is not for others.
          if ((response.statusCode ?? 0) >= 300 && (response.statusCode ?? 0) < 400) {
            response.resume();
            reject(
              new Error(
                `it sends on to another address (HTTP ${response.statusCode}), which is not followed`,
              ),
            );
          } else resolve(response);
        },
      );
      request.on('error', (error: NodeJS.ErrnoException) =>
        reject(
          request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection(error.message) : error,
        ),
      );
      request.end(body ?? undefined);
    });
  }
}

export function routeBy(exchange: Exchange, event?: StreamEvent): HttpEra {
  if (event === undefined) return { exchange };
  const replayed = exchange.passed['last-event-id'] !== undefined;
  return { exchange, event, resumable: event.id !== undefined, replayed };
}

function unusable(status: number, { headers }: IncomingMessage): string {
  if (status === 401) return 'the server wants a login (HTTP 401)';
  return status < 300
    ? `the server answered with ${JSON.stringify(mediaType(headers))}, which is no message`
    : `the server answered HTTP ${status}`;
}

/** Null if it is more than a message may be. */
async function collect(response: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MAX_MESSAGE_BYTES) {
      response.destroy();
      return null;
    }
    chunks.push(chunk as Buffer);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
