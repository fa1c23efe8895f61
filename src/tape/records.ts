/**
 * What the engine tells, as records of the tape. Recording writes these and replay makes them again, so that two runs are
 * the same exactly when their records are. Keys stand in sorted order and what is empty is left out.
 */
import type { Json } from '../base/json.ts';
import type { Decision, Effect, Failure, Outcome, TraceEntry } from '../events/decision.ts';
import type {
  HookCallRecord,
  HookFailedRecord,
  HookReturnedRecord,
  HookVetoedRecord,
  OutcomeRecord,
  Reading,
} from './entry.ts';

export interface CallEnded {
  readonly entry: TraceEntry;
  readonly decision: Decision | null;
  readonly effects: readonly Effect[];
  readonly readings: readonly Reading[];
}

export function callRecord(
  dispatch: number,
  hook: string,
  source: string,
  payload: Json | undefined,
): HookCallRecord {
  if (payload === undefined) return { dispatch, hook, source, type: 'hook_call' };
  return { dispatch, hook, payload, source, type: 'hook_call' };
}

export function endRecord(dispatch: number, ended: CallEnded): HookReturnedRecord | HookFailedRecord {
  const { entry } = ended;
  if (entry.failure !== null || entry.state !== 'ran') return failedRecord(dispatch, ended);
  return {
    dispatch,
    ...effectsOf(ended.effects),
    hook: entry.hook,
    ...rawOf(ended.decision),
    ...readingsOf(ended.readings),
    ...(entry.reason !== null && { reason: entry.reason }),
    result: entry.decision ?? 'allow',
    steps: entry.steps,
    type: 'hook_returned',
    ...remarksOf(entry),
  };
}

function failedRecord(dispatch: number, { entry, decision, effects, readings }: CallEnded): HookFailedRecord {
  return {
    dispatch,
    ...effectsOf(effects),
    ...(entry.failure !== null && { failure: sortedFailure(entry.failure) }),
    hook: entry.hook,
    policy: entry.onFailure ?? 'skipped',
    ...rawOf(decision),
    ...readingsOf(readings),
    ...(entry.reason !== null && { reason: entry.reason }),
    ...(entry.decision !== null && { result: entry.decision }),
    state: entry.state === 'unmatched' ? 'ran' : entry.state,
    steps: entry.steps,
    type: 'hook_failed',
    ...remarksOf(entry),
  };
}

/** Null where the hook's word stopped nothing. */
export function vetoRecord(dispatch: number, entry: TraceEntry): HookVetoedRecord | null {
  const { decision, reason, hook } = entry;
  if (decision !== 'block' && decision !== 'ask' && decision !== 'permit') return null;
  if (entry.failure !== null || entry.vetoIgnored !== undefined) return null;
  return { decision, dispatch, hook, reason: reason ?? '', type: 'hook_vetoed' };
}

export function outcomeRecord(dispatch: number, outcome: Outcome, rewritten: boolean): OutcomeRecord {
  const { action, event, failure, hook, reason, request } = outcome;
  return {
    action,
    dispatch,
    event,
    ...(failure !== undefined && { failure: { ...sortedFailure(failure), hook: failure.hook } }),
    ...(hook !== null && { hook }),
    ...(rewritten && { payload: outcome.payload }),
    ...(reason !== null && { reason }),
    ...(request !== undefined && { request }),
    type: 'outcome',
  };
}

function remarksOf({
  vetoIgnored,
  warnings,
}: TraceEntry): Pick<HookReturnedRecord, 'vetoIgnored' | 'warnings'> {
  return {
    ...(vetoIgnored !== undefined && { vetoIgnored }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** What `result` and `reason` do not say. */
function rawOf(decision: Decision | null): { readonly raw?: Json } {
  if (decision?.action === 'modify') return { raw: decision.payload };
  return decision?.action === 'delegate' ? { raw: decision.request } : {};
}

function readingsOf(readings: readonly Reading[]): { readonly readings?: readonly Reading[] } {
  return readings.length === 0 ? {} : { readings };
}

function effectsOf(effects: readonly Effect[]): { readonly effects?: readonly Effect[] } {
  return effects.length === 0 ? {} : { effects: effects.map(sortedEffect) };
}

function sortedEffect(effect: Effect): Effect {
  const { hook, kind } = effect;
  switch (kind) {
    case 'log':
      return { hook, kind, level: effect.level, message: effect.message };
    case 'metric':
      return { hook, kind, name: effect.name, op: effect.op, value: effect.value };
    case 'reminder':
      return { hook, kind, reminder: effect.reminder };
    default:
      return { hook, kind, text: effect.text };
  }
}

function sortedFailure({ code, kind, message, position, traceback }: Failure): Failure {
  return {
    code,
    kind,
    message,
    ...(position !== undefined && { position }),
    ...(traceback !== undefined && { traceback }),
  };
}
