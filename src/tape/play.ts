/**
 * The player of a tape: a recorded dispatch is decided once more. What hooks read is answered from the tape, the recorder's own text
 * is made of what they do, and that has to be what stands on the tape. If it is not, both are told as stories, and the first
 * record that differs is the departure.
 */
import { canonicalJson, type Json, sameJson } from '../base/index.ts';
import {
  type CallRecorder,
  type DecideOptions,
  type Decision,
  type DispatchRecorder,
  type Effect,
  type EngineRecorder,
  type Hook,
  type HookCall,
  layerOf,
  type MaybePromise,
  type Outcome,
  type RecordedEngine,
  type RunState,
  type TraceEntry,
} from '../engine/index.ts';
import { sameRecord } from './compare.ts';
import type { Contents } from './contents.ts';
import { type CallEnded, DecisionWriter, outcomeText } from './decision-text.ts';
import type { DispatchRecord, HookPart, Reading, RecordedDecision } from './entry.ts';
import { HookNames, namedHook } from './hook-names.ts';
import { Playback } from './playback.ts';
import { type Readings, RunReadings } from './readings.ts';
import { CallLog, DispatchLog } from './record.ts';
import { recordable } from './recordable.ts';
import type { RecordedDispatch } from './recorded.ts';
import { partRecords, type StoryRecord, storyRecords } from './stories.ts';
import { conditionFailure, failureModeOf, RecordedReply, replyFrom } from './taped-answers.ts';

/** What a departure is told by: a record of the story, or an event that a hook emitted. */
export type DivergenceRecord = StoryRecord | DispatchRecord;

/** Where a replayed dispatch left the recorded one. */
export interface Divergence {
  /** The entry of the recorded decision. */
  readonly seq: number;
  /** Null if the tape has no such record, or replay made none. */
  readonly recorded: DivergenceRecord | null;
  readonly replayed: DivergenceRecord | null;
  /** If it is not a record that differs: what a hook does that it had not done, as a sentence. */
  readonly note?: string;
}

/** One dispatch of the host, with all that is emitted in it. */
export interface Playing {
  readonly engine: RecordedEngine;
  readonly fire: (event: string, payload: Json, options: DecideOptions) => MaybePromise<Outcome>;
  /** Texts that the tape names by their digest. */
  readonly contents: Contents | null;
  /** What hooks read is answered by the state of the run; what comes of it then counts only if it is the same to the byte. */
  readonly byRunAlone: boolean;
  /** Whether it was, to the byte. */
  isSame: boolean;
  departure: Divergence | null;
}

/** The recorder of an engine that replays. `next` is what the host fires next. */
export class Player implements EngineRecorder {
  private next: PlayedDispatch | null = null;

  /** `abort` ends the operation as the recorded one was ended; null if nobody did. */
  expect(playing: Playing, recorded: RecordedDispatch, abort: AbortController | null): void {
    this.next = new PlayedDispatch(playing, recorded, abort);
  }

  begin(event: string, payload: Json, parent: CallRecorder | null): DispatchRecorder {
    if (parent instanceof PlayedCall) return parent.emits(event, payload);
    return this.next!;
  }
}

class PlayedDispatch extends DispatchLog {
  readonly playing: Playing;
  readonly recorded: RecordedDispatch | null;
  readonly abort: AbortController | null;
  readonly entry: number | undefined;
  readonly at: number | undefined;
  private emitted = 0;

  /** Without a recorded dispatch if the tape has none: then there is nothing left to compare. */
  constructor(playing: Playing, recorded: RecordedDispatch | null, abort: AbortController | null) {
    super(playing.engine, recorded?.names ?? NO_NAMES, playing.contents);
    this.playing = playing;
    this.recorded = recorded;
    this.abort = abort;
    this.entry = recorded?.seq;
    this.at = recorded?.at ?? undefined;
    this.abortIfNext();
  }

  visit(hook: Hook, run: RunState = this.engine.run): CallRecorder {
    return new PlayedCall(this, hook, run);
  }

  waits(): void {}

  outcome(outcome: Outcome, rewritten: boolean): void {
    const { recorded } = this;
    if (recorded === null || this.isOver()) return;
    const text = outcomeText({ ended: this.calls, outcome, rewritten });
    const isSame = (this.playing.isSame = recorded.isSaidAs(text));
    if (!isSame && !this.playing.byRunAlone)
      this.compare(this.recordsOf(JSON.parse(text) as RecordedDecision));
  }

