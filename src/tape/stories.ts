/**
 * The story of a tape: each decision put together from its entries, in the words of the seeds. A hook was called (`hook_call`), it
 * returned or failed (`hook_returned`, `hook_failed`), its decision counted (`hook_vetoed`), and the chain came to an `outcome`.
 * Dispatches may overlap and nest; they come out in the order they began.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import type { Action, Effect, Failure } from '../engine/index.ts';
import type {
  DecisionRecord,
  DispatchRecord,
  Entry,
  HookCallRecord,
  HookPart,
  Reading,
  RecordedDecision,
  SessionRecord,
  TapeRecord,
} from './entry.ts';

/** What both ends of a call have. Lists are absent where they would be empty, and texts where there is none. */
interface CallEnd {
  readonly dispatch: number;
  readonly hook: string;
  /** What the hook gave beside its action: the payload of a modify, the request of a delegate. */
  readonly raw?: Json;
  readonly readings?: readonly Reading[];
  /** All attachments of the call, in order; in mode `warn` the last is the reminder that replaced the decision. */
  readonly effects?: readonly Effect[];
  readonly steps: number;
  readonly warnings?: readonly string[];
  /** Why the decision of the hook did not count. */
  readonly vetoIgnored?: string;
  readonly recheck?: true;
}

export interface HookReturnedRecord extends CallEnd {
  readonly type: 'hook_returned';
  readonly result: Action;
  readonly reason?: string;
}

/** Follows a hook_returned whose block, ask or permit counts. */
export interface HookVetoedRecord {
  readonly type: 'hook_vetoed';
  readonly dispatch: number;
  readonly hook: string;
  readonly decision: Action;
  readonly reason: string;
}

/** Without a hook_call before it where the hook was never called; `state` says why. */
export interface HookFailedRecord extends CallEnd {
  readonly type: 'hook_failed';
  readonly state: 'ran' | 'condition_failed' | 'unreached';
  /** The action the hook returned, where it is one that the event does not allow. */
  readonly result?: Action;
  readonly reason?: string;
  /** Absent where a condition failed and the hook was passed over: `reason` then says what went wrong. */
  readonly failure?: Failure;
  readonly policy: 'blocked' | 'allowed' | 'threw' | 'skipped';
}

/** What the whole chain decided. Its attachments are those of its hooks, one after the other. */
export interface OutcomeRecord extends Omit<RecordedDecision, 'hooks'> {
  readonly type: 'outcome';
  readonly dispatch: number;
  readonly event: string;
}

export type StoryRecord =
  | HookCallRecord
  | HookReturnedRecord
  | HookFailedRecord
  | HookVetoedRecord
  | OutcomeRecord;

/** A decision as the sequence it was, in the words of the seeds. The parts have their sources filled in, as `readTape` gives them. */
export function storyRecords(dispatch: number, event: string, out: RecordedDecision): StoryRecord[] {
  const records: StoryRecord[] = [];
  let payload: Json | undefined;
  for (const part of out.hooks ?? []) {
    if (part.payload !== undefined) payload = part.payload;
    records.push(...partRecords(dispatch, part, payload));
  }
  records.push(outcomeRecord(dispatch, event, out));
  return records;
}

/** `payload` is what the hook was called with, undefined if that is what was fired. */
export function partRecords(dispatch: number, part: HookPart, payload: Json | undefined): StoryRecord[] {
  const { call, end, veto } = partStory(dispatch, part, payload);
  return [call, end, veto].filter((record) => record !== null);
}

interface PartStory {
  readonly call: HookCallRecord | null;
  readonly end: HookReturnedRecord | HookFailedRecord;
  readonly veto: HookVetoedRecord | null;
}

function partStory(dispatch: number, part: HookPart, payload: Json | undefined): PartStory {
  return {
    call: part.state === undefined ? callRecord(dispatch, part, payload) : null,
    end: endRecord(dispatch, part),
    veto: vetoRecord(dispatch, part),
  };
}

function callRecord(dispatch: number, part: HookPart, payload: Json | undefined): HookCallRecord {
  const { hook, layer, source = '' } = part;
  return {
    dispatch,
    hook,
    ...(layer !== undefined && { layer }),
    ...(payload !== undefined && { payload }),
    source,
    type: 'hook_call',
  };
}

function endRecord(dispatch: number, part: HookPart): HookReturnedRecord | HookFailedRecord {
  const { effects, raw, readings, reason, recheck, vetoIgnored, warnings, hook, steps = 0 } = part;
  const end = {
    dispatch,
    ...(effects !== undefined && { effects: effects.map((effect) => ({ hook, ...effect }) as Effect) }),
    hook,
    ...(raw !== undefined && { raw }),
    ...(readings !== undefined && { readings }),
    ...(reason !== undefined && { reason }),
    ...(recheck !== undefined && { recheck }),
    steps,
    ...(vetoIgnored !== undefined && { vetoIgnored }),
    ...(warnings !== undefined && { warnings }),
  };
  if (part.policy === undefined) return { ...end, result: part.result ?? 'allow', type: 'hook_returned' };
  return {
    ...end,
    ...(part.failure !== undefined && { failure: part.failure }),
    ...(part.result !== undefined && { result: part.result }),
    policy: part.policy,
    state: part.state ?? 'ran',
    type: 'hook_failed',
  };
}

