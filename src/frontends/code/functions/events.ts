/**
 * The events of the three Harn surfaces (tool, persona, session) and what a handler is told about each. A surface
 * refuses the events of another, so that a handler is never bound where its answers mean something else.
 */
import { didYouMean, HarnessError, type Json, type JsonObject } from '../../../base/index.ts';
import {
  type Actor,
  type Caller,
  type CatalogName,
  type EventParameter,
  resolveEvent,
} from '../../../engine/index.ts';

export type Surface = 'tool' | 'persona' | 'session';

/** Canonical event, the name handlers know it by, and the surface it belongs to. */
const ROWS = [
  ['tool.pre', 'PreToolUse', 'tool'],
  ['tool.post', 'PostToolUse', 'tool'],
  ['step.pre', 'PreStep', 'persona'],
  ['step.post', 'PostStep', 'persona'],
  ['approval.requested', 'OnApprovalRequested', 'persona'],
  ['handoff.emitted', 'OnHandoffEmitted', 'persona'],
  ['persona.paused', 'OnPersonaPaused', 'persona'],
  ['persona.resumed', 'OnPersonaResumed', 'persona'],
  ['budget.threshold', 'OnBudgetThreshold', 'persona'],
  ['session.start', 'SessionStart', 'session'],
  ['session.end', 'SessionEnd', 'session'],
  ['turn.start', 'UserPromptSubmit', 'session'],
  ['compact.pre', 'PreCompact', 'session'],
  ['compact.post', 'PostCompact', 'session'],
  ['turn.step', 'PostTurn', 'session'],
  ['permission.asked', 'PermissionAsked', 'session'],
  ['permission.replied', 'PermissionReplied', 'session'],
  ['file.edited', 'FileEdited', 'session'],
  ['error', 'SessionError', 'session'],
  ['session.idle', 'SessionIdle', 'session'],
  ['finish.pre', 'PreFinish', 'session'],
  ['finish.unsettled', 'OnUnsettledDetected', 'session'],
  ['finish.post', 'PostFinish', 'session'],
  ['suspend.pre', 'PreSuspend', 'session'],
  ['suspend.post', 'PostSuspend', 'session'],
  ['resume.pre', 'PreResume', 'session'],
  ['resume.post', 'PostResume', 'session'],
  ['drain.pre', 'PreDrain', 'session'],
  ['drain.decision', 'OnDrainDecision', 'session'],
  ['drain.post', 'PostDrain', 'session'],
] as const satisfies readonly (readonly [CatalogName, string, Surface])[];

export interface HarnEvent {
  /** Canonical. */
  readonly event: string;
  /** As handlers know it. */
  readonly name: string;
  readonly surface: Surface;
  /** The number in `OnBudgetThreshold(80)`. */
  readonly parameter?: EventParameter;
}

const BY_CANONICAL: ReadonlyMap<string, HarnEvent> = new Map(
  ROWS.map(([event, name, surface]) => [event, { event, name, surface }]),
);

const REGISTRARS: Readonly<Record<Surface, string>> = {
  tool: 'registerToolHook',
  persona: 'registerPersonaHook or registerStepHook',
  session: 'registerSessionHook',
};

/** The event of a canonical name, or undefined for one no handler can listen to. */
export function harnEvent(canonical: string): HarnEvent | undefined {
  return BY_CANONICAL.get(canonical);
}

/** What a person wrote, in any spelling. Throws for a name that no surface has, or that none of `surfaces` has. */
export function requireHarnEvent(who: string, written: string, surfaces: readonly Surface[]): HarnEvent {
  const resolved = resolveEvent(String(written));
  const known = resolved.ok ? BY_CANONICAL.get(resolved.event) : undefined;
  if (resolved.ok && known !== undefined && surfaces.includes(known.surface)) {
    return resolved.parameter === undefined ? known : { ...known, parameter: resolved.parameter };
  }
  const why =
    known === undefined
      ? `has no event ${JSON.stringify(written)}${didYouMean(String(written), spellings(surfaces, String(written)))}`
      : `does not take ${known.name}: use ${REGISTRARS[known.surface]}`;
  throw new HarnessError('EVENT_UNKNOWN', `${who} ${why}`);
}