  newReadings(call: PlayedCall): Readings {
    if (this.playing.byRunAlone) return new RunReadings();
    return new Playback(this.expected()?.readings ?? NO_READINGS, call);
  }

  /** The part that comes next on the tape. */
  expected(): HookPart | null {
    return this.recorded?.parts[this.calls.length] ?? null;
  }

  /** Nothing is compared any more: the tape ended within this dispatch, or replay has left it. */
  isOver(): boolean {
    return this.playing.departure !== null || this.recorded?.cut === true;
  }

  override ended(call: CallEnded): void {
    super.ended(call);
    this.abortIfNext();
  }

  isOf(part: HookPart, hook: Hook): boolean {
    if (part.hook !== hook.name) return false;
    const { source, layer } = this.recorded!.originOf(part);
    return source === hook.source && (layer === undefined || layer === layerOf(hook).name);
  }

  /** A hook does something it had not done: told as a sentence, unless what came before differs already. */
  departWith(note: string, calling: HookPart | null): void {
    const { recorded } = this;
    if (recorded === null || this.isOver() || !this.isAsRecorded(calling)) return;
    const next = this.expected();
    const end = next === null ? null : partRecords(recorded.fired.dispatch, next, undefined).find(isEnd);
    this.playing.departure = { seq: recorded.end, recorded: end ?? null, replayed: null, note };
  }

  /** Whether all up to this call is as it was; if not, that is the departure. */
  isAsRecorded(calling: HookPart | null): boolean {
    const parts = this.calls.map((call) => JSON.parse(new DecisionWriter().part(call)) as HookPart);
    const told = this.recordsOf({ action: 'allow', hooks: calling === null ? parts : [...parts, calling] });
    // Neither the outcome nor how the call ends is known yet.
    return this.compare(told.slice(0, calling === null ? -1 : -2));
  }

  /** The next event that a hook emitted at this point, if there is one left. */
  peekEmitted(): RecordedDispatch | null {
    const nested = this.recorded?.nested[this.emitted];
    return nested === undefined || nested.after !== this.calls.length ? null : nested.dispatch;
  }

  takeEmitted(): RecordedDispatch | null {
    const nested = this.peekEmitted();
    if (nested !== null) this.emitted++;
    return nested;
  }

  /** The operation was aborted before this point: it has to be again before the next hook has its turn. */
  private abortIfNext(): void {
    if (this.abort !== null && this.expected()?.state === 'unreached') this.abort.abort();
  }

  /** Whether the story on the tape begins with these records; the first that differs is the departure. */
  private compare(replayed: readonly StoryRecord[]): boolean {
    const { recorded, playing } = this;
    const was = recorded?.said == null ? [] : this.recordsOf(recorded.said);
    const at = replayed.findIndex((record, place) => !this.isSame(was[place], record));
    if (at === -1) return true;
    playing.departure ??= { seq: recorded!.end, recorded: was[at] ?? null, replayed: replayed[at]! };
    return false;
  }

  private isSame(recorded: StoryRecord | undefined, replayed: StoryRecord): boolean {
    if (recorded === undefined) return false;
    if (textOf(recorded) === textOf(replayed)) return true;
    return this.recorded!.altered && sameRecord(recorded, JSON.parse(textOf(replayed)));
  }

  private recordsOf(said: RecordedDecision): StoryRecord[] {
    const { fired } = this.recorded!;
    const hooks = said.hooks?.map((part) => ({ ...part, ...this.recorded!.originOf(part) }));
    return storyRecords(fired.dispatch, fired.event, { ...said, ...(hooks !== undefined && { hooks }) });
  }
}

export class PlayedCall extends CallLog<PlayedDispatch> {
  /** The part of the tape that is its answer, if only the tape can say it. */
  private given: HookPart | null = null;
  private emittedAbort: AbortController | null = null;

  override ended(entry: TraceEntry, decision: Decision | null, effects: readonly Effect[]): void {
    if (this.dispatch.peekEmitted() !== null) this.departWith('is done; recorded: it emitted another event');
    super.ended(this.asGiven(entry), decision, effects);
  }

  emits(event: string, payload: Json): DispatchRecorder {
    const { dispatch } = this;
    const { playing } = dispatch;
    // It may be heard by a hook that must not be called twice.
    if (playing.byRunAlone) throw new Error('only the tape knows what was emitted');
    const recorded = dispatch.takeEmitted();
    if (recorded === null) this.departWith(`emits ${event}; recorded: nothing`);
    else if (!dispatch.isOver() && dispatch.isAsRecorded(this.part()))
      playing.departure ??= emittedDeparture(recorded, event, payload);
    const abort = this.given === null ? dispatch.abort : this.emittedAbort;
    return new PlayedDispatch(playing, recorded, abort);
  }

