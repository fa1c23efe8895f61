/** The policy asked about one native call: each of its parts, the other events it is, and what hooks say to an ask. */
import type { NativeCall } from '../../adapters/adapter.ts';
import { isChanged } from '../../adapters/verdict.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Outcome } from '../../events/decision.ts';
import type { Engine } from '../../hooks/engine.ts';
import { askHooks } from '../../policy/permit.ts';

export interface Decided {
  /** In the order of the payloads. */
  readonly outcomes: readonly Outcome[];
  readonly also: readonly Outcome[];
}

export class Decider {
  private readonly engine: Engine;
  private readonly call: NativeCall;

  constructor(engine: Engine, call: NativeCall) {
    this.engine = engine;
    this.call = call;
  }

  async decide(): Promise<Decided> {
    const { row, payloads, also = [] } = this.call;
    const outcomes: Outcome[] = [];
    for (const payload of payloads) outcomes.push(await this.settled(row.event, payload));
    const others: Outcome[] = [];
    for (const { event, payload } of also) others.push(await this.settled(event, payload));
    return { outcomes, also: others };
  }

  /** A person is the agent's to ask, if it can. */
  private async settled(event: string, payload: Json): Promise<Outcome> {
    const outcome: Outcome = await this.engine.decide<string>(event, payload);
    if (outcome.action !== 'ask' || event !== 'tool.pre') return outcome;
    const { id = '', name, args } = outcome.payload as JsonObject;
    const asked = { id, name: name ?? '', args: args ?? {}, reason: outcome.reason };
    const fire = async (fired: string, about: Json): Promise<Outcome> =>
      this.engine.decide<string>(fired, about);
    const reply = await askHooks({ asks: outcome.asks ?? [], fire }, asked);
    if (!('allowed' in reply)) return outcome;
    const decision = reply.allowed ? 'allow' : 'deny';
    await fire('permission.replied', { ...asked, decision, reason: reply.reason });
    const { hook, effects, trace } = outcome;
    // Hooks before the one that asked may have rewritten the call: that stands.
    const allowed = isChanged(payload, outcome.payload) ? 'modify' : 'allow';
    const action = reply.allowed ? allowed : 'block';
    return { event, action, reason: reply.reason, hook, payload: outcome.payload, effects, trace };
  }
}
