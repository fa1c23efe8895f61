/**
 * The policy asked about one native call: each of its parts, the other events it is, and what hooks and then people elsewhere say
 * to an ask.
 */
import type { NativeCall } from '../../adapters/adapter.ts';
import { isChanged } from '../../adapters/verdict.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Outcome } from '../../events/decision.ts';
import type { Engine } from '../../hooks/engine.ts';
import { askHooks, type Permitted } from '../../policy/permit.ts';
import type { Elsewhere } from './ask-elsewhere.ts';

export interface Decided {
  /** In the order of the payloads. */
  readonly outcomes: readonly Outcome[];
  readonly also: readonly Outcome[];
  /** Questions that nobody has answered yet, by their ids. */
  readonly open: readonly string[];
}

export class Decider {
  private readonly engine: Engine;
  private readonly call: NativeCall;
  private readonly elsewhere: () => Promise<Elsewhere | null>;
  private readonly open: string[] = [];

  /** `elsewhere` is opened for the first ask that hooks leave open. */
  constructor(engine: Engine, call: NativeCall, elsewhere: () => Promise<Elsewhere | null>) {
    this.engine = engine;
    this.call = call;
    this.elsewhere = elsewhere;
  }

  async decide(): Promise<Decided> {
    const { row, payloads, also = [] } = this.call;
    const outcomes: Outcome[] = [];
    for (const payload of payloads) outcomes.push(await this.settled(row.event, payload));
    const others: Outcome[] = [];
    for (const { event, payload } of also) others.push(await this.settled(event, payload));
    return { outcomes, also: others, open: this.open };
  }

  /** What nobody has answered yet is the agent's to ask, if it can. */
  private async settled(event: string, payload: Json): Promise<Outcome> {
    const outcome: Outcome = await this.engine.decide<string>(event, payload);
    if (outcome.action !== 'ask' || event !== 'tool.pre') return outcome;
    const { id = '', name, args } = outcome.payload as JsonObject;
    const asked = { id, name: name ?? '', args: args ?? {}, reason: outcome.reason };
    const fire = async (fired: string, about: Json): Promise<Outcome> =>
      this.engine.decide<string>(fired, about);
    const hooks = await askHooks({ asks: outcome.asks ?? [], fire }, asked);
    const reply = 'allowed' in hooks ? hooks : await this.askPeople(outcome, hooks.reason);
    if (reply === null) return outcome;
    const decision = reply.allowed ? 'allow' : 'deny';
    await fire('permission.replied', { ...asked, decision, reason: reply.reason });
    const { hook, effects, trace } = outcome;
    // Hooks before the one that asked may have rewritten the call: that stands.
    const allowed = isChanged(payload, outcome.payload) ? 'modify' : 'allow';
    const action = reply.allowed ? allowed : 'block';
    return { event, action, reason: reply.reason, hook, payload: outcome.payload, effects, trace };
  }

  private async askPeople(outcome: Outcome, reason: string | null): Promise<Permitted | null> {
    const elsewhere = await this.elsewhere();
    if (elsewhere === null) return null;
    const asked = await elsewhere(outcome, reason);
    if (!('open' in asked)) return asked;
    if (asked.open !== null) this.open.push(asked.open);
    return null;
  }
}
