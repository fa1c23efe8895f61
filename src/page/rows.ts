/** Decisions and notes of a tape as lines of a list: short, whatever they hold. */
import { clip, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { type Chapter, hasFailure, readable, type SharedPrefix, type Story, toolOf } from '../tape/index.ts';
import { countOf } from '../terminal/index.ts';
import type { Row } from './server/api.ts';

const LONGEST = 240;

export function rowOf(run: string, chapter: Chapter): Row {
  return chapter.kind === 'decision' ? decisionRow(run, chapter.story) : noteRow(run, chapter.entry);
}

export function decisionRow(run: string, story: Story): Row {
  const { dispatch, outcome } = story;
  const { action = null, hook = null, reason } = outcome?.record ?? {};
  return {
    run,
    seq: dispatch.seq,
    at: dispatch.at ?? null,
    event: dispatch.record.event,
    note: false,
    tool: toolOf(story),
    action,
    hook,
    reason: reason === undefined ? null : short(readable(reason)),
    text: short(summaryText(dispatch.record.payload, omittedCount(dispatch.record.same?.messages))),
    ms: outcome?.ms ?? null,
    failed: hasFailure(story),
  };
}

function noteRow(run: string, { seq, at, record }: Extract<Chapter, { kind: 'session' }>['entry']): Row {
  const data = isJsonObject(record.data) ? record.data : {};
  const isCall = record.kind === 'call';
  return {
    run,
    seq,
    at: at ?? null,
    event: record.kind,
    note: true,
    tool: isCall ? readable(data.tool) : null,
    action: isCall ? readable(data.verdict) : null,
    hook: isCall && typeof data.by === 'string' ? data.by : null,
    reason: isCall && data.reason ? short(readable(data.reason)) : null,
    text: isCall ? '' : short(noteText(record.kind, record.data)),
    ms: null,
    failed: false,
  };
}

function noteText(kind: string, data: Json): string {
  if (kind !== 'message' || !isJsonObject(data) || !isJsonObject(data.message)) return readable(data);
  return `${readable(data.message.role)}: ${messageText(data.message)}`;
}

function messageText({ content, tool_calls: calls }: JsonObject): string {
  const called = Array.isArray(calls)
    ? calls.map((call) => (isJsonObject(call) ? readable(call.name) : ''))
    : [];
  const tail = called.length === 0 ? '' : ` → ${called.join(', ')}`;
  return `${readable(content)}${tail}`;
}

/** The keys that say most of what an event is about, first those of a call. */
const ARGUMENTS = ['command', 'path', 'file_path', 'url', 'query', 'pattern', 'prompt', 'argv'] as const;
const PARTS = [
  'prompt',
  'text',
  'message',
  'task',
  'result',
  'content',
  'output',
  'path',
  'reason',
  'error',
] as const;

/** On every event, and never what it is about. */
const USUAL = new Set(['id', 'session_id', 'turn', 'parent_session_id', 'parent_id', 'kind', 'model']);

/** Of a list that a tape has the beginning of elsewhere: how much. */
function omittedCount(same: SharedPrefix | undefined): number {
  return typeof same === 'object' ? (same[2] ?? 0) : 0;
}

/** `before`: messages that the payload leaves out. */
export function summaryText(payload: Json, before = 0): string {
  if (!isJsonObject(payload)) return readable(payload);
  const said = answered(payload, before);
  if (said !== null) return said;
  const args = isJsonObject(payload.args) ? payload.args : null;
  const argument = ARGUMENTS.find((key) => args?.[key] !== undefined);
  if (args !== null) {
    const only = Object.keys(args).length === 1 ? Object.values(args)[0] : undefined;
    return readable(argument === undefined ? (only ?? args) : args[argument]);
  }
  const part = PARTS.find((key) => typeof payload[key] === 'string');
  if (part !== undefined) return readable(payload[part]);
  const rest = Object.entries(payload).filter(([key]) => !USUAL.has(key));
  return rest.length === 0 ? '' : readable(Object.fromEntries(rest) as Json);
}

/** What a model was asked or said. */
function answered({ choices, messages }: JsonObject, before: number): string | null {
  const [first] = Array.isArray(choices) ? choices : [];
  if (isJsonObject(first) && isJsonObject(first.message)) return messageText(first.message);
  if (!Array.isArray(messages)) return null;
  const last = messages.at(-1);
  return `${countOf(before + messages.length, 'message')}${isJsonObject(last) ? `, the last: ${messageText(last)}` : ''}`;
}

function short(text: string): string {
  // What is never shown is not looked at: a result may have fifty million characters.
  return clip(text.slice(0, LONGEST * 4).replace(/\s+/g, ' '), LONGEST);
}
