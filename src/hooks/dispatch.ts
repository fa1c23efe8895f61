/**
 * Dispatch: one event on its way through its chain. Each hook in turn is filtered, called and composed. The dispatch stays
 * synchronous until a hook answers with a promise, and never throws because of a hook.
 */
import type { Host } from '../base/host.ts';
import type { Json } from '../base/json.ts';
import { isPromise } from '../base/promise.ts';
import type { EventSpec } from '../events/catalog.ts';
import type { Effect, Failure, Outcome, TraceEntry } from '../events/decision.ts';
import { type CallScope, OpenCall } from './call.ts';
import { addEffect, composeFailure, composeReply, type Verdict } from './compose.ts';
import type { Engine, NestedOptions } from './engine.ts';
import { explain } from './failure.ts';
import { type Judgement, judge } from './filter.ts';
import { count } from './health.ts';
import type { FrontEnd, Hook, MaybePromise, Reply } from './hook.ts';
import { invoke } from './invoke.ts';
import { layerOf } from './layer.ts';
import { ChainOutcome } from './outcome.ts';
import { baseOf, type Payload, seenBy, whole } from './payload.ts';
import { type Chain, planFor, resumeAt } from './prepare.ts';
import { aborted } from './race.ts';
import { everyGuard, guardsToRecheck, type Rewrite } from './recheck.ts';
import type { CallRecorder, DispatchRecorder } from './recorder.ts';
import { type Held, heldBy, holdFor, release } from './reservations.ts';
import { type RunState, scratchRun } from './run-state.ts';
import { type EntryDraft, isLong, startTrace, traceEntry, type Visits } from './trace.ts';
import { isOfSubAgent, type Who } from './who.ts';

/** Something to wait for before the next hook's turn, or null. */
type Pending = Promise<unknown> | null;

const NO_ENTRIES: readonly TraceEntry[] = Object.freeze([]);
const QUIET = { action: 'allow', reason: null, hook: null, effects: [], trace: [] } as const;
const NOT_OF_SUB_AGENTS = "a sub-agent's event: such a hook hears it of the session itself only";
const NO_NOTES: readonly string[] = Object.freeze([]);
const NO_ASKS: Verdict['asks'] = Object.freeze([]);

/** The second look at a call, see recheck.ts. */
interface SecondLook {
  readonly places: readonly number[];
  readonly entries: TraceEntry[];
  readonly scope: CallScope;
  next: number;
}

const MODES: readonly unknown[] = ['block', 'allow', 'throw'] satisfies Hook['onError'][];

function isMode(value: unknown): value is Hook['onError'] {
  return MODES.includes(value);
}

/** Turns of the queue of this process that an answer may take before it counts as waited for. */
const SOON = 64;

/** Whether nothing outside this process has to happen first: then there is no wait in which it could die unseen. */
async function answersSoon(pending: Promise<unknown>): Promise<boolean> {
  let over = false;
  const end = () => {
    over = true;
  };
  pending.then(end, end);
  for (let turn = 0; turn < SOON && !over; turn++) await null;
  return over;
}

export class Dispatch implements CallScope, Verdict, Visits {
  readonly signal: AbortSignal | null;
  readonly depth: number;
  // What the chain says so far: see Verdict.
  payload: Payload;
  rewrittenBy: Hook | null = null;
  blocked: Verdict['blocked'] = null;
  asks: Verdict['asks'] = NO_ASKS;
  permitted: Verdict['permitted'] = null;
  delegated: Verdict['delegated'] = null;
  failure: Verdict['failure'] = null;
  refused: string | null = null;
  effects: Effect[] = [];
  undelivered: readonly string[] = NO_NOTES;
  over = false;
  private readonly engine: Engine;
  private readonly chain: Chain;
  private readonly recording: DispatchRecorder | null;
  /** How many of the effects the recorder has been told of. */
  private told = 0;
  // What it leaves behind: see Visits.
  readonly entries: TraceEntry[];
  /** The places of the chain that have had their turn, then those to come. */
  plan: readonly number[];
  /** Next entry of the plan. */
  next = 0;
  /** Where the part to come was taken from. */
  private basis: readonly number[];
  /** Place in the chain of the hook whose turn it is. */
  private place = -1;
  /** When the last hook that ran was done. A hook's time counts from there, conditions that said no included. */
  private clock: number;
  // Nearly every chain has one front end: its view of the payload is kept beside the table of the others.
  private viewer: FrontEnd | null = null;
  private seen: unknown = null;
  private otherViews: Map<FrontEnd, unknown> | null = null;
  /** Kept only if the chain has several layers: a hook before one may have to look again. */
  private rewrites: Rewrite[] | null = null;
  private second: SecondLook | null = null;
  readonly who: Who;
  /** The dispatch whose hook emitted this event. */
  private readonly within: Dispatch | null;
  /** Of the hook whose turn it is. */
  private call: OpenCall | null = null;
  /** Taken from limits on the way. */
  private held: Held[] | null = null;

