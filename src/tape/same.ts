/**
 * Payloads without what the tape has already. Every request to a model carries the whole conversation, and a tool's result
 * comes with the arguments of its call: written whole, a session of n calls would cost n² on its tape. The writer remembers
 * a mark of each value, the reader the values; both forget by the same rule, so that neither grows with the tape.
 *
 * Only the values right under the keys of a payload are looked at, and what is left out is named beside the payload, never in
 * it: no payload can be made to look as if something had been left out.
 */
import { hash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Fired, Same } from './entry.ts';

/** So many payloads are remembered; the one that was longest not used goes first. */
const REMEMBERED = 64;

/** Shorter values cost less than saying where they are. */
const WORTH_IT = 40;

/** Longer ones are remembered by their digest. */
const WHOLE_MARK = 1000;

/** What later payloads may refer to: the last of the same event for conversations, the last of the same call. */
class Memory<T extends { readonly dispatch: number }> {
  private readonly held = new Map<string, T>();

  /** Those a payload may build on. */
  bases(fired: Fired): T[] {
    return slotsOf(fired).flatMap((slot) => this.held.get(slot) ?? []);
  }

  keep(fired: Fired, value: T): void {
    for (const slot of slotsOf(fired)) {
      this.held.delete(slot);
      this.held.set(slot, value);
      if (this.held.size > REMEMBERED) this.held.delete(this.held.keys().next().value!);
    }
  }
}

/** Told from what a line has whatever was left out of it. */
function slotsOf({ run, event, callId }: Fired): string[] {
  const slots = callId === undefined ? [] : [`${run} call ${callId}`];
  if (CONVERSATIONS.test(event)) slots.push(`${run} ${event}`);
  return slots;
}

/** Events whose payloads hold the conversation so far. */
const CONVERSATIONS = /^(?:completion\.|compact\.|agent\.stop$|turn\.end$)/;

/** A value as the writer remembers it; null if it is not worth it. */
type Mark = string | readonly string[] | null;

interface Marked {
  readonly dispatch: number;
  readonly marks: ReadonlyMap<string, Mark>;
}

/** The side of the writer. */
export class PayloadShortener {
  private readonly memory = new Memory<Marked>();

  /** The same object if nothing is left out. */
  shorten(fired: Fired): Fired {
    const { dispatch, payload } = fired;
    if (!isJsonObject(payload)) return fired;
    if (slotsOf(fired).length === 0) return fired;
    const own = ownResult(fired, payload);
    const marks = marksOf(payload);
    const bases = this.memory.bases(fired);
    const same: [string, Same][] = [];
    const left: [string, Json][] = [];
    for (const [key, value] of Object.entries(payload)) {
      const known = own !== null && key === 'result' ? own : foundIn(bases, key, marks.get(key) ?? null);
      if (known === null) {
        left.push([key, value]);
        continue;
      }
      same.push([key, known]);
      left.push([key, restOf(value, known)]);
    }
    this.memory.keep(fired, { dispatch, marks });
    return same.length === 0 ? fired : withSame(fired, Object.fromEntries(left), Object.fromEntries(same));
  }
}

/** The side of the reader. */
export class PayloadRestorer {
  private readonly memory = new Memory<{ readonly dispatch: number; readonly payload: JsonObject }>();

  /** The whole payload; undefined if what it refers to is not there. */
  restore(fired: Fired): Json | undefined {
    const { dispatch, payload, same } = fired;
    const whole = same === undefined ? payload : this.built(fired, same);
    if (isJsonObject(whole)) this.memory.keep(fired, { dispatch, payload: whole });
    return whole;
  }

  private built(fired: Fired, same: Readonly<Record<string, Same>>): Json | undefined {
    const { payload } = fired;
    if (!isJsonObject(payload)) return undefined;
    const bases = [...this.memory.bases(fired), { dispatch: fired.dispatch, payload }];
    const values: [string, Json][] = [];
    for (const [key, value] of Object.entries(payload)) {
      const from = Object.hasOwn(same, key) ? same[key] : undefined;
      const found = from === undefined ? value : lookUp(from, value, payload, bases);
      if (found === undefined) return undefined;
      values.push([key, found]);
    }
    return Object.fromEntries(values);
  }
}

function lookUp(
  from: Same,
  rest: Json,
  own: JsonObject,
  bases: readonly { readonly dispatch: number; readonly payload: JsonObject }[],
): Json | undefined {
  if (typeof from === 'string') return parsedText(Object.hasOwn(own, from) ? own[from] : undefined);
  if (!Array.isArray(from)) return undefined;
  const [dispatch, key, items] = from;
  const base = bases.find((one) => one.dispatch === dispatch)?.payload;
  const value = base !== undefined && Object.hasOwn(base, key) ? base[key] : undefined;
  // A list that was taken out as a secret is no list, and nothing more can be known of it.
  if (items === undefined || !Array.isArray(value) || !Array.isArray(rest)) return value;
  return [...value.slice(0, items), ...rest];
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
function ownResult({ dispatch }: Fired, { content, result }: JsonObject): Same | null {
  if (typeof content !== 'string' || content.length < WORTH_IT) return null;
  if (result === content) return [dispatch, 'content'];
  return isNested(result) && textOf(result) === content ? 'content' : null;
}

function foundIn(bases: readonly Marked[], key: string, mark: Mark): Same | null {
  if (mark === null) return null;
  for (const { dispatch, marks } of bases) {
    const kept = commonTo(marks.get(key) ?? null, mark);
    if (kept > 0) return typeof mark === 'string' ? [dispatch, key] : [dispatch, key, kept];
  }
  return null;
}

/** Of a list the number of items it begins with, of anything else 1 or 0. */
function commonTo(before: Mark, now: Mark): number {
  if (before === null || now === null) return 0;
  if (typeof before === 'string' || typeof now === 'string') return before === now ? 1 : 0;
  let kept = 0;
  while (kept < before.length && kept < now.length && before[kept] === now[kept]) kept++;
  return kept;
}

/** What stands in the place of a value: nothing, or the items that follow. */
function restOf(value: Json, known: Same): Json {
  return typeof known !== 'string' && known[2] !== undefined ? (value as Json[]).slice(known[2]) : null;
}

const NO_MARKS: ReadonlyMap<string, Mark> = new Map();

/** None of a payload that JSON cannot hold. */
function marksOf(payload: JsonObject): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const [key, value] of Object.entries(payload)) {
    if (typeof value === 'string') {
      if (value.length >= WORTH_IT) marks.set(key, markOf(value));
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
  return text.length > WHOLE_MARK ? `${text.length} ${hash('sha256', text, 'hex')}` : text;
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
function withSame(fired: Fired, payload: Json, same: Readonly<Record<string, Same>>): Fired {
  const { turn, ...rest } = fired;
  return { ...rest, payload, same, ...(turn !== undefined && { turn }) };
}
