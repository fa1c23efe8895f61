/**
 * Parsed JSON as Starlark values, without copying it: arrays and objects become frozen views that convert what is read.
 */
import { fail } from '../run/errors.ts';
import { Dict, type JsonObject } from './dict.ts';
import { intFromNumber } from './int.ts';
import { List } from './list.ts';
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

/** A JSON value as a Starlark value. Only plain data passes; anything else of the host is an error, never a leak. */
export function wrapJson(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json;
    case 'number':
      return Number.isInteger(json) ? intFromNumber(json) : new Float(json);
    case 'bigint':
      return Number.isSafeInteger(Number(json)) ? Number(json) : json;
    case 'undefined':
      return null;
    case 'object':
      return json === null ? null : wrapObject(json);
    default:
      return fail(`cannot convert a host ${typeof json} to a Starlark value`);
  }
}

function wrapObject(json: object): Value {
  if (Array.isArray(json)) return List.view(json);
  const prototype: unknown = Object.getPrototypeOf(json);
  if (prototype === Object.prototype || prototype === null) return Dict.view(json as JsonObject);
  if (json instanceof LazyText) return json.text;
  if (json instanceof StarObject) return json;
  return fail(`cannot convert a host ${className(json)} to a Starlark value`);
}

function className(object: object): string {
  return typeof object.constructor === 'function' ? object.constructor.name : 'object';
}
