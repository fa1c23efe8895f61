/**
 * A session as a stream of JSON objects, one a line: every event that fired, and every outcome that was not a plain allow
 * right behind its event. run-line.ts describes a line.
 */
import type { SessionEvent } from '../agent/index.ts';
import { isPlainAllow } from '../engine/index.ts';
import { outcomeData } from '../terminal/index.ts';

export class JsonLines {
  private readonly now: () => number;
  private seq = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  of(event: SessionEvent, agent?: string): string[] {
    if (event.type === 'agent') return this.of(event.event, event.agent);
    if (event.type !== 'hook') return [];
    const { event: name, payload, callId, outcome } = event;
    const fired = this.line('event', {
      event: name,
      payload,
      ...(callId !== undefined && { call_id: callId }),
      // Of a sub-agent; its session is in the payload.
      ...(agent !== undefined && { agent }),
    });
    if (isPlainAllow(outcome)) return [fired];
    return [fired, this.line('outcome', { outcome: outcomeData(outcome) })];
  }

  private line(type: 'event' | 'outcome', data: object): string {
    const time = new Date(this.now()).toISOString();
    return JSON.stringify({ type, seq: ++this.seq, time, ...data });
  }
}
