/**
 * Who speaks with whom behind an HTTP front. A lane is one proxy with its server; a session of the era with a handshake has its own,
 * requests that belong to no session share those in which nobody has their id open. What a server says goes to the request it
 * belongs to.
 */
import type { Json } from '../../base/json.ts';
import type { HttpExchange } from './http-exchange.ts';
import { belongsTo, CODES, type Message, type MessageId, progressTokenOf } from './message.ts';
import type { McpProxy, ProxyOptions } from './proxy.ts';
import { type HttpWay, type Remote, wayBy } from './remote.ts';
import type { Line, Way } from './way.ts';

/** A proxy and what stands behind it. */
export interface Behind {
  readonly proxy: McpProxy;
  /** A server behind HTTP, which has sessions of its own; null: a program. */
  readonly remote: Remote | null;
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

export type OpenBehind = (toClient: ProxyOptions['toClient'], onEnd: () => void) => Behind;

interface Open {
  readonly exchange: HttpExchange;
  readonly token: Json | undefined;
}

export class Lane {
  readonly proxy: McpProxy;
  readonly remote: Remote | null;
  session: string | null = null;
  /** When it was last used, by whatever clock the caller has. */
  usedAt = 0;
  /** The stream for what belongs to no request. */
  standing: HttpExchange | null = null;
  private readonly behind: Behind;
  private readonly open = new Map<MessageId, Open>();

  constructor(openBehind: OpenBehind, onEnd: (lane: Lane) => void) {
    this.behind = openBehind(
      (line, message, way) => this.toClient(line, message, way),
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

  /** A request of the client, from here on until it is answered or its client is gone. */
  request(
    line: Buffer,
    id: MessageId,
    { params }: Message,
    exchange: HttpExchange,
    stateless: boolean,
  ): void {
    if (this.has(id)) {
      exchange.refuse(400, CODES.invalidRequest, `a request with the id ${JSON.stringify(id)} is open`);
      return;
    }
    this.open.set(id, { exchange, token: progressTokenOf(params) });
    exchange.gone.addEventListener('abort', () => {
      this.open.delete(id);
      // Without a session, who goes away has given up; in one, the client may take the answer from another stream.
      if (!stateless && exchange.resumable) return;
      if (this.proxy.abandon(id) && this.remote === null) this.cancel(id);
    });
    this.proxy.fromClient(line, wayBy(exchange));
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

  private toClient(line: Line, message: Message, way: Way): void {
    const isAnswer = message.method === undefined;
    const to = (way as HttpWay | null)?.exchange as HttpExchange | undefined;
    const exchange = to !== undefined && !to.isOver ? to : this.exchangeOf(message);
    if (isAnswer && message.id !== undefined) this.open.delete(message.id);
    // An answer that comes on a stream taken up again does not end that stream by itself.
    exchange?.message(line, isAnswer && exchange !== this.standing, (way as HttpWay | null)?.event);
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

export class Lanes {
  private readonly openBehind: OpenBehind;
  private readonly free = new Set<Lane>();
  private readonly sessions = new Map<string, Lane>();
  private readonly ends = new Set<Promise<void>>();
  private readonly most: number;

  constructor(openBehind: OpenBehind, most: number) {
    this.openBehind = openBehind;
    this.most = most;
  }

  get size(): number {
    return this.free.size + this.sessions.size;
  }

  all(): Lane[] {
    return [...this.free, ...this.sessions.values()];
  }

  /** Null if there are too many. */
  make(): Lane | null {
    if (this.size >= this.most) return null;
    const lane = new Lane(this.openBehind, (ended) => this.drop(ended));
    this.free.add(lane);
    return lane;
  }

  name(lane: Lane, session: string): void {
    this.free.delete(lane);
    lane.session = session;
    this.sessions.set(session, lane);
  }

  ofSession(session: string): Lane | undefined {
    return this.sessions.get(session);
  }

  /** One without a session for which this holds, or a new one; null if there are too many. */
  sharing(fits: (lane: Lane) => boolean): Lane | null {
    for (const lane of this.free) if (fits(lane)) return lane;
    return this.make();
  }

  find(fits: (lane: Lane) => boolean): Lane | undefined {
    return [...this.free].find(fits);
  }

  drop(lane: Lane): void {
    const known = this.free.delete(lane) || (lane.session !== null && this.sessions.delete(lane.session));
    if (!known) return;
    const end = lane.stop().finally(() => this.ends.delete(end));
    this.ends.add(end);
  }

  async close(): Promise<void> {
    for (const lane of this.all()) this.drop(lane);
    await Promise.all(this.ends);
  }
}
