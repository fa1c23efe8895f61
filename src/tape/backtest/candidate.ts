/**
 * A candidate policy deciding a recorded event. What its hooks read is answered from the tape where the tape has it; what
 * they keep is simulated for the session and written nowhere. What neither can say makes the decision one that cannot be
 * replayed, never a guess.
 */
import { canonicalJson, type Json, sameJson } from '../../base/index.ts';
import {
  type CallRecorder,
  type DispatchRecorder,
  type EngineRecorder,
  type Hook,
  type HookCall,
  layerOf,
  OpenCall,
  type Outcome,
  type RecordedEngine,
  type RunState,
} from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';
import type { PolicyHook } from '../../policy/index.ts';
import type { Contents } from '../contents.ts';
import { outcomeText } from '../decision-text.ts';
import type { HookPart, Reading } from '../entry.ts';
import { type Readings, RunReadings } from '../readings.ts';
import { CallLog, DispatchLog } from '../record.ts';
import type { RecordedDispatch } from '../recorded.ts';
import { MISSING, rowHook } from '../row-hook.ts';
import {
  conditionFailure,
  failureModeOf,
  RecordedReply,
  recordedFrontEnd,
  replyFrom,
} from '../taped-answers.ts';

/** One decision of the host on its way, with all that is emitted in it. */
export class CandidateTrial {
  readonly recorded: RecordedDispatch;
  readonly run: RunState;
  /** Texts that the tape names by their digest. */
  readonly contents: Contents | null;
  /** A decision of this session has come out differently: what was stored then is no longer what would be stored. */
  readonly diverged: boolean;
  /** See `RunAlone`: what hooks read is answered by the state of the run. */
  byRunAlone = false;
  /** Whether it came out the same to the byte. */
  isSame = false;
  /** The first thing that was asked for and is not on the tape. */
  missing: string | null = null;
  /** It took from a limit that other sessions share, and only this one was simulated. */
  sharedLimit = false;

  constructor(recorded: RecordedDispatch, run: RunState, contents: Contents | null, diverged: boolean) {
    this.recorded = recorded;
    this.run = run;
    this.contents = contents;
    this.diverged = diverged;
  }
}

/** Hooks that are waited for read in their own order: a program, an address, a person. */
const NOTHING: Host = {
  now: () => 0,
  elapsed: () => 0,
  uuid: () => '00000000-0000-4000-8000-000000000000',
  env: () => undefined,
  variables: () => ({}),
  http: () => Promise.reject(new Error('a backtest reaches nothing')),
  run: () => Promise.reject(new Error('a backtest starts nothing')),
  appendFile: () => Promise.resolve(),
};

export { NOTHING as BACKTEST_HOST };

/** The recorder of an engine that tries a candidate. */
export class CandidateRecorder implements EngineRecorder {
  trial: CandidateTrial | null = null;
  private readonly engine: RecordedEngine;

  constructor(engine: RecordedEngine) {
    this.engine = engine;
  }

  begin(event: string, _payload: Json, parent: CallRecorder | null): DispatchRecorder {
    const trial = this.trial!;
    // It may be heard by a hook that must not be called twice.
    if (parent !== null && trial.byRunAlone) throw new Error('only the tape knows what was emitted');
    const recorded = parent instanceof CandidateCall ? parent.dispatch.takeEmitted(event) : trial.recorded;
    return new CandidateDispatch(this.engine, trial, recorded);
  }
}

class CandidateDispatch extends DispatchLog {
  readonly trial: CandidateTrial;
  /** Null for an event that was not emitted then. */
  readonly recorded: RecordedDispatch | null;
  readonly entry: number;
  readonly at: number;
  private readonly taken = new Set<RecordedDispatch>();

  constructor(engine: RecordedEngine, trial: CandidateTrial, recorded: RecordedDispatch | null) {
    super(engine, trial.recorded.names, trial.contents);
    this.trial = trial;
    this.recorded = recorded;
    const { seq, at } = recorded ?? trial.recorded;
    this.entry = seq;
    this.at = at ?? 0;
  }

  visit(hook: Hook, run: RunState = this.engine.run): CallRecorder {
    return new CandidateCall(this, hook, run);
  }

  waits(): void {}

  outcome(outcome: Outcome, rewritten: boolean): void {
    const { trial, recorded } = this;
    if (!trial.byRunAlone) return;
    trial.isSame = recorded?.isSaidAs(outcomeText({ ended: this.calls, outcome, rewritten })) === true;
  }

  newReadings(call: CandidateCall): Readings {
    if (this.trial.byRunAlone) return new RunReadings();
    return new TapedReadings(this, call);
  }

  takeEmitted(event: string): RecordedDispatch | null {
    const next = this.recorded?.nested.find(
      ({ dispatch }) => dispatch.fired.event === event && !this.taken.has(dispatch),
    );
    if (next === undefined) return null;
    this.taken.add(next.dispatch);
    return next.dispatch;
  }
}

class CandidateCall extends CallLog<CandidateDispatch> {
  /** What the hook did when it was recorded. */
  get part(): HookPart | undefined {
    return partOf(this.dispatch.recorded, this.hook);
  }

  get name(): string {
    return this.hook.name;
  }
}

function partOf(recorded: RecordedDispatch | null, hook: Hook): HookPart | undefined {
  if (recorded === null) return undefined;
  const named = recorded.parts.filter((part) => part.hook === hook.name);
  if (named.length < 2) return named[0];
  return named.find((part) => {
    const { source, layer } = recorded.originOf(part);
    return source === hook.source && (layer === undefined || layer === layerOf(hook).name);
  });
}