  constructor(
    engine: Engine,
    chain: Chain,
    payload: Payload,
    signal: AbortSignal | null,
    depth: number,
    recording: DispatchRecorder | null,
    who: Who,
    within: Dispatch | null,
  ) {
    this.who = who;
    this.within = within;
    this.engine = engine;
    this.chain = chain;
    this.recording = recording;
    this.signal = signal;
    this.depth = depth;
    this.payload = payload;
    this.plan = this.basis = planFor(chain, payload);
    this.entries = startTrace(chain, this.plan);
    this.clock = engine.host.elapsed();
  }

  get event(): string {
    return this.chain.event;
  }

  get spec(): EventSpec {
    return this.chain.spec;
  }

  get host(): Host {
    return this.engine.host;
  }

  /** What is counted in the second look goes nowhere either. */
  get run(): RunState {
    return this.second === null ? this.engine.run : this.second.scope.run;
  }

  get canDelegate(): boolean {
    return this.engine.canDelegate;
  }

  get rechecking(): boolean {
    return this.second !== null;
  }

  get rechecks(): readonly TraceEntry[] {
    return this.second === null ? NO_ENTRIES : this.second.entries;
  }

  get reached(): number {
    return this.over && this.second === null ? this.place : this.chain.hooks.length;
  }

  failureMode(hook: Hook): Hook['onError'] {
    if (hook.failureMode === undefined) return hook.onError;
    try {
      const chosen = hook.failureMode.choose(this.view(hook.frontEnd), this.call!);
      return isMode(chosen) ? chosen : 'block';
    } catch {
      return 'block';
    }
  }

  guardsToCome(after: Hook): boolean {
    const { rank } = layerOf(after);
    return (
      this.chain.layered && this.chain.hooks.some((hook, i) => i > this.place && layerOf(hook).rank < rank)
    );
  }

  /** Nothing but the second look: for a call that was judged, and changed outside the chain since. */
  startRecheck(judged?: Outcome): MaybePromise<Outcome> {
    const held = judged === undefined ? [] : heldBy(judged);
    this.second = this.secondLook(everyGuard(this.chain, this.plan), held);
    this.plan = [];
    return this.start();
  }

  start(): MaybePromise<Outcome> {
    const pending = this.advance();
    return pending === null ? this.outcome() : this.finishLater(pending);
  }

  /** The answer to a payload that no hook could judge: a block, and no hook is called. */
  refuse(why: string): MaybePromise<Outcome> {
    this.refused = `${this.event}: ${why}`;
    this.over = true;
    return this.outcome();
  }

  nested(event: string, payload: Json, parent: CallRecorder | null): MaybePromise<Outcome> {
    const { signal, who } = this;
    const options: NestedOptions = { signal, depth: this.depth + 1, parent, who, within: this };
    return this.engine.decide(event, payload, options);
  }

  hold(reservation: Held): void {
    if (this.within !== null) this.within.hold(reservation);
    else (this.held ??= []).push(reservation);
  }

  addEffect(hook: Hook, effect: Effect): void {
    addEffect(this, hook, effect);
  }

  /** Gives hooks their turn until the chain is over or one has to be waited for. */
  private advance(): Pending {
    while (!this.over && this.next < this.plan.length) {
      this.place = this.plan[this.next++]!;
      const pending = this.visit(this.chain.hooks[this.place]!);
      if (pending !== null) return pending;
    }
    return this.rewrites === null && this.second === null ? null : this.recheck();
  }

