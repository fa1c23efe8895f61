/**
 * What the model says to one request, complete and the same for every dialect: an item of the script with ids, counts and
 * the reason to stop filled in.
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { ScriptedToolCall } from '../providers/scripted.ts';
import { sampleOf } from './json-sample.ts';
import { decodedArguments, estimateTokens, type ModelRequest } from './model-request.ts';
import type { ServerCompletion } from './script.ts';

export type StopReason = NonNullable<ServerCompletion['stop_reason']>;

export interface AnswerCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them; no JSON if the script wants it so. */
  readonly arguments: string;
  /** Decoded, or the text itself if it is no JSON object. */
  readonly args: JsonObject | string;
}

export interface Answer {
  readonly text: string;
  readonly calls: readonly AnswerCall[];
  readonly stopReason: StopReason;
  readonly usage: NonNullable<ServerCompletion['usage']>;
}

export function answerOf(item: ServerCompletion, request: ModelRequest, nextId: () => string): Answer {
  const text = item.text ?? '';
  const calls = (item.tool_calls ?? []).map((call) => callOf(call, nextId));
  const written = calls.reduce((length, call) => length + call.arguments.length, text.length);
  return {
    text,
    calls,
    stopReason: item.stop_reason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    usage: item.usage ?? { input_tokens: request.inputTokens, output_tokens: estimateTokens(written) },
  };
}

/** An answer that ends the turn: the text, or a value of the JSON Schema that the request asks for. */
export function plainAnswer(text: string, request: ModelRequest): Answer {
  const shown = request.schema === null ? text : JSON.stringify(sampleOf(request.schema));
  return answerOf({ text: shown }, request, () => '');
}

function callOf(call: ScriptedToolCall, nextId: () => string): AnswerCall {
  const text = call.arguments ?? JSON.stringify(call.args ?? {});
  const args = decodedArguments(text);
  return {
    id: call.id ?? nextId(),
    name: call.name,
    arguments: text,
    args: isJsonObject(args) ? args : text,
  };
}

/** Few enough for a long text, small enough that a client has to put even a short one together. */
const PIECE_LENGTH = 24;
const MOST_PIECES = 32;

/** A text as a stream brings it: in pieces that never part a surrogate pair. */
export function piecesOf(text: string): readonly string[] {
  const length = Math.max(PIECE_LENGTH, Math.ceil(text.length / MOST_PIECES));
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
