/**
 * The recorder of a tape: everything an engine does becomes records, in the order it happens. A decision is one entry,
 * written when it is made; one that waits, whose hooks emit events, or that calls a function of the program, is announced
 * before that, so that a process which dies in it leaves a trace. Dispatches that overlap stay apart, since each knows its own number.
 */
import { type Canonical, canonicalJson } from '../base/canonical-json.ts';
import type { Host } from '../base/host.ts';
import type { Json } from '../base/json.ts';
import type { Decision, Effect, Outcome, TraceEntry } from '../events/decision.ts';
import type { Hook } from '../hooks/hook.ts';
import type {
  CallRecorder,
  DispatchRecorder,
  EngineRecorder,
  RecordedEngine,
  Recorder,
} from '../hooks/recorder.ts';
import type { RunState } from '../hooks/run-state.ts';
import type { PolicyHook } from '../policy/policy-digest.ts';
import type { Contents } from './contents.ts';
import { type CallEnded, decisionText, type Told } from './decision-text.ts';
import type { Fired, Reading, TapeRecord } from './entry.ts';
import { firedRecord } from './fired.ts';
import { HookNames, named } from './hook-names.ts';
import { ReadingLog } from './readings.ts';
import { RecordingHost, RecordingRun } from './recording-host.ts';
import { runRecord } from './run-data.ts';
import { PayloadShortener } from './same.ts';

/** Where records go; a `TapeWriter` is one. */
export interface RecordSink {
  /** How many entries there are already, as far as it knows. */
  readonly entries: number;
  add(record: TapeRecord, ms?: number | readonly number[]): void;
  /** A decision, which is text already; `told` is what it says. */
  addDecision(written: Canonical, told: Told, ms: readonly number[]): void;
  /** When it returns, or when what it returns resolves, what was added is acknowledged. */
  commit(): void | Promise<void>;
}

export interface TapeRecorderOptions {
  /** The hooks the header names. Any other is put on the tape when its turn first comes. */
  readonly known?: Iterable<Hook>;
  readonly describe: (hook: Hook) => PolicyHook;
  /** The first number of runs and dispatches; by default they go on after the entries there are. */
  readonly first?: number;
  /** Where texts are kept that the tape names by their digest. */
  readonly contents?: Contents | null;
  /** A run that the tape has already: its number is used, and no other is written. */
  readonly run?: number;
}

export class TapeRecorder implements Recorder {
  readonly sink: RecordSink;
  readonly names: HookNames;
  readonly shortener = new PayloadShortener();
  readonly contents: Contents | null;
  private readonly known: WeakSet<Hook>;
  private readonly describe: (hook: Hook) => PolicyHook;
  private readonly givenRun: number | undefined;
  private runs: number;
  private dispatches: number;

  constructor(sink: RecordSink, { known = [], describe, first, run, contents = null }: TapeRecorderOptions) {
    const hooks = [...known];
    this.sink = sink;
    this.contents = contents;
    this.known = new WeakSet(hooks);
    this.names = new HookNames(hooks.map(named));
    this.describe = describe;
    this.givenRun = run;
    // A tape that is gone on with has numbers already; there are never more of them than entries.
    this.runs = this.dispatches = first ?? sink.entries;
  }

  attach(engine: RecordedEngine): EngineRecorder {
    const run = this.givenRun ?? ++this.runs;
    // Acknowledged with the first decision: before that, nothing has happened that it would be about.
    if (this.givenRun === undefined) this.sink.add(runRecord(run, engine));
    return {
      begin: (event, payload, parent, recheck = false, who) => {
        const emitter = parent instanceof RecordedCall ? parent : null;
        const emittedBy = emitter === null ? null : emitter.announce();
        const turn = engine.run.turnNumber;
        const from = { dispatch: ++this.dispatches, run, turn, emittedBy, recheck, who };
        return new RecordedDispatch(this, engine, firedRecord(event, payload, from));
      },
    };
  }

  meet(hook: Hook): void {
    if (this.known.has(hook)) return;
    this.known.add(hook);
    this.names.add(named(hook));
    this.sink.add({ data: this.describe(hook) as unknown as Json, kind: 'hook', type: 'session' });
  }
}

/** What all calls of a dispatch are told by: where hooks come from, what they run in. */
export abstract class DispatchLog implements DispatchRecorder {
  readonly engine: RecordedEngine;
  readonly names: HookNames;
  readonly contents: Contents | null;
  protected readonly calls: CallEnded[] = [];
  private lastPayload: string | null = null;

  constructor(engine: RecordedEngine, names: HookNames, contents: Contents | null) {
    this.engine = engine;
    this.names = names;
    this.contents = contents;
  }

  abstract visit(hook: Hook, run?: RunState): CallRecorder;
  abstract waits(): void | Promise<void>;
  abstract outcome(outcome: Outcome, rewritten: boolean): void | Promise<void>;

  newReadings(): ReadingLog {
    return new ReadingLog();
  }