/** Kinds that a session keeps for its hooks: they can be simulated. */
const SIMULATED = /^(?:(?:cache|turn|metric|state)\.|limit$)/;

/** Kinds of readings that the ledger answers. */
const FLOW = 'flow.';

class TapedReadings implements Readings {
  readonly taken: Reading[] = [];
  private readonly trial: CandidateTrial;
  private readonly recorded: RecordedDispatch | null;
  private readonly hook: string;
  private readonly own: Reading[];

  constructor({ trial, recorded }: CandidateDispatch, { name, part }: CandidateCall) {
    this.trial = trial;
    this.recorded = recorded;
    this.hook = name;
    this.own = [...(part?.readings ?? [])];
  }

  value(kind: string, key: Json | undefined, read: () => Json | undefined): Json | undefined {
    const { recorded, diverged, run } = this.trial;
    const kept = SIMULATED.test(kind);
    // The ledger is made anew of the tape, with the sources of the candidate.
    if (kind.startsWith(FLOW)) return read();
    if (kept && diverged) {
      if (kind === 'limit') this.trial.sharedLimit = true;
      return read();
    }
    const reading = this.take(kind, key);
    if (reading !== undefined) {
      if (reading.error !== undefined) throw new Error(reading.error);
      // A tool may have set it, which no simulation sees.
      if (kind === 'cache.get' && reading.value !== undefined) run.cache.set(String(key), reading.value);
      return reading.value;
    }
    // Others may have used up a limit that the session shares with them.
    if (kind === 'limit') this.trial.sharedLimit = true;
    if (kept || kind === 'agent' || kind === 'uuid') return read();
    if (kind === 'now' && recorded.at !== null) return recorded.at;
    throw this.notThere(kind, key);
  }

  /** What a built-in guard found on the machine then; of a call it was not asked about, nobody knows that it found anything. */
  found(kind: string, _read: unknown, concerned: () => boolean, key?: Json): Json | undefined {
    return concerned() ? this.take(kind, key)?.value : undefined;
  }

  async later(kind: string, key: Json, _read: () => Promise<Json | undefined>): Promise<Json | undefined> {
    if (kind === 'append') return undefined;
    const reading = this.take(kind, key);
    if (reading === undefined || reading.pending === true) throw this.notThere(kind, key);
    if (reading.error !== undefined) throw new Error(reading.error);
    return reading.value;
  }

  /** Its own next answer to the same question; failing that, the answer that another hook of the event got. */
  private take(kind: string, key: Json | undefined): Reading | undefined {
    const at = this.own.findIndex((each) => isFor(each, kind, key));
    if (at >= 0) return this.own.splice(at, 1)[0];
    if (kind === 'uuid') return undefined;
    for (const { readings = [] } of this.recorded?.parts ?? []) {
      const found = readings.find((each) => isFor(each, kind, key));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private notThere(kind: string, key: Json | undefined): Error {
    const asked =
      key === undefined
        ? kind
        : `${kind} ${typeof key === 'string' ? JSON.stringify(key) : canonicalJson(key)}`;
    const missing = `hook "${this.hook}" asks for ${asked}, which is not on the tape`;
    this.trial.missing ??= missing;
    return new Error(missing);
  }
}

function isFor(reading: Reading, kind: string, key: Json | undefined): boolean {
  if (reading.kind !== kind) return false;
  if (reading.key === key) return true;
  if (typeof reading.key !== 'object' || typeof key !== 'object') return false;
  return sameJson(reading.key, key);
}

/** A hook of the candidate. One that ended by the clock then does so now: no machine can be made to take as long again. */
export function candidateHook(hook: Hook): Hook {
  const { body } = hook;
  if (body === null) return hook;
  return {
    ...hook,
    frontEnd: recordedFrontEnd(hook.frontEnd),
    body: (seen, call) => {
      const { dispatch } = callOf(call);
      if (dispatch.trial.byRunAlone && hook.capability?.kind !== 'module') return body(seen, call);
      const { part } = callOf(call);
      // Code of the folder with all rights of this process: it is never loaded here.
      if (hook.capability?.kind === 'module') {
        if (part !== undefined) return new RecordedReply(replyFrom(part, hook));
        const missing = `hook "${hook.name}" loads a module, and what it said is not on the tape`;
        dispatch.trial.missing ??= missing;
        throw new Error(missing);
      }
      const byTheClock = part?.failure?.kind === 'timeout' || part?.failure?.kind === 'aborted';
      return byTheClock ? new RecordedReply(replyFrom(part, hook)) : body(seen, call);
    },
  };
}

/** A hook that is in no file, such as one of the host's code or one that the agent added: it says what it said. */
export function tapedHook(row: PolicyHook): Hook {
  const hook: Hook = rowHook(row, {
    test: (call) => {
      const { part } = callOf(call);
      if (part?.state === 'condition_failed') throw conditionFailure(part);
      return part !== undefined;
    },
    body: (call) => {
      const { part } = callOf(call);
      return new RecordedReply(part === undefined ? MISSING : replyFrom(part, hook));
    },
    failureMode: (call) => failureModeOf(callOf(call).part),
  });
  return hook;
}

function callOf(call: HookCall): CandidateCall {
  if (call instanceof OpenCall && call.recording instanceof CandidateCall) return call.recording;
  throw new Error('this hook works in a backtest only');
}