/** Of two that are equally near, the hint is in the spelling the person uses. */
function spellings(surfaces: readonly Surface[], written: string): string[] {
  const names = ROWS.filter((row) => surfaces.includes(row[2])).map((row) => row[1]);
  const snakes = names.map(snakeCase);
  return written === written.toLowerCase() ? [...snakes, ...names] : [...names, ...snakes];
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

// What follows is for editors and the type checker: the names and the shapes above, as types.

export interface ToolSeen {
  readonly name: string;
  readonly args: JsonObject;
  readonly tool_call_id: string | null;
}

/** What every event says of where it happens. */
interface EventBase {
  /** The conversation as it stands, oldest first; absent outside of a session. */
  readonly transcript?: readonly JsonObject[];
  /** The sub-agent the event is of; absent for the session itself. */
  readonly caller?: Caller;
  /** Whom the session works for; absent if the host does not say. */
  readonly actor?: Actor;
}

export interface PreToolUseEvent extends EventBase {
  readonly event: 'PreToolUse';
  readonly tool: ToolSeen;
  readonly tool_call_id: string | null;
}

export interface PostToolUseEvent extends EventBase {
  readonly event: 'PostToolUse';
  readonly tool: ToolSeen;
  readonly tool_call_id: string | null;
  readonly result: {
    /** As the hooks before left it. */
    readonly text: string;
    /** Bytes that earlier hooks took away. */
    readonly dropped_bytes: number;
  };
}

interface StepSeen<N extends string> extends EventBase {
  readonly event: N;
  /** `persona.step`, or the step alone. */
  readonly target: string;
  readonly persona: string | null;
  readonly step: { readonly name: string; readonly function: string | null; readonly args: readonly Json[] };
}

interface PersonaSeen<N extends string> {
  readonly event: N;
  readonly persona: string | null;
  readonly [key: string]: Json | undefined;
}

export interface PersonaEvents {
  PreStep: StepSeen<'PreStep'>;
  PostStep: StepSeen<'PostStep'> & { readonly output: Json };
  OnApprovalRequested: PersonaSeen<'OnApprovalRequested'>;
  OnHandoffEmitted: PersonaSeen<'OnHandoffEmitted'>;
  OnPersonaPaused: PersonaSeen<'OnPersonaPaused'>;
  OnPersonaResumed: PersonaSeen<'OnPersonaResumed'>;
  OnBudgetThreshold: PersonaSeen<'OnBudgetThreshold'> & { readonly percentage: number };
}

export type PersonaEventName = keyof PersonaEvents | `OnBudgetThreshold(${number})`;
export type PersonaEventOf<N extends PersonaEventName> = N extends keyof PersonaEvents
  ? PersonaEvents[N]
  : PersonaEvents['OnBudgetThreshold'];

interface SessionSeen<N extends string> extends EventBase {
  readonly event: N;
  readonly session: { readonly id: string };
}

interface WorkerSeen<N extends string> extends SessionSeen<N> {
  /** Of the worker. */
  readonly id: string;
  readonly name?: string;
  readonly reason?: string | null;
}

interface DrainSeen<N extends string> extends SessionSeen<N> {
  readonly pending?: number;
  readonly ids?: readonly string[];
}

export interface SessionEvents {
  SessionStart: SessionSeen<'SessionStart'> & { readonly model?: string; readonly source?: string };
  SessionEnd: SessionSeen<'SessionEnd'> & { readonly reason?: string };
  UserPromptSubmit: SessionSeen<'UserPromptSubmit'> & { readonly prompt: string };
  PreCompact: SessionSeen<'PreCompact'> & {
    readonly trigger?: string;
    readonly message_count?: number;
    readonly tokens?: number;
  };
  PostCompact: SessionSeen<'PostCompact'> & {
    readonly trigger?: string;
    readonly message_count_before?: number;
    readonly message_count_after?: number;
    readonly summary?: string;
  };
  PostTurn: SessionSeen<'PostTurn'> & {
    readonly text: string;
    readonly iteration: number;
    readonly tool_calls?: readonly JsonObject[];
    readonly tool_results?: readonly JsonObject[];
  };
  PermissionAsked: SessionSeen<'PermissionAsked'> & { readonly tool: ToolSeen; readonly reason?: string };
  PermissionReplied: SessionSeen<'PermissionReplied'> & {
    readonly tool: ToolSeen;
    readonly decision: 'allow' | 'deny' | 'ask';
    readonly reason?: string | null;
  };
  FileEdited: SessionSeen<'FileEdited'> & { readonly path: string; readonly metadata?: JsonObject };
  SessionError: SessionSeen<'SessionError'> & { readonly code?: string; readonly message: string };
  SessionIdle: SessionSeen<'SessionIdle'> & { readonly wake_interval_ms?: number };
  PreFinish: SessionSeen<'PreFinish'> & { readonly value?: Json };
  OnUnsettledDetected: SessionSeen<'OnUnsettledDetected'> & {
    readonly unsettled: Readonly<
      Record<
        | 'suspended_subagents'
        | 'queued_triggers'
        | 'partial_handoffs'
        | 'in_flight_llm_calls'
        | 'pool_pending_tasks',
        readonly Json[]
      >
    >;
  };
  PostFinish: SessionSeen<'PostFinish'> & { readonly value?: Json };
  PreSuspend: WorkerSeen<'PreSuspend'>;
  PostSuspend: WorkerSeen<'PostSuspend'>;
  PreResume: WorkerSeen<'PreResume'>;
  PostResume: WorkerSeen<'PostResume'>;
  PreDrain: DrainSeen<'PreDrain'>;
  OnDrainDecision: WorkerSeen<'OnDrainDecision'> & { readonly decision: 'resume' | 'cancel' | 'keep' };
  PostDrain: DrainSeen<'PostDrain'>;
}

/** The second spelling of each session event. Written out: a type that computed it would cost thousands of types. */
interface SnakeCaseNames {
  session_start: 'SessionStart';
  session_end: 'SessionEnd';
  user_prompt_submit: 'UserPromptSubmit';
  pre_compact: 'PreCompact';
  post_compact: 'PostCompact';
  post_turn: 'PostTurn';
  permission_asked: 'PermissionAsked';
  permission_replied: 'PermissionReplied';
  file_edited: 'FileEdited';
  session_error: 'SessionError';
  session_idle: 'SessionIdle';
  pre_finish: 'PreFinish';
  on_unsettled_detected: 'OnUnsettledDetected';
  post_finish: 'PostFinish';
  pre_suspend: 'PreSuspend';
  post_suspend: 'PostSuspend';
  pre_resume: 'PreResume';
  post_resume: 'PostResume';
  pre_drain: 'PreDrain';
  on_drain_decision: 'OnDrainDecision';
  post_drain: 'PostDrain';
  error: 'SessionError';
}

export type SessionEventName = keyof SessionEvents | keyof SnakeCaseNames;
export type SessionEventOf<N extends SessionEventName> = N extends keyof SnakeCaseNames
  ? SessionEvents[SnakeCaseNames[N]]
  : SessionEvents[N & keyof SessionEvents];
