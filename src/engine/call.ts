/**
 * One call of one hook, from its condition to its answer. What the hook reaches through it counts only while the call is
 * open: a hook that timed out can no longer log, emit or leave effects.
 */
import { HarnessError, type Json } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import type { Effect, LogLevel, Outcome } from './decision.ts';
import type { FetchedTables, Hook, HookCall, MaybePromise } from './hook.ts';
import { LIMITS } from './hook-limits.ts';
import type { CallRecorder } from './recorder.ts';
import type { LimitReservation } from './reservations.ts';
import type { RunState } from './run-state.ts';
import { shortLine } from './text-limits.ts';
import type { CallNames } from './tool-names.ts';
import type { Who } from './who.ts';

/** What a call needs from the dispatch it belongs to. */
export interface CallScope {
  readonly event: string;
  readonly host: Host;
  readonly run: RunState;
  readonly signal: AbortSignal | null;
  readonly depth: number;
  /** Dispatches through the same engine, one level deeper. */
  readonly nested: (event: string, payload: Json, parent: CallRecorder | null) => MaybePromise<Outcome>;
  readonly addEffect: (hook: Hook, effect: Effect) => void;
  readonly who: Who;
  readonly toolNames: CallNames | null;
  /** Keeps what was taken from a limit until it is known what became of the event. */
  readonly addReservation: (reservation: LimitReservation) => void;
}

/** Thrown in the emitter when a hook blocks what it emitted; `message` is the bare reason. */
export class EmitBlocked extends HarnessError {
  /** The hook that blocked, or null if the engine did. */
  readonly hook: string | null;

  constructor(reason: string, hook: string | null) {
    super('EMIT_BLOCKED', reason);
    this.name = 'EmitBlocked';
    this.hook = hook;
  }
}

/** What an emitter gets back: the payload as the chain left it. Throws where the event may not happen. */
export function emitted({ mayRun, failure, reason, hook, payload }: Outcome): Json {
  if (mayRun) return payload;
  throw new EmitBlocked(failure?.message ?? reason ?? '', failure?.hook ?? hook);
}

export class OpenCall implements HookCall {
  readonly hook: Hook;
  readonly recording: CallRecorder | null;
  steps = 0;
  // Set for few hooks only: no other call has room for them.
  declare fetched?: FetchedTables;
  declare fetching?: Promise<FetchedTables>;
  private readonly scope: CallScope;
  private open = true;
  private controller: AbortController | null = null;

  constructor(scope: CallScope, hook: Hook, recording: CallRecorder | null) {
    this.scope = scope;
    this.hook = hook;
    this.recording = recording;
  }

  get event(): string {
    return this.scope.event;
  }

  get host(): Host {
    return this.recording === null ? this.scope.host : this.recording.host;
  }

  get run(): RunState {
    return this.recording === null ? this.scope.run : this.recording.run;
  }

  get who(): Who {
    return this.scope.who;
  }

  get toolNames(): CallNames | null {
    return this.scope.toolNames;
  }

  get depth(): number {
    return this.scope.depth;
  }

  get timeoutMs(): number {
    return this.hook.timeoutMs;
  }

  /** The signal of the operation, without the end of this call in it. */
  get outerSignal(): AbortSignal | null {
    return this.scope.signal;
  }

  /** Fires when the operation is aborted and when this call is over. Made when first asked for: few hooks wait. */
  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      const outer = this.scope.signal;
      if (!this.open || outer?.aborted) this.controller.abort();
      else outer?.addEventListener('abort', this, { once: true });
    }
    return this.controller.signal;
  }

  emit(event: string, payload: Json): MaybePromise<Json> {
    if (!this.open)
      throw new HarnessError('EMIT_REFUSED', `emit: the call of hook "${this.hook.name}" is over`);
    if (!event.startsWith('custom.')) {
      throw new HarnessError('EMIT_REFUSED', `emit: hooks may emit custom.* events only, got "${event}"`);
    }
    if (this.depth >= LIMITS.emitDepth) {
      throw new HarnessError(
        'EMIT_REFUSED',
        `emit: events emit each other more than ${LIMITS.emitDepth} deep`,
      );
    }
    const outcome = this.scope.nested(event, payload, this.recording);
    return outcome instanceof Promise ? outcome.then((late) => this.receive(late)) : this.receive(outcome);
  }

  log(level: LogLevel, message: string): void {
    if (!this.open) return;
    // One object serves as log line and as effect: both are records, and audit hooks log on every call.
    const line = {
      kind: 'log' as const,
      hook: this.hook.name,
      event: this.event,
      level,
      message: shortLine(message),
    };
    this.scope.run.logs.push(line);
    this.scope.addEffect(this.hook, line);
  }

  effect(effect: Effect): void {
    if (this.open) this.scope.addEffect(this.hook, effect);
  }

  /** Of a call that is over too: what it took, it took. */
  addReservation(reservation: LimitReservation): void {
    this.scope.addReservation(reservation);
  }

  /** The hook has answered, or will not be listened to any more. */
  close(): void {
    this.open = false;
    if (this.controller !== null) {
      this.scope.signal?.removeEventListener('abort', this);
      this.controller.abort();
    }
  }

  /** The operation was aborted: the call listens itself, which spares a closure. */
  handleEvent(): void {
    this.controller?.abort();
  }

  private receive(outcome: Outcome): Json {
    for (const effect of outcome.effects) this.effect(effect);
    return emitted(outcome);
  }
}
