/**
 * What follows an `ask`: the hooks of `permission.asked`, then a person, then `permission.replied`. A yes counts only for
 * questions of its own or a lower layer, and no answer is a no.
 */
import type { JsonObject } from '../base/json.ts';
import type { Ask, Outcome } from '../events/decision.ts';
import type { Approvals } from '../hooks/approvals.ts';
import { IN_CODE } from '../hooks/layer.ts';

export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export interface PermitRequest {
  readonly call: AskedCall;
  readonly asks: readonly Ask[];
  /** Fires an event of the catalog through the same policy. */
  readonly fire: (event: 'permission.asked' | 'permission.replied', payload: JsonObject) => Promise<Outcome>;
  /** Null: nobody can be asked. */
  readonly approvals: Approvals | null;
  /** How long a person may take. */
  readonly windowMs: number;
  readonly signal: AbortSignal;
  /** What every payload of this host says beside the call. */
  readonly fields?: JsonObject;
}

export interface Permitted {
  readonly allowed: boolean;
  /** Why not, or what the yes said. */
  readonly reason: string | null;
}

export async function permit(request: PermitRequest): Promise<Permitted> {
  const { call, asks, fire, fields } = request;
  const reason = asks.map((ask) => ask.reason).join('; ');
  const payload = { ...call, reason, ...fields };
  const hooks = await askHooks(request, payload);
  const reply = 'allowed' in hooks ? hooks : await askPerson(request, hooks.reason ?? reason);
  const decision = reply.allowed ? 'allow' : 'deny';
  await fire('permission.replied', { ...payload, decision, reason: reply.reason });
  return reply;
}

/** A question that hooks leave to a person, with their own words for it if they have some. */
export interface LeftOpen {
  readonly reason: string | null;
}

/** What the hooks of `permission.asked` say about it. */
export async function askHooks(
  { asks, fire }: Pick<PermitRequest, 'asks' | 'fire'>,
  payload: JsonObject,
): Promise<Permitted | LeftOpen> {
  const outcome = await fire('permission.asked', payload);
  if (outcome.failure !== undefined) {
    return { allowed: false, reason: `hook "${outcome.failure.hook}" failed: ${outcome.failure.message}` };
  }
  if (outcome.action === 'block') {
    const by = outcome.hook === null ? 'blocked' : `blocked by hook "${outcome.hook}"`;
    return { allowed: false, reason: `${by}: ${outcome.reason ?? 'no reason given'}` };
  }
  if (outcome.action !== 'permit') return { reason: outcome.reason };
  const rank = outcome.decidedBy?.rank ?? Number.POSITIVE_INFINITY;
  return asks.every((ask) => ask.rank >= rank) ? { allowed: true, reason: outcome.reason } : { reason: null };
}

async function askPerson(
  { call, asks, approvals, windowMs, signal }: PermitRequest,
  reason: string,
): Promise<Permitted> {
  if (approvals === null) {
    return { allowed: false, reason: `${reason} (needs approval, and there is nobody to ask)` };
  }
  const { approved, reason: said = null } = await approvals.request(
    {
      hook: asks.map(nameOf).join(', '),
      event: 'tool.pre',
      toolName: call.name,
      toolInput: call.args,
      windowMs,
      reason,
      asks,
      callId: call.id,
    },
    signal,
  );
  return { allowed: approved, reason: approved ? said : (said ?? 'it was not approved') };
}

/** As `harness hooks` shows it; hooks in code have a name only. */
function nameOf({ layer, hook }: Ask): string {
  return layer === IN_CODE.name || layer === 'runtime' ? hook : `${layer}/${hook}`;
}
