/**
 * Sessions behind an HTTP front. An HttpSession is one proxy with its server. A client of the era with a handshake
 * has one of its own; requests of one user without a session id share those in which their id is not in use. What a server says
 * goes to the request it belongs to.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import type { HttpExchange } from './http-exchange.ts';
import { belongsTo, ERROR_STATUS, type Message, type MessageId, progressTokenOf } from './message.ts';
import type { Line, MessageRoute } from './message-route.ts';
import type { McpProxy, ProxyOptions } from './proxy.ts';
import type { HttpEra, Remote } from './remote.ts';

/** A proxy and what stands behind it. */
export interface ProxiedServer {
  readonly proxy: McpProxy;
  /** A server behind HTTP, which has sessions of its own; null: a program. */
  readonly remote: Remote | null;
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

export type OpenProxiedServer = (toClient: ProxyOptions['toClient'], onEnd: () => void) => ProxiedServer;

interface Open {
  readonly exchange: HttpExchange;
  readonly token: Json | undefined;
  readonly stateless: boolean;
}

/** Whose requests without a session id share an HttpSession. */
export interface Client {
  /** Without a session id only their token tells users apart: what is counted or remembered for one is nothing of another's. */
  readonly user: string;
  /** Of the era without sessions. A program looks at the version of its first request only, so each version has its own. */
  readonly version: string;
}

export class HttpSession {
  readonly proxy: McpProxy;
  readonly remote: Remote | null;
  readonly client: Client;
  session: string | null = null;
  /** When it was last used, by whatever clock the caller has. */
  usedAt = 0;
  /** The stream for what belongs to no request. */
  standing: HttpExchange | null = null;
  private readonly behind: ProxiedServer;
  private readonly open = new Map<MessageId, Open>();

  constructor(openBehind: OpenProxiedServer, client: Client, onEnd: (httpSession: HttpSession) => void) {
    this.client = client;
    this.behind = openBehind(
      (line, message, route) => this.toClient(line, message, route),
      () => onEnd(this),
    );
    this.proxy = this.behind.proxy;
    this.remote = this.behind.remote;
  }

  get isIdle(): boolean {
    return this.open.size === 0 && this.standing === null;
  }

  has(id: MessageId): boolean {
    return this.open.has(id) || this.proxy.has(id);
  }

  waitsFor(id: MessageId): boolean {
    return this.proxy.waitsFor(id);
  }

  /** Takes the id for a request of the client until it is answered or its client is gone; false if the id is in use. */
  reserve(id: MessageId, { params }: Message, exchange: HttpExchange, stateless: boolean): boolean {
    if (this.has(id)) return false;
    this.open.set(id, { exchange, token: progressTokenOf(params), stateless });
    exchange.gone.addEventListener('abort', () => {
      this.release(id, exchange);
      // Without a session, who goes away has given up; in one, the client may take the answer from another stream.
      if (!stateless && exchange.resumable) return;
      if (this.proxy.abandon(id) && this.remote === null) this.cancel(id);
    });
    return true;
  }

  release(id: MessageId, exchange: HttpExchange): void {
    if (this.open.get(id)?.exchange === exchange) this.open.delete(id);
  }

  /** A request that was cancelled has no answer: its response ends, unless a server behind HTTP ends it. */
  cancelled(id: MessageId): void {
    const exchange = this.open.get(id)?.exchange;
    if (exchange === undefined || this.remote !== null || this.proxy.has(id)) return;
    this.open.delete(id);
    exchange.begin();
    exchange.end();
  }

  async stop(): Promise<void> {
    this.proxy.clientGone();
    for (const { exchange } of this.open.values()) exchange.end();
    this.standing?.end();
    await this.behind.stop();
  }

  private cancel(requestId: MessageId): void {
    const params = { requestId, reason: 'the client went away' };
    const told = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    this.proxy.fromClient(Buffer.from(JSON.stringify(told)));
  }

  private toClient(line: Line, message: Message, route: MessageRoute): void {
    const isAnswer = message.method === undefined;
    const to = (route as HttpEra | null)?.exchange as HttpExchange | undefined;
    const exchange = to !== undefined && !to.isOver ? to : this.exchangeOf(message);
    if (isAnswer && message.id !== undefined) {
      const isStateless = this.open.get(message.id)?.stateless === true;
      // A server behind HTTP that was told has said its status.
      if (isStateless && exchange?.told === false && isJsonObject(message.error))
        exchange.head(ERROR_STATUS.get(message.error.code) ?? 200, {}, false);
      this.open.delete(message.id);
    }
    // An answer that comes on a stream taken up again does not end that stream by itself.
    exchange?.message(line, isAnswer && exchange !== this.standing, (route as HttpEra | null)?.event);
  }

  private exchangeOf({ id, method, params }: Message): HttpExchange | null {
    if (method === undefined) return this.open.get(id!)?.exchange ?? null;
    const { id: of, token } = belongsTo(params);
    const named = of === undefined ? undefined : this.open.get(of as MessageId);
    const progressing =
      token === undefined ? undefined : [...this.open.values()].find((one) => one.token === token);
    const some =
      named ?? progressing ?? (this.standing === null ? [...this.open.values()].at(-1) : undefined);
    return some?.exchange ?? this.standing;
  }
}

export class HttpSessions {
  private readonly openBehind: OpenProxiedServer;
  private readonly free = new Set<HttpSession>();
  private readonly sessions = new Map<string, HttpSession>();
  private readonly ends = new Set<Promise<void>>();
  private readonly most: number;

  constructor(openBehind: OpenProxiedServer, most: number) {
    this.openBehind = openBehind;
    this.most = most;
  }

  get size(): number {
    return this.free.size + this.sessions.size;
  }

  all(): HttpSession[] {
    return [...this.free, ...this.sessions.values()];
  }

  /** Null if there are too many. One that no client can come back to by name makes room if nothing of it is open. */
  make(client: Client): HttpSession | null {
    if (this.size >= this.most) {
      const [oldest] = [...this.free].filter(({ isIdle }) => isIdle).sort((a, b) => a.usedAt - b.usedAt);
      if (oldest === undefined) return null;
      this.drop(oldest);
    }
    const httpSession = new HttpSession(this.openBehind, client, (ended) => this.drop(ended));
    this.free.add(httpSession);
    return httpSession;
  }

  name(httpSession: HttpSession, session: string): void {
    this.free.delete(httpSession);
    httpSession.session = session;
    this.sessions.set(session, httpSession);
  }

  ofSession(session: string): HttpSession | undefined {
    return this.sessions.get(session);
  }

  /** One of this client without a session id for which this holds, or a new one; null if there are too many. */
  sharing(client: Client, fits: (httpSession: HttpSession) => boolean): HttpSession | null {
    const { user, version } = client;
    return this.find(user, (one) => one.client.version === version && fits(one)) ?? this.make(client);
  }

  find(user: string, fits: (httpSession: HttpSession) => boolean): HttpSession | undefined {
    return [...this.free].find((one) => one.client.user === user && fits(one));
  }

  drop(httpSession: HttpSession): void {
    const known =
      this.free.delete(httpSession) ||
      (httpSession.session !== null && this.sessions.delete(httpSession.session));
    if (!known) return;
    const end = httpSession.stop().finally(() => this.ends.delete(end));
    this.ends.add(end);
  }

  async close(): Promise<void> {
    for (const httpSession of this.all()) this.drop(httpSession);
    await Promise.all(this.ends);
  }
}
