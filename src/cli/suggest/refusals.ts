/** The tool calls of tapes and how each ended; those that a person refused with all they were. */
import type { JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { readTape } from '../../tape/tape-reader.ts';

export interface Refusal {
  readonly session: string;
  readonly seq: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** `declined`, `interrupted`, or what the person said. */
  readonly reason: string;
}

/** More calls of one tape without an end are not waited for. */
const MOST_OPEN = 10_000;

export class Calls {
  readonly refused: Refusal[] = [];
  count = 0;
  /** Calls that a person refused, and calls that ran: by session and entry. */
  private readonly ends = new Map<string, 'refused' | 'ran'>();

  /** Throws TAPE_INVALID for what is no tape. */
  addTape(file: string): void {
    const { header, entries } = readTape(file);
    const { session } = header;
    const open = new Map<string, Omit<Refusal, 'reason'>[]>();
    for (const { seq, record } of entries) {
      if (record.type === 'decision' && 'event' in record.in && record.in.event === 'tool.pre') {
        const { payload } = record.in;
        if (!isJsonObject(payload) || typeof payload.name !== 'string') continue;
        this.count++;
        // A call in several parts has one id, with the number of the part behind it.
        const id = typeof payload.id === 'string' ? payload.id.replace(/#\d+$/, '') : '';
        const args = isJsonObject(payload.args) ? payload.args : {};
        const parts = open.get(id) ?? [];
        parts.push({ session, seq, tool: payload.name, args });
        if (open.size < MOST_OPEN) open.set(id, parts);
      }
      if (record.type !== 'call') continue;
      const { callId, by, verdict, reason } = record;
      const parts = open.get(callId) ?? [];
      open.delete(callId);
      for (const part of parts) {
        if (by === 'person') this.refused.push({ ...part, reason: reason ?? 'declined' });
        if (by === 'person') this.ends.set(keyOf(session, part.seq), 'refused');
        else if (verdict === 'ran' || verdict === 'failed') this.ends.set(keyOf(session, part.seq), 'ran');
      }
    }
  }

  /** Null if nobody knows, or if something else than a person stopped it. */
  endOf(session: string, seq: number): 'refused' | 'ran' | null {
    return this.ends.get(keyOf(session, seq)) ?? null;
  }
}

function keyOf(session: string, seq: number): string {
  return `${seq} ${session}`;
}
