/**
 * A tape as replay needs it: every dispatch of the host with its decision and all that was emitted in it, in the order they
 * ended. Lines go in one by one, so that the size of a tape does not matter. Both versions come out in one form.
 */
import { canonicalJson, type KeyOrder, restoreOrder } from '../base/canonical-json.ts';
import { HarnessError } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { PolicyDigest, PolicyHook } from '../policy/policy-digest.ts';
import type {
  DecisionRecord,
  DispatchRecord,
  Fired,
  Header,
  HookCallRecord,
  HookFailedRecord,
  HookPart,
  HookReturnedRecord,
  OutcomeRecord,
  PolicyChangedRecord,
  RunRecord,
  Said,
  SessionRecord,
  TapeRecord,
} from './entry.ts';
import { HookNames, type HookOrigin } from './hook-names.ts';
import { isSound, isSoundFired, isSoundSaid } from './record-shape.ts';
import { PayloadRestorer } from './same.ts';

export interface RecordedDispatch {
  /** The entry it begins with. */
  readonly seq: number;
  /** When that was written, in milliseconds since the epoch; null in version 1. */
  readonly at: number | null;
  readonly fired: Fired;
  /** The hooks that had a say, in order. */
  readonly parts: readonly HookPart[];
  /** Null if the tape ends before it. */
  readonly said: Said | null;
  /** The canonical JSON of `said`, if its keys have no order: it is parsed only if somebody asks, since that takes longer than deciding again. */
  readonly saidText: string | null;
  /** Events its hooks emitted, with the number of `parts` that had ended before each. */
  readonly nested: readonly Nested[];
  /** Something in it, or in what it emitted, was aborted before it had its turn. */
  readonly aborts: boolean;
  /** Something in it, or in what it emitted, is not on the tape as it was. */
  readonly altered: boolean;
  /** The tape ends before its outcome. */
  readonly cut: boolean;
  /** Its payload builds on one that is not there. */
  readonly groundless: boolean;
  /** The hooks the tape knows by their names. */
  readonly names: HookNames;
  /** Where a hook comes from. */
  originOf(part: HookPart): HookOrigin;
  /** The entry that says it: of part `part` the call, the end or the veto; of the outcome, after the last part. */
  seqOf(part: number, step: number): number;
}

export interface Nested {
  readonly after: number;
  readonly dispatch: RecordedDispatch;
}

/** What the tape holds for replay, as it comes. */
export type Recorded =
  /** An engine is made. */
  | { readonly kind: 'run'; readonly record: RunRecord | SessionRecord }
  /** A hook that the header does not name. */
  | { readonly kind: 'hook'; readonly hook: PolicyHook }
  /** From here on another policy is in force. */
  | { readonly kind: 'policy'; readonly policy: PolicyDigest }
  /** Fired by the host, with its outcome and all that it emitted. */
  | { readonly kind: 'dispatch'; readonly dispatch: RecordedDispatch }
  /** The tape ends before its outcome. */
  | { readonly kind: 'unfinished'; readonly dispatch: RecordedDispatch };

/** A dispatch whose outcome has not come, or one whose hooks emitted such a dispatch. */
class Open implements RecordedDispatch {
  readonly seq: number;
  readonly at: number | null;
  readonly fired: Fired;
  saidText: string | null = null;
  readonly nested: Nested[] = [];
  aborts = false;
  altered: boolean;
  cut = false;
  groundless = false;
  readonly parent: Open | null;
  /** The dispatch of the host that all began with. */
  readonly root: Open;
  /** Itself and what it emitted, as far as not complete: an event may outlive the call it was emitted in. */
  pending = 1;
  /** Of version 1: the entries of each part, and of the call that has no end yet. */
  seqs: number[][] | null = null;
  called: { readonly seq: number; readonly record: HookCallRecord } | null = null;
  lastPayload: string | null = null;
  /** The entry of the outcome. */
  end = 0;
  private out: Said | null = null;
  private ended: HookPart[] = [];
  /** Whether nobody has wanted to know yet what it says. */
  private unread = false;
  readonly names: HookNames;

