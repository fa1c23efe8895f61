/**
 * What follows an `ask` of `tool.pre`: the hooks of `permission.asked`, then a person, then `permission.replied`. An approval
 * counts only for questions of its own or a lower layer. Every host settles an ask here.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import {
  type Approvals,
  type Ask,
  answeredAsk,
  IN_CODE,
  locateCall,
  locationFields,
  type Outcome,
  type SessionInfo,
} from '../engine/index.ts';
import { realPathOrSame } from '../machine/index.ts';

/** Fires an event of the catalog through the same policy. */
export type Fire = (event: string, payload: Json) => Promise<Outcome>;

export interface CallToApprove {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export interface Permitted {
  readonly allowed: boolean;
  /** Why not, or what the approval said. */
  readonly reason: string | null;
}

export interface PersonsQuestion {
  readonly call: CallToApprove;
  /** The real path of the folder it would run in; null where the host has not said. */
  readonly cwd: string | null;
  /** Every hook that asks. */
  readonly asks: readonly Ask[];
  readonly reason: string;
}

/** Puts a question to a person; null: they have not answered, and the question stays open. */
export type AskPerson = (question: PersonsQuestion) => Promise<Permitted | null>;

export interface PermitParts {
  readonly fire: (event: 'permission.asked' | 'permission.replied', payload: JsonObject) => Promise<Outcome>;
  /** Null: only hooks are asked, and an ask that they leave open stays one. */
  readonly person: AskPerson | null;
  /** What every payload of this host carries beside the call. */
  readonly fields?: JsonObject;
  /** Whose call it is. */
  readonly session: SessionInfo;
}

/**
 * The outcome once its ask was answered: `mayRun` is final. An ask that nobody has answered stays an ask and may not run; any other
 * outcome is returned as it is.
 */
export async function permit<E extends string>(
  outcome: Outcome<E>,
  { fire, person, fields, session }: PermitParts,
): Promise<Outcome<E>> {
  // `permission.asked` is about tool calls: no answer counts for anything else.
  if (outcome.action !== 'ask' || outcome.event !== 'tool.pre') return outcome;
  const judged = outcome.payload as JsonObject;
  const { id = '', name = '', args = {} } = judged;
  const call = { id, name, args } as CallToApprove;
  const asks = outcome.asks ?? [];
  const reason = outcome.reason ?? 'it needs approval';
  const payload = { ...call, reason, ...ownName(judged), ...locationFields(judged), ...fields };
  const hooks = await askHooks(fire, asks, payload);
  const place = locateCall(judged, session);
  const cwd = place === null ? null : realPathOrSame(place.cwd);
  const reply =
    'allowed' in hooks
      ? hooks
      : ((await person?.({ call, cwd, asks, reason: hooks.reason ?? reason })) ?? null);
  if (reply === null) return outcome;
  const decision = reply.allowed ? 'allow' : 'deny';
  await fire('permission.replied', { ...payload, decision, reason: reply.reason });
  return answeredAsk(outcome, reply);
}

/** What the agent calls the tool, so that a hook that names it so hears of the question. The input is on the call. */
function ownName({ native }: JsonObject): JsonObject {
  return isJsonObject(native) && typeof native.name === 'string' ? { native: { name: native.name } } : {};
}

/** A question that hooks leave to a person, with their own words for it if they have some. */
interface OpenQuestion {
  readonly reason: string | null;
}

async function askHooks(
  fire: PermitParts['fire'],
  asks: readonly Ask[],
  payload: JsonObject,
): Promise<Permitted | OpenQuestion> {
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

export interface ApprovalChannel {
  /** Null: nobody can be asked, which is a no. */
  readonly approvals: Approvals | null;
  /** How long a person may take. */
  readonly windowMs: number;
  readonly signal: AbortSignal;
}

/** A person behind a host's channel for approvals. */
export function askThrough({ approvals, windowMs, signal }: ApprovalChannel): AskPerson {
  return async ({ call, cwd, asks, reason }) => {
    if (approvals === null)
      return { allowed: false, reason: `${reason} (needs approval, and there is nobody to ask)` };
    const { approved, reason: said = null } = await approvals.request(
      {
        hook: asks.map(nameOf).join(', '),
        event: 'tool.pre',
        toolName: call.name,
        toolInput: call.args,
        ...(cwd !== null && { cwd }),
        windowMs,
        reason,
        asks,
        callId: call.id,
      },
      signal,
    );
    return { allowed: approved, reason: approved ? said : (said ?? 'it was not approved') };
  };
}

/** As `harness hooks` shows it; hooks in code have a name only. */
function nameOf({ layer, hook }: Ask): string {
  return layer === IN_CODE.name || layer === 'runtime' ? hook : `${layer}/${hook}`;
}
