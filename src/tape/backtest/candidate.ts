/**
 * A candidate policy deciding a recorded event. What its hooks read is answered from the tape where the tape has it; what
 * they keep is simulated for the session and written nowhere. What neither can say makes the decision one that cannot be
 * replayed, never a guess.
 */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { Host } from '../../base/host.ts';
import type { Json } from '../../base/json.ts';
import { OpenCall } from '../../hooks/call.ts';
import type { Hook, HookCall } from '../../hooks/hook.ts';
import { layerOf } from '../../hooks/layer.ts';
import type { CallRecorder, DispatchRecorder, EngineRecorder } from '../../hooks/recorder.ts';
import type { RunState } from '../../hooks/run-state.ts';
import type { PolicyHook } from '../../policy/policy-digest.ts';
import type { Contents } from '../contents.ts';
import type { HookPart, Reading } from '../entry.ts';
import type { Readings } from '../readings.ts';
import type { RecordedDispatch } from '../recorded.ts';
import { RecordingHost, RecordingRun } from '../recording-host.ts';
import { MISSING, rowHook } from '../row-hook.ts';
import { failureModeOf, GivenReply, givingFrontEnd, replyFrom } from '../taped-answers.ts';

/** One decision of the host on its way, with all that is emitted in it. */
export interface Trial {
  readonly recorded: RecordedDispatch;
  readonly run: RunState;
  /** Texts that the tape names by their digest. */
  readonly contents: Contents | null;
  /** A decision of this session has come out differently: what was kept then is no longer what would be kept. */
  readonly diverged: boolean;
  /** The first thing that was asked for and is not on the tape. */
  missing: string | null;
  /** It took from a limit that other sessions share, and only this one was simulated. */
  sharedLimit?: boolean;
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
  trial: Trial | null = null;

  begin(event: string, _payload: Json, parent: CallRecorder | null): DispatchRecorder {
    const trial = this.trial!;
    const recorded = parent instanceof CandidateCall ? parent.dispatch.takeEmitted(event) : trial.recorded;
    return new CandidateDispatch(trial, recorded);
  }
}

class CandidateDispatch implements DispatchRecorder {
  readonly trial: Trial;
  /** Null for an event that was not emitted then. */
  readonly recorded: RecordedDispatch | null;
  private readonly taken = new Set<RecordedDispatch>();

  constructor(trial: Trial, recorded: RecordedDispatch | null) {
    this.trial = trial;
    this.recorded = recorded;
  }

  visit(hook: Hook, run?: RunState): CallRecorder {
    return new CandidateCall(this, hook, run ?? this.trial.run);
  }

  waits(): void {}
  outcome(): void {}

  takeEmitted(event: string): RecordedDispatch | null {
    const next = this.recorded?.nested.find(
      ({ dispatch }) => dispatch.fired.event === event && !this.taken.has(dispatch),
    );
    if (next === undefined) return null;
    this.taken.add(next.dispatch);
    return next.dispatch;
  }
}

class CandidateCall implements CallRecorder {
  readonly dispatch: CandidateDispatch;
  readonly hook: Hook;
  private readonly ownRun: RunState;
  private answers: TapedReadings | null = null;
  private hostView: Host | null = null;
  private runView: RunState | null = null;

  constructor(dispatch: CandidateDispatch, hook: Hook, run: RunState) {
    this.dispatch = dispatch;
    this.hook = hook;
    this.ownRun = run;
  }

  get host(): Host {
    return (this.hostView ??= new RecordingHost(this.readings(), NOTHING, this.dispatch.trial.contents));
  }

  get run(): RunState {
    return (this.runView ??= new RecordingRun(this.readings(), this.ownRun));
  }

  called(): void {}
  ended(): void {}

  /** What the hook did when it was recorded. */
  get part(): HookPart | undefined {
    return partOf(this.dispatch.recorded, this.hook);
  }

  private readings(): TapedReadings {
    return (this.answers ??= new TapedReadings(this.dispatch, this.hook));
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
const KEPT = /^(?:(?:cache|turn|metric|state)\.|limit$)/;

class TapedReadings implements Readings {
  private readonly trial: Trial;
  private readonly recorded: RecordedDispatch | null;
  private readonly hook: Hook;
  private readonly own: Reading[];

  constructor({ trial, recorded }: CandidateDispatch, hook: Hook) {
    this.trial = trial;
    this.recorded = recorded;
    this.hook = hook;
    this.own = [...(partOf(recorded, hook)?.readings ?? [])];
  }

  value(kind: string, key: Json | undefined, read: () => Json | undefined): Json | undefined {
    const { recorded, diverged, run } = this.trial;
    const kept = KEPT.test(kind);
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
  found(kind: string, _read: unknown, concerned: () => boolean): Json | undefined {
    return concerned() ? this.take(kind, undefined)?.value : undefined;
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
    const missing = `hook "${this.hook.name}" asks for ${asked}, which is not on the tape`;
    this.trial.missing ??= missing;
    return new Error(missing);
  }
}

function isFor(reading: Reading, kind: string, key: Json | undefined): boolean {
  if (reading.kind !== kind) return false;
  if (reading.key === key) return true;
  if (typeof reading.key !== 'object' || typeof key !== 'object') return false;
  return canonicalJson(reading.key) === canonicalJson(key);
}

/** A hook of the candidate. One that ended by the clock then does so now: no machine can be made to take as long again. */
export function candidateHook(hook: Hook): Hook {
  const { body } = hook;
  if (body === null) return hook;
  return {
    ...hook,
    frontEnd: givingFrontEnd(hook.frontEnd),
    body: (seen, call) => {
      const { part, dispatch } = callOf(call);
      // Code of the folder with all the powers of this process: it is never loaded here.
      if (hook.power?.kind === 'module') {
        if (part !== undefined) return new GivenReply(replyFrom(part, hook));
        const missing = `hook "${hook.name}" loads a module, and what it said is not on the tape`;
        dispatch.trial.missing ??= missing;
        throw new Error(missing);
      }
      const byTheClock = part?.failure?.kind === 'timeout' || part?.failure?.kind === 'aborted';
      return byTheClock ? new GivenReply(replyFrom(part, hook)) : body(seen, call);
    },
  };
}

/** A hook that is in no file, such as one of the host's code or one that the agent added: it says what it said. */
export function tapedHook(row: PolicyHook): Hook {
  const hook: Hook = rowHook(row, {
    test: (call) => callOf(call).part !== undefined,
    body: (call) => {
      const { part } = callOf(call);
      return new GivenReply(part === undefined ? MISSING : replyFrom(part, hook));
    },
    failureMode: (call) => failureModeOf(callOf(call).part),
  });
  return hook;
}

function callOf(call: HookCall): CandidateCall {
  if (call instanceof OpenCall && call.recording instanceof CandidateCall) return call.recording;
  throw new Error('this hook works in a backtest only');
}
