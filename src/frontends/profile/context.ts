/**
 * The context a profile's hook sees: the canonical payload under the names that Loom hooks are written for. Flat, and
 * always with `event` and `turnIndex`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { RunState } from '../../hooks/run-state.ts';

export type LoomContext = { readonly event: string; readonly turnIndex: number } & Readonly<
  Record<string, Json>
>;

interface Row {
  /** What such hooks call the event. */
  readonly name: string;
  readonly fields: (payload: JsonObject, run: RunState) => Readonly<Record<string, Json>>;
}

const tool = (payload: JsonObject) => ({
  toolName: text(payload.name),
  toolInput: isJsonObject(payload.args) ? payload.args : {},
});

const ROWS: Readonly<Record<string, Row>> = {
  'session.start': {
    name: 'session.start',
    fields: (payload, run) => ({ sessionId: sessionId(payload, run), model: text(payload.model) }),
  },
  'turn.start': { name: 'user.prompt.submit', fields: (payload) => ({ prompt: text(payload.prompt) }) },
  'tool.pre': { name: 'tool.pre', fields: tool },
  'tool.post': {
    name: 'tool.post',
    fields: (payload) => ({
      ...tool(payload),
      result: text(payload.content),
      isError: payload.is_error === true,
    }),
  },
  'completion.pre': {
    name: 'model.pre',
    fields: (payload) => ({ model: text(payload.model), messageCount: lengthOf(payload.messages) }),
  },
  'completion.post': {
    name: 'model.post',
    fields: (payload) => {
      const usage = isJsonObject(payload.usage) ? payload.usage : {};
      return {
        model: text(payload.model),
        stopReason: text(payload.finish_reason),
        inputTokens: count(usage.input_tokens),
        outputTokens: count(usage.output_tokens),
        costUsd: count(payload.cost_usd),
        toolCallCount: toolCalls(payload.choices),
      };
    },
  },
  'session.end': {
    name: 'session.end',
    fields: (payload, run) => ({ sessionId: sessionId(payload, run), reason: text(payload.reason) }),
  },
  error: {
    name: 'error',
    fields: (payload) => ({ code: text(payload.code) || 'UNKNOWN', message: text(payload.message) }),
  },
};

export function loomContext(event: string, payload: Json, run: RunState): LoomContext {
  const row = Object.hasOwn(ROWS, event) ? ROWS[event]! : null;
  const given: JsonObject = isJsonObject(payload)
    ? payload
    : typeof payload === 'string'
      ? { prompt: payload }
      : {};
  const base = { event: row?.name ?? event, turnIndex: count(given.turn) };
  return row === null ? base : { ...base, ...row.fields(given, run) };
}

function sessionId(payload: JsonObject, { session }: RunState): string {
  return session.id || text(payload.session_id);
}

/** Text that is not computed yet becomes so: it says what it is when it is written as JSON. */
function text(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  const written: unknown = JSON.parse(JSON.stringify(value));
  return typeof written === 'string' ? written : JSON.stringify(written);
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function lengthOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}

/** Providers put the calls of a choice beside its message or inside it. */
function toolCalls(choices: Json | undefined): number {
  if (!Array.isArray(choices)) return 0;
  let calls = 0;
  for (const choice of choices as readonly Json[]) {
    if (!isJsonObject(choice)) continue;
    const message = isJsonObject(choice.message) ? choice.message : {};
    calls += lengthOf(choice.tool_calls) || lengthOf(message.tool_calls);
  }
  return calls;
}
