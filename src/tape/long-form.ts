/**
 * A decision as the sequence it was: the call of each hook, how it ended, whether its word counted, and the outcome. Tapes
 * of version 1 have these as entries of their own; people, statistics and reports of replay think in them.
 */
import type { Json } from '../base/json.ts';
import type { Effect } from '../events/decision.ts';
import type {
  HookCallRecord,
  HookFailedRecord,
  HookPart,
  HookReturnedRecord,
  HookVetoedRecord,
  OutcomeRecord,
  Said,
} from './entry.ts';

export type LongRecord =
  | HookCallRecord
  | HookReturnedRecord
  | HookFailedRecord
  | HookVetoedRecord
  | OutcomeRecord;

/** Of a decision whose sources are filled in. */
export function longForm(dispatch: number, event: string, out: Said): LongRecord[] {
  const records: LongRecord[] = [];
  let payload: Json | undefined;
  for (const part of out.hooks ?? []) {
    if (part.payload !== undefined) payload = part.payload;
    records.push(...partRecords(dispatch, part, payload));
  }
  records.push(outcomeOf(dispatch, event, out));
  return records;
}

/** `payload` is what the hook was called with, undefined if that is what was fired. */
export function partRecords(dispatch: number, part: HookPart, payload: Json | undefined): LongRecord[] {
  const records: LongRecord[] = [];
  if (part.state === undefined) records.push(callOf(dispatch, part, payload));
  records.push(endOf(dispatch, part));
  const veto = vetoOf(dispatch, part);
  if (veto !== null) records.push(veto);
  return records;
}

function callOf(dispatch: number, part: HookPart, payload: Json | undefined): HookCallRecord {
  const { hook, layer, source = '' } = part;
  return {
    dispatch,
    hook,
    ...(layer !== undefined && { layer }),
    ...(payload !== undefined && { payload }),
    source,
    type: 'hook_call',
  };
}

function endOf(dispatch: number, part: HookPart): HookReturnedRecord | HookFailedRecord {
  const { effects, raw, readings, reason, recheck, vetoIgnored, warnings, hook, steps = 0 } = part;
  const end = {
    dispatch,
    ...(effects !== undefined && { effects: effects.map((effect) => ({ hook, ...effect }) as Effect) }),
    hook,
    ...(raw !== undefined && { raw }),
    ...(readings !== undefined && { readings }),
    ...(reason !== undefined && { reason }),
    ...(recheck !== undefined && { recheck }),
    steps,
    ...(vetoIgnored !== undefined && { vetoIgnored }),
    ...(warnings !== undefined && { warnings }),
  };
  if (part.policy === undefined) return { ...end, result: part.result ?? 'allow', type: 'hook_returned' };
  return {
    ...end,
    ...(part.failure !== undefined && { failure: part.failure }),
    ...(part.result !== undefined && { result: part.result }),
    policy: part.policy,
    state: part.state ?? 'ran',
    type: 'hook_failed',
  };
}

/** Null if the hook's word stopped nothing. */
function vetoOf(dispatch: number, part: HookPart): HookVetoedRecord | null {
  const { result, reason = '', hook } = part;
  if (result !== 'block' && result !== 'ask' && result !== 'permit') return null;
  if (part.policy !== undefined || part.vetoIgnored !== undefined) return null;
  return { decision: result, dispatch, hook, reason, type: 'hook_vetoed' };
}

function outcomeOf(dispatch: number, event: string, out: Said): OutcomeRecord {
  const { hooks: _hooks, ...rest } = out;
  return { ...rest, dispatch, event, type: 'outcome' };
}
