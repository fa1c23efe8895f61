/**
 * Plays recorded dispatches again: answers what hooks read from the tape, makes the records of what they do once more, and
 * holds each against the one on the tape. The first that differs ends the comparison of its dispatch.
 */
import { canonicalJson } from '../base/canonical-json.ts';
import type { Host } from '../base/host.ts';
import type { Json } from '../base/json.ts';
import type { Decision, Effect, Outcome, TraceEntry } from '../events/decision.ts';
import type { DecideOptions } from '../hooks/engine.ts';
import type { Hook, HookCall, MaybePromise } from '../hooks/hook.ts';
import type { CallRecorder, DispatchRecorder, EngineRecorder, RecordedEngine } from '../hooks/recorder.ts';
import type { RunState } from '../hooks/run-state.ts';
import { sameRecord } from './compare.ts';
import type { HookCallRecord, HookFailedRecord, HookReturnedRecord, Reading, TapeRecord } from './entry.ts';
import { Playback } from './playback.ts';
import { dispatchRecord } from './record.ts';
import { callText, endText, outcomeText, vetoText } from './record-text.ts';
import { recordable } from './recordable.ts';
import { type RecordedDispatch, readingsIn, recordOf } from './recorded.ts';
import { RecordingHost, RecordingRun } from './recording-host.ts';
import { callRecord, endRecord, outcomeRecord, vetoRecord } from './records.ts';
import { conditionFailure, GivenReply, replyFrom } from './taped-answers.ts';

/** Where a replayed dispatch left the recorded one. */
export interface Departure {
  /** The entry that should have come, or the last there was. */
  readonly seq: number;
  /** Null where the tape has no such entry, or replay made none. */
  readonly recorded: TapeRecord | null;
  readonly replayed: TapeRecord | null;
  /** Where it is not a record that differs: what a hook does that it had not done, as a sentence. */
  readonly note?: string;
}

/** One dispatch of the host, with all that is emitted in it. */
export interface Playing {
  readonly engine: RecordedEngine;
  readonly fire: (event: string, payload: Json, options: DecideOptions) => MaybePromise<Outcome>;
  departure: Departure | null;
}

/** The recorder of an engine that replays. `next` is what the host fires next. */
export class Player implements EngineRecorder {
  private next: PlayedDispatch | null = null;

  /** `abort` ends the operation as the recorded one was ended; null where nobody did. */
  expect(playing: Playing, recorded: RecordedDispatch, abort: AbortController | null): void {
    this.next = new PlayedDispatch(playing, recorded, abort);
  }

  begin(event: string, payload: Json, parent: CallRecorder | null): DispatchRecorder {
    if (parent instanceof PlayedCall) return parent.emits(event, payload);
    return this.next!;
  }
}

export class PlayedDispatch implements DispatchRecorder {
  readonly playing: Playing;
  readonly number: number;
  readonly recorded: RecordedDispatch | null;
  readonly abort: AbortController | null;
  /** How many entries have been held against the tape. */
  private place = 0;
  private emitted = 0;
  private parsed: TapeRecord | null = null;
  private parsedAt = -1;

  /** Without a recorded dispatch where the tape has none: then there is nothing left to compare. */
  constructor(playing: Playing, recorded: RecordedDispatch | null, abort: AbortController | null) {
    this.playing = playing;
    this.recorded = recorded;
    this.abort = abort;
    this.number = recorded?.record.dispatch ?? 0;
    this.lookAhead();
  }

  visit(hook: Hook, run?: RunState): CallRecorder {
    return new PlayedCall(this, hook, run ?? this.playing.engine.run);
  }

  waits(): void {}

  outcome(outcome: Outcome, rewritten: boolean): void {
    const text = outcomeText(this.number, outcome, rewritten);
    if (text === null || !this.matches(text)) this.compare(outcomeRecord(this.number, outcome, rewritten));
    if (this.recorded !== null && this.place < this.recorded.entries.length) this.depart(null);
  }

  /** The record that comes next on the tape. Several may ask, so the last answer is kept. */
  expected(): TapeRecord | null {
    const entry = this.recorded?.entries[this.place];
    if (entry === undefined) return null;
    if (this.parsedAt !== this.place) {
      this.parsed = recordOf(entry);
      this.parsedAt = this.place;
    }
    return this.parsed;
  }

