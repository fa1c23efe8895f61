/**
 * The verdict of a tool call: what became of one attempt, in the same words on every host's tape. CALL_VERDICTS (tape/entry.ts)
 * says what each word means; this file says which word a call gets.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import { BUILT_IN, type Outcome } from '../engine/index.ts';
import { callDigest } from '../policy/index.ts';
import type { CallReport, CallVerdict } from '../tape/index.ts';

export type StoppedVerdict = Extract<CallVerdict, 'blocked' | 'denied' | 'refused'>;

/** By the front end of the built-in hook that stopped the call. */
const BUILT_IN_VERDICTS: Readonly<Record<string, StoppedVerdict>> = {
  floor: 'refused',
  protected: 'refused',
  scopes: 'refused',
  permissions: 'denied',
};

/** Why a call may not run: `outcome` is that of `tool.pre`, after its ask was settled. */
export function stoppedVerdict(outcome: Outcome): StoppedVerdict {
  const { action, approved, decidedBy, failure, hook } = outcome;
  // A person said no, a hook answered for them, or nobody could be asked.
  if (approved === false || action === 'ask') return 'denied';
  // Without a hook it was the engine: no hook could judge the payload.
  if (decidedBy === undefined) return failure === undefined && hook === null ? 'refused' : 'blocked';
  if (decidedBy.cause === 'trust') return 'refused';
  return decidedBy.layer === BUILT_IN.name ? (BUILT_IN_VERDICTS[decidedBy.frontEnd] ?? 'blocked') : 'blocked';
}

/** What became of a call that ran, by what `tool.post` said of its result. */
export function finishedVerdict(
  isError: boolean,
  hidden: boolean,
): Extract<CallVerdict, 'ran' | 'failed' | 'hidden'> {
  if (hidden) return 'hidden';
  return isError ? 'failed' : 'ran';
}

/**
 * The report of a call by a host that hears of it through events: of `tool.pre` what the host was told, of `tool.post` what became
 * of the call. `refusal` is the reason with which the host stops it or hides its result; null: it goes on.
 */
export function callReport(
  payload: Json,
  outcome: Outcome | undefined,
  event: 'tool.pre' | 'tool.post',
  refusal: string | null,
): CallReport | null {
  if (!isJsonObject(payload)) return null;
  const { id, call_id: ranId, name, args, is_error: isError } = payload;
  const call = { callId: String(id ?? ranId ?? ''), tool: String(name) };
  const said = { by: refusal === null ? null : (outcome?.hook ?? null), reason: refusal };
  if (event === 'tool.pre') {
    if (refusal === null) return { ...call, ...said, verdict: 'allowed' };
    // A host may stop what the policy let pass, because it cannot do what a hook wants.
    const verdict = outcome === undefined || outcome.mayRun ? 'blocked' : stoppedVerdict(outcome);
    return { ...call, ...said, verdict };
  }
  const digest = callDigest(call.tool, isJsonObject(args) ? args : {});
  return { ...call, ...said, verdict: finishedVerdict(isError === true, refusal !== null), digest };
}
