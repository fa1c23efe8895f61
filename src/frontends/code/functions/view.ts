/**
 * An event as Harn handlers see it: its name, and what it is about in their own terms. Read-only.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../base/index.ts';
import { frozenCopy, frozenFields, isOfSubAgent, type RunState, type Who } from '../../../engine/index.ts';
import { harnEvent } from './events.ts';

export type HarnView = Readonly<Record<string, unknown>>;
/** Fields of every event of a run, whatever it is about. */
type RunFields = Readonly<Record<string, unknown>>;
type View = (name: string, payload: JsonObject, run: RunState, around: RunFields) => HarnView;

/** What is known without a session: the same on replay as when it was recorded. */
export function harnView(event: string, payload: Json, run: RunState, who: Who): HarnView {
  return viewOf(event, payload, run, callerFields(who));
}

/** With the conversation as it stands, for functions of the program that runs the session. */
export function harnViewInSession(event: string, payload: Json, run: RunState, who: Who): HarnView {
  const { transcript } = run.services;
  if (transcript === undefined) return harnView(event, payload, run, who);
  return withTranscript(harnView(event, payload, run, who), () => frozenCopy(transcript()));
}

/** The conversation is asked for when a handler first reads it: that is a reading on the tape. */
export function withTranscript(seen: HarnView, transcript: () => readonly Json[] | null): HarnView {
  let known: readonly Json[] | null | undefined;
  const get = () => (known === undefined ? (known = transcript()) : known);
  const { getOwnPropertyDescriptors: parts } = Object;
  return Object.freeze(
    Object.defineProperties({}, { ...parts(seen), transcript: { get, enumerable: true } }),
  );
}

function viewOf(event: string, payload: Json, run: RunState, around: RunFields): HarnView {
  const known = harnEvent(event);
  if (known === undefined) return {};
  const object = isJsonObject(payload) ? payload : {};
  if (event === 'turn.start')
    return frozenFields<HarnView>({
      ...around,
      event: known.name,
      session: session({}, run),
      prompt: payload,
    });
  return (VIEWS[event] ?? DEFAULT_VIEWS[known.surface])(known.name, object, run, around);
}

/** The sub-agent the event is of, nothing for the session itself; and whom it works for, if the host says. */
function callerFields(who: Who): RunFields {
  return {
    ...(who.actor !== null && { actor: who.actor }),
    ...(isOfSubAgent(who) && { caller: frozenCopy(who.caller) }),
  };
}

const viewTool: View = (event, payload, _run, around) => {
  const id = payload.id ?? payload.call_id ?? null;
  return frozenFields<HarnView>({ ...around, event, tool: tool(payload), tool_call_id: id });
};

const viewResult: View = (event, payload, _run, around) =>
  frozenFields<HarnView>({
    ...around,
    event,
    tool: tool(payload),
    tool_call_id: payload.id ?? payload.call_id ?? null,
    result: frozenFields<HarnView>({
      text: frozenCopy(payload.content),
      dropped_bytes: typeof payload.dropped_bytes === 'number' ? payload.dropped_bytes : 0,
    }),
  });

const viewStep: View = (event, payload, _run, around) => {
  const { persona = null, step: name, target } = payload;
  const step = { name, function: payload.function ?? null, args: frozenCopy(payload.args ?? []) };
  return frozenFields<HarnView>({
    ...around,
    event,
    target: target ?? (persona === null ? name : `${persona}.${name}`),
    persona,
    step: frozenFields<HarnView>(step),
    output: frozenCopy(payload.output),
  });
};

const viewPermission: View = (event, payload, run, around) =>
  frozenFields<HarnView>({
    ...around,
    event,
    session: session(payload, run),
    tool: tool(payload),
    reason: payload.reason,
    decision: payload.decision,
  });

/** The fields of the payload under their own names, beside the event and its session. */
const viewPlain: View = (event, payload, run, around) => {
  const { session_id: _, ...fields } = payload;
  const copies = Object.entries(fields).map(([key, value]) => [key, frozenCopy(value)]);
  return frozenFields<HarnView>({
    ...Object.fromEntries(copies),
    ...around,
    event,
    session: session(payload, run),
  });
};

const viewPersona: View = (event, payload, run, around) =>
  viewPlain(event, { ...payload, persona: payload.persona ?? null }, run, around);

const VIEWS: Readonly<Record<string, View>> = {
  'tool.post': viewResult,
  'step.pre': viewStep,
  'step.post': viewStep,
  'permission.asked': viewPermission,
  'permission.replied': viewPermission,
};

const DEFAULT_VIEWS = { tool: viewTool, persona: viewPersona, session: viewPlain } as const;

function tool(payload: JsonObject): HarnView {
  return frozenFields<HarnView>({
    name: payload.name,
    args: frozenCopy(payload.args ?? {}),
    tool_call_id: payload.id ?? payload.call_id ?? null,
  });
}

function session(payload: JsonObject, run: RunState): HarnView {
  return Object.freeze({ id: payload.session_id ?? run.session.id });
}
