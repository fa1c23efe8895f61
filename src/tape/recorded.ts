/**
 * A tape as replay needs it: every dispatch of the host with its decision and all that was emitted in it, in the order they
 * ended. Lines go in one by one, so that the size of a tape does not matter.
 */
import { HarnessError, type Json } from '../base/index.ts';
import type { PolicyDigest, PolicyHook } from '../policy/index.ts';
import type { DecisionRecord, Entry, Fired, Header, HookPart, RecordedDecision, RunRecord } from './entry.ts';
import { HookNames, type HookOrigin } from './hook-names.ts';
import { PayloadRestorer } from './payload-dedup.ts';
import { isValidDecision } from './record-shape.ts';
import { parseEntry } from './tape-reader.ts';

/** What the tape holds for replay, as it comes. */
export type Recorded =
  /** An engine is made. */
  | { readonly kind: 'run'; readonly record: RunRecord }
  /** A hook that the header does not name. */
  | { readonly kind: 'hook'; readonly hook: PolicyHook }
  /** From here on another policy is in force. */
  | { readonly kind: 'policy'; readonly policy: PolicyDigest }
  /** Fired by the host, with its outcome and all that it emitted. */
  | { readonly kind: 'dispatch'; readonly dispatch: RecordedDispatch }
  /** The tape ends before its outcome. */
  | { readonly kind: 'unfinished'; readonly dispatch: RecordedDispatch };

/** An event that a hook emitted, and how many hooks of the dispatch had ended before. */
export interface Nested {
  readonly after: number;
  readonly dispatch: RecordedDispatch;
}

export class RecordedDispatch {
  /** The entry it begins with. */
  readonly seq: number;
  /** When that was written, in milliseconds since the epoch. */
  readonly at: number | null;
  readonly fired: Fired;
  /** The entry of the outcome; the first one if the tape ends before. */
  end: number;
  /** Events its hooks emitted. */
  readonly nested: Nested[] = [];
  /** Something in it, or in what it emitted, was aborted before it had its turn. */
  aborts = false;
  /** Something in it, or in what it emitted, is not on the tape as it was. */
  altered: boolean;
  /** The tape ends before its outcome. */
  cut = false;
  /** Its payload builds on one that is not there. */
  readonly baseMissing: boolean;
  /** The hooks the tape knows by their names. */
  readonly names: HookNames;
  readonly parent: RecordedDispatch | null;
  /** Itself and what it emitted, as far as not complete: an event may outlive the call it was emitted in. */
  pending = 1;
  /** What came of it as canonical JSON; null if the tape ends before, or the line has another form. */
  private text: string | null = null;
  private out: RecordedDecision | null = null;

  constructor(
    { seq, at }: Entry,
    fired: Fired,
    names: HookNames,
    more: Pick<RecordedDispatch, 'parent' | 'baseMissing' | 'altered'>,
  ) {
    this.seq = this.end = seq;
    this.at = at ?? null;
    this.fired = fired;
    this.names = names;
    this.parent = more.parent;
    this.baseMissing = more.baseMissing;
    this.altered = more.altered;
  }

  /** The hooks that had a say, in order. */
  get parts(): readonly HookPart[] {
    return this.said?.hooks ?? NO_PARTS;
  }

  /** The tape ends before the outcome. */
  get isUndecided(): boolean {
    return this.text === null && this.out === null;
  }

  /** Null if the tape ends before the outcome. Throws TAPE_INVALID if it is none. */
  get said(): RecordedDecision | null {
    if (this.out === null && this.text !== null) this.out = decisionOnLine(this.text, this.end);
    return this.out;
  }

  decided({ seq, record }: Entry, line: string, text: string | null): void {
    this.end = seq;
    this.text = text;
    if (text === null) this.out = (record as DecisionRecord).out;
    // Of one that was announced, only the line that began it was looked at.
    if (seq !== this.seq && isAltered(line)) this.altered = true;
    if (text?.includes(UNREACHED) !== false)
      for (const { state } of this.parts) if (state === UNREACHED) this.aborts = true;
  }

  /** It was decided without a wait, and nothing of it is hidden: the hooks and the state of the run may bring it about alone. */
  get isPlain(): boolean {
    const { text } = this;
    if (text === null || this.aborts || this.nested.length > 0) return false;
    return !this.altered || !isAltered(text);
  }

  /** Whether this canonical JSON is what came of it, to the byte. */
  isSaidAs(text: string): boolean {
    return this.text === text;
  }

  /** Where a hook comes from. */
  originOf({ hook, source, layer }: HookPart): HookOrigin {
    if (source === undefined) return this.names.read(this.fired.event, hook);
    return { source, ...(layer !== undefined && { layer }) };
  }
}

const UNREACHED = 'unreached';
const NO_PARTS: readonly HookPart[] = [];

