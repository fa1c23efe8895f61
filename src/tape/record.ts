/**
 * The recorder of a tape: what an engine does becomes records, in the order it happens.
 *
 * An engine calls one recorder, whoever listens (`hooks/recorder.ts`): `begin` for each dispatch, `visit` for each hook, `called`
 * and `ended` around its call, `outcome` at the end. `DispatchLog` and `CallLog` are that recorder, up to the two points where
 * recording and playing differ: where a call gets what it reads, and what becomes of a finished decision.
 *
 *     Engine ── begin, visit, called, ended, outcome ──► DispatchLog, CallLog
 *                                                          │ host and run as the hook sees them: RecordingHost, RecordingRun,
 *                                                          │   every answer from outside through the call's `Readings`
 *                                                          │ CallEnded for each hook: trace entry, decision, attachments, readings
 *                                                          ▼
 *                                  decision-text.ts: the canonical JSON of a decision, the one text of it
 *                                                          │
 *       recording (this file)        Readings: ReadingLog, asks the machine and keeps the answer
 *                                    outcome: redaction ► chain ► line of the tape
 *       replay (play.ts)             Readings: Playback, the recorded answers in their order
 *                                    outcome: has to be the text of the recorded line
 *       backtest (backtest/)         Readings: TapedReadings, the recorded answers where they fit, else simulated
 *                                    outcome: compared by action and payload
 *
 * A tape is read the other way: line ► `parseEntry` ► `RecordedFeed`, which gives each dispatch of the host with its decision and what it
 * emitted (`RecordedDispatch`) ► the engine that decides it again. People read `stories.ts`, made of the same decisions.
 *
 * A decision is one entry, written when it is made; one that waits, whose hooks emit events, or that calls a function of the
 * program, is announced before that, so that a process which dies in it leaves a trace. Dispatches that overlap stay apart, since each
 * knows its own number.
 */
import { type Canonical, canonicalJson, type Json } from '../base/index.ts';
import type {
  CallRecorder,
  Decision,
  DispatchRecorder,
  Effect,
  EngineRecorder,
  Hook,
  Outcome,
  RecordedEngine,
  Recorder,
  RunState,
  TraceEntry,
} from '../engine/index.ts';
import type { Host } from '../machine/index.ts';
import type { PolicyHook } from '../policy/index.ts';
import type { Contents } from './contents.ts';
import { type CallEnded, type DecisionEvent, decisionText } from './decision-text.ts';
import type { Fired, Reading, TapeRecord } from './entry.ts';
import { firedRecord } from './fired.ts';
import { HookNames, namedHook } from './hook-names.ts';
import { PayloadShortener } from './payload-dedup.ts';
import { ReadingLog, type Readings } from './readings.ts';
import { RecordingHost, RecordingRun } from './recording-host.ts';
import { runRecord } from './run-data.ts';

/** Where records go; a `TapeWriter` is one. */
export interface RecordSink {
  /** How many entries there are already, as far as it knows. */
  readonly entries: number;
  add(record: TapeRecord, ms?: number | readonly number[]): void;
  /** A decision, which is text already; `told` is what it says. */
  addDecision(written: Canonical, told: DecisionEvent, ms: readonly number[]): void;
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
  /** The host commits before it answers: outcomes only gather. */
  readonly deferred?: boolean;
}

export class TapeRecorder implements Recorder {
  readonly sink: RecordSink;
  readonly names: HookNames;
  readonly shortener = new PayloadShortener();
  readonly contents: Contents | null;
  private readonly known: WeakSet<Hook>;
  private readonly describe: (hook: Hook) => PolicyHook;
  readonly deferred: boolean;
  private readonly givenRun: number | undefined;
  private runs: number;
  private dispatches: number;
  /** The run that was recorded last, without its number. */
  private lastRun = '';

  constructor(sink: RecordSink, options: TapeRecorderOptions) {
    const { known = [], describe, first, run, contents = null, deferred = false } = options;
    const hooks = [...known];
    this.sink = sink;
    this.deferred = deferred;
    this.contents = contents;
    this.known = new WeakSet(hooks);
    this.names = new HookNames(hooks.map(namedHook));
    this.describe = describe;
    this.givenRun = run;
    // A tape that is gone on with has numbers already; there are never more of them than entries.
    this.runs = this.dispatches = first ?? sink.entries;
  }

  attach(engine: RecordedEngine): EngineRecorder {
    const run = this.givenRun ?? this.recordRun(engine);
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

  /** The number of the run of an engine. It is acknowledged with the first decision: before that, there is nothing it is about. */
  private recordRun(engine: RecordedEngine): number {
    const told = JSON.stringify(runRecord(0, engine));
    // The same run, in the next engine of a session that stays open.
    if (told !== this.lastRun) this.sink.add(runRecord(++this.runs, engine));
    this.lastRun = told;
    return this.runs;
  }

  meet(hook: Hook): void {
    if (this.known.has(hook)) return;
    this.known.add(hook);
    this.names.add(namedHook(hook));
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

  /** What one call reads. */
  abstract newReadings(call: CallRecorder): Readings;

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
  /** Of a tape that several processes append to, one of them may come in between. */
  readonly entry: number;
  private readonly times: number[] = [0];
  private readonly began: number;
  private announced = false;
  /** The one whose turn it is, or was last. */
  private call: RecordedCall | null = null;

  constructor(recorder: TapeRecorder, engine: RecordedEngine, fired: Fired) {
    super(engine, recorder.names, recorder.contents);
    this.recorder = recorder;
    this.fired = fired;
    this.entry = recorder.sink.entries + 1;
    this.began = engine.host.elapsed();
  }

  newReadings(): Readings {
    return new ReadingLog();
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
    const { sink, shortener, deferred } = this.recorder;
    this.times[0] = this.engine.host.elapsed() - this.began;
    const fired = this.announced ? { dispatch: this.fired.dispatch } : this.fired;
    const told: DecisionEvent = { fired, ended: this.calls, outcome, rewritten };
    sink.addDecision(decisionText(told, shortener), told, this.times);
    // The hook that emitted is not done; its own outcome acknowledges this one as well.
    if (this.fired.parent === undefined && !deferred) return sink.commit();
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
function payloadText(payload: Json): string | null {
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
  protected wasCalled = false;
  private readonly ownRun: RunState;
  private log: Readings | null = null;
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
    this.wasCalled = true;
    if (rewritten) this.payload = this.dispatch.changed(payload);
  }

  ended(entry: TraceEntry, decision: Decision | null, effects: readonly Effect[]): void {
    const { dispatch, payload } = this;
    const readings = this.readingsTaken;
    const origin = dispatch.names.written(this.hook);
    // A second look has a run of its own, so that nothing it does there is seen.
    const recheck = this.ownRun !== dispatch.engine.run;
    dispatch.ended({ entry, decision, effects, readings, origin, payload, recheck });
  }

  protected get readingsTaken(): readonly Reading[] {
    return this.log?.taken ?? NO_READINGS;
  }

  private readings(): Readings {
    return (this.log ??= this.dispatch.newReadings(this));
  }
}

class RecordedCall extends CallLog<RecordedDispatch> {
  private announced = false;

  override called(payload: Json, rewritten: boolean): void | Promise<void> {
    super.called(payload, rewritten);
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
      const { name, source, layer } = namedHook(hook);
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
