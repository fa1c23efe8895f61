/**
 * Payloads without what the tape has already. Every request to a model carries the whole conversation, and a tool's result
 * comes with the arguments of its call: written whole, a session of n calls would cost n² on its tape. The writer remembers
 * a mark of each value, the reader the values; both forget by the same rule, so that neither grows with the tape.
 *
 * Only the values right under the keys of a payload are looked at, and what is left out is named beside the payload, never in
 * it: no payload can be made to look as if something had been left out.
 */

import {
  isJsonObject,
  type Json,
  type JsonObject,
  type KeyOrder,
  restoreOrder,
  sha256Hex,
} from '../base/index.ts';
import type { Fired, SharedPrefix } from './entry.ts';

/** A payload may refer to those of so many dispatches before it, counting those that others may refer to. */
const WINDOW = 128;

/** Shorter values cost less than saying where they are. */
const WORTH_IT = 40;

/** Longer ones are remembered by their digest. */
const WHOLE_MARK = 1000;

/** What ties payloads together: the call they are about, or else the conversation they hold. Null for all others. */
function tieOf({ run, event, callId }: Fired): string | null {
  if (callId !== undefined) return `${run} call ${callId}`;
  return CONVERSATIONS.test(event) ? `${run} ${event}` : null;
}

/** Events whose payloads hold the conversation so far. */
const CONVERSATIONS = /^(?:completion\.|compact\.|agent\.stop$|turn\.end$)/;

/** A value as the writer remembers it; those that are not worth it have none. */
type Mark = string | readonly string[];

interface Marked {
  readonly dispatch: number;
  /** Most payloads are never followed by another of their kind: then a text is all that is kept of them. */
  readonly marks: () => ReadonlyMap<string, Mark>;
  /** Its place among those that can be referred to. */
  readonly place: number;
}

/** The side of the writer. */
export class PayloadShortener {
  /** By what ties them. */
  private readonly held = new Map<string, Marked>();
  /** What tied the last ones, by their place. */
  private readonly ties: string[] = [];
  private place = 0;

  /** Whether nothing can be left out of it; `hold` is then told what was written of it. */
  isFirst(fired: Fired): boolean {
    const { payload } = fired;
    if (!isJsonObject(payload) || typeof payload.content === 'string') return false;
    const tie = tieOf(fired);
    return tie !== null && !this.held.has(tie);
  }

  /** `text` is the payload as canonical JSON; its first object has the number `first` in `order`. */
  hold(fired: Fired, text: string, order: KeyOrder, first: number): void {
    const { dispatch, payload } = fired;
    if (text.length > WHOLE_MARK) {
      const marks = marksOf(payload as JsonObject);
      this.swap(tieOf(fired)!, dispatch, () => marks);
      return;
    }
    this.swap(tieOf(fired)!, dispatch, () =>
      marksOf(restoreOrder(JSON.parse(text) as JsonObject, order, first)),
    );
  }

  /** The same object if nothing is left out. */
  shorten(fired: Fired): Fired {
    const { payload } = fired;
    const tie = isJsonObject(payload) ? tieOf(fired) : null;
    if (tie === null || !isJsonObject(payload)) return fired;
    const marks = marksOf(payload);
    const base = this.swap(tie, fired.dispatch, () => marks);
    const own = ownResult(fired, payload);
    if (own === null && base === null) return fired;
    const same: [string, SharedPrefix][] = [];
    const left: [string, Json][] = [];
    for (const [key, value] of Object.entries(payload)) {
      const known = own !== null && key === 'result' ? own : foundIn(base, key, marks.get(key));
      left.push([key, known === null ? value : restOf(value, known)]);
      if (known !== null) same.push([key, known]);
    }
    return same.length === 0 ? fired : withSame(fired, Object.fromEntries(left), Object.fromEntries(same));
  }

  /** Remembers a payload in the place of the one it is tied to, and gives that if it can be referred to. */
  private swap(tie: string, dispatch: number, marks: Marked['marks']): Marked | null {
    const place = this.place++;
    const base = this.held.get(tie) ?? null;
    const oldest = this.ties[place % WINDOW];
    if (oldest !== undefined && this.held.get(oldest)?.place === place - WINDOW) this.held.delete(oldest);
    this.ties[place % WINDOW] = tie;
    this.held.set(tie, { dispatch, marks, place });
    return base;
  }
}

interface PreviousPayload {
  readonly dispatch: number;
  readonly payload: JsonObject;
}

/** The side of the reader. */
export class PayloadRestorer {
  private readonly held: PreviousPayload[] = [];
  private place = 0;