  constructor({ seq, at, record }: RawEntry, fired: Fired, parent: Open | null, names: HookNames) {
    this.seq = seq;
    this.at = at;
    this.fired = fired;
    this.parent = parent;
    this.root = parent?.root ?? this;
    this.altered = isAltered(record);
    this.names = names;
  }

  get parts(): HookPart[] {
    this.read();
    return this.ended;
  }

  get said(): Said | null {
    this.read();
    return this.out;
  }

  decidedLater(text: string): void {
    this.unread = true;
    this.saidText = text;
  }

  decided(said: Said, parts = (said.hooks ?? []) as HookPart[]): void {
    this.out = said;
    this.ended = parts;
  }

  /** Throws TAPE_INVALID. */
  private read(): void {
    if (!this.unread) return;
    const said = saidIn(this.saidText!);
    if (said === null) throw new HarnessError('TAPE_INVALID', `entry ${this.end} lacks what its kind has`);
    this.decided(said);
    this.unread = false;
  }

  originOf({ hook, source, layer }: HookPart): HookOrigin {
    if (source === undefined) return this.names.read(this.fired.event, hook);
    return { source, ...(layer !== undefined && { layer }) };
  }

  seqOf(part: number, step: number): number {
    return this.seqs?.[part]?.[step] ?? (this.end || this.seq);
  }
}

export class RecordedFeed {
  readonly names: HookNames;
  private readonly name: string;
  private readonly at: number;
  private readonly payloads = new PayloadRestorer();
  private readonly open = new Map<number, Open>();
  /** Those the tape has no outcome of may still be asked for by what they emitted. */
  private over = false;

  /** `at` is the last entry that counts. */
  constructor(name: string, header: Header, at = Infinity) {
    this.name = name;
    this.at = at;
    this.names = new HookNames(header.policy.hooks);
  }

  /** What is complete with this line, or null. Throws TAPE_INVALID for one that is no entry. */
  push(bytes: Buffer): Recorded | null {
    if (this.over) return null;
    const line = bytes.toString('utf8');
    const entry = opened(line);
    if (entry === null) throw new HarnessError('TAPE_INVALID', `${this.name}: a line is not an entry`);
    if (entry.seq > this.at) {
      this.over = true;
      return null;
    }
    const kind = kindOf(entry.record);
    if (kind === 'nothing') return null;
    try {
      return this.entry(kind, entry);
    } catch (thrown) {
      if (thrown instanceof HarnessError) throw thrown;
      throw new HarnessError('TAPE_INVALID', `${this.name}: entry ${entry.seq} lacks what its kind has`);
    }
  }

  /** Whether lines that follow do not count. */
  get done(): boolean {
    return this.over;
  }

  /** What is left when the tape ends. */
  end(): Recorded[] {
    const left = [...this.open.values()];
    for (const dispatch of left) dispatch.cut = true;
    const roots = new Set(left.map(({ root }) => root));
    return [
      ...left.map((dispatch): Recorded => ({ kind: 'unfinished', dispatch })),
      ...[...roots].flatMap((dispatch): Recorded[] => (dispatch.cut ? [] : [{ kind: 'dispatch', dispatch }])),
    ];
  }

  private entry(kind: Kind, entry: RawEntry): Recorded | null {
    if (kind === 'decision') return this.decided(entry);
    const record = checked(entry);
    switch (kind) {
      case 'dispatch':
        this.open.set((record as DispatchRecord).dispatch, this.dispatch(entry, record as DispatchRecord));
        return null;
      case 'session':
        return this.session(record as SessionRecord);
      case 'run':
        return { kind, record: record as RunRecord };
      case 'policy.changed':
        return this.policy((record as PolicyChangedRecord).policy);
      default:
        return this.hookEntry(entry, record);
    }
  }

