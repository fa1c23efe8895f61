/**
 * Parsed JSON as Starlark values, without copying it: arrays and objects become frozen views that convert what is read.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { Dict, type JsonObject } from './dict.ts';
import { intFromNumber } from './int.ts';
import { List } from './list.ts';
import { DICT, FLOAT, LIST } from './size.ts';
import { Float, StarObject, type Value } from './value.ts';

/** A string inside JSON data that is computed when it is first read, by a script or by `JSON.stringify`. */
export class LazyText {
  private compute: (() => string) | null;
  private known = '';

  constructor(compute: () => string) {
    this.compute = compute;
  }

  get text(): string {
    if (this.compute !== null) {
      this.known = this.compute();
      this.compute = null;
    }
    return this.known;
  }

  toJSON(): string {
    return this.text;
  }
}

/**
 * The object with the keys that `base` does not have, and those of `base` as they are. What it needs beside the base is `from`:
 * a function for all such objects costs less than a closure for each.
 */
type Completion<F = unknown> = (base: JsonObject, from: F) => JsonObject;

/**
 * A JSON object and more keys, which are made from the object. Nothing is copied until somebody wants one of those, or
 * all keys: most scripts read two others.
 */
export class ExtendedObject {
  readonly base: JsonObject;
  private readonly complete: Completion;
  private readonly from: unknown;
  private known: JsonObject | null = null;

  constructor(base: JsonObject, complete: Completion<never>, from: unknown = null) {
    this.base = base;
    this.complete = complete as Completion;
    this.from = from;
  }

  get whole(): JsonObject {
    return (this.known ??= this.complete(this.base, this.from));
  }

  toJSON(): JsonObject {
    return this.whole;
  }
}

/**
 * A copy that is about to gain a key, for which V8 takes five times as long after a spread; the spread stays for the one key
 * that a loop cannot copy safely.
 */
export function copied(object: JsonObject): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(object);
  for (let at = 0; at < keys.length; at++) {
    const name = keys[at]!;
    if (name === '__proto__') return { ...object };
    copy[name] = object[name];
  }
  return copy;
}

/** A copy with one key set. */
export function extended(object: JsonObject, key: string, value: unknown): JsonObject {
  const copy = copied(object);
  copy[key] = value;
  return copy;
}

/**
 * A JSON value as a Starlark value. Only plain data passes; anything else of the host is an error, never a leak. What a
 * script reads is charged to its thread.
 */
export function wrapJson(json: unknown, thread: Thread | null = null): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json;
    case 'number':
      if (Number.isInteger(json)) return intFromNumber(json, thread);
      thread?.charge(FLOAT);
      return new Float(json);
    case 'bigint':
      return Number.isSafeInteger(Number(json)) ? Number(json) : json;
    case 'undefined':
      return null;
    case 'object':
      return json === null ? null : wrapObject(json, thread);
    default:
      return fail(`cannot convert a host ${typeof json} to a Starlark value`);
  }
}

function wrapObject(json: object, thread: Thread | null): Value {
  if (Array.isArray(json)) {
    thread?.charge(LIST);
    return List.view(json);
  }
  const prototype: unknown = Object.getPrototypeOf(json);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (isPlain || json instanceof ExtendedObject) thread?.charge(DICT);
  if (isPlain) return Dict.view(json as JsonObject);
  if (json instanceof LazyText) return json.text;
  if (json instanceof ExtendedObject) return Dict.extended(json);
  if (json instanceof StarObject) return json;
  return fail(`cannot convert a host ${className(json)} to a Starlark value`);
}

function className(object: object): string {
  return typeof object.constructor === 'function' ? object.constructor.name : 'object';
}