  /** The whole payload; undefined if what it refers to is not there. */
  restore(fired: Fired): Json | undefined {
    const { dispatch, payload, same } = fired;
    const whole = same === undefined ? payload : this.built(fired, same);
    if (isJsonObject(whole) && tieOf(fired) !== null) {
      this.held[this.place++ % WINDOW] = { dispatch, payload: whole };
    }
    return whole;
  }

  private built(
    { dispatch, payload }: Fired,
    same: Readonly<Record<string, SharedPrefix>>,
  ): Json | undefined {
    if (!isJsonObject(payload)) return undefined;
    const own = { dispatch, payload };
    const values: [string, Json][] = [];
    for (const [key, value] of Object.entries(payload)) {
      const from = Object.hasOwn(same, key) ? same[key] : undefined;
      const found = from === undefined ? value : restoredValue(from, value, own, this.held);
      if (found === undefined) return undefined;
      values.push([key, found]);
    }
    return Object.fromEntries(values);
  }
}

function restoredValue(
  from: SharedPrefix,
  rest: Json,
  own: PreviousPayload,
  held: readonly PreviousPayload[],
): Json | undefined {
  if (typeof from === 'string') return parsedText(ownValue(own.payload, from));
  if (!Array.isArray(from)) return undefined;
  const [dispatch, key, items] = from;
  const base = dispatch === own.dispatch ? own : held.find((one) => one.dispatch === dispatch);
  const value = base === undefined ? undefined : ownValue(base.payload, key);
  // A list that was taken out as a secret is no list, and nothing more can be known of it.
  if (items === undefined || !Array.isArray(value) || !Array.isArray(rest)) return value;
  return [...value.slice(0, items), ...rest];
}

function ownValue(payload: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(payload, key) ? payload[key] : undefined;
}

/** What was taken out of the text cannot be in the value either. */
function parsedText(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Of a tool's result the text, and the value that the text is or is made from, are one. */
function ownResult({ dispatch }: Fired, { content, result }: JsonObject): SharedPrefix | null {
  if (typeof content !== 'string' || content.length < WORTH_IT) return null;
  if (result === content) return [dispatch, 'content'];
  return isNested(result) && textOf(result) === content ? 'content' : null;
}

function foundIn(base: Marked | null, key: string, mark: Mark | undefined): SharedPrefix | null {
  const before = base?.marks().get(key);
  if (base === null || before === undefined || mark === undefined) return null;
  const kept = commonTo(before, mark);
  if (kept === 0) return null;
  return typeof mark === 'string' ? [base.dispatch, key] : [base.dispatch, key, kept];
}

/** Of a list the number of items it begins with, of anything else 1 or 0. */
function commonTo(before: Mark, now: Mark): number {
  if (typeof before === 'string' || typeof now === 'string') return before === now ? 1 : 0;
  let kept = 0;
  while (kept < before.length && kept < now.length && before[kept] === now[kept]) kept++;
  return kept;
}

/** What stands in the place of a value: nothing, or the items that follow. */
function restOf(value: Json, known: SharedPrefix): Json {
  return typeof known !== 'string' && known[2] !== undefined ? (value as Json[]).slice(known[2]) : null;
}

const NO_MARKS: ReadonlyMap<string, Mark> = new Map();

/** None of a payload that JSON cannot hold. */
function marksOf(payload: JsonObject): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const [key, value] of Object.entries(payload)) {
    if (typeof value === 'string') {
      // Told apart from data that reads like it.
      if (value.length >= WORTH_IT) marks.set(key, markOf(`"${value}`));
    } else if (isNested(value)) {
      const mark = Array.isArray(value) && value.some(isNested) ? listMark(value) : nestedMark(value);
      if (mark === undefined) return NO_MARKS;
      if (mark !== null) marks.set(key, mark);
    }
  }
  return marks;
}

/** Undefined for what JSON cannot hold. */
function listMark(items: readonly Json[]): readonly string[] | undefined {
  const marks: string[] = [];
  for (const item of items) {
    const text = textOf(item);
    if (text === null) return undefined;
    marks.push(markOf(text));
  }
  return marks;
}

function nestedMark(value: JsonObject | readonly Json[]): string | null | undefined {
  const text = textOf(value);
  if (text === null) return undefined;
  return text.length >= WORTH_IT ? markOf(text) : null;
}

function markOf(text: string): string {
  return text.length > WHOLE_MARK ? `${text.length} ${sha256Hex(text)}` : text;
}

/** With the keys as they stand, since hooks may go through them. Null for what JSON cannot hold. */
function textOf(value: Json | undefined): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

function isNested(value: unknown): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null;
}

/** With its keys in sorted order, as all records have them. */
function withSame(fired: Fired, payload: Json, same: Readonly<Record<string, SharedPrefix>>): Fired {
  const { turn, ...rest } = fired;
  return { ...rest, payload, same, ...(turn !== undefined && { turn }) };
}
