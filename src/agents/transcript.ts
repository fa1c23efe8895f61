/**
 * An agent's own record of a session as events of the catalog: what was asked, which tools were called, what they gave, and
 * which calls a person refused. A reader takes lines and keeps no clock or file; what it does not know it counts and passes over.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { afterTool, beforeTool, type NativeResult, type NativeTool } from './tool-events.ts';
import { isNotACall, type ToolSet } from './tool-forms.ts';

export type TranscriptItem =
  | {
      readonly kind: 'event';
      /** Milliseconds since the epoch; null if the line does not say. */
      readonly at: number | null;
      readonly event: 'turn.start' | 'tool.pre' | 'tool.post';
      readonly payload: JsonObject | string;
    }
  | {
      readonly kind: 'call';
      readonly at: number | null;
      readonly callId: string;
      readonly tool: string;
      readonly verdict: CallEnd;
      /** `person` if somebody refused it or broke it off. */
      readonly by: 'person' | null;
      readonly reason: string | null;
    };

/** How a call ended, in the words of a tape. */
export type CallEnd = 'ran' | 'failed' | 'denied' | 'blocked';

/** Tokens of a session, and the model that it spoke to last. */
export interface Spent {
  readonly model: string | null;
  readonly sent: number;
  readonly received: number;
}

export interface Transcript {
  readonly session: string;
  /** The folder the agent worked in, if it says so. */
  readonly cwd: string | null;
  readonly items: readonly TranscriptItem[];
  /** Null if no line says it. */
  readonly spent: Spent | null;
  /** Lines that are no JSON. */
  readonly unread: number;
  /** Calls whose arguments could not be told: they stand under the agent's own name. */
  readonly unclear: number;
  /** There was more than is kept. */
  readonly cut: boolean;
}

/** What a file is if it is no transcript of that agent. */
export interface NoTranscript {
  readonly problem: string;
}

/** Null for a line that is no JSON. */
export type ReadTranscript = (lines: Iterable<Json | null>) => Transcript | NoTranscript;

const MOST_ITEMS = 200_000;

interface OpenCall {
  readonly tool: NativeTool;
  /** As policies name it. */
  readonly name: string;
}

export class TranscriptBuilder {
  session: string | null = null;
  cwd: string | null = null;
  unread = 0;
  private model: string | null = null;
  private readonly spent = new Map<string, readonly [sent: number, received: number]>();
  private unclear = 0;
  private cut = false;
  private readonly set: ToolSet;
  private readonly items: TranscriptItem[] = [];
  /** Calls without a result, by the agent's id. */
  private readonly open = new Map<string, OpenCall>();

  constructor(set: ToolSet) {
    this.set = set;
  }

  speaksTo(model: Json | undefined): void {
    if (typeof model === 'string') this.model = model;
  }

  /** Of one answer; said again, the last counts. */
  spend(answer: Json | undefined, usage: Json | undefined, sent: readonly string[], received: string): void {
    if (!isJsonObject(usage) || this.spent.size >= MOST_ITEMS) return;
    const sum = (keys: readonly string[]) => keys.reduce((all, key) => all + countIn(usage[key]), 0);
    this.spent.set(String(answer ?? this.spent.size), [sum(sent), sum([received])]);
  }

  prompt(at: number | null, text: string): void {
    const last = this.items.at(-1);
    const again = last?.kind === 'event' && last.event === 'turn.start' && last.payload === text;
    if (text.trim() !== '' && !again) this.add({ kind: 'event', at, event: 'turn.start', payload: text });
  }

  call(at: number | null, tool: NativeTool): void {
    const parts = beforeTool(this.set, tool, this.session ?? '');
    const [first] = isNotACall(parts) ? [] : parts.payloads;
    const name = isJsonObject(first) && typeof first.name === 'string' ? first.name : tool.name;
    if (tool.id !== null) this.open.set(tool.id, { tool, name });
    if (isNotACall(parts)) {
      this.unclear++;
      this.add({ kind: 'event', at, event: 'tool.pre', payload: this.asItStands(tool) });
      return;
    }
    for (const payload of parts.payloads) this.add({ kind: 'event', at, event: 'tool.pre', payload });
  }

  result(at: number | null, id: string, result: NativeResult): void {
    const call = this.take(id);
    if (call === null) return;
    const parts = afterTool(this.set, call.tool, result, this.session ?? '');
    const payloads = isNotACall(parts) ? [] : parts.payloads;
    for (const payload of payloads) this.add({ kind: 'event', at, event: 'tool.post', payload });
    this.end(at, id, call, result.isError === true ? 'failed' : 'ran', null, null);
  }

  /** It did not run: a person said no, or something else did. */
  refused(at: number | null, id: string, by: 'person' | null, reason: string | null): void {
    const call = this.take(id);
    if (call !== null) this.end(at, id, call, by === 'person' ? 'denied' : 'blocked', by, reason);
  }

  /** A person broke it off. */
  brokenOff(at: number | null, id: string): void {
    const call = this.take(id);
    if (call !== null) this.end(at, id, call, 'failed', 'person', 'interrupted');
  }

  /** A person broke off whatever was under way. */
  interrupted(at: number | null): void {
    for (const [id, call] of this.open) this.end(at, id, call, 'failed', 'person', 'interrupted');
    this.open.clear();
  }

  done(agent: string): Transcript | NoTranscript {
    const { session, cwd, items, unread, unclear, cut, model } = this;
    if (session === null) return { problem: `is no transcript of ${agent}: no line names its session` };
    const sum = (at: 0 | 1) => [...this.spent.values()].reduce((all, each) => all + each[at], 0);
    const spent = model === null && this.spent.size === 0 ? null : { model, sent: sum(0), received: sum(1) };
    return { session, cwd, items, spent, unread, unclear, cut };
  }

  private take(id: string): OpenCall | null {
    const call = this.open.get(id) ?? null;
    this.open.delete(id);
    return call;
  }

  private end(
    at: number | null,
    callId: string,
    { name }: OpenCall,
    verdict: CallEnd,
    by: 'person' | null,
    reason: string | null,
  ): void {
    this.add({ kind: 'call', at, callId, tool: name, verdict, by, reason });
  }

  private asItStands({ id, name, input }: NativeTool): JsonObject {
    const args = isJsonObject(input) ? input : { input };
    return { id: id ?? '', name, args, session_id: this.session ?? '', native: { name, input } };
  }

  private add(item: TranscriptItem): void {
    if (this.items.length < MOST_ITEMS) this.items.push(item);
    else this.cut = true;
  }
}

function countIn(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Milliseconds since the epoch of an ISO time; null for anything else. */
export function timeIn(value: Json | undefined): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** The texts of a list of parts, or the text itself. */
export function partsText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((part) =>
    isJsonObject(part) && typeof part.text === 'string' ? [part.text] : [],
  );
  return texts.join('\n');
}
