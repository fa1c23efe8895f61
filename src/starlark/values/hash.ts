/**
 * Keys and hashes. `hashKey` turns a value into something a Map can be keyed by, so that equal values, and only equal
 * values, are one key. `hash(x)` of the language is another thing: a number the specification fixes.
 */
import { fail, StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { isObject, type Key, type StarObject, typeName, type Value } from './value.ts';

/**
 * An encoded key begins with this character. A string that itself begins with it is encoded too, so that no string can
 * pass for a tuple.
 */
const MARK = '\0';

/** Longest encoded key. A tuple that shares its parts can be small in memory and vast when written out. */
const MAX_KEY_LENGTH = 1 << 20;
/** Comparing keys this long or longer is work worth charging. */
export const LONG_KEY = 256;

/** The key of a value; fails for values that cannot be keys. Strings and ints are their own keys. */
export function hashKey(value: Value, thread?: Thread): Key {
  if (typeof value === 'string') return stringKey(value, thread);
  if (!isObject(value)) return value;
  return objectKey(value, thread, 0);
}

export function stringKey(text: string, thread?: Thread): string {
  if (text.length >= LONG_KEY) thread?.spend(text.length >> 4);
  return text.charCodeAt(0) === 0 ? `${MARK}s${text}` : text;
}

function objectKey(value: StarObject, thread: Thread | undefined, depth: number): Key {
  if (depth > MAX_NESTING) throw new StarlarkError('depth', `key nested deeper than ${MAX_NESTING} levels`);
  const key = value.hashKey((part) => {
    thread?.spend(1);
    if (typeof part === 'string') return stringKey(part, thread);
    return isObject(part) ? objectKey(part, thread, depth + 1) : part;
  }, thread ?? null);
  if (key === undefined) unhashable(value);
  if (typeof key === 'string') thread?.spend(key.length >> 4);
  return key;
}

const CONTAINERS: ReadonlySet<string> = new Set(['list', 'dict', 'set']);

function unhashable(value: Value): never {
  const type = typeName(value);
  return fail(CONTAINERS.has(type) ? `unhashable type: ${type}` : `unhashable: ${type}`);
}

/** One key out of several: each part says its kind and, where its end could be mistaken, its length. */
export function encodeParts(kind: string, parts: readonly Key[]): string {
  if (parts.length > FEW_PARTS) return joinParts(kind, parts);
  let out = MARK + kind;
  for (const part of parts) out += encodePart(part);
  if (out.length > MAX_KEY_LENGTH) keyTooLarge();
  return out;
}

/** More parts than this are joined at once: one by one, each would leave a node of the engine's behind. */
const FEW_PARTS = 8;

function joinParts(kind: string, parts: readonly Key[]): string {
  const pieces = [MARK + kind];
  let length = 0;
  for (const part of parts) {
    const piece = encodePart(part);
    length += piece.length;
    if (length > MAX_KEY_LENGTH) keyTooLarge();
    pieces.push(piece);
  }
  return pieces.join('');
}

function keyTooLarge(): never {
  throw new StarlarkError('memory', 'dictionary key too large');
}

function encodePart(part: Key): string {
  switch (typeof part) {
    case 'string':
      return `s${part.length}:${part}`;
    case 'number':
      return `n${part};`;
    case 'bigint':
      return `i${part.toString(36)};`;
    case 'boolean':
      return part ? 'T' : 'F';
    default:
      return part === null ? 'N' : `o${identity(part)};`;
  }
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

function identity(object: object): number {
  let id = identities.get(object);
  if (id === undefined) identities.set(object, (id = ++lastIdentity));
  return id;
}

/** `hash(string)`: the polynomial Java uses, over UTF-16 units, as a signed 32-bit number. */
export function hashString(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** `hash(bytes)`: 32-bit FNV-1a. */
export function hashBytes(data: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of data) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
