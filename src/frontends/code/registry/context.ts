/**
 * The events of the hook registry, and what a hook is told about each. One table says how a context becomes the payload
 * of a canonical event and how it is read back, so that registry hooks stand in one chain with all others.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../base/index.ts';
import {
  type Actor,
  type Caller,
  type CatalogName,
  frozenCopy,
  frozenFields,
  isOfSubAgent,
  type RunState,
  UNKNOWN_WHO,
  type Who,
} from '../../../engine/index.ts';

/** What a hook is told of every event. */
interface About<E> {
  readonly event: E;
  readonly turnIndex: number;
  /** Whom the session works for, if the host says. */
  readonly actor?: Actor;
  /** The sub-agent the event is of. */
  readonly caller?: Caller;
}

/** What a hook is told, by event. All are read-only, whatever is inside. */
export interface HookContexts {
  'session.start': About<'session.start'> & {
    readonly sessionId: string;
    readonly model: string;
  };
  'user.prompt.submit': About<'user.prompt.submit'> & {
    readonly prompt: string;
  };
  'tool.pre': About<'tool.pre'> & {
    readonly toolName: string;
    readonly toolInput: Readonly<Record<string, unknown>>;
  };
  'tool.post': About<'tool.post'> & {
    readonly toolName: string;
    readonly toolInput: Readonly<Record<string, unknown>>;
    readonly result: string;
    readonly isError: boolean;
  };
  'model.pre': About<'model.pre'> & {
    readonly model: string;
    readonly messageCount: number;
  };
  'model.post': About<'model.post'> & {
    readonly model: string;
    readonly stopReason: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number;
    readonly toolCallCount: number;
  };
  'session.end': About<'session.end'> & {
    readonly sessionId: string;
    /** end_turn, aborted, max_turns, budget_exceeded, error, max_tokens, refusal, pause_turn, stop_sequence */
    readonly reason: string;
  };
  error: About<'error'> & {
    readonly code: string;
    readonly message: string;
  };
}

export type HookEvent = keyof HookContexts;
export type HookContext = HookContexts[HookEvent];

interface Row<E extends HookEvent> {
  readonly canonical: CatalogName;
  /** `continue: false` stops something; elsewhere it is only told to the model. */
  readonly stops: boolean;
  /** Runs to its end also where the session was aborted. */
  readonly final: boolean;
  readonly payload: (context: HookContexts[E]) => Json;
  readonly fields: (payload: JsonObject, run: RunState) => Fields<Omit<HookContexts[E], 'event'>>;
}

type Fields<T> = Parameters<typeof frozenFields<T & object>>[0];

const turn = (payload: JsonObject, run: RunState) => count(payload.turn ?? run.turnNumber);

