/** The policy asked about one native call: each of its parts, the other events it is, and what hooks and then people say to an ask. */
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Outcome } from '../events/decision.ts';
import { askHooks, type Permitted } from '../policy/permit.ts';
import type { NativeCall, Verdict } from './adapter.ts';
import { blockOf, isChanged, NO_WALLS, wantsSandbox } from './verdict.ts';

export interface Decided {
  /** In the order of the payloads. */
  readonly outcomes: readonly Outcome[];
  readonly also: readonly Outcome[];
}

/** Fires an event of the catalog. */
export type Fire = (event: string, payload: Json) => Promise<Outcome>;

/** A person who can be asked apart from the agent's own user; null: they have not answered. */
export type AskPeople = (outcome: Outcome, reason: string | null) => Promise<Permitted | null>;

const NOBODY: AskPeople = async () => null;

export async function decideNative(
  fire: Fire,
  call: NativeCall,
  people: AskPeople = NOBODY,
): Promise<Decided> {
  const { row, payloads, also = [] } = call;
  const outcomes: Outcome[] = [];
  for (const payload of payloads) outcomes.push(await settled(fire, people, row.event, payload));
  const others: Outcome[] = [];
  for (const { event, payload } of also) others.push(await settled(fire, people, event, payload));
  return { outcomes, also: others };
}

/** What nobody has answered yet is the agent's to ask, if it can. */
async function settled(fire: Fire, people: AskPeople, event: string, payload: Json): Promise<Outcome> {
  const outcome = await fire(event, payload);
  if (outcome.action !== 'ask' || event !== 'tool.pre') return outcome;
  const { id = '', name, args } = outcome.payload as JsonObject;
  const asked = { id, name: name ?? '', args: args ?? {}, reason: outcome.reason };
  const hooks = await askHooks({ asks: outcome.asks ?? [], fire }, asked);
  const reply = 'allowed' in hooks ? hooks : await people(outcome, hooks.reason);
  if (reply === null) return outcome;
  const decision = reply.allowed ? 'allow' : 'deny';
  await fire('permission.replied', { ...asked, decision, reason: reply.reason });
  const { hook, effects, trace } = outcome;
  // Hooks before the one that asked may have rewritten the call: that stands.
  const allowed = isChanged(payload, outcome.payload) ? 'modify' : 'allow';
  const action = reply.allowed ? allowed : 'block';
  return { event, action, reason: reply.reason, hook, payload: outcome.payload, effects, trace };
}

/** A rewrite that turns a call into one of another tool, and a call in a sandbox: no agent can carry that. */
export function carriable(
  { row, payloads }: NativeCall,
  outcomes: readonly Outcome[],
  verdict: Verdict,
): Verdict {
  const walls = row.event === 'tool.pre' && outcomes.some(({ payload }) => wantsSandbox(payload));
  if (walls && verdict.action !== 'block') return blockOf(`Blocked: ${NO_WALLS}`);
  if (verdict.action !== 'modify' || row.event !== 'tool.pre') return verdict;
  const same = verdict.payloads.every((after, i) => nameOf(after) === nameOf(payloads[i]!));
  return same ? verdict : blockOf('Blocked: a hook renamed the tool, which cannot be done here');
}

function nameOf(payload: Json): Json | undefined {
  return isJsonObject(payload) ? payload.name : undefined;
}
