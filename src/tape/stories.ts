/**
 * The decisions of a tape, put together from their entries: what was fired, whom it came by, what each hook said, and what
 * came of it. Dispatches may overlap and nest; they come out in the order they began.
 */
import { isJsonObject, type Json } from '../base/json.ts';
import type {
  DecisionRecord,
  DispatchRecord,
  Entry,
  HookCallRecord,
  HookFailedRecord,
  HookReturnedRecord,
  HookVetoedRecord,
  OutcomeRecord,
  SessionRecord,
  TapeRecord,
} from './entry.ts';
import { type LongRecord, longForm } from './long-form.ts';

/** An entry together with the part of it that is known by its type. */
export interface At<R> {
  readonly seq: number;
  readonly record: R;
  readonly ms?: number;
  /** The time of day; version 1 has none. */
  readonly at?: number;
}

/** One hook's part in a decision. */
export interface Turn {
  readonly hook: string;
  /** Null if it was never called: its condition failed, or the chain ended before it. */
  readonly call: At<HookCallRecord> | null;
  /** Null if the tape ends before the hook did. */
  readonly end: At<HookReturnedRecord | HookFailedRecord> | null;
  readonly veto: At<HookVetoedRecord> | null;
}

export interface Story {
  readonly dispatch: At<DispatchRecord>;
  readonly turns: readonly Turn[];
  /** Null if the tape ends before the decision. */
  readonly outcome: At<OutcomeRecord> | null;
}

export type Chapter =
  | { readonly kind: 'decision'; readonly story: Story }
  | { readonly kind: 'session'; readonly entry: At<SessionRecord> };

interface Unfinished {
  readonly kind: 'decision';
  readonly story: { dispatch: At<DispatchRecord>; turns: Mutable<Turn>[]; outcome: At<OutcomeRecord> | null };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What happened, in the order it began. */
export function* chapters(entries: Iterable<Entry>): Generator<Chapter> {
  const teller = new Teller();
  for (const entry of entries) yield* teller.hear(entry);
  yield* teller.end();
}

/** A decision is held back until its outcome is known, and with it what follows. */
export class Teller {
  private readonly queue: (Chapter | Unfinished)[] = [];
  private readonly open = new Map<number, Unfinished>();

  *hear(entry: Entry): Generator<Chapter> {
    const { record } = entry;
    if (record.type === 'decision') this.decision(entry, record);
    else if (record.type === 'dispatch') this.begin(at(entry, record));
    else if (isLong(record)) this.part(entry, record);
    else this.queue.push({ kind: 'session', entry: at(entry, asNote(record)) });
    while (this.queue.length > 0 && isTold(this.queue[0]!, this.open)) yield this.queue.shift() as Chapter;
  }

  end(): Chapter[] {
    return this.queue as Chapter[];
  }

  private begin(dispatch: At<DispatchRecord>): Unfinished {
    const chapter: Unfinished = { kind: 'decision', story: { dispatch, turns: [], outcome: null } };
    this.open.set(dispatch.record.dispatch, chapter);
    this.queue.push(chapter);
    return chapter;
  }

  private decision(entry: Entry, { in: fired, out }: DecisionRecord): void {
    const { dispatch } = fired;
    const chapter =
      'event' in fired ? this.begin(at(entry, { ...fired, type: 'dispatch' })) : this.open.get(dispatch);
    // Of a dispatch that never began: the tape is not whole, and verify says so.
    if (chapter === undefined) return;
    const { story } = chapter;
    // What was announced of its calls is said again, with how they ended.
    story.turns = [];
    const [whole, ...times] = typeof entry.ms === 'object' ? entry.ms : [];
    let part = -1;
    for (const record of longForm(dispatch, story.dispatch.record.event, out)) {
      const ends = record.type === 'hook_returned' || record.type === 'hook_failed';
      if (ends) part++;
      this.tell(story, at(entry, record, ends ? times[part] : record.type === 'outcome' ? whole : undefined));
    }
  }

  private part(entry: Entry, record: LongRecord): void {
    const story = this.open.get(record.dispatch)?.story;
    if (story !== undefined) this.tell(story, at(entry, record));
  }

