/**
 * What the chain as a whole said. The trace is put into its final form when first read, so that a host which looks
 * only at the action pays for nothing else.
 */
import type { Json } from '../base/index.ts';
import type { Chain } from './chain.ts';
import type {
  Action,
  Ask,
  DecidingHook,
  DecisionSite,
  Effect,
  Failure,
  Outcome,
  TraceEntry,
} from './decision.ts';
import type { Hook } from './hook.ts';
import { layerOf } from './layer.ts';
import type { Reservations } from './reservations.ts';
import { fullTrace, type Visits } from './trace.ts';
import type { HookReason, Verdict } from './verdict.ts';

const GOES_AHEAD: Readonly<Record<Action, boolean>> = {
  allow: true,
  modify: true,
  permit: true,
  block: false,
  ask: false,
  // The request does the work instead.
  delegate: false,
};

/** What the words of a chain come to. */
export interface Conclusion {
  readonly action: Action;
  readonly reason: string | null;
  readonly hook: Hook | null;
  readonly cause?: HookReason['cause'];
}

export class ChainOutcome implements Outcome {
  readonly event: string;
  readonly action: Action;
  readonly reason: string | null;
  readonly hook: string | null;
  readonly asks: readonly Ask[] | undefined;
  readonly effects: readonly Effect[];
  readonly request: Json | undefined;
  readonly failure: (Failure & { readonly hook: string }) | undefined;
  readonly reservations: Reservations | undefined;
  private readonly chain: Chain;
  private readonly visits: Visits;
  private readonly decider: Hook | null;
  private readonly cause: HookReason['cause'];
  private readonly sites: Verdict['sites'];
  readonly payload: Json;
  /** A hook rewrote the payload, whatever the action came to. */
  readonly rewritten: boolean;
  private traced: readonly TraceEntry[] | undefined;

  constructor(
    chain: Chain,
    verdict: Verdict,
    visits: Visits,
    { action, reason, hook, cause }: Conclusion,
    reservations: Reservations | undefined,
  ) {
    this.reservations = reservations;
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
    this.cause = cause;
    this.sites = verdict.sites;
    this.payload = verdict.payload;
    this.rewritten = verdict.rewrittenBy !== null;
    this.traced = undefined;
  }

  get mayRun(): boolean {
    return GOES_AHEAD[this.action] && this.failure === undefined;
  }

  get decidedBy(): DecidingHook | undefined {
    const { decider, cause, sites } = this;
    if (decider === null) return undefined;
    const site = sites.findLast(({ hook }) => hook === decider)?.site;
    return Object.freeze(decidingHook(decider, cause, site));
  }

  get trace(): readonly TraceEntry[] {
    return (this.traced ??= fullTrace(this.chain, this.visits));
  }

  toJSON(): Omit<Outcome, 'mayRun'> {
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

/** An `ask` with the answer to it. What was taken from limits for the call is given back after a no. */
export function answeredAsk<E extends string>(
  asked: Outcome<E>,
  { allowed, reason }: { readonly allowed: boolean; readonly reason: string | null },
): Outcome<E> {
  const { event, hook, payload, effects, trace, reservations } = asked;
  // Hooks before the one that asked may have rewritten the call: that stands.
  const approved = asked instanceof ChainOutcome && asked.rewritten ? 'modify' : 'allow';
  const action: Action = allowed ? approved : 'block';
  if (!allowed) reservations?.giveBack();
  const outcome: Outcome<E> = {
    ...{ event, action, mayRun: allowed, reason, hook, payload, effects, trace },
    approved: allowed,
  };
  // Not enumerable: outcomes are written as JSON.
  return allowed ? Object.defineProperty(outcome, 'reservations', { value: reservations }) : outcome;
}

function decidingHook(hook: Hook, cause: HookReason['cause'], site: DecisionSite | undefined): DecidingHook {
  const { name, frontEnd, source } = hook;
  const { name: layer, rank } = layerOf(hook);
  const line = site?.file === source ? site.line : hook.line;
  return {
    ...{ name, layer, rank, frontEnd: frontEnd.name, source },
    ...(line !== undefined && { line }),
    ...(site !== undefined && { site: { file: site.file, line: site.line } }),
    ...(cause !== undefined && { cause }),
  };
}

function askOf({ hook, reason }: HookReason): Ask {
  const { name: layer, rank } = hook.speaksFor ?? layerOf(hook);
  const { name, source, line } = hook;
  return { hook: name, layer, rank, reason, source, ...(line !== undefined && { line }) };
}
