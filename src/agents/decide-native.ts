/** The policy asked about one native call: each of its parts, the other events it is, and what hooks and then people say to an ask. */
import { isJsonObject, type Json } from '../base/index.ts';
import type { Outcome, SessionInfo } from '../engine/index.ts';
import { type AskPerson, type Fire, permit } from '../policy/index.ts';
import { NO_WALLS, wantsSandbox } from '../session/index.ts';
import type { NativeCall, Verdict } from './adapter.ts';
import { blockOf } from './verdict.ts';

export interface Decided {
  /** In the order of the payloads. */
  readonly outcomes: readonly Outcome[];
  readonly also: readonly Outcome[];
}

export async function decideNative(
  fire: Fire,
  call: NativeCall,
  session: SessionInfo,
  person: AskPerson | null = null,
): Promise<Decided> {
  const { row, payloads, also = [] } = call;
  // What nobody has answered yet is the agent's to ask, if it can.
  const decided = async (event: string, payload: Json) =>
    permit(await fire(event, payload), { fire, person, session });
  const outcomes: Outcome[] = [];
  for (const payload of payloads) outcomes.push(await decided(row.event, payload));
  const others: Outcome[] = [];
  for (const { event, payload } of also) others.push(await decided(event, payload));
  return { outcomes, also: others };
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
