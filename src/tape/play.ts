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
import { layerOf } from '../hooks/layer.ts';
import type { CallRecorder, DispatchRecorder, EngineRecorder, RecordedEngine } from '../hooks/recorder.ts';
import type { RunState } from '../hooks/run-state.ts';
import { sameJson, sameRecord } from './compare.ts';
import type { Contents } from './contents.ts';
import { type CallEnded, DecisionWriter } from './decision-text.ts';
import type { HookPart, Reading, Said, TapeRecord } from './entry.ts';
import { named } from './hook-names.ts';
import { longForm, partRecords } from './long-form.ts';
import { Playback } from './playback.ts';
import { payloadText } from './record.ts';
import { recordable } from './recordable.ts';
import type { RecordedDispatch } from './recorded.ts';
import { RecordingHost, RecordingRun } from './recording-host.ts';
import { conditionFailure, failureModeOf, GivenReply, replyFrom } from './taped-answers.ts';

/** Where a replayed dispatch left the recorded one. */
export interface Departure {
  /** The entry that should have come, or the last there was. */
  readonly seq: number;
  /** Null if the tape has no such record, or replay made none. */
  readonly recorded: TapeRecord | null;
  readonly replayed: TapeRecord | null;
  /** If it is not a record that differs: what a hook does that it had not done, as a sentence. */
  readonly note?: string;
}

/** One dispatch of the host, with all that is emitted in it. */
export interface Playing {
  readonly engine: RecordedEngine;
  readonly fire: (event: string, payload: Json, options: DecideOptions) => MaybePromise<Outcome>;
  /** Texts that the tape names by their digest. */
  readonly contents: Contents | null;
  departure: Departure | null;
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

export class PlayedDispatch implements DispatchRecorder {
  readonly playing: Playing;
  readonly recorded: RecordedDispatch | null;
  readonly abort: AbortController | null;
  /** How many parts have been held against the tape. */
  private place = 0;
  private emitted = 0;
  private lastPayload: string | null = null;
  /** What came of it as the tape has it, while replay has made the same so far; where the parts begin, and the next one. */
  private text: string | null;
  private readonly partsAt: number;
  private textAt: number;

  /** Without a recorded dispatch if the tape has none: then there is nothing left to compare. */
  constructor(playing: Playing, recorded: RecordedDispatch | null, abort: AbortController | null) {
    this.playing = playing;
    this.recorded = recorded;
    this.abort = abort;
    this.text = recorded?.saidText ?? null;
    const before = this.text?.indexOf(PARTS) ?? -1;
    this.partsAt = before;
    this.textAt = before + PARTS.length;
    this.lookAhead();
  }

  visit(hook: Hook, run?: RunState): CallRecorder {
    return new PlayedCall(this, hook, run ?? this.playing.engine.run);
  }

  waits(): void {}

  outcome(outcome: Outcome, rewritten: boolean): void {
    if (this.isOver() || this.recorded === null) return;
    const text = new DecisionWriter().said({ ended: [], outcome, rewritten });
    if (this.endsAs(text)) return;
    const { said } = this.recorded;
    const next = this.expected();
    const is = this.outcomeOf(JSON.parse(text) as Said);
    if (next !== null || said === null) {
      this.depart(0, next === null ? null : this.longOf(next)[0]!, is);
      return;
    }
    const was = this.outcomeOf(said);
    if (!this.same(was!, is!)) this.depart(0, was, is);
  }

  /** Whether the next part on the tape is this one, to the byte. */
  private goesOnWith(part: string): boolean {
    const { text, textAt } = this;
    const end = textAt + part.length;
    if (text === null || this.partsAt === -1 || !text.startsWith(part, textAt)) return false;
    if (text[end] !== ',' && text[end] !== ']') return false;
    this.textAt = end + 1;
    return true;
  }

  /** Whether all parts were gone through, and what stands around them is this. */
  private endsAs(said: string): boolean {
    const { text, partsAt, textAt } = this;
    if (text === null || partsAt === -1) return text === said;
    if (text[textAt - 1] !== ']' || said.length !== partsAt + text.length - textAt) return false;
    return said.startsWith(text.slice(0, partsAt)) && said.endsWith(text.slice(textAt));
  }

  /** The part that comes next on the tape. */
  expected(): HookPart | null {
    return this.recorded?.parts[this.place] ?? null;
  }