  /** Gives guards of higher layers a second look at what lower ones made of the call. */
  private recheck(): Pending {
    this.second ??= this.secondLook(
      guardsToRecheck(this.chain, this.basis, this.rewrites ?? []),
      this.held ?? [],
    );
    const { places } = this.second;
    while (!this.over && this.second.next < places.length) {
      this.place = places[this.second.next++]!;
      const pending = this.visit(this.chain.hooks[this.place]!);
      if (pending !== null) return pending;
    }
    return null;
  }

  /** Whatever such a call counts, caches, logs or emits goes nowhere: it has had its effects already. */
  private secondLook(places: readonly number[], held: readonly Held[]): SecondLook {
    const { event, host, signal, depth, who } = this;
    const run = scratchRun(this.run, held);
    const nested: CallScope['nested'] = (emitted, payload) => ({ ...QUIET, event: emitted, payload });
    const scope = { event, host, run, signal, depth, who, nested, addEffect: () => {}, hold: () => {} };
    return { places, entries: [], scope, next: 0 };
  }

  private async finishLater(first: Promise<unknown>): Promise<Outcome> {
    for (let pending: Pending = first; pending !== null; pending = this.advance()) {
      const soon = this.recording === null || (await answersSoon(pending));
      const recorded = soon ? undefined : this.recording?.waits();
      await (recorded === undefined ? pending : Promise.all([pending, recorded]));
    }
    return this.outcome();
  }

  private visit(hook: Hook): Pending {
    const scope = this.second === null ? this : this.second.scope;
    const recording = this.recording === null ? null : this.recording.visit(hook, scope.run);
    const call = new OpenCall(scope, hook, recording);
    this.call = call;
    if (this.signal?.aborted) return this.failed(call, 'unreached', aborted());
    if (hook.frontEnd.ownSessionOnly?.has(this.event) && isOfSubAgent(this.who)) return this.notHeard(call);
    let seen: unknown;
    try {
      seen = this.view(hook.frontEnd);
    } catch (thrown) {
      call.recording?.called(this.payload, this.rewrittenBy !== null);
      return this.failed(call, 'ran', explain(hook, thrown));
    }
    // Where the index chose the hook by all that its condition asks, the condition has been judged.
    const judgement =
      this.basis !== this.chain.all && this.chain.settled[this.place]! ? true : judge(call, seen);
    if (judgement !== true && judgement instanceof Promise)
      return judgement.then((late) => this.judged(call, seen, late));
    return this.judged(call, seen, judgement);
  }

  private judged(call: OpenCall, seen: unknown, judgement: Judgement): Pending {
    if (judgement === true) {
      if (call.recording === null) return this.ask(call, seen);
      const recorded = call.recording.called(this.payload, this.rewrittenBy !== null);
      if (recorded instanceof Promise) return recorded.then(() => this.ask(call, seen));
      return this.ask(call, seen);
    }
    return judgement === false ? this.passedOver(call) : this.conditionFailed(call, judgement);
  }

  private ask(call: OpenCall, seen: unknown): Pending {
    const reply = invoke(call, seen);
    if (isPromise(reply)) return reply.then((late) => this.replied(call, late));
    return this.replied(call, reply);
  }

  private passedOver(call: OpenCall): null {
    call.close();
    const shared = this.chain.unmatched(this.place);
    return this.record(call.steps === 0 ? shared : { ...shared, steps: call.steps });
  }

  private notHeard(call: OpenCall): null {
    call.close();
    return this.record({ ...this.chain.unmatched(this.place), reason: NOT_OF_SUB_AGENTS });
  }

  private conditionFailed(call: OpenCall, failed: Failure): null {
    count(this.run, 'hook.condition_failed');
    // `on_when_error: block` counts whatever the handler's own failure policy is.
    if (call.hook.onWhenError === 'block') return this.failed(call, 'condition_failed', failed, 'block');
    // Out of steps or time: a payload can be made for that, and must not be able to switch the guard off with it.
    if (failed.code === 'HOOK_LIMIT' || failed.kind === 'timeout')
      return this.failed(call, 'condition_failed', failed);
    const entry = this.entryOf(call, 'condition_failed');
    entry.reason = `condition failed: ${failed.message}`;
    entry.warnings = [entry.reason];
    this.tell(call, entry, null);
    return this.record(entry);
  }

