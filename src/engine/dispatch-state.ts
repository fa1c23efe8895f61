/**
 * One event on its way through the pipeline: its payload and verdict so far, which hooks had their turn and what they left in
 * the trace. The calls of its hooks reach the engine through it.
 */
import type { Json } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import type { CallScope, OpenCall } from './call.ts';
import type { EventSpec } from './catalog.ts';
import type { Chain } from './chain.ts';
import type { Effect, Outcome, TraceEntry } from './decision.ts';
import type { Engine, NestedOptions } from './engine.ts';
import type { FrontEnd, Hook, MaybePromise, Reply } from './hook.ts';
import { layerOf } from './layer.ts';
import type { Recheck, Rewrite } from './recheck.ts';
import type { CallRecorder, DispatchRecorder } from './recorder.ts';
import type { LimitReservation } from './reservations.ts';
import type { RunState } from './run-state.ts';
import { type CallNames, callNames } from './tool-names.ts';
import { type EntryDraft, traceEntry, type Visits } from './trace.ts';
import { addEffect, type Verdict } from './verdict.ts';
import type { Who } from './who.ts';

const NO_ENTRIES: readonly TraceEntry[] = Object.freeze([]);
const NO_NOTES: readonly string[] = Object.freeze([]);
const NO_ASKS: Verdict['asks'] = Object.freeze([]);
const NO_PLACES: readonly number[] = Object.freeze([]);

const FAILURE_MODES: readonly unknown[] = ['block', 'allow', 'throw'] satisfies Hook['onError'][];

function isFailureMode(value: unknown): value is Hook['onError'] {
  return FAILURE_MODES.includes(value);
}

const NO_SITES: Verdict['sites'] = Object.freeze([]);

export class DispatchState implements CallScope, Verdict, Visits {
  readonly engine: Engine;
  readonly chain: Chain;
  readonly signal: AbortSignal | null;
  readonly depth: number;
  readonly recording: DispatchRecorder | null;
  readonly who: Who;
  /** The dispatch whose hook emitted this event. */
  private readonly within: DispatchState | null;

  // What the chain says so far: see Verdict.
  payload: Json;
  rewrittenBy: Hook | null = null;
  blocked: Verdict['blocked'] = null;
  asks: Verdict['asks'] = NO_ASKS;
  permitted: Verdict['permitted'] = null;
  delegated: Verdict['delegated'] = null;
  failure: Verdict['failure'] = null;
  sites: Verdict['sites'] = NO_SITES;
  refused: string | null = null;
  effects: Effect[] = [];
  undelivered: readonly string[] = NO_NOTES;
  over = false;

  // Which hooks had their turn, and what they left: see Visits.
  readonly entries: TraceEntry[] = [];
  plan: readonly number[] = NO_PLACES;
  next = 0;
  /** Place in the chain of the hook whose turn it is. */
  place = -1;
  /** The call of that hook. */
  call: OpenCall | null = null;
  /** What `filter` chose for the payload as it now stands. */
  chosen: readonly number[] = NO_PLACES;
  /** Noted only if the chain has several layers: a hook before a rewrite may have to look again. */
  rewrites: Rewrite[] | null = null;
  second: Recheck | null = null;
  /** Taken from limits on the way. */
  reservations: LimitReservation[] | null = null;

  /** How many of the effects the recorder has been told of. */
  private told = 0;
  /** When the last hook that ran was done. A hook's time counts from there, conditions that said no included. */
  private clock: number;
  // Nearly every chain has one front end: its view of the payload stands beside the table of the others.
  private viewer: FrontEnd | null = null;
  private seen: unknown = null;
  private otherViews: Map<FrontEnd, unknown> | null = null;
  /** Of the payload as it now stands; undefined until a hook asks. */
  private names: CallNames | null | undefined = undefined;

  constructor(
    engine: Engine,
    chain: Chain,
    payload: Json,
    signal: AbortSignal | null,
    depth: number,
    recording: DispatchRecorder | null,
    who: Who,
    within: DispatchState | null,
  ) {
    this.engine = engine;
    this.chain = chain;
    this.payload = payload;
    this.signal = signal;
    this.depth = depth;
    this.recording = recording;
    this.who = who;
    this.within = within;
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

  get toolNames(): CallNames | null {
    return (this.names ??= callNames(this.payload));
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
      return isFailureMode(chosen) ? chosen : 'block';
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

  nested(event: string, payload: Json, parent: CallRecorder | null): MaybePromise<Outcome> {
    const { signal, who } = this;
    const options: NestedOptions = { signal, depth: this.depth + 1, parent, who, within: this };
    return this.engine.decide(event, payload, options);
  }

  addReservation(reservation: LimitReservation): void {
    if (this.within !== null) this.within.addReservation(reservation);
    else (this.reservations ??= []).push(reservation);
  }

  addEffect(hook: Hook, effect: Effect): void {
    addEffect(this, hook, effect);
  }

  /** The payload as hooks of a front end see it. */
  view(frontEnd: FrontEnd): unknown {
    if (this.viewer === frontEnd) return this.seen;
    if (this.viewer === null) {
      this.seen = frontEnd.view(this.event, this.payload, this.run, this.who);
      this.viewer = frontEnd;
      return this.seen;
    }
    this.otherViews ??= new Map();
    if (!this.otherViews.has(frontEnd))
      this.otherViews.set(frontEnd, frontEnd.view(this.event, this.payload, this.run, this.who));
    return this.otherViews.get(frontEnd);
  }

  forgetViews(): void {
    this.viewer = null;
    this.otherViews = null;
    this.names = undefined;
  }

  /** The trace entry of a call that has ended. */
  entryOf(call: OpenCall, state: TraceEntry['state']): EntryDraft {
    call.close();
    const now = this.host.elapsed();
    const entry = traceEntry(call.hook, state, null, now - this.clock, call.steps);
    this.clock = now;
    return entry;
  }

  noteUndelivered(entry: EntryDraft): void {
    if (this.undelivered.length === 0) return;
    const notes = this.undelivered.map((what) => `not delivered: ${what}`);
    this.undelivered = NO_NOTES;
    entry.warnings = [...entry.warnings, ...notes];
  }

  /** Leaves the entry in the trace and tells the recorder. A `reply` only if the hook gave one. */
  leave({ recording }: OpenCall, entry: EntryDraft, reply: Reply | null): null {
    this.noteUndelivered(entry);
    if (recording !== null) {
      // A reply that is not even a reply throws when it is looked at; one that was understood does not.
      const decision = entry.decision === null ? null : (reply?.decision ?? null);
      const effects = this.effects.slice(this.told);
      this.told = this.effects.length;
      recording.ended(entry, decision, effects);
    }
    return this.leaveEntry(entry);
  }

  leaveEntry(entry: TraceEntry): null {
    if (this.second === null) this.entries[this.next - 1] = entry;
    else this.second.entries.push({ ...entry, recheck: true });
    return null;
  }
}