  /** Nothing is compared any more: the tape ended within this dispatch, or replay has left it. */
  isOver(): boolean {
    if (this.playing.departure !== null) return true;
    return this.recorded?.cut === true && this.place >= this.recorded.parts.length;
  }

  /** A hook is called: it has to be the next one on the tape, with the payload it had. */
  called(hook: Hook, payload: Json | undefined): void {
    if (this.isOver() || this.recorded === null) return;
    const next = this.expected();
    const fits = next !== null && next.state === undefined && this.isOf(next, hook);
    if (fits && samePayload(next.payload, payload)) return;
    // Version 1 knows no layers.
    const layered = next === null || this.recorded.originOf(next).layer !== undefined;
    const { name, source, layer } = named(hook);
    const call: HookPart = { hook: name, source, ...(layered && layer !== undefined && { layer }) };
    const [was, is] = [next === null ? null : this.longOf(next)[0]!, this.longOf(call, payload)[0]!];
    if (fits && this.same(was!, is)) return;
    this.depart(0, was ?? this.outcomeOf(this.recorded.said), is);
  }

  ended(call: CallEnded): void {
    if (this.isOver() || this.recorded === null) return;
    if (this.goesOnWith(new DecisionWriter().part(call))) {
      this.advance();
      return;
    }
    this.text = null;
    // Where it comes from and what it was called with was compared when it was called.
    const own = { ...call, origin: undefined, payload: undefined };
    const part = JSON.parse(new DecisionWriter().part(own)) as HookPart;
    const next = this.expected();
    if (next === null) {
      this.depart(0, this.outcomeOf(this.recorded.said), this.endOf(part));
      return;
    }
    const [was, is] = [this.longOf(next, next.payload), this.longOf(part, next.payload)];
    const calls = [next, part].map(({ state }) => (state === undefined ? 1 : 0));
    const steps = Math.max(was.length, is.length);
    for (let step = Math.min(...(calls as [number, number])); step < steps; step++) {
      const [a, b] = [was[step] ?? null, is[step] ?? null];
      if (a !== null && b !== null && this.same(a, b)) continue;
      this.depart(step, a, b);
      return;
    }
    this.advance();
  }

  /** The payload if it is not the one the last call had, by the rule of recording. */
  changed(payload: Json): Json | undefined {
    const text = payloadText(payload);
    if (text !== null && text === this.lastPayload) return undefined;
    this.lastPayload = text;
    return payload;
  }

  isOf(part: HookPart, hook: Hook): boolean {
    if (part.hook !== hook.name) return false;
    const { source, layer } = this.recorded!.originOf(part);
    if (layer !== undefined && layer !== layerOf(hook).name) return false;
    // One that was never called left no source in version 1.
    return part.state !== undefined || source === hook.source;
  }

  depart(step: number, recorded: TapeRecord | null, replayed: TapeRecord | null, note?: string): void {
    if (this.isOver()) return;
    const seq = this.recorded?.seqOf(this.place, step) ?? 0;
    this.playing.departure = { seq, recorded, replayed, ...(note !== undefined && { note }) };
  }

  /** A hook does something else than it did: told as a sentence beside what it did then. */
  departWith(note: string): void {
    const next = this.expected();
    this.depart(1, next === null ? null : this.endOf(next), null, note);
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

  private advance(): void {
    this.place++;
    this.lookAhead();
  }

  /** The operation was aborted before this point: it has to be again before the next hook has its turn. */
  private lookAhead(): void {
    if (this.abort !== null && this.expected()?.state === 'unreached') this.abort.abort();
  }

  private same(recorded: TapeRecord, replayed: TapeRecord): boolean {
    const [was, is] = [textOf(recorded), textOf(replayed)];
    return was === is || (this.recorded!.altered && sameRecord(JSON.parse(was), JSON.parse(is)));
  }

  private longOf(part: HookPart, payload = part.payload): TapeRecord[] {
    const { recorded } = this;
    return partRecords(this.number, { ...part, ...recorded!.originOf(part) }, payload);
  }

  private endOf(part: HookPart): TapeRecord {
    return this.longOf(part)[part.state === undefined ? 1 : 0]!;
  }

  private outcomeOf(said: Said | null): TapeRecord | null {
    if (said === null) return null;
    const { hooks: _hooks, ...rest } = said;
    return longForm(this.number, this.recorded!.fired.event, rest)[0]!;
  }

  private get number(): number {
    return this.recorded?.fired.dispatch ?? 0;
  }
}

export class PlayedCall implements CallRecorder {
  readonly dispatch: PlayedDispatch;
  private readonly hook: Hook;
  private readonly ownRun: RunState;
  private playback: Playback | null = null;
  private hostView: Host | null = null;
  private runView: RunState | null = null;
  private given: HookPart | null = null;
  private payload: Json | undefined = undefined;
  private emittedAbort: AbortController | null = null;

