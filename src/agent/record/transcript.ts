/**
 * The transcript of a session: one JSON object a line, appended as things happen, each with its number and the number of
 * the one before. What a Harn handler was told and answered is lines of its own: `hook_call`, `hook_returned`, `hook_vetoed`. A process that is killed leaves a transcript that is whole up to its last line end.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { harnEvent } from '../../frontends/index.ts';
import type { SessionEvent } from '../session-event.ts';

export const TRANSCRIPT_VERSION = 1;

export interface TranscriptHeader {
  readonly sessionId: string;
  /** Milliseconds since the epoch, from the host. */
  readonly startedAt: number;
  readonly model?: string;
  /** Entries of a transcript that is gone on with. */
  readonly entries?: number;
}

export interface TranscriptEntry extends JsonObject {
  readonly type: string;
}

export interface TranscriptLines {
  /** The first line. Every line has its line end. */
  readonly header: string;
  /** The lines of an event; empty for one that is not kept. */
  readonly line: (event: SessionEvent) => string;
}

/** Takes secrets out of what is about to be written; the tape has one (`OpenTape.hide`). */
export type Hide = (data: Json) => Json;

export const UNREDACTED: Hide = (data) => data;

export function transcriptLines(
  { sessionId, startedAt, model, entries = 0 }: TranscriptHeader,
  hide: Hide = UNREDACTED,
): TranscriptLines {
  const head = { type: 'session', version: TRANSCRIPT_VERSION, id: sessionId, started_at: startedAt };
  let count = entries;
  return {
    header: lineOf(model === undefined ? head : { ...head, model }),
    line: (event) => {
      const kept = entryOf(event);
      if (kept === null) return '';
      return [...handlerEntries(event), kept]
        .map((entry) => {
          count++;
          const parent = count === 1 ? null : count - 1;
          return lineOf({ seq: count, parent, ...(hide(entry as JsonObject) as JsonObject) });
        })
        .join('');
    },
  };
}

/** The entries of a transcript. A last line that was cut off is left out; any other broken line throws. */
export function parseTranscript(text: string): TranscriptEntry[] {
  const lines = text.split('\n');
  lines.pop();
  return lines.map((line, place) => {
    const entry = decode(line);
    if (isJsonObject(entry) && typeof entry.type === 'string') return entry as TranscriptEntry;
    throw new SyntaxError(`line ${place + 1} of the transcript is no entry`);
  });
}

/** Pieces of text are left out: the message they make up follows. */
function entryOf(event: SessionEvent): object | null {
  if (event.type === 'text' || event.type === 'held') return null;
  if (event.type === 'agent') {
    const { event: inner, ...of } = event;
    const entry = entryOf(inner);
    return entry === null ? null : { ...of, entry };
  }
  if (event.type !== 'hook') return event;
  const { payload, outcome, ...rest } = event;
  const { action, reason, hook, effects, trace, failure } = outcome;
  return {
    ...rest,
    payload: brief(payload),
    outcome: {
      action,
      reason,
      hook,
      ...(action === 'modify' ? { payload: brief(outcome.payload) } : {}),
      effects,
      trace,
      ...(failure === undefined ? {} : { failure }),
    },
  };
}

const HARN_FRONT_ENDS: readonly string[] = ['harn', 'manifest'];

/** The three kinds that Harn's transcripts have, of every handler that was called. */
function handlerEntries(event: SessionEvent): object[] {
  if (event.type !== 'hook') return [];
  const { payload, outcome } = event;
  const name = harnEvent(event.event)?.name ?? event.event;
  return outcome.trace
    .filter(({ frontEnd, state }) => state === 'ran' && HARN_FRONT_ENDS.includes(frontEnd))
    .flatMap(({ hook: handler, decision, reason, failure, vetoIgnored }) => {
      const of = { event: name, handler };
      const vetoes = decision !== null && VETOES.includes(decision) && vetoIgnored === undefined;
      return [
        { type: 'hook_call', ...of, payload: brief(payload) },
        { type: 'hook_returned', ...of, result: failure === null ? decision : 'error' },
        ...(vetoes ? [{ type: 'hook_vetoed', ...of, decision, reason }] : []),
      ];
    });
}

/** A block, or an answer to a permission. */
const VETOES: readonly string[] = ['block', 'ask', 'permit'];

/** Each request holds the whole conversation, which is in the transcript already: only its length is kept. */
function brief(payload: Json): Json {
  if (!isJsonObject(payload) || !Array.isArray(payload.messages)) return payload;
  const { messages, ...rest } = payload;
  return { ...rest, message_count: (messages as readonly Json[]).length };
}

function lineOf(entry: object): string {
  return `${JSON.stringify(entry)}\n`;
}

function decode(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
