/** What a run is called, who and what worked in it and what it spent, taken from its chapters one by one. */

import { type Spent, spentIn } from '../agents/index.ts';
import { clip, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { type Chapter, readable } from '../tape/index.ts';
import { summaryText } from './rows.ts';

const LONGEST = 160;

export class RunFacts {
  title: string | null = null;
  model: string | null = null;
  person: string | null = null;
  folder: string | null = null;
  calls = 0;
  sent = 0;
  received = 0;
  costUsd: number | null = null;
  /** Of the agent: its hooks tell where it is. */
  private transcript: string | null = null;

  get tokens(): { readonly sent: number; readonly received: number } | null {
    return this.sent + this.received === 0 ? null : { sent: this.sent, received: this.received };
  }

  /** What the agent's own transcript says, where the tape does not. */
  async askAgent(agent: string): Promise<void> {
    if (this.transcript === null || this.costUsd !== null) return;
    const spent = await spentIn(agent, this.transcript);
    if (spent !== null) this.spend(spent);
  }

  private spend({ model, sent, received }: Spent): void {
    if (model !== null) this.model ??= clip(model, LONGEST);
    this.sent = sent;
    this.received = received;
  }

  add(chapter: Chapter): void {
    if (chapter.kind === 'session') this.note(chapter.entry.record.kind, chapter.entry.record.data);
    else {
      const { event, payload, recheck } = chapter.story.dispatch.record;
      if (recheck !== true) this.event(event, payload);
    }
  }

  private event(event: string, payload: Json): void {
    if (event === 'tool.pre') this.calls++;
    else if (event === 'turn.start') this.title ??= titleOf(summaryText(payload));
    if (!isJsonObject(payload) || (event !== 'session.start' && event !== 'completion.post')) return;
    if (typeof payload.model === 'string') this.model ??= clip(payload.model, LONGEST);
    const usage = isJsonObject(payload.usage) ? payload.usage : {};
    this.sent += countIn(usage, 'input_tokens');
    this.received += countIn(usage, 'output_tokens');
  }

  private note(kind: string, data: Json): void {
    if (!isJsonObject(data)) return;
    if (kind === 'run' && !isJsonObject(data.caller)) {
      const { session } = isJsonObject(data.settings) ? data.settings : {};
      const { cwd, transcriptPath } = isJsonObject(session) ? session : {};
      if (typeof transcriptPath === 'string') this.transcript ??= transcriptPath;
      if (typeof cwd === 'string') this.folder ??= clip(cwd, LONGEST);
      if (isJsonObject(data.actor)) this.person ??= clip(readable(data.actor.id), LONGEST);
    } else if (kind === 'spent') {
      const { model, ...usage } = data;
      const [sent, received] = [countIn(usage, 'sent'), countIn(usage, 'received')];
      this.spend({ model: typeof model === 'string' ? model : null, sent, received });
    } else if (kind === 'end' && data.agent_id === undefined && typeof data.costUsd === 'number')
      this.costUsd = (this.costUsd ?? 0) + data.costUsd;
  }
}

/** The first line that says something, without marks. */
export function titleOf(text: string): string | null {
  const line = text
    .slice(0, LONGEST * 8)
    .split('\n')
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .find((each) => /[\p{L}\p{N}]/u.test(each));
  return line === undefined ? null : clip(line, LONGEST);
}

function countIn(usage: JsonObject, key: string): number {
  const count = usage[key];
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0;
}