  get hasDeparted(): boolean {
    return this.dispatch.playing.departure !== null;
  }

  /** `what` follows the name of the hook. */
  departWith(what: string): void {
    this.dispatch.departWith(`hook "${this.hook.name}" ${what}`, this.part());
  }

  /** Whether this hook was called next, for one whose condition is not there any more. Throws if that failed then. */
  wasNext(): boolean {
    const next = this.dispatch.expected();
    if (next === null || next.hook !== this.hook.name) return false;
    if (next.state === undefined) return this.dispatch.isOf(next, this.hook);
    if (next.state === 'condition_failed') throw conditionFailure(next);
    return false;
  }

  /** What its failure meant then. */
  get failureMode(): Hook['onError'] {
    return failureModeOf(this.dispatch.expected());
  }

  /** How the call ended then, if only the tape can say it: its answer, once what it emitted has been fired again. */
  answer(call: HookCall, always: boolean): MaybePromise<RecordedReply> | null {
    // Past its end or the first difference the tape says nothing about this call, and what it would do does not matter.
    if (this.dispatch.isOver()) return NOT_PLAYED;
    // Whatever ended by the clock was waited for, and is not decided by the run alone.
    if (!always && this.dispatch.playing.byRunAlone) return null;
    const next = this.dispatch.expected();
    if (next === null || !(always || byTheClock(next))) return null;
    this.given = next;
    call.steps = next.steps ?? 0;
    const reply = new RecordedReply(replyFrom(next, this.hook));
    const waiting = this.emitAgain(call);
    return waiting === null ? reply : waiting.then(() => reply);
  }

  protected override get readingsTaken(): readonly Reading[] {
    return this.given?.readings ?? super.readingsTaken;
  }

  private emitAgain(call: HookCall): Promise<unknown> | null {
    for (;;) {
      const nested = this.dispatch.peekEmitted();
      if (nested === null) return null;
      // Its own: it may have outlived this call, and then was aborted when the hooks after this one were not.
      this.emittedAbort = nested.aborts ? new AbortController() : null;
      const { event, payload } = nested.fired;
      const signal = this.emittedAbort?.signal ?? null;
      const options = { depth: call.depth + 1, parent: this, signal, who: call.who };
      const outcome = this.dispatch.playing.fire(event, payload, options);
      if (outcome instanceof Promise) return outcome.then(() => this.emitAgain(call));
    }
  }

  /** The pipeline repeats warnings of its own that the given answer carried already. */
  private asGiven(entry: TraceEntry): TraceEntry {
    if (this.given === null) return entry;
    return { ...entry, warnings: entry.warnings.slice(0, this.given.warnings?.length ?? 0) };
  }

  /** As far as it is known before it ends; null if only its condition was tested. */
  private part(): HookPart | null {
    if (!this.wasCalled) return null;
    const { name, source, layer } = namedHook(this.hook);
    const { payload } = this;
    return {
      hook: name,
      source,
      ...(layer !== undefined && { layer }),
      ...(payload !== undefined && { payload }),
    };
  }
}

const NO_NAMES = new HookNames();
const NO_READINGS: readonly Reading[] = [];
const NOT_PLAYED = new RecordedReply({ decision: { action: 'allow' } });

function isEnd({ type }: StoryRecord): boolean {
  return type === 'hook_returned' || type === 'hook_failed';
}

/** Null if the event that a hook emits is the one it emitted then. */
function emittedDeparture(
  { fired: then, seq, altered }: RecordedDispatch,
  event: string,
  payload: Json,
): Divergence | null {
  if (then.event === event && sameJson(then.payload, payload ?? null)) return null;
  const recorded = { ...then, type: 'dispatch' } as const;
  const replayed = { ...then, event, payload: payload ?? null, type: 'dispatch' } as const;
  const [was, is] = [textOf(recorded), textOf(replayed)];
  const same = was === is || (altered && sameRecord(recorded, JSON.parse(is)));
  return same ? null : { seq, recorded, replayed };
}

/** As the writer makes it of whatever a hook returned. */
function textOf(record: DivergenceRecord): string {
  try {
    return canonicalJson(record);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return canonicalJson(recordable(record));
  }
}

/** No machine can be made to take as long again, and nobody aborts a replay. */
function byTheClock({ failure }: HookPart): boolean {
  return failure?.kind === 'timeout' || failure?.kind === 'aborted';
}
