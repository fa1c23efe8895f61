/**
 * The status line: what the agent is doing right now, for how long, and what it has cost so far. It is read off the events of the
 * session alone.
 */
import type { SessionEvent } from '../agent/index.ts';
import { isJsonObject, type Json } from '../base/index.ts';
import { fitInto, harmless, thousands, widthOf } from '../terminal/index.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

export class Status {
  private readonly model: () => string;
  private since: number | null = null;
  private doing = '';
  private readonly running = new Map<string, string>();
  private received = 0;
  private sent = 0;
  private got = 0;
  private costUsd = 0;

  constructor(model: () => string) {
    this.model = model;
  }

  get active(): boolean {
    return this.since !== null;
  }

  begin(now: number): void {
    this.since = now;
    this.doing = 'starting';
    this.sent = this.got = this.costUsd = 0;
    this.running.clear();
  }

  /** What it came to; null if nothing was under way. */
  end(now: number): string | null {
    if (this.since === null) return null;
    const parts = [elapsed(now - this.since), ...this.spent()];
    this.since = null;
    return parts.join(', ');
  }

  say(doing: string): void {
    this.doing = doing;
  }

  add(event: SessionEvent, who = ''): void {
    const say = (doing: string) => {
      this.say(who + doing);
    };
    switch (event.type) {
      case 'agent':
        this.add(event.event, `${event.agent}: `);
        break;
      case 'text':
        this.received += event.text.length;
        say(`writing · ${characters(this.received)}`);
        break;
      case 'held':
        say(`held for ${several(event.hooks)} · ${characters(event.characters)}`);
        break;
      case 'retry':
        say(`waiting to try again, ${elapsed(event.waitMs)}`);
        break;
      case 'tool.start':
        this.running.set(event.callId, event.name);
        say(this.tools());
        break;
      case 'tool.end':
        this.running.delete(event.callId);
        say(this.running.size === 0 ? 'working' : this.tools());
        break;
      case 'hook':
        this.hook(event.event, event.payload, say);
        break;
    }
  }

  line(width: number, now: number): string {
    const { since } = this;
    if (since === null) return '';
    const frame = FRAMES[Math.floor((now - since) / FRAME_MS) % FRAMES.length]!;
    const parts = [`${frame} ${elapsed(now - since)}`, harmless(this.doing), ...this.spent(), 'Ctrl-C stops'];
    while (parts.length > 2 && widthOf(parts.join(' · ')) > width) parts.pop();
    return fitInto(parts.join(' · '), width);
  }

  private hook(event: string, payload: Json, say: (doing: string) => void): void {
    if (event === 'completion.pre') {
      this.received = 0;
      say(`waiting for ${this.model()}`);
    } else if (event === 'completion.post' && isJsonObject(payload)) {
      const { usage, cost_usd } = payload;
      this.sent += isJsonObject(usage) ? Number(usage.input_tokens) : 0;
      this.got += isJsonObject(usage) ? Number(usage.output_tokens) : 0;
      this.costUsd += typeof cost_usd === 'number' ? cost_usd : 0;
      say('working');
    } else if (event === 'approval.requested') say('waiting for your answer');
    else if (event === 'permission.replied') say('working');
  }

  private tools(): string {
    return `running ${several([...this.running.values()])}`;
  }

  private spent(): string[] {
    const { sent, got, costUsd } = this;
    return [
      ...(sent + got > 0 ? [`${thousands(sent)} tokens sent, ${thousands(got)} received`] : []),
      ...(costUsd > 0 ? [`$${costUsd.toFixed(4)}`] : []),
    ];
  }
}

function several([first = '', ...rest]: readonly string[]): string {
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}

function characters(count: number): string {
  return `${thousands(count)} chars`;
}

function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60
    ? `${seconds}s`
    : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
}