export class RecordedFeed {
  readonly names: HookNames;
  private readonly name: string;
  private readonly at: number;
  private readonly payloads = new PayloadRestorer();
  private readonly open = new Map<number, RecordedDispatch>();
  private lines = 1;
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
    this.lines++;
    const line = bytes.toString('utf8');
    const split = splitDecision(line);
    const entry = split?.entry ?? parseEntry(line);
    if (typeof entry === 'string') throw this.invalid(`line ${this.lines} ${entry}`);
    if (entry.seq > this.at) {
      this.over = true;
      return null;
    }
    return this.entry(entry, line, split?.text ?? null);
  }

  /** Whether lines that follow do not count. */
  get done(): boolean {
    return this.over;
  }

  /** What is left when the tape ends. */
  end(): Recorded[] {
    const left = [...this.open.values()];
    for (const dispatch of left) dispatch.cut = true;
    const roots = new Set(left.map(rootOf));
    return [
      ...left.map((dispatch): Recorded => ({ kind: 'unfinished', dispatch })),
      ...[...roots].flatMap((dispatch): Recorded[] => (dispatch.cut ? [] : [{ kind: 'dispatch', dispatch }])),
    ];
  }

  private entry(entry: Entry, line: string, text: string | null): Recorded | null {
    const { record } = entry;
    switch (record.type) {
      case 'decision':
        return this.decided(entry, record, line, text);
      case 'dispatch':
        this.open.set(record.dispatch, this.dispatch(entry, record, line));
        return null;
      case 'session': {
        if (record.kind !== 'hook') return null;
        const hook = record.data as unknown as PolicyHook;
        this.names.add(hook);
        return { kind: 'hook', hook };
      }
      case 'run':
        return { kind: 'run', record };
      case 'policy.changed':
        if (record.policy === undefined) return null;
        for (const hook of record.policy.hooks) this.names.add(hook);
        return { kind: 'policy', policy: record.policy };
      default:
        return null;
    }
  }

  private dispatch(entry: Entry, record: Fired, line: string): RecordedDispatch {
    const payload = this.payloads.restore(record);
    const { same } = record;
    const fired = same === undefined || payload === undefined ? record : wholeOf(record, payload);
    const parent = record.parent === undefined ? null : (this.open.get(record.parent) ?? null);
    // What a payload builds on may have been altered, which its own line does not show.
    const altered = same !== undefined || isAltered(line);
    const more = { parent, baseMissing: payload === undefined, altered };
    const dispatch = new RecordedDispatch(entry, fired, this.names, more);
    if (parent !== null) {
      parent.nested.push({ after: record.after ?? 0, dispatch });
      parent.pending++;
    }
    return dispatch;
  }

  private decided(
    entry: Entry,
    { in: fired }: DecisionRecord,
    line: string,
    text: string | null,
  ): Recorded | null {
    const dispatch = 'event' in fired ? this.dispatch(entry, fired, line) : this.open.get(fired.dispatch);
    if (dispatch === undefined) throw this.invalid(`entry ${entry.seq} belongs to no dispatch`);
    this.open.delete(fired.dispatch);
    dispatch.decided(entry, line, text);
    const root = completed(dispatch);
    return root === null ? null : { kind: 'dispatch', dispatch: root };
  }

  private invalid(what: string): HarnessError {
    return new HarnessError('TAPE_INVALID', `${this.name}: ${what}`);
  }
}

const OUT = '},"out":{"action":"';
const OUT_AT = OUT.indexOf('{');
const END = ',"type":"decision"},"seq":';

/**
 * A decision that was made without a wait, with what came of it left as text: most need no more of it than a comparison. Null for
 * every other line, and where the two cannot be told apart: cut anywhere else, a line would lack a brace and not be parsed.
 */
function splitDecision(line: string): { readonly entry: Entry; readonly text: string } | null {
  const at = line.indexOf(OUT) + OUT_AT;
  const end = line.lastIndexOf(END);
  if (at < OUT_AT || end < at) return null;
  const entry = parseEntry(`${line.slice(0, at)}{"action":"allow"}${line.slice(end)}`);
  if (typeof entry === 'string' || entry.record.type !== 'decision' || !('event' in entry.record.in))
    return null;
  return { entry, text: line.slice(at, end) };
}

function decisionOnLine(text: string, seq: number): RecordedDecision {
  try {
    const said = JSON.parse(text) as RecordedDecision;
    if (isValidDecision(said)) return said;
  } catch {
    // Told like any other that is no decision.
  }
  throw new HarnessError('TAPE_INVALID', `entry ${seq} lacks what its kind has`);
}

/** The dispatch of the host that is complete with this one, or null. */
function completed(last: RecordedDispatch): RecordedDispatch | null {
  for (let dispatch = last; ; ) {
    dispatch.pending--;
    if (dispatch.pending > 0) return null;
    const { parent } = dispatch;
    if (parent === null) return dispatch;
    if (dispatch.aborts) parent.aborts = true;
    if (dispatch.altered) parent.altered = true;
    dispatch = parent;
  }
}

function rootOf(dispatch: RecordedDispatch): RecordedDispatch {
  let root = dispatch;
  while (root.parent !== null) root = root.parent;
  return root;
}

function wholeOf({ same: _same, ...fired }: Fired, payload: Json): Fired {
  return { ...fired, payload };
}

function isAltered(line: string): boolean {
  return line.includes('$') && (line.includes('$unrecordable":') || line.includes('$redacted":'));
}
