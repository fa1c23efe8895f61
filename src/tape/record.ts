/**
 * The recorder of a tape: everything an engine does becomes records, in the order it happens. Dispatches that overlap stay
 * apart, since each knows its own number and each call of a hook its own readings.
 */
import type { Host } from '../base/host.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { Decision, Effect, Outcome, TraceEntry } from '../events/decision.ts';
import { notedTurn } from '../frontends/code/registry/context.ts';
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
import type { DispatchRecord, Reading, TapeRecord } from './entry.ts';
import { ReadingLog } from './readings.ts';
import { RecordingHost, RecordingRun } from './recording-host.ts';
import { callRecord, endRecord, outcomeRecord, vetoRecord } from './records.ts';
import { runData } from './run-data.ts';

/** Where records go; a `TapeWriter` is one. */
export interface RecordSink {
  /** How many entries there are already. */
  readonly entries: number;
  add(record: TapeRecord, ms?: number): number;
  /** Acknowledges what was added. */
  commit(): void;
}

export interface TapeRecorderOptions {
  /** The hooks the header names. Any other is put on the tape when its turn first comes. */
  readonly known?: Iterable<Hook>;
  readonly describe: (hook: Hook) => PolicyHook;
}

export class TapeRecorder implements Recorder {
  readonly sink: RecordSink;
  private readonly known: WeakSet<Hook>;
  private readonly describe: (hook: Hook) => PolicyHook;
  private runs: number;
  private dispatches: number;

  constructor(sink: RecordSink, { known = [], describe }: TapeRecorderOptions) {
    this.sink = sink;
    this.known = new WeakSet(known);
    this.describe = describe;
    // A tape that is gone on with has numbers already; there are never more of them than entries.
    this.runs = this.dispatches = sink.entries;
  }

  attach(engine: RecordedEngine): EngineRecorder {
    const run = ++this.runs;
    this.sink.add({ data: runData(run, engine), kind: 'run', type: 'session' });
    this.sink.commit();
    return {
      begin: (event, payload, parent, recheck = false) => {
        const number = ++this.dispatches;
        const emitter = parent instanceof RecordedCall ? parent.dispatch : null;
        const record = dispatchRecord(number, run, event, payload, emitter?.number, notedTurn(engine.run));
        this.sink.add(recheck ? { ...record, recheck } : record);
        return new RecordedDispatch(this, engine, number, emitter !== null);
      },
    };
  }

  meet(hook: Hook): void {
    if (this.known.has(hook)) return;
    this.known.add(hook);
    this.sink.add({ data: this.describe(hook) as unknown as Json, kind: 'hook', type: 'session' });
  }
}

class RecordedDispatch implements DispatchRecorder {
  readonly number: number;
  readonly recorder: TapeRecorder;
  readonly engine: RecordedEngine;
  private readonly nested: boolean;
  private readonly began: number;

  constructor(recorder: TapeRecorder, engine: RecordedEngine, number: number, nested: boolean) {
    this.recorder = recorder;
    this.engine = engine;
    this.number = number;
    this.nested = nested;
    this.began = engine.host.elapsed();
  }

  visit(hook: Hook, run?: RunState): CallRecorder {
    this.recorder.meet(hook);
    return new RecordedCall(this, hook, run ?? this.engine.run);
  }

  waits(): void {
    this.recorder.sink.commit();
  }

  outcome(outcome: Outcome, rewritten: boolean): void {
    const { sink } = this.recorder;
    sink.add(outcomeRecord(this.number, outcome, rewritten), this.engine.host.elapsed() - this.began);
    // Whoever emitted is not done; its own outcome acknowledges this one as well.
    if (!this.nested) sink.commit();
  }
}

const NO_READINGS: readonly Reading[] = [];

class RecordedCall implements CallRecorder {
  readonly dispatch: RecordedDispatch;
  private readonly hook: Hook;
  private readonly ownRun: RunState;
  private log: ReadingLog | null = null;
  private hostView: Host | null = null;
  private runView: RunState | null = null;

  constructor(dispatch: RecordedDispatch, hook: Hook, run: RunState) {
    this.dispatch = dispatch;
    this.hook = hook;
    this.ownRun = run;
  }

  get host(): Host {
    return (this.hostView ??= new RecordingHost(this.readings(), this.dispatch.engine.host));
  }

  get run(): RunState {
    return (this.runView ??= new RecordingRun(this.readings(), this.ownRun));
  }

  called(payload: Json, rewritten: boolean): void {
    const { name, source } = this.hook;
    const { recorder, number } = this.dispatch;
    recorder.sink.add(callRecord(number, name, source, rewritten ? payload : undefined));
  }

  ended(entry: TraceEntry, decision: Decision | null, effects: readonly Effect[]): void {
    const { recorder, number } = this.dispatch;
    const readings = this.log?.taken ?? NO_READINGS;
    recorder.sink.add(endRecord(number, { entry, decision, effects, readings }), entry.ms);
    const veto = vetoRecord(number, entry);
    if (veto !== null) recorder.sink.add(veto);
  }

  private readings(): ReadingLog {
    return (this.log ??= new ReadingLog());
  }
}

export function dispatchRecord(
  dispatch: number,
  run: number,
  event: string,
  payload: Json,
  parent: number | undefined,
  turn: number | undefined,
): DispatchRecord {
  const callId = callIdOf(event, payload);
  return {
    ...(callId !== undefined && { callId }),
    dispatch,
    event,
    ...(parent !== undefined && { parent }),
    payload: payload ?? null,
    run,
    ...(turn !== undefined && { turn }),
    type: 'dispatch',
  };
}

/** Events of operations that may run side by side. */
const OVERLAPPING = /^(?:tool|permission|delegation|step)\./;

function callIdOf(event: string, payload: Json): string | undefined {
  if (!OVERLAPPING.test(event) || !isJsonObject(payload)) return undefined;
  const id = payload.call_id ?? payload.id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}
