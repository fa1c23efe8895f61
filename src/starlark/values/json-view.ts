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
  if (prototype === Object.prototype || prototype === null) {
    thread?.charge(DICT);
    return Dict.view(json as JsonObject);
  }
  if (json instanceof StarObject) return json;
  return fail(`cannot convert a host ${className(json)} to a Starlark value`);
}

function className(object: object): string {
  return typeof object.constructor === 'function' ? object.constructor.name : 'object';
}