  private tell(story: Unfinished['story'], told: At<LongRecord>): void {
    const { record } = told;
    if (record.type !== 'outcome') {
      addTo(story.turns, told);
      return;
    }
    story.outcome = told as At<OutcomeRecord>;
    this.open.delete(record.dispatch);
  }
}

function at<R>(
  { seq, at: time, ms }: Entry,
  record: R,
  took = typeof ms === 'object' ? undefined : ms,
): At<R> {
  return {
    seq,
    record,
    ...(took !== undefined && { ms: took }),
    ...(time !== undefined && { at: time }),
  };
}

function isLong(record: TapeRecord): record is LongRecord {
  return record.type.startsWith('hook_') || record.type === 'outcome';
}

/** Whatever is no decision, in one form for those who show it. */
function asNote(record: Exclude<TapeRecord, LongRecord | DecisionRecord | DispatchRecord>): SessionRecord {
  if (record.type === 'session') return record;
  const { type, ...data } = record;
  return { type: 'session', kind: type, data: data as unknown as Json };
}

function isTold(chapter: Chapter | Unfinished, open: ReadonlyMap<number, Unfinished>): boolean {
  return chapter.kind === 'session' || !open.has(chapter.story.dispatch.record.dispatch);
}

function addTo(turns: Mutable<Turn>[], entry: At<LongRecord>): void {
  const { record } = entry;
  const last = turns.at(-1);
  if (record.type === 'hook_call') {
    turns.push({ hook: record.hook, call: entry as At<HookCallRecord>, end: null, veto: null });
  } else if (record.type === 'hook_vetoed') {
    if (last !== undefined) last.veto = entry as At<HookVetoedRecord>;
  } else if (record.type === 'hook_returned' || record.type === 'hook_failed') {
    const end = entry as At<HookReturnedRecord | HookFailedRecord>;
    if (last !== undefined && last.end === null && last.hook === record.hook) last.end = end;
    else turns.push({ hook: record.hook, call: null, end, veto: null });
  }
}

export function toolOf({ dispatch: { record } }: Story): string | null {
  return toolIn(record.event, record.payload);
}

/** The tool an event is about, where it is about one. */
export function toolIn(event: string, payload: Json): string | null {
  if (!isJsonObject(payload)) return null;
  const named = [payload.tool_name, payload.tool, /^tool\./.test(event) ? payload.name : undefined];
  for (const name of named) {
    const text = isJsonObject(name) ? name.name : name;
    if (typeof text === 'string') return text;
  }
  return null;
}

/** Whether a hook gave no decision, whatever came of that. */
export function hasFailure({ turns, outcome }: Story): boolean {
  return (
    outcome?.record.failure !== undefined || turns.some((turn) => turn.end?.record.type === 'hook_failed')
  );
}

/** Whether the entry with this number is part of the story. */
export function includes({ dispatch, turns, outcome }: Story, seq: number): boolean {
  const parts = [dispatch, outcome, ...turns.flatMap(({ call, end, veto }) => [call, end, veto])];
  return parts.some((part) => part?.seq === seq);
}

export interface StoryFilter {
  readonly event?: string | undefined;
  /** A name, or a glob made into a test. */
  readonly hook?: ((name: string) => boolean) | undefined;
  readonly tool?: ((name: string) => boolean) | undefined;
  /** What the chain said; with `hook`, what that hook said. */
  readonly decision?: string | undefined;
  readonly failures?: boolean;
}

export function isWanted(
  story: Story,
  { event, hook, tool, decision, failures = false }: StoryFilter,
): boolean {
  const turns = hook === undefined ? story.turns : story.turns.filter((turn) => hook(turn.hook));
  if (event !== undefined && story.dispatch.record.event !== event) return false;
  if (hook !== undefined && turns.length === 0) return false;
  if (tool !== undefined && !tool(toolOf(story) ?? '')) return false;
  if (
    failures &&
    !(hook === undefined ? hasFailure(story) : turns.some((turn) => turn.end?.record.type === 'hook_failed'))
  )
    return false;
  if (decision === undefined) return true;
  if (hook === undefined) return story.outcome?.record.action === decision;
  return turns.some((turn) => turn.end?.record.result === decision);
}

/** A text of the tape as a person can read it: where a secret was taken out, what is left around it. */
export function readable(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isJsonObject(value) && typeof value.$redacted === 'string') {
    return typeof value.text === 'string' ? value.text : `[${value.$redacted}]`;
  }
  return JSON.stringify(value);
}
