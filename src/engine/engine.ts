/**
 * The engine: fires an event through the chain of hooks that listen to it and returns what they said. Host-agnostic: our
 * own session, an adapter for another agent and replay all call the same `decide`.
 */
import { HarnessError, type Json } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import type { EventArgument, PayloadFor } from './catalog.ts';
import type { Outcome } from './decision.ts';
import { DispatchState } from './dispatch-state.ts';
import type { Hook, MaybePromise } from './hook.ts';
import { LayeredRegistry } from './layered-registry.ts';
import { completePayload, PayloadProblem } from './payload.ts';
import { decide, recheck, refuse } from './pipeline.ts';
import type { CallRecorder, DispatchRecorder, EngineRecorder, Recorder } from './recorder.ts';
import { Registry } from './registry.ts';
import { resolveEvent } from './resolve.ts';
import type { RunState } from './run-state.ts';
import { type Actor, type Caller, FIRST_CALLER, readActor, resolveWho, type Who } from './who.ts';

export interface EngineOptions {
  /** Shared and live: what is added takes effect with the next dispatch. */
  readonly registry?: Registry;
  /** Instead of a registry, for a fixed set. */
  readonly hooks?: Iterable<Hook>;
  readonly host: Host;
  readonly run: RunState;
  /** Somebody answers an `ask`. Without, an ask is a block. */
  readonly canAsk?: boolean;
  /** The host carries out a `delegate`. Without, it is a block. */
  readonly canDelegate?: boolean;
  /** Sees every outcome, those of nested dispatches too, before the host that fired the event does. */
  readonly observe?: (outcome: Outcome, depth: number, run: RunState) => void;
  /** Told of everything; what the hooks read goes through it. */
  readonly recorder?: Recorder;
}

export interface DecideOptions {
  readonly signal?: AbortSignal | null;
  /** The call was judged and has changed since: every guard looks once more, and only block and ask count. */
  readonly recheck?: boolean;
  /** What was said of the call before it changed: what guards took from limits then counts for it now. */
  readonly judged?: Outcome;
  /** The person or program behind this event, as the host knows them; absent: whom the run works for. */
  readonly actor?: Actor | null;
  /** The agent behind it; absent: the one of the run. */
  readonly caller?: Caller | null;
}

/** How the engine decides an event that a hook emitted; hosts have no use for it. */
export interface NestedOptions extends DecideOptions {
  readonly depth?: number;
  readonly parent?: CallRecorder | null;
  /** The dispatch whose hook emitted the event: what is taken from limits is settled with that. */
  readonly within?: DispatchState;
  readonly who?: Who;
}

const PLAIN: NestedOptions = {};

export class Engine {
  readonly registry: Registry;
  readonly host: Host;
  readonly run: RunState;
  readonly canAsk: boolean;
  readonly canDelegate: boolean;
  readonly observe: EngineOptions['observe'];
  readonly who: Who;
  private readonly recorder: EngineRecorder | null;
  private readonly recordedBy: Recorder | undefined;

  constructor(options: EngineOptions) {
    this.registry = options.registry ?? new Registry(options.hooks);
    this.host = options.host;
    this.run = options.run;
    this.canAsk = options.canAsk ?? false;
    this.canDelegate = options.canDelegate ?? false;
    this.observe = options.observe;
    const { actor = null, caller } = this.run.session;
    this.who = { actor, caller: caller ?? FIRST_CALLER };
    this.recordedBy = options.recorder;
    this.recorder = options.recorder?.attach(this) ?? null;
  }

  /**
   * An engine for a sub-agent: every hook of this one, as they come and go, and `hooks` beside them. It is recorded where
   * this one is.
   */
  layered(
    hooks: Iterable<Hook>,
    options: Pick<EngineOptions, 'run' | 'observe'> & { readonly canAsk: boolean },
  ): Engine {
    return new Engine({
      ...(this.observe !== undefined && { observe: this.observe }),
      ...options,
      registry: new LayeredRegistry(this.registry, hooks),
      host: this.host,
      canDelegate: this.canDelegate,
      ...(this.recordedBy !== undefined && { recorder: this.recordedBy }),
    });
  }

  /**
   * Decides one event. Synchronous unless a hook is asynchronous. Never throws because of a hook; throws for an event
   * name that the catalog does not have. A name written out gives the payload its type, and a wrong one does not compile;
   * a name known only when it runs is a `string`, and its payload any JSON.
   */
  decide<E extends string>(
    event: EventArgument<E>,
    payload: PayloadFor<E>,
    options?: DecideOptions,
  ): MaybePromise<Outcome<E>>;
  decide(event: string, payload: Json, options: NestedOptions = PLAIN): MaybePromise<Outcome> {
    const chain = this.registry.prepared(event) ?? this.registry.chain(canonical(event));
    const complete = completePayload(chain.spec, payload ?? null);
    const signal = options.signal ?? null;
    const depth = options.depth ?? 0;
    const who = options.who ?? whoFor(options, this.who);
    const recording =
      this.recorder === null
        ? null
        : this.recorder.begin(
            chain.event,
            payload,
            options.parent ?? null,
            options.recheck === true,
            who === this.who ? undefined : who,
          );
    const within = options.within ?? null;
    if (this.run.origins !== null && options.recheck !== true)
      recordOrigins(this, chain.event, complete, recording);
    const problem = complete instanceof PayloadProblem ? complete.message : null;
    const known = complete instanceof PayloadProblem ? payload : complete;
    const state = new DispatchState(this, chain, known, signal, depth, recording, who, within);
    if (problem !== null) return refuse(state, problem);
    // Invalid actor: gates block.
    if (who.problem !== undefined && chain.spec.honours.block === true) return refuse(state, who.problem);
    return options.recheck === true ? recheck(state, options.judged) : decide(state);
  }
}

/** Before the hooks are asked: what the event brings is in the ledger for all that follows. */
function recordOrigins(
  { host, run }: Engine,
  event: string,
  payload: Json | PayloadProblem,
  recording: DispatchRecorder | null,
): void {
  if (payload instanceof PayloadProblem) return;
  const at = recording?.at ?? host.now();
  run.origins?.hear({ event, payload, session: run.session, host, at, entry: recording?.entry ?? null });
}

function whoFor({ actor, caller }: DecideOptions, run: Who): Who {
  if (actor === undefined && caller === undefined) return run;
  if (actor === undefined && run.problem !== undefined) return run;
  return resolveWho(actor === undefined ? { ok: true, actor: run.actor } : readActor(actor), caller, run);
}

function canonical(event: string): string {
  const resolved = resolveEvent(event);
  if (resolved.ok) return resolved.event;
  throw new HarnessError('EVENT_UNKNOWN', resolved.message + resolved.hint);
}