  ended(call: CallEnded): void {
    this.calls.push(call);
  }

  /** The payload if it is not the one the last call had. */
  changed(payload: Json): Json | undefined {
    const text = payloadText(payload);
    if (text !== null && text === this.lastPayload) return undefined;
    this.lastPayload = text;
    return payload;
  }
}

class RecordedDispatch extends DispatchLog {
  readonly recorder: TapeRecorder;
  readonly fired: Fired;
  private readonly times: number[] = [0];
  private readonly began: number;
  private announced = false;
  /** The one whose turn it is, or was last. */
  private call: RecordedCall | null = null;

  constructor(recorder: TapeRecorder, engine: RecordedEngine, fired: Fired) {
    super(engine, recorder.names, recorder.contents);
    this.recorder = recorder;
    this.fired = fired;
    this.began = engine.host.elapsed();
  }

  visit(hook: Hook, run?: RunState): CallRecorder {
    this.recorder.meet(hook);
    this.call = new RecordedCall(this, hook, run ?? this.engine.run);
    return this.call;
  }

  waits(): void | Promise<void> {
    this.call?.announce();
    return this.recorder.sink.commit();
  }

  outcome(outcome: Outcome, rewritten: boolean): void | Promise<void> {
    const { sink, shortener } = this.recorder;
    this.times[0] = this.engine.host.elapsed() - this.began;
    const fired = this.announced ? { dispatch: this.fired.dispatch } : this.fired;
    const told: Told = { fired, ended: this.calls, outcome, rewritten };
    sink.addDecision(decisionText(told, shortener), told, this.times);
    // The hook that emitted is not done; its own outcome acknowledges this one as well.
    if (this.fired.parent === undefined) return sink.commit();
  }

  /** Gives how many hooks have ended. */
  announce(): number {
    if (!this.announced) {
      this.announced = true;
      this.recorder.sink.add({ ...this.recorder.shortener.shorten(this.fired), type: 'dispatch' });
    }
    return this.calls.length;
  }

  override ended(call: CallEnded): void {
    super.ended(call);
    this.times.push(call.entry.ms);
  }
}

/** Null for what JSON cannot hold: then it counts as another one. */
export function payloadText(payload: Json): string | null {
  try {
    return canonicalJson(payload);
  } catch {
    return null;
  }
}

const NO_READINGS: readonly Reading[] = [];

/** The turn of one hook: what it reads, and how it ends. */
export class CallLog<D extends DispatchLog = DispatchLog> implements CallRecorder {
  readonly dispatch: D;
  protected readonly hook: Hook;
  protected payload: Json | undefined = undefined;
  private readonly ownRun: RunState;
  private log: ReadingLog | null = null;
  private hostView: Host | null = null;
  private runView: RunState | null = null;

  constructor(dispatch: D, hook: Hook, run: RunState) {
    this.dispatch = dispatch;
    this.hook = hook;
    this.ownRun = run;
  }

  get host(): Host {
    const { engine, contents } = this.dispatch;
    return (this.hostView ??= new RecordingHost(this.readings(), engine.host, contents));
  }

  get run(): RunState {
    return (this.runView ??= new RecordingRun(this.readings(), this.ownRun));
  }

  called(payload: Json, rewritten: boolean): void | Promise<void> {
    if (rewritten) this.payload = this.dispatch.changed(payload);
  }

  ended(entry: TraceEntry, decision: Decision | null, effects: readonly Effect[]): void {
    const { dispatch, payload } = this;
    const readings = this.log?.taken ?? NO_READINGS;
    const origin = dispatch.names.written(this.hook);
    // A second look has a run of its own, so that nothing it does there is seen.
    const recheck = this.ownRun !== dispatch.engine.run;
    dispatch.ended({ entry, decision, effects, readings, origin, payload, recheck });
  }

  private readings(): ReadingLog {
    return (this.log ??= this.dispatch.newReadings());
  }
}

class RecordedCall extends CallLog<RecordedDispatch> {
  private wasCalled = false;
  private announced = false;

  override called(payload: Json, rewritten: boolean): void | Promise<void> {
    super.called(payload, rewritten);
    this.wasCalled = true;
    // A function of the program may end the process: that it was called must be on the tape by then.
    if (this.hook.frontEnd.runsInProgram !== true) return;
    this.announce();
    return this.dispatch.recorder.sink.commit();
  }

  /** Puts the dispatch and this call on the tape before something is waited for or emitted. */
  announce(): { readonly parent: number; readonly after: number } {
    const { dispatch, hook, payload } = this;
    const number = dispatch.fired.dispatch;
    const after = dispatch.announce();
    if (this.wasCalled && !this.announced) {
      this.announced = true;
      const { name, source, layer } = named(hook);
      dispatch.recorder.sink.add({
        dispatch: number,
        hook: name,
        ...(layer !== undefined && { layer }),
        ...(payload !== undefined && { payload }),
        source,
        type: 'hook_call',
      });
    }
    return { parent: number, after };
  }
}
