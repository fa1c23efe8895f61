/**
 * One request of an HTTP client and its response: plain JSON if the answer is all there is to say, a stream of events as soon as
 * something comes before it. What the server answered with (its status, its session, a challenge) goes on to the client.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { eventText, type StreamEvent } from './event-stream.ts';
import { towardsServer } from './http-headers.ts';
import { failure, type MessageId } from './message.ts';
import type { Line } from './message-route.ts';
import type { Exchange } from './remote.ts';

export class HttpExchange implements Exchange {
  readonly passed: OutgoingHttpHeaders;
  private readonly response: ServerResponse;
  private readonly leaving = new AbortController();
  private status = 200;
  private headers: OutgoingHttpHeaders = {};
  private streaming = false;
  /** Events of the server have ids here: a client that loses the connection may go on where it was. */
  resumable = false;
  /** A server behind HTTP was told of it, and its answer is waited for. */
  told = false;
  /** Told what the server answered with. */
  onHead: (headers: OutgoingHttpHeaders) => void = () => {};

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.passed = towardsServer(request.headers);
    this.response = response;
    response.on('close', () => {
      if (!response.writableFinished) this.leaving.abort();
    });
    response.on('error', () => this.leaving.abort());
  }

  get gone(): AbortSignal {
    return this.leaving.signal;
  }

  get isOver(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  head(status: number, headers: OutgoingHttpHeaders, stream: boolean): void {
    if (this.response.headersSent) return;
    this.status = status;
    this.headers = { ...this.headers, ...headers };
    this.onHead(headers);
    if (stream) this.begin();
  }

  /** Beside what the server says. */
  set(name: string, value: string): void {
    this.headers[name] = value;
  }

  /** A stream that says nothing for now. */
  begin(): void {
    if (this.streaming || this.isOver) return;
    this.streaming = true;
    this.response.writeHead(this.status, {
      ...this.headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    this.response.flushHeaders();
  }

  /** `last`: it is the answer to the request, and there is nothing to say after it. */
  message(line: Line, last: boolean, event?: StreamEvent): void {
    if (this.isOver) return;
    if (event?.id !== undefined) this.resumable = true;
    if (!last) this.begin();
    if (!this.streaming) {
      this.response.writeHead(this.status, { ...this.headers, 'content-type': 'application/json' });
      this.response.end(line);
      return;
    }
    this.response.write(eventText(line, event));
    if (last) this.response.end();
  }

  mark(event: StreamEvent): void {
    if (!this.streaming || this.isOver) return;
    if (event.id !== undefined) this.resumable = true;
    this.response.write(eventText('', event));
  }

  /** Nothing but its status, or an error where there is none yet. */
  end(): void {
    if (this.isOver) return;
    if (!this.streaming) this.response.writeHead(this.status, this.headers);
    this.response.end();
  }

  refuse(status: number, code: number, message: string, id: MessageId | null = null): void {
    this.head(status, {}, false);
    this.message(JSON.stringify(failure(id, code, message)), true);
  }

  /** A message was taken, and nothing will be said about it. */
  accept(): void {
    this.head(202, {}, false);
    this.end();
  }

  async drained(): Promise<void> {
    if (!this.response.writableNeedDrain || this.isOver) return;
    await new Promise<void>((resolve) => {
      // Whichever comes takes the other away: a long stream waits many times.
      const ready = () => {
        this.response.off('drain', ready).off('close', ready);
        resolve();
      };
      this.response.on('drain', ready).on('close', ready);
    });
  }
}
