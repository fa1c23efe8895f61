/**
 * The daemon's end of the socket: greets, reads whole requests within bounds of size, number and time, and hands them to the one who
 * decides. A client that cannot be served is told so at once and decides by itself; nothing is queued that may come too late.
 */
import { lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Answer } from '../../agents/index.ts';
import {
  answerBytes,
  helloLine,
  Received,
  type Request,
  refusalBytes,
  requestHead,
  requestOf,
  WAIT_LINE,
} from './protocol.ts';

export interface ServerOptions {
  readonly socket: string;
  readonly version: string;
  /** An answer, or why there is none. What it throws is a reason too. `waits` is called before a person is waited for. */
  readonly answer: (request: Request, waits: () => void) => Promise<Answer | { readonly refused: string }>;
  /** So many clients at once; those beyond are sent away. */
  readonly most?: number;
  /** Between connecting and the end of the request. */
  readonly requestMs?: number;
  /** It stops by itself after so long without a client. */
  readonly idleMs: number;
  readonly onIdle: () => void;
}

const MOST = 1024;

/** Of all requests that are being read or wait. */
const MOST_BYTES = 256 * 1024 * 1024;

/** With more clients than that each is greeted at once: an answer may take longer than they wait. */
const FEW = 8;
const REQUEST_MS = 5000;

/** An answer that comes sooner is its own greeting: a client is woken once. Clients wait many times as long for it. */
const GREETING_MS = 20;

/** What waits in the kernel until it is accepted. */
const BACKLOG = 1024;

export class DaemonServer {
  private readonly options: ServerOptions;
  private readonly server: Server;
  private readonly clients = new Set<Socket>();
  private readonly greeted = new WeakSet<Socket>();
  private idle: NodeJS.Timeout | undefined;
  private deciding = 0;
  private bytes = 0;
  private readonly waiting: (() => Promise<void>)[] = [];
  private drained: (() => void) | null = null;
  /** The number of the socket's file. */
  private inode: number | null = null;
  /** Clients that were sent away unheard. */
  turnedAway = 0;

  constructor(options: ServerOptions) {
    this.options = options;
    this.server = createServer((socket) => this.serve(socket));
    // Without descriptors nothing can be accepted; clients hear nothing and decide by themselves.
    this.server.on('error', () => {});
  }

  get connections(): number {
    return this.clients.size;
  }

  /** The lock is held: what stands in the socket's place was left by one that is gone. */
  listen(): Promise<void> {
    rmSync(this.options.socket, { force: true });
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ path: this.options.socket, backlog: BACKLOG }, () => {
        this.server.off('error', reject);
        this.inode = this.socketInode();
        this.restless();
        resolve();
      });
    });
  }

  /** False once the socket was removed, or another file stands under its name. */
  isReachable(): boolean {
    const inode = this.socketInode();
    return inode !== null && inode === this.inode;
  }

  private socketInode(): number | null {
    return lstatSync(this.options.socket, { throwIfNoEntry: false })?.ino ?? null;
  }

  /** Takes no more clients, lets those that are being answered have their answer, and waits for it at most so long. */
  async close(waitMs: number): Promise<void> {
    clearTimeout(this.idle);
    if (this.isReachable()) rmSync(this.options.socket, { force: true });
    this.server.close();
    if (this.deciding > 0) {
      await new Promise<void>((resolve) => {
        this.drained = resolve;
        setTimeout(resolve, waitMs);
      });
    }
    for (const client of this.clients) client.destroySoon();
  }

  /** Somebody asked on another way: it is not idle. */
  used(): void {
    this.restless();
  }

  private restless(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      if (this.clients.size === 0) this.options.onIdle();
      else this.restless();
    }, this.options.idleMs);
  }

  private serve(socket: Socket): void {
    this.restless();
    // A client that is gone has no use for an answer; what was decided is on record.
    socket.on('error', () => socket.destroy());
    if (this.clients.size >= (this.options.most ?? MOST)) {
      this.turnedAway++;
      socket.end(Buffer.concat([this.greeting(socket), refusalBytes('full')]));
      return;
    }
    this.clients.add(socket);
    socket.on('close', () => this.clients.delete(socket));
    // Of the whole request: one byte now and then must not hold a place.
    const late = setTimeout(() => socket.destroy(), this.options.requestMs ?? REQUEST_MS);
    if (this.clients.size > FEW) this.greet(socket);
    const greeting = setTimeout(() => this.greet(socket), GREETING_MS);
    let bytes = 0;
    socket.on('close', () => {
      clearTimeout(greeting);
      clearTimeout(late);
      this.bytes -= bytes;
    });
    const received = new Received();
    let total: number | null = null;
    const take = (piece: Buffer) => {
      received.add(piece);
      if (total !== null && received.size < total) return;
      const head = requestHead(received.bytes);
      if (head === null) return;
      if (typeof head === 'string') return this.refuse(socket, head);
      if (total === null) {
        total = head.total;
        if (this.bytes + total > MOST_BYTES) return this.refuse(socket, 'full');
        bytes = total;
        this.bytes += total;
      }
      if (received.size < total) return;
      socket.off('data', take);
      clearTimeout(late);
      if (received.size > total) return this.refuse(socket, 'not understood');
      // A client that gave up while this process was stopped has hung up, which shows in the next turn of the loop.
      const queue = () => this.queue(() => this.decide(socket, requestOf(received.bytes, head)));
      setImmediate(() => setImmediate(queue));
    };
    socket.on('data', take);
  }

  /** One at a time, and between two of them new clients are accepted and greeted. */
  private queue(decide: () => Promise<void>): void {
    this.waiting.push(decide);
    if (this.waiting.length === 1) this.next();
  }

  private next(): void {
    void this.waiting[0]?.();
    setImmediate(() => {
      this.waiting.shift();
      if (this.waiting.length > 0) this.next();
    });
  }

  /** Not once more: after its answer a client is written nothing, or what it has not read yet would be lost. */
  private greet(socket: Socket): void {
    if (!this.greeted.has(socket)) socket.write(this.greeting(socket));
  }

  /** Empty if it was said before. */
  private greeting(socket: Socket): Buffer {
    if (this.greeted.has(socket)) return Buffer.alloc(0);
    this.greeted.add(socket);
    return Buffer.from(helloLine(process.pid, this.options.version));
  }

  private refuse(socket: Socket, reason: string): void {
    socket.removeAllListeners('data');
    socket.end(Buffer.concat([this.greeting(socket), refusalBytes(reason)]));
  }

  private async decide(socket: Socket, request: Request): Promise<void> {
    // It waited too long, and decides by itself.
    if (socket.destroyed || socket.readableEnded) return;
    this.deciding++;
    try {
      const waits = onlyOnce(() => {
        this.greet(socket);
        socket.write(WAIT_LINE);
      });
      const answer = await this.options.answer(request, waits);
      if ('refused' in answer) return this.refuse(socket, answer.refused);
      socket.end(Buffer.concat([this.greeting(socket), answerBytes(answer)]));
    } catch (thrown) {
      this.refuse(socket, thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
    } finally {
      this.deciding--;
      if (this.deciding === 0) this.drained?.();
    }
  }
}

function onlyOnce(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