  private session(record: SessionRecord): Recorded | null {
    const { kind, data } = record;
    if (kind === 'run') return { kind, record };
    if (kind === 'policy') return this.policy(data as unknown as PolicyDigest);
    const hook = data as unknown as PolicyHook;
    this.names.add(hook);
    return { kind: 'hook', hook };
  }

  private policy(policy: PolicyDigest | undefined): Recorded | null {
    if (policy === undefined) return null;
    for (const hook of policy.hooks) this.names.add(hook);
    return { kind: 'policy', policy };
  }

  private dispatch(entry: RawEntry, record: Fired): Open {
    const payload = this.payloads.restore(record);
    const fired = record.same === undefined || payload === undefined ? record : whole(record, payload);
    const parent = record.parent === undefined ? null : (this.open.get(record.parent) ?? null);
    const dispatch = new Open(entry, fired, parent, this.names);
    // What it builds on may have been altered, which its own text does not show.
    if (record.same !== undefined) dispatch.altered = true;
    dispatch.groundless = payload === undefined;
    if (parent !== null) {
      parent.nested.push({ after: record.after ?? parent.parts.length, dispatch });
      parent.pending++;
    }
    return dispatch;
  }

  private decided(entry: RawEntry): Recorded | null {
    const parted = split(entry);
    const record = parted === null ? (checked(entry) as DecisionRecord) : null;
    const fired: DecisionRecord['in'] = parted?.fired ?? record!.in;
    const isWhole = 'event' in fired;
    const held = isWhole ? this.dispatch(entry, fired as Fired) : this.held(fired.dispatch, entry.seq);
    held.end = entry.seq;
    if (parted !== null) held.decidedLater(parted.saidText);
    else held.decided(record!.out);
    if (!isWhole && isAltered(entry.record)) held.altered = true;
    return this.concluded(held);
  }

  /** Version 1: calls, ends, vetoes and the outcome are entries of their own. */
  private hookEntry({ seq, record: text }: RawEntry, record: TapeRecord): Recorded | null {
    // Version 2 says a second time in the decision what a call that was waited for has said.
    const { dispatch } = record as HookCallRecord;
    const held = this.held(dispatch, seq);
    if (isAltered(text)) held.altered = true;
    switch (record.type) {
      case 'hook_call':
        held.called = { seq, record };
        return null;
      case 'hook_returned':
      case 'hook_failed':
        endPart(held, seq, record);
        return null;
      case 'hook_vetoed':
        held.seqs?.at(-1)?.push(seq);
        return null;
      case 'outcome':
        held.decided(saidOf(record), held.parts);
        held.end = seq;
        return this.concluded(held);
      default:
        return null;
    }
  }

  private held(dispatch: number, seq: number): Open {
    const held = this.open.get(dispatch);
    if (held !== undefined) return held;
    throw new HarnessError('TAPE_INVALID', `${this.name}: entry ${seq} belongs to no dispatch`);
  }

  private concluded(held: Open): Recorded | null {
    this.open.delete(held.fired.dispatch);
    if (held.saidText === null || held.saidText.includes(UNREACHED))
      for (const { state } of held.parts) if (state === 'unreached') held.aborts = true;
    const dispatch = close(held);
    return dispatch === null ? null : { kind: 'dispatch', dispatch };
  }
}

/** Of a text that may have such a part. A search that begins with a quote would stop at every one. */
const UNREACHED = 'unreached';

/** The dispatch of the host that is complete with this one, or null. */
function close(first: Open): Open | null {
  let held = first;
  for (;;) {
    held.pending--;
    if (held.pending > 0) return null;
    const { parent } = held;
    if (parent === null) return held;
    if (held.aborts) parent.aborts = true;
    if (held.altered) parent.altered = true;
    held = parent;
  }
}

function whole({ same: _same, ...fired }: Fired, payload: Json): Fired {
  return { ...fired, payload };
}