  expectedReadings(): readonly Reading[] {
    const entry = this.recorded?.entries[this.place];
    return entry === undefined ? NO_READINGS : readingsIn(entry);
  }

  /** Whether that is its text. */
  expects(text: string): boolean {
    return this.recorded?.entries[this.place]?.record === text;
  }

  /** Whether the hook whose turn it is failed then; told from the text, since most did not. */
  expectsFailure(): boolean {
    const entry = this.recorded?.entries[this.place];
    return entry !== undefined && !entry.record.endsWith(RETURNED) && entry.record.includes(FAILED);
  }

  isPastCut(): boolean {
    return this.recorded?.cut === true && this.place >= this.recorded.entries.length;
  }

  /** Whether that is the next record on the tape; it then counts as compared. */
  matches(text: string): boolean {
    if (this.playing.departure !== null || !this.expects(text)) return false;
    this.place++;
    this.lookAhead();
    return true;
  }

  compare(record: TapeRecord): void {
    if (this.playing.departure !== null || this.recorded === null) return;
    const entry = this.recorded.entries[this.place];
    if (entry === undefined) {
      this.depart(record);
      return;
    }
    const text = textOf(record);
    if (
      text !== entry.record &&
      !(this.recorded.altered && sameRecord(JSON.parse(entry.record), JSON.parse(text)))
    ) {
      this.depart(record);
      return;
    }
    this.place++;
    this.lookAhead();
  }

  depart(replayed: TapeRecord | null, note?: string): void {
    if (this.playing.departure !== null || this.isPastCut()) return;
    const recorded = this.expected();
    const seq =
      (this.recorded?.entries[this.place] ?? this.recorded?.entries.at(-1) ?? this.recorded?.entry)?.seq ?? 0;
    this.playing.departure = { seq, recorded, replayed, ...(note !== undefined && { note }) };
  }

  /** The next event that a hook emitted at this point, if there is one left. */
  peekEmitted(): RecordedDispatch | null {
    const nested = this.recorded?.nested[this.emitted];
    return nested === undefined || nested.after !== this.place ? null : nested.dispatch;
  }

  takeEmitted(): RecordedDispatch | null {
    const nested = this.peekEmitted();
    if (nested !== null) this.emitted++;
    return nested;
  }

  /** The operation was aborted before this point: it has to be again before the next hook has its turn. */
  private lookAhead(): void {
    if (this.abort === null || this.recorded === null) return;
    const next = this.recorded.entries[this.place];
    if (next?.record.includes('"state":"unreached"') === true) this.abort.abort();
  }
}

export class PlayedCall implements CallRecorder {
  readonly dispatch: PlayedDispatch;
  private readonly hook: Hook;
  private readonly ownRun: RunState;
  private playback: Playback | null = null;
  private hostView: Host | null = null;
  private runView: RunState | null = null;
  private given: HookReturnedRecord | HookFailedRecord | null = null;
  private emittedAbort: AbortController | null = null;

  constructor(dispatch: PlayedDispatch, hook: Hook, run: RunState) {
    this.dispatch = dispatch;
    this.hook = hook;
    this.ownRun = run;
  }

  get host(): Host {
    return (this.hostView ??= new RecordingHost(this.readings(), this.dispatch.playing.engine.host));
  }

  get run(): RunState {
    return (this.runView ??= new RecordingRun(this.readings(), this.ownRun));
  }

  called(payload: Json, rewritten: boolean): void {
    const { dispatch, hook } = this;
    if (!rewritten && dispatch.matches(callText(dispatch.number, hook))) return;
    dispatch.compare(callRecord(dispatch.number, hook.name, hook.source, rewritten ? payload : undefined));
  }

  ended(entry: TraceEntry, decision: Decision | null, effects: readonly Effect[]): void {
    const { number } = this.dispatch;
    if (this.dispatch.peekEmitted() !== null)
      this.dispatch.depart(null, `${this.who} is done; recorded: it emitted another event`);
    const readings = this.given?.readings ?? this.playback?.taken ?? NO_READINGS;
    const ended = { entry: this.asGiven(entry), decision, effects, readings };
    const text = endText(number, this.hook, ended);
    if (text === null || !this.dispatch.matches(text)) this.dispatch.compare(endRecord(number, ended));
    const veto = vetoRecord(number, entry);
    if (veto !== null && !this.dispatch.matches(vetoText(veto, this.hook))) this.dispatch.compare(veto);
  }

