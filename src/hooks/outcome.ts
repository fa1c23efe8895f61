/**
 * Return: what the chain as a whole said. Payload and trace are put into their final form when first read, so that a
 * host which looks only at the action pays for nothing else.
 */
import type { Json } from '../base/json.ts';
import type { Action, Ask, DecidingHook, Effect, Failure, Outcome, TraceEntry } from '../events/decision.ts';
import type { HookReason, Verdict } from './compose.ts';
import type { Hook } from './hook.ts';
import { layerOf } from './layer.ts';
import { type Payload, settle } from './payload.ts';
import type { Chain } from './prepare.ts';
import { fullTrace, type Visits } from './trace.ts';

export class ChainOutcome implements Outcome {
  readonly event: string;
  readonly action: Action;
  readonly reason: string | null;
  readonly hook: string | null;
  readonly asks: readonly Ask[] | undefined;
  readonly effects: readonly Effect[];
  readonly request: Json | undefined;
  readonly failure: (Failure & { readonly hook: string }) | undefined;
  private readonly chain: Chain;
  private readonly visits: Visits;
  private readonly decider: Hook | null;
  private readonly raw: Payload;
  private readonly rewritten: boolean;
  private settled: Json | undefined;
  private traced: readonly TraceEntry[] | undefined;

  constructor(chain: Chain, verdict: Verdict, visits: Visits, canAsk: boolean) {
    const { action, reason, hook } = conclude(verdict, canAsk);
    this.event = chain.event;
    this.action = action;
    this.reason = reason;
    this.hook = hook === null ? null : hook.name;
    this.asks = action === 'ask' ? verdict.asks.map(askOf) : undefined;
    this.effects = verdict.effects;
    this.request = action === 'delegate' ? verdict.delegated!.request : undefined;
    this.failure = verdict.failure ?? undefined;
    this.chain = chain;
    this.visits = visits;
    this.decider = hook;
    this.raw = verdict.payload;
    this.rewritten = verdict.rewrittenBy !== null;
    this.settled = undefined;
    this.traced = undefined;
  }

  get decidedBy(): DecidingHook | undefined {
    return this.decider === null ? undefined : Object.freeze(decidingHook(this.decider));
  }

  get payload(): Json {
    return (this.settled ??= settle(this.chain.spec, this.raw, this.rewritten));
  }

  get trace(): readonly TraceEntry[] {
    return (this.traced ??= fullTrace(this.chain, this.visits));
  }

  toJSON(): Outcome {
    const { event, action, reason, hook, payload, effects, trace, request, failure } = this;
    const { decidedBy, asks } = this;
    const rest = {
      ...(decidedBy === undefined ? {} : { decidedBy }),
      ...(asks === undefined ? {} : { asks }),
      ...(request === undefined ? {} : { request }),
      ...(failure === undefined ? {} : { failure }),
    };
    return { event, action, reason, hook, payload, effects, trace, ...rest };
  }
}

function decidingHook(hook: Hook): DecidingHook {
  const { name, frontEnd, source, line } = hook;
  const { name: layer, rank } = layerOf(hook);
  return { name, layer, rank, frontEnd: frontEnd.name, source, ...(line !== undefined && { line }) };
}

function askOf({ hook, reason }: HookReason): Ask {
  const { name: layer, rank } = hook.speaksFor ?? layerOf(hook);
  const { name, source, line } = hook;
  return { hook: name, layer, rank, reason, source, ...(line !== undefined && { line }) };
}

interface Conclusion {
  readonly action: Action;
  readonly reason: string | null;
  readonly hook: Hook | null;
}

const ALLOW: Conclusion = { action: 'allow', reason: null, hook: null };

/** The strictest word wins: block, ask, delegate, permit, modify, allow. */
function conclude(verdict: Verdict, canAsk: boolean): Conclusion {
  const { blocked, asks, delegated, permitted, rewrittenBy } = verdict;
  if (verdict.refused !== null) return { action: 'block', reason: verdict.refused, hook: null };
  if (blocked !== null) return { action: 'block', reason: blocked.reason, hook: blocked.hook };
  if (asks.length > 0) {
    const { hook } = asks[0]!;
    const why = asks.map((asked) => asked.reason).join('; ');
    if (canAsk && verdict.spec.honours.ask) return { action: 'ask', reason: why, hook };
    return { action: 'block', reason: `${why} (needs approval, and there is nobody to ask)`, hook };
  }
  if (delegated !== null) return { action: 'delegate', reason: null, hook: delegated.hook };
  if (permitted !== null) return { action: 'permit', reason: permitted.reason, hook: permitted.hook };
  if (rewrittenBy !== null) return { action: 'modify', reason: null, hook: rewrittenBy };
  return ALLOW;
}
