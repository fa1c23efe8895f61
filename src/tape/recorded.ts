/**
 * A tape as replay needs it: the records of each dispatch together, as text, in the order they were written. Read in one
 * pass and handed out dispatch by dispatch, so that the size of a tape does not matter.
 */
import { restoreOrder } from '../base/canonical-json.ts';
import { HarnessError } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { PolicyDigest, PolicyHook } from '../policy/policy-digest.ts';
import type { DispatchRecord, HookReturnedRecord, Reading, SessionRecord, TapeRecord } from './entry.ts';
import { readLines } from './tape-reader.ts';

export interface RecordedDispatch {
  /** The entry it begins with. */
  readonly entry: RecordedEntry;
  readonly record: DispatchRecord;
  /** Its other entries: calls of hooks, how they ended, the outcome last. */
  readonly entries: RecordedEntry[];
  /** Events its hooks emitted, with the number of `entries` there were before each. */
  readonly nested: { readonly after: number; readonly dispatch: RecordedDispatch }[];
  /** Something in it, or in what it emitted, was aborted before it had its turn. */
  aborts: boolean;
  /** Something in it, or in what it emitted, is not on the tape as it was. */
  altered: boolean;
  /** The tape ends before its outcome. */
  cut: boolean;
}

/** What the tape holds for replay, as it comes. */
export type Recorded =
  /** An engine is made. */
  | { readonly kind: 'run'; readonly data: Json }
  /** A hook that the header does not name. */
  | { readonly kind: 'hook'; readonly hook: PolicyHook }
  /** From here on another policy is in force. */
  | { readonly kind: 'policy'; readonly policy: PolicyDigest; readonly seq: number }
  /** Fired by the host, with its outcome and all that it emitted. */
  | { readonly kind: 'dispatch'; readonly dispatch: RecordedDispatch }
  /** The tape ends before its outcome. */
  | { readonly kind: 'unfinished'; readonly dispatch: RecordedDispatch };

export interface ReadOptions {
  /** The last entry that counts. */
  readonly at?: number | undefined;
  readonly onBytes?: (done: number, all: number) => void;
}

/** Throws TAPE_INVALID for a line that is no entry. */
export function* recordedIn(path: string, { at = Infinity, onBytes }: ReadOptions = {}): Generator<Recorded> {
  const open = new Map<number, Open>();
  let header = true;
  for (const { bytes, whole } of readLines(path, onBytes)) {
    if (!whole) break;
    if (header) {
      header = false;
      continue;
    }
    const line = bytes.toString('utf8');
    const entry = opened(line);
    if (entry === null) throw new HarnessError('TAPE_INVALID', `${path}: a line is not an entry`);
    if (entry.seq > at) break;
    const kind = kindOf(entry.record);
    if (kind === 'session') yield* sessionEntry(entry);
    else if (kind === 'dispatch') begin(open, entry);
    else {
      const held = heldFor(open, entry);
      add(held.dispatch, entry);
      if (kind !== 'outcome') continue;
      open.delete(held.dispatch.record.dispatch);
      const whole = close(held);
      if (whole !== null) yield { kind: 'dispatch', dispatch: whole };
    }
  }
  for (const { dispatch } of open.values()) {
    dispatch.cut = true;
    yield { kind: 'unfinished', dispatch };
  }
  for (const dispatch of new Set(Array.from(open.values(), rootOf))) {
    if (!dispatch.cut) yield { kind: 'dispatch', dispatch };
  }
}

export interface RecordedEntry {
  readonly seq: number;
  readonly order: string | null;
  /** As canonical JSON. */
  readonly record: string;
}

const PREV = '"prev":"';
const RECORD = '","record":';
const SEQ = ',"seq":';
const HASH_LENGTH = 64;

const ORDER = '"order":';

/** What `openEnvelope` finds, without proving what is of no interest here. Null where the line has not that form. */
function opened(line: string): RecordedEntry | null {
  const prev = line.indexOf(PREV);
  const record = prev + PREV.length + HASH_LENGTH;
  const end = line.lastIndexOf(SEQ);
  const seq = Number(line.slice(end + SEQ.length, -1));
  if (!line.startsWith(RECORD, record) || !(seq > 0)) return null;
  const order = prev === 1 ? -1 : line.lastIndexOf(ORDER, prev);
  return {
    seq,
    order: order === -1 ? null : line.slice(order + ORDER.length, prev - 1),
    record: line.slice(record + RECORD.length, end),
  };
}

/** A dispatch whose outcome has not come, or one whose hooks emitted such a dispatch. */
interface Open {
  readonly dispatch: RecordedDispatch;
  readonly parent: Open | null;
  /** Itself and what it emitted, as far as not complete: an event may outlive the call it was emitted in. */
  pending: number;
}

