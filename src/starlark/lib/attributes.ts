/**
 * `x.name`: the methods of the built-in types from their tables, everything else from the value itself. There is no
 * other way to an attribute, so nothing of JavaScript can be reached by name.
 */
import { nearest } from '../../base/index.ts';

import { fail } from '../run/errors.ts';
import type { Method } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { Bytes } from '../values/bytes.ts';
import { Dict } from '../values/dict.ts';
import { List } from '../values/list.ts';
import { StarSet } from '../values/set.ts';
import { BOUND_METHOD } from '../values/size.ts';
import { StarObject, typeName, type Value } from '../values/value.ts';
import { BYTES_METHODS } from './bytes-methods.ts';
import { DICT_METHODS } from './dict-methods.ts';
import { LIST_METHODS } from './list-methods.ts';
import { SET_METHODS } from './set-methods.ts';
import { STRING_METHODS } from './string-methods.ts';

export type { Method };

type MethodTable = ReadonlyMap<string, Method>;

/** The methods of a built-in type, undefined where the type has none. */
function methodsOf(object: Value): MethodTable | undefined {
  if (typeof object === 'string') return STRING_METHODS;
  if (!(object instanceof StarObject)) return undefined;
  if (object instanceof Dict) return DICT_METHODS;
  if (object instanceof List) return LIST_METHODS;
  if (object instanceof StarSet) return SET_METHODS;
  return object instanceof Bytes ? BYTES_METHODS : undefined;
}

/** The method a call `object.name(…)` means, to be called without making a bound method first. */
export function lookupMethod(object: Value, name: string): Method | undefined {
  return methodsOf(object)?.get(name);
}

function findAttr(thread: Thread, object: Value, name: string): Value | undefined {
  const method = lookupMethod(object, name);
  if (method !== undefined) {
    thread.charge(BOUND_METHOD);
    return method.bind(object);
  }
  return object instanceof StarObject ? object.attr(name, thread) : undefined;
}

export function getAttr(thread: Thread, object: Value, name: string): Value {
  const value = findAttr(thread, object, name);
  return value === undefined ? fail(missingAttr(thread, object, name)) : value;
}

/** Like `getAttr`, but undefined where there is no such attribute. */
export function tryGetAttr(thread: Thread, object: Value, name: string): Value | undefined {
  return findAttr(thread, object, name);
}

export function hasAttr(thread: Thread, object: Value, name: string): boolean {
  if (lookupMethod(object, name) !== undefined) return true;
  return object instanceof StarObject && object.attr(name, thread) !== undefined;
}

/** All attributes of a value, sorted. */
export function attrNames(object: Value): string[] {
  return unsortedNames(object).sort();
}

function unsortedNames(object: Value): string[] {
  const methods = methodsOf(object)?.keys() ?? [];
  const fields = object instanceof StarObject ? object.attrNames() : [];
  return [...methods, ...fields];
}

export function setAttr(thread: Thread, object: Value, name: string, value: Value): void {
  const canAssign = object instanceof StarObject && object.setAttr !== StarObject.prototype.setAttr;
  if (!canAssign) fail(`can't assign to .${name} field of ${typeName(object)}`);
  if (!object.setAttr(thread, name, value)) fail(missingAttr(thread, object, name));
}

function missingAttr(thread: Thread, object: Value, name: string): string {
  const what =
    object instanceof StarObject
      ? object.missingAttr(name)
      : `${typeName(object)} has no .${name} field or method`;
  const names = unsortedNames(object);
  thread.spend(names.length);
  const near = nearest(name, names);
  if (object instanceof Dict && near === undefined)
    return `${what} (for a key, write [${JSON.stringify(name)}])`;
  return near === undefined ? what : `${what} (did you mean .${near}?)`;
}