  private replied(call: OpenCall, reply: Reply): null {
    const entry = this.entryOf(call, 'ran');
    const before = this.payload;
    try {
      composeReply(this, call.hook, reply, entry);
    } catch (thrown) {
      composeFailure(this, call.hook, explain(call.hook, thrown), entry);
    }
    if (this.payload !== before) this.payloadChanged(call.hook);
    this.noteUndelivered(entry);
    this.tell(call, entry, reply);
    return this.record(entry);
  }

  private failed(
    call: OpenCall,
    state: TraceEntry['state'],
    failed: Failure,
    policy?: Hook['onError'],
  ): null {
    const entry = this.entryOf(call, state);
    composeFailure(this, call.hook, failed, entry, policy);
    this.noteUndelivered(entry);
    this.tell(call, entry, null);
    return this.record(entry);
  }

  private noteUndelivered(entry: EntryDraft): void {
    if (this.undelivered.length === 0) return;
    const notes = this.undelivered.map((what) => `not delivered: ${what}`);
    this.undelivered = NO_NOTES;
    entry.warnings = [...entry.warnings, ...notes];
  }

  private entryOf(call: OpenCall, state: TraceEntry['state']): EntryDraft {
    call.close();
    const now = this.host.elapsed();
    const entry = traceEntry(call.hook, state, null, now - this.clock, call.steps);
    this.clock = now;
    return entry;
  }

  private tell({ recording }: OpenCall, entry: TraceEntry, reply: Reply | null): void {
    if (recording === null) return;
    // A reply that is not even a reply throws when it is looked at; one that was understood does not.
    const decision = entry.decision === null ? null : (reply?.decision ?? null);
    const effects = this.effects.slice(this.told);
    this.told = this.effects.length;
    recording.ended(entry, decision, effects);
  }

  private record(entry: TraceEntry): null {
    if (this.second !== null) {
      this.second.entries.push({ ...entry, recheck: true });
      return null;
    }
    this.entries[isLong(this.chain.hooks) ? this.next - 1 : this.place] = entry;
    return null;
  }

  /** The hooks still to come are chosen anew: the call may now be one that other guards look at. */
  private payloadChanged(by: Hook): void {
    if (this.chain.layered) (this.rewrites ??= []).push({ place: this.place, rank: layerOf(by).rank });
    this.viewer = null;
    this.otherViews = null;
    const plan = planFor(this.chain, this.payload);
    if (plan === this.basis) return;
    this.plan = [...this.plan.slice(0, this.next), ...plan.slice(resumeAt(plan, this.place))];
    this.basis = plan;
  }

  private view(frontEnd: FrontEnd): unknown {
    if (this.viewer === frontEnd) return this.seen;
    if (this.viewer === null) {
      this.seen = this.viewFor(frontEnd);
      this.viewer = frontEnd;
      return this.seen;
    }
    this.otherViews ??= new Map();
    if (!this.otherViews.has(frontEnd)) this.otherViews.set(frontEnd, this.viewFor(frontEnd));
    return this.otherViews.get(frontEnd);
  }

  private viewFor(frontEnd: FrontEnd): unknown {
    const payload = frontEnd.viewsExtended === true ? seenBy(this.payload, this.who) : whole(this.payload);
    // The one place where late texts pass for JSON: whatever a front end does with a text writes it.
    return frontEnd.view(this.event, payload as Json, this.run, this.who);
  }

  /** The observer sees it before the caller does. */
  private shown(outcome: Outcome): Outcome {
    this.engine.observe?.(outcome, this.depth, this.engine.run);
    return outcome;
  }

  /** What will not happen is given back at once; what is asked about, or may still be stopped, when the host says so. */
  private settleLimits(outcome: Outcome, held: readonly Held[]): void {
    const happens = outcome.action !== 'block' || this.spec.authority !== 'gate';
    if (happens) holdFor(outcome, held);
    else release(held);
  }

  private outcome(): MaybePromise<Outcome> {
    const outcome = new ChainOutcome(this.chain, this, this, this.engine.canAsk);
    if (this.held !== null) this.settleLimits(outcome, this.held);
    this.engine.shapes.keep(this, outcome, baseOf(this.payload));
    if (this.recording === null) return this.shown(outcome);
    const recorded = this.recording.outcome(outcome, this.rewrittenBy !== null);
    // A decision that is not on record yet is nobody's to act on.
    if (recorded instanceof Promise) return recorded.then(() => this.shown(outcome));
    return this.shown(outcome);
  }
}