/** Whether the block, ask or permit of a hook counted. */
export function isVeto({ result, policy, vetoIgnored }: HookPart): boolean {
  const stops = result === 'block' || result === 'ask' || result === 'permit';
  return stops && policy === undefined && vetoIgnored === undefined;
}

function vetoRecord(dispatch: number, part: HookPart): HookVetoedRecord | null {
  const { result, reason = '', hook } = part;
  return isVeto(part) ? { decision: result!, dispatch, hook, reason, type: 'hook_vetoed' } : null;
}

export function outcomeRecord(dispatch: number, event: string, out: RecordedDecision): OutcomeRecord {
  const { hooks: _hooks, ...rest } = out;
  return { ...rest, dispatch, event, type: 'outcome' };
}

/** An entry together with the part of it that is known by its type. */
export interface AtEntry<R> {
  readonly seq: number;
  readonly record: R;
  readonly ms?: number;
  /** The time of day. */
  readonly at?: number;
}

/** One hook's part in a decision. */
export interface Turn {
  readonly hook: string;
  /** Null if it was never called: its condition failed, or the chain ended before it. */
  readonly call: AtEntry<HookCallRecord> | null;
  /** Null if the tape ends before the hook did. */
  readonly end: AtEntry<HookReturnedRecord | HookFailedRecord> | null;
  readonly veto: AtEntry<HookVetoedRecord> | null;
}

export interface Story {
  readonly dispatch: AtEntry<DispatchRecord>;
  readonly turns: readonly Turn[];
  /** Null if the tape ends before the decision. */
  readonly outcome: AtEntry<OutcomeRecord> | null;
}

export type Chapter =
  | { readonly kind: 'decision'; readonly story: Story }
  | { readonly kind: 'session'; readonly entry: AtEntry<SessionRecord> };

interface Unfinished {
  readonly kind: 'decision';
  readonly story: {
    dispatch: AtEntry<DispatchRecord>;
    turns: Turn[];
    outcome: AtEntry<OutcomeRecord> | null;
  };
}

/** What happened, in the order it began. */
export function* chapters(entries: Iterable<Entry>): Generator<Chapter> {
  const teller = new StoryBuilder();
  for (const entry of entries) yield* teller.hear(entry);
  yield* teller.end();
}

/** A decision waits for its outcome, and with it what follows. */
export class StoryBuilder {
  private readonly queue: (Chapter | Unfinished)[] = [];
  private readonly open = new Map<number, Unfinished>();

  *hear(entry: Entry): Generator<Chapter> {
    const { record } = entry;
    if (record.type === 'decision') this.decision(entry, record);
    else if (record.type === 'dispatch') this.begin(at(entry, record));
    else if (record.type === 'hook_call') this.called(at(entry, record));
    else this.queue.push({ kind: 'session', entry: at(entry, asNote(record)) });
    while (this.queue.length > 0 && isComplete(this.queue[0]!, this.open))
      yield this.queue.shift() as Chapter;
  }

  end(): Chapter[] {
    return this.queue as Chapter[];
  }

  private begin(dispatch: AtEntry<DispatchRecord>): Unfinished {
    const chapter: Unfinished = { kind: 'decision', story: { dispatch, turns: [], outcome: null } };
    this.open.set(dispatch.record.dispatch, chapter);
    this.queue.push(chapter);
    return chapter;
  }

  /** A call that was waited for; the decision has it again, with how it ended. */
  private called(call: AtEntry<HookCallRecord>): void {
    const { dispatch, hook } = call.record;
    this.open.get(dispatch)?.story.turns.push({ hook, call, end: null, veto: null });
  }

  private decision(entry: Entry, { in: fired, out }: DecisionRecord): void {
    const { dispatch } = fired;
    const chapter =
      'event' in fired ? this.begin(at(entry, { ...fired, type: 'dispatch' })) : this.open.get(dispatch);
    // Of a dispatch that never began: the tape is not whole, and verify says so.
    if (chapter === undefined) return;
    const { story } = chapter;
    const [whole, ...times] = typeof entry.ms === 'object' ? entry.ms : [];
    let payload: Json | undefined;
    story.turns = (out.hooks ?? []).map((part, place) => {
      if (part.payload !== undefined) payload = part.payload;
      const { call, end, veto } = partStory(dispatch, part, payload);
      return {
        hook: part.hook,
        call: call === null ? null : at(entry, call),
        end: at(entry, end, times[place]),
        veto: veto === null ? null : at(entry, veto),
      };
    });
    story.outcome = at(entry, outcomeRecord(dispatch, story.dispatch.record.event, out), whole);
    this.open.delete(dispatch);
  }
}

function at<R>(
  { seq, at: time, ms }: Entry,
  record: R,
  took = typeof ms === 'object' ? undefined : ms,
): AtEntry<R> {
  return {
    seq,
    record,
    ...(took !== undefined && { ms: took }),
    ...(time !== undefined && { at: time }),
  };
}

/** Whatever is no decision, in one form for those who show it. */
function asNote(
  record: Exclude<TapeRecord, HookCallRecord | DecisionRecord | DispatchRecord>,
): SessionRecord {
  if (record.type === 'session') return record;
  const { type, ...data } = record;
  return { type: 'session', kind: type, data: data as unknown as Json };
}

function isComplete(chapter: Chapter | Unfinished, open: ReadonlyMap<number, Unfinished>): boolean {
  return chapter.kind === 'session' || !open.has(chapter.story.dispatch.record.dispatch);
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