function* sessionEntry(entry: RecordedEntry): Generator<Recorded> {
  // Messages and tool results are long, and of no interest here.
  if (!OWN_KINDS.test(entry.record)) return;
  const { kind, data } = recordOf(entry) as SessionRecord;
  if (kind === 'run') yield { kind, data };
  else if (kind === 'hook') yield { kind, hook: data as unknown as PolicyHook };
  else if (kind === 'policy') yield { kind, policy: data as unknown as PolicyDigest, seq: entry.seq };
}

const OWN_KINDS = /"kind":"(?:run|hook|policy)","type":"session"\}$/;

function begin(open: Map<number, Open>, entry: RecordedEntry): void {
  const record = recordOf(entry) as DispatchRecord;
  const dispatch: RecordedDispatch = {
    entry,
    record,
    entries: [],
    nested: [],
    aborts: false,
    altered: isAltered(entry.record),
    cut: false,
  };
  const parent = record.parent === undefined ? null : (open.get(record.parent) ?? null);
  parent?.dispatch.nested.push({ after: parent.dispatch.entries.length, dispatch });
  if (parent !== null) parent.pending++;
  open.set(record.dispatch, { dispatch, parent, pending: 1 });
}

function heldFor(open: ReadonlyMap<number, Open>, { record, seq }: RecordedEntry): Open {
  const held = open.get(numberIn(record));
  if (held === undefined) throw new HarnessError('TAPE_INVALID', `entry ${seq} belongs to no dispatch`);
  return held;
}

function add(dispatch: RecordedDispatch, entry: RecordedEntry): void {
  dispatch.entries.push(entry);
  if (isAltered(entry.record)) dispatch.altered = true;
  if (entry.record.includes('unreached","steps":')) dispatch.aborts = true;
}

/** The dispatch of the host that is complete with this one, or null. */
function close(held: Open): RecordedDispatch | null {
  held.pending--;
  if (held.pending > 0) return null;
  const { dispatch, parent } = held;
  if (parent === null) return dispatch;
  if (dispatch.aborts) parent.dispatch.aborts = true;
  if (dispatch.altered) parent.dispatch.altered = true;
  return close(parent);
}

function rootOf({ dispatch, parent }: Open): RecordedDispatch {
  return parent === null ? dispatch : rootOf(parent);
}

/** Searched for by its rarest character. */
function isAltered(record: string): boolean {
  return record.includes('$') && (record.includes('$unrecordable":') || record.includes('$redacted":'));
}

/** Parsed, with the keys as they stood. */
export function recordOf({ record, order }: RecordedEntry): TapeRecord {
  const parsed = JSON.parse(record) as TapeRecord;
  return order === null ? parsed : (restoreOrder(parsed, JSON.parse(order)) as TapeRecord);
}

const READINGS = '"readings":[';

/** The readings of the end of a call, without parsing the rest of it where they can be told from it. */
export function readingsIn(entry: RecordedEntry): readonly Reading[] {
  const { record, order } = entry;
  const start = record.indexOf(READINGS);
  if (start === -1) return NO_READINGS;
  // With data before them the first key of that name may be another's; with an order all has to be put back.
  if (order === null && !record.includes('"raw":')) {
    const reason = record.lastIndexOf('],"reason":"');
    const end = reason === -1 ? record.lastIndexOf('],"result":"') : reason;
    try {
      return JSON.parse(record.slice(start + READINGS.length - 1, end + 1)) as Reading[];
    } catch {
      // That end was inside a value.
    }
  }
  return (recordOf(entry) as HookReturnedRecord).readings ?? NO_READINGS;
}

const NO_READINGS: readonly Reading[] = [];

type Kind = 'dispatch' | 'hook' | 'outcome' | 'session';

const ENDINGS: readonly (readonly [string, Kind])[] = [
  ['"type":"hook_call"}', 'hook'],
  ['"type":"hook_returned"}', 'hook'],
  ['"type":"outcome"}', 'outcome'],
  ['"type":"dispatch"}', 'dispatch'],
  ['"type":"session"}', 'session'],
];

/** Most records end with their type; those with remarks behind it are of hooks. */
function kindOf(record: string): Kind {
  for (const [ending, kind] of ENDINGS) if (record.endsWith(ending)) return kind;
  return 'hook';
}

const DISPATCH = '"dispatch":';

/** The first key of that name is the record's own: only a word stands before it. */
function numberIn(record: string): number {
  let number = 0;
  for (let at = record.indexOf(DISPATCH) + DISPATCH.length; at < record.length; at++) {
    const digit = record.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return number;
}