function endPart(held: Open, seq: number, record: HookReturnedRecord | HookFailedRecord): void {
  const { called } = held;
  held.called = null;
  held.seqs ??= [];
  held.seqs.push(called === null ? [seq] : [called.seq, seq]);
  const { dispatch: _dispatch, type, steps, effects, ...rest } = record;
  const failed = type === 'hook_failed';
  const { state, result, ...end } = rest as Partial<HookFailedRecord>;
  const payload = called === null ? undefined : changedPayload(held, called.record.payload);
  held.parts.push({
    ...end,
    hook: record.hook,
    source: called?.record.source ?? '',
    ...(payload !== undefined && { payload }),
    ...(result !== undefined && (failed || result !== 'allow') && { result }),
    ...(state !== undefined && state !== 'ran' && { state }),
    ...(steps > 0 && { steps }),
    ...(effects !== undefined && {
      effects: effects.map(({ hook, ...effect }) => (hook === record.hook ? effect : { hook, ...effect })),
    }),
  });
}

/** Version 1 repeats the payload of a call for every hook after the one that changed it. */
function changedPayload(held: Open, payload: Json | undefined): Json | undefined {
  if (payload === undefined) return undefined;
  const text = canonicalJson(payload);
  if (text === held.lastPayload) return undefined;
  held.lastPayload = text;
  return payload;
}

function saidOf({ dispatch: _dispatch, event: _event, type: _type, ...said }: OutcomeRecord): Said {
  return said;
}

interface RawEntry {
  readonly seq: number;
  readonly at: number | null;
  readonly order: string | null;
  /** As canonical JSON. */
  readonly record: string;
}

const PREV = '"prev":"';
const RECORD = '","record":';
const SEQ = ',"seq":';
const ORDER = '"order":';
const AT = '{"at":';
const LONGEST_TIME = 16;
const HASH_LENGTH = 64;

/** The parts of a line, without proving what is of no interest here. Null if the line has not that form. */
function opened(line: string): RawEntry | null {
  const prev = line.indexOf(PREV);
  const record = prev + PREV.length + HASH_LENGTH;
  const end = line.lastIndexOf(SEQ);
  const seq = Number(line.slice(end + SEQ.length, -1));
  if (!line.startsWith(RECORD, record) || !(seq > 0)) return null;
  const order = prev === 1 ? -1 : line.lastIndexOf(ORDER, prev);
  return {
    seq,
    at: line.startsWith(AT) ? Number.parseInt(line.slice(AT.length, AT.length + LONGEST_TIME), 10) : null,
    order: order === -1 ? null : line.slice(order + ORDER.length, prev - 1),
    record: line.slice(record + RECORD.length, end),
  };
}

/** Parsed, with the keys as they stood. Throws for what is no record. */
function checked({ record, order }: RawEntry): TapeRecord {
  const value = restored(JSON.parse(record) as TapeRecord, order);
  if (isSound(value)) return value;
  throw new TypeError('a record that lacks something');
}

function restored<T>(value: T, order: string | null, first = 0): T {
  return order === null ? value : restoreOrder(value, orderIn(order), first);
}

/** Payloads of one kind have their keys in one order. */
const orders = new Map<string, KeyOrder>();
const MOST_ORDERS = 500;

function orderIn(text: string): KeyOrder {
  const known = orders.get(text);
  if (known !== undefined) return known;
  const order = JSON.parse(text) as KeyOrder;
  if (orders.size >= MOST_ORDERS) orders.clear();
  // A part of a line would keep the whole of it.
  orders.set(JSON.stringify(order), order);
  return order;
}

const OUT = '},"out":{"action":"';
const DECISION_END = ',"type":"decision"}';

interface Split {
  readonly fired: DecisionRecord['in'];
  readonly saidText: string;
}

