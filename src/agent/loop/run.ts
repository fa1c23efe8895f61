/**
 * One run of the loop, as its caller holds it: the events as they happen, and how it ended. It goes on whether or not
 * anybody looks; iterating later, or twice, gives the same events from the first.
 */
import type { Message, Usage } from '../message.ts';
import type { EndReason, SessionEvent } from '../session-event.ts';

export interface RunResult {
  readonly reason: EndReason;
  /** The same, under the name by which Harn's results give it. */
  readonly stop_reason: EndReason;
  /** Why, where the reason alone does not say. */
  readonly message: string | null;
  /** The last message of the assistant, as `turn.end` left it. */
  readonly text: string;
  /** The whole conversation so far. */
  readonly messages: readonly Message[];
  /** Of this run. */
  readonly usage: Usage;
  readonly costUsd: number;
  /** Round trips to the model in this run. */
  readonly turns: number;
}

export class Run implements AsyncIterable<SessionEvent> {
  /** Never rejects: what went wrong is the `reason` and `message` of the result. */
  readonly result: Promise<RunResult>;
  private readonly events: SessionEvent[] = [];
  private waiting: (() => void)[] = [];
  private over = false;

  /** Starts `work` at once. It must not reject. */
  constructor(work: (emit: (event: SessionEvent) => void) => Promise<RunResult>) {
    this.result = work((event) => this.push(event)).finally(() => this.finish());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEvent, void, undefined> {
    for (let next = 0; ; ) {
      while (next < this.events.length) yield this.events[next++]!;
      if (this.over) return;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private push(event: SessionEvent): void {
    this.events.push(event);
    this.wake();
  }

  private finish(): void {
    this.over = true;
    this.wake();
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