  constructor(dispatch: PlayedDispatch, hook: Hook, run: RunState) {
    this.dispatch = dispatch;
    this.hook = hook;
    this.ownRun = run;
  }

  get host(): Host {
    return (this.hostView ??= new RecordingHost(
      this.readings(),
      this.dispatch.playing.engine.host,
      this.dispatch.playing.contents,
    ));
  }

  get run(): RunState {
    return (this.runView ??= new RecordingRun(this.readings(), this.ownRun));
  }

  called(payload: Json, rewritten: boolean): void {
    if (rewritten) this.payload = this.dispatch.changed(payload);
    this.dispatch.called(this.hook, this.payload);
  }

  ended(entry: TraceEntry, decision: Decision | null, effects: readonly Effect[]): void {
    if (this.dispatch.peekEmitted() !== null)
      this.dispatch.departWith(`${this.who} is done; recorded: it emitted another event`);
    const readings = this.given?.readings ?? this.playback?.taken ?? NO_READINGS;
    const origin = this.dispatch.recorded?.names.written(this.hook);
    const recheck = this.ownRun !== this.dispatch.playing.engine.run;
    const { payload } = this;
    this.dispatch.ended({
      entry: this.asGiven(entry),
      decision,
      effects,
      readings,
      origin,
      payload,
      recheck,
    });
  }

  emits(event: string, payload: Json): DispatchRecorder {
    const { dispatch } = this;
    const recorded = dispatch.takeEmitted();
    if (recorded === null) dispatch.departWith(`${this.who} emits ${event}; recorded: nothing`);
    const abort = this.given === null ? dispatch.abort : this.emittedAbort;
    const played = new PlayedDispatch(dispatch.playing, recorded, abort);
    if (recorded !== null) this.compareEmitted(recorded, event, payload);
    return played;
  }

  private compareEmitted(recorded: RecordedDispatch, event: string, payload: Json): void {
    const { fired } = recorded;
    if (fired.event === event && sameJson(fired.payload, payload ?? null)) return;
    const again = { ...fired, event, payload: payload ?? null, type: 'dispatch' } as const;
    const then = { ...fired, type: 'dispatch' } as const;
    if (textOf(then) === textOf(again) || (recorded.altered && sameRecord(then, again))) return;
    this.dispatch.playing.departure ??= { seq: recorded.seq, recorded: then, replayed: again };
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
  answer(call: HookCall, always: boolean): MaybePromise<GivenReply> | null {
    // Past its end or the first difference the tape says nothing about this call, and what it would do does not matter.
    if (this.dispatch.isOver()) return NOT_PLAYED;
    const next = this.dispatch.expected();
    if (next === null || !(always || byTheClock(next))) return null;
    this.given = next;
    call.steps = next.steps ?? 0;
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

  private get who(): string {
    return `hook "${this.hook.name}"`;
  }

  private readings(): Playback {
    return (this.playback ??= new Playback(
      () => this.dispatch.expected()?.readings ?? NO_READINGS,
      () => this.dispatch.playing.departure !== null,
      (asked) => this.dispatch.departWith(`${this.who} asks for ${asked}`),
    ));
  }
}

const PARTS = ',"hooks":[';
const NO_READINGS: readonly Reading[] = [];
const NOT_PLAYED = new GivenReply({ decision: { action: 'allow' } });

function samePayload(recorded: Json | undefined, replayed: Json | undefined): boolean {
  return recorded === replayed || (recorded !== undefined && sameJson(recorded, replayed));
}

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
function byTheClock({ failure }: HookPart): boolean {
  return failure?.kind === 'timeout' || failure?.kind === 'aborted';
}