export const LOOM_EVENTS: { readonly [E in HookEvent]: Row<E> } = {
  'session.start': {
    canonical: 'session.start',
    stops: false,
    final: false,
    payload: ({ sessionId, model, turnIndex }) => ({ session_id: sessionId, model, turn: turnIndex }),
    fields: (payload, run) => ({
      turnIndex: turn(payload, run),
      sessionId: sessionOf(payload, run),
      model: text(payload.model),
    }),
  },
  'user.prompt.submit': {
    canonical: 'turn.start',
    stops: true,
    final: false,
    payload: ({ prompt }) => prompt,
    fields: (payload, run) => ({ turnIndex: turn(payload, run), prompt: text(payload.prompt) }),
  },
  'tool.pre': {
    canonical: 'tool.pre',
    stops: true,
    final: false,
    payload: ({ toolName, toolInput, turnIndex }) => ({
      name: toolName,
      args: toolInput as JsonObject,
      turn: turnIndex,
    }),
    fields: (payload, run) => ({
      turnIndex: turn(payload, run),
      toolName: text(payload.name),
      toolInput: frozenCopy(payload.args as JsonObject),
    }),
  },
  'tool.post': {
    canonical: 'tool.post',
    stops: false,
    final: false,
    payload: ({ toolName, toolInput, result, isError, turnIndex }) => ({
      name: toolName,
      args: toolInput as JsonObject,
      content: result,
      is_error: isError,
      turn: turnIndex,
    }),
    fields: (payload, run) => ({
      turnIndex: turn(payload, run),
      toolName: text(payload.name),
      toolInput: frozenCopy((payload.args ?? {}) as JsonObject),
      result: text(payload.content),
      isError: payload.is_error === true,
    }),
  },
  'model.pre': {
    canonical: 'completion.pre',
    stops: false,
    final: false,
    payload: ({ model, messageCount, turnIndex }) => ({
      model,
      messages: [],
      message_count: messageCount,
      turn: turnIndex,
    }),
    fields: (payload, run) => ({
      turnIndex: turn(payload, run),
      model: text(payload.model),
      messageCount: count(payload.message_count ?? sizeOf(payload.messages)),
    }),
  },
  'model.post': {
    canonical: 'completion.post',
    stops: false,
    final: false,
    payload: ({ model, stopReason, inputTokens, outputTokens, costUsd, toolCallCount, turnIndex }) => ({
      model,
      choices: [],
      usage: { input_tokens: inputTokens, output_tokens: outputTokens },
      finish_reason: stopReason,
      cost_usd: costUsd,
      tool_call_count: toolCallCount,
      turn: turnIndex,
    }),
    fields: (payload, run) => {
      const usage = isJsonObject(payload.usage) ? payload.usage : {};
      return {
        turnIndex: turn(payload, run),
        model: text(payload.model),
        stopReason: text(payload.finish_reason),
        inputTokens: count(usage.input_tokens),
        outputTokens: count(usage.output_tokens),
        costUsd: count(payload.cost_usd),
        toolCallCount: count(payload.tool_call_count ?? toolCallsIn(payload.choices)),
      };
    },
  },
  'session.end': {
    canonical: 'session.end',
    stops: false,
    final: true,
    payload: ({ sessionId, reason, turnIndex }) => ({ session_id: sessionId, reason, turn: turnIndex }),
    fields: (payload, run) => ({
      turnIndex: turn(payload, run),
      sessionId: sessionOf(payload, run),
      reason: text(payload.reason),
    }),
  },
  error: {
    canonical: 'error',
    stops: false,
    final: true,
    payload: ({ code, message, turnIndex }) => ({ code, message, turn: turnIndex }),
    fields: (payload, run) => ({
      turnIndex: turn(payload, run),
      code: text(payload.code) || 'UNKNOWN',
      message: text(payload.message),
    }),
  },
};

const BY_CANONICAL: ReadonlyMap<string, HookEvent> = new Map(
  (Object.keys(LOOM_EVENTS) as HookEvent[]).map((event) => [LOOM_EVENTS[event].canonical, event]),
);

/** A session's start, prompt, failure and end are its own: those of its sub-agents are no second start and no second end. */
export const LOOM_OWN_SESSION_ONLY: ReadonlySet<string> = new Set([
  'session.start',
  'turn.start',
  'error',
  'session.end',
]);

/** The context of a canonical event, or undefined for one the registry does not have. */
export function contextOf(
  canonical: string,
  payload: Json,
  run: RunState,
  who: Who = UNKNOWN_WHO,
): HookContext | undefined {
  const event = BY_CANONICAL.get(canonical);
  if (event === undefined) return undefined;
  const object = isJsonObject(payload) ? payload : { prompt: payload };
  const fields = LOOM_EVENTS[event].fields as Row<'error'>['fields'];
  const behind = {
    ...(who.actor !== null && { actor: who.actor }),
    ...(isOfSubAgent(who) && { caller: frozenCopy(who.caller) }),
  };
  return frozenFields<HookContext>({ event, ...fields(object, run), ...behind } as Fields<HookContext>);
}

/** Whether `continue: false` means something on a canonical event. */
export function canStop(canonical: string): boolean {
  const event = BY_CANONICAL.get(canonical);
  return event !== undefined && LOOM_EVENTS[event].stops;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function count(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function sizeOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}

function sessionOf(payload: JsonObject, run: RunState): string {
  return text(payload.session_id) || run.session.id;
}

function toolCallsIn(choices: Json | undefined): number {
  if (!Array.isArray(choices)) return 0;
  return choices.reduce((sum: number, choice: Json) => {
    if (!isJsonObject(choice)) return sum;
    const message = isJsonObject(choice.message) ? choice.message : choice;
    return sum + sizeOf(message.tool_calls);
  }, 0);
}
