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
  readonly decidedBy?: DecidingHook;
  readonly asks?: readonly Ask[];
  readonly effects: readonly Effect[];
  readonly request?: Json;
  readonly failure?: Failure & { readonly hook: string };
  private readonly chain: Chain;
  private readonly visits: Visits;
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
    if (hook !== null) this.decidedBy = deciding(hook);
    if (action === 'ask') this.asks = verdict.asks.map(askOf);
    this.effects = verdict.effects;
    if (action === 'delegate') this.request = verdict.delegated!.request;
    if (verdict.failure !== null) this.failure = verdict.failure;
    this.chain = chain;
    this.visits = visits;
    this.raw = verdict.payload;
    this.rewritten = verdict.rewrittenBy !== null;
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

/** The same for every decision of a hook. */
const DECIDING = new WeakMap<Hook, DecidingHook>();

function deciding(hook: Hook): DecidingHook {
  const known = DECIDING.get(hook);
  if (known !== undefined) return known;
  const made = Object.freeze(decidingHook(hook));
  DECIDING.set(hook, made);
  return made;
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