/** What was fired, parsed alone, and the text of what came of it; null if that cannot be told apart, or the order is about both. */
function split({ record, order }: RawEntry): Split | null {
  const at = record.indexOf(OUT);
  if (at === -1 || !record.endsWith(DECISION_END)) return null;
  try {
    const fired = plainlyFired(record, at, order) ?? anyFired(record, at, order);
    if (!isSoundFired(fired)) return null;
    return { fired, saidText: record.slice(at + OUT.indexOf('{'), -DECISION_END.length) };
  } catch {
    return null;
  }
}

/** Null if it lacks something. */
function saidIn(text: string): Said | null {
  try {
    const said = JSON.parse(text) as Said;
    return isSoundSaid(said) ? said : null;
  } catch {
    return null;
  }
}

function anyFired(record: string, at: number, order: string | null): DecisionRecord['in'] {
  // Whatever the payload holds: cut anywhere else it would lack a brace.
  return restored(JSON.parse(`${record.slice(0, at)}}}`) as DecisionRecord, order).in;
}

const BEFORE_PAYLOAD =
  /\{"in":\{(?:"callId":"([^"\\]*)",)?"dispatch":(\d+),"event":"([\w.]+)","payload":(?=[{"[])/y;
const AFTER_PAYLOAD = /,"run":(\d+)(?:,"turn":(\d+))?/y;
const RUN = ',"run":';

/** The usual keys and no other, of which only the payload has to be parsed: being whole, it is all that stands between them. */
function plainlyFired(record: string, at: number, order: string | null): Fired | null {
  BEFORE_PAYLOAD.lastIndex = 0;
  const before = BEFORE_PAYLOAD.exec(record);
  if (before === null) return null;
  const start = BEFORE_PAYLOAD.lastIndex;
  const end = (AFTER_PAYLOAD.lastIndex = record.lastIndexOf(RUN, at));
  const after = end < start ? null : AFTER_PAYLOAD.exec(record);
  if (after === null || AFTER_PAYLOAD.lastIndex !== at) return null;
  // The record is object 0, what was fired is 1.
  const payload = restored(JSON.parse(record.slice(start, end)) as Json, order, 2);
  const fired: { -readonly [K in keyof Fired]: Fired[K] } = {
    dispatch: Number(before[2]),
    event: before[3]!,
    payload,
    run: Number(after[1]),
  };
  if (before[1] !== undefined) fired.callId = before[1];
  if (after[2] !== undefined) fired.turn = Number(after[2]);
  return fired;
}

/** Searched for by its rarest character. */
export function isAltered(record: string): boolean {
  return record.includes('$') && (record.includes('$unrecordable":') || record.includes('$redacted":'));
}

type Kind = 'decision' | 'dispatch' | 'hook' | 'session' | 'run' | 'policy.changed' | 'nothing';

const ENDINGS: readonly (readonly [string, Kind])[] = [
  ['"type":"decision"}', 'decision'],
  ['"type":"hook_call"}', 'hook'],
  ['"type":"hook_returned"}', 'hook'],
  ['"type":"outcome"}', 'hook'],
  ['"type":"dispatch"}', 'dispatch'],
  ['"type":"call"}', 'nothing'],
  ['"type":"annotate"}', 'nothing'],
  ['"type":"run"}', 'run'],
  ['"type":"policy.changed"}', 'policy.changed'],
];

const OWN_KINDS = /"kind":"(?:run|hook|policy)","type":"session"\}$/;

/** Told from the end of the text: messages and results are long, and of no interest here. */
function kindOf(record: string): Kind {
  for (const [ending, kind] of ENDINGS) if (record.endsWith(ending)) return kind;
  if (record.endsWith('"type":"session"}')) return OWN_KINDS.test(record) ? 'session' : 'nothing';
  // With remarks behind their type, version 1; or of a kind that a later program writes.
  return OF_A_HOOK.test(record) ? 'hook' : 'nothing';
}

const OF_A_HOOK = /"type":"hook_(?:returned|failed|vetoed)"/;