  emits(event: string, payload: Json): DispatchRecorder {
    const { dispatch } = this;
    const recorded = dispatch.takeEmitted();
    if (recorded === null) dispatch.depart(null, `${this.who} emits ${event}; recorded: nothing`);
    const abort = this.given === null ? dispatch.abort : this.emittedAbort;
    const played = new PlayedDispatch(dispatch.playing, recorded, abort);
    if (recorded !== null) {
      const { run, parent, turn } = recorded.record;
      const again = dispatchRecord(recorded.record.dispatch, run, event, payload, parent, turn);
      const same = textOf(again) === recorded.entry.record;
      if (!same && !(recorded.altered && sameRecord(recorded.record, again))) {
        dispatch.playing.departure ??= {
          seq: recorded.entry.seq,
          recorded: recorded.record,
          replayed: again,
        };
      }
    }
    return played;
  }

  /** Whether this hook was called next, for one whose condition is not there any more. Throws where that failed then. */
  wasNext(): boolean {
    const { dispatch } = this;
    if (dispatch.expects(callText(dispatch.number, this.hook))) return true;
    const next = dispatch.expected() as HookCallRecord | HookFailedRecord | null;
    if (next === null || next.hook !== this.hook.name) return false;
    if (next.type === 'hook_call') return next.source === this.hook.source;
    if (next.type === 'hook_failed' && next.state === 'condition_failed') throw conditionFailure(next);
    return false;
  }

  /** How the call ended then, where only the tape can say it: its answer, once what it emitted has been fired again. */
  answer(call: HookCall, always: boolean): MaybePromise<GivenReply> | null {
    // Past its end or the first difference the tape says nothing about this call, and what it would do does not matter.
    if (this.dispatch.playing.departure !== null || this.dispatch.isPastCut()) return NOT_PLAYED;
    if (!always && !this.dispatch.expectsFailure()) return null;
    const next = this.dispatch.expected() as HookReturnedRecord | HookFailedRecord | null;
    if (next === null || (next.type !== 'hook_returned' && next.type !== 'hook_failed')) return null;
    if (!always && !(next.type === 'hook_failed' && byTheClock(next))) return null;
    this.given = next;
    call.steps = next.steps;
    const reply = new GivenReply(replyFrom(next, this.hook));
    const waiting = this.emitAgain(call);
    return waiting === null ? reply : waiting.then(() => reply);
  }

  private emitAgain(call: HookCall): Promise<unknown> | null {
    for (;;) {
      const nested = this.dispatch.peekEmitted();
      if (nested === null) return null;
      // Its own: it may have outlived this call, and then was aborted when the hooks after this one were not.
      this.emittedAbort = nested.aborts ? new AbortController() : null;
      const { event, payload } = nested.record;
      const options = { depth: call.depth + 1, parent: this, signal: this.emittedAbort?.signal ?? null };
      const outcome = this.dispatch.playing.fire(event, payload, options);
      if (outcome instanceof Promise) return outcome.then(() => this.emitAgain(call));
    }
  }

  /** The pipeline repeats warnings of its own that the given answer carried already. */
  private asGiven(entry: TraceEntry): TraceEntry {
    if (this.given === null) return entry;
    return { ...entry, warnings: entry.warnings.slice(0, this.given.warnings?.length ?? 0) };
  }

  private get who(): string {
    return `hook "${this.hook.name}"`;
  }

  private readings(): Playback {
    return (this.playback ??= new Playback(
      () => this.dispatch.expectedReadings(),
      () => this.dispatch.playing.departure !== null,
      (asked) => this.dispatch.depart(null, `${this.who} asks for ${asked}`),
    ));
  }
}

const NO_READINGS: readonly Reading[] = [];
/** How the text of most ends of a call ends; searching it all is only for the others. */
const RETURNED = '"type":"hook_returned"}';
const FAILED = '"type":"hook_failed"';
const NOT_PLAYED = new GivenReply({ decision: { action: 'allow' } });

/** As the writer makes it of whatever a hook returned. */
function textOf(record: TapeRecord): string {
  try {
    return canonicalJson(record);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return canonicalJson(recordable(record));
  }
}

/** No machine can be made to take as long again, and nobody aborts a replay. */
function byTheClock({ failure }: HookFailedRecord): boolean {
  return failure?.kind === 'timeout' || failure?.kind === 'aborted';
}
