/**
 * JSON text that is the same for the same data, as RFC 8785 has it: keys sorted by UTF-16 code units, no spaces, numbers and
 * strings as ECMAScript writes them. It can also tell how the keys stood before, so that a reader can put them back.
 *
 * One thing goes beyond the RFC, which refuses it: half of a surrogate pair is written as `\udXXX`, as JSON.stringify does.
 */

/**
 * One list for each object whose keys did not stand in sorted order, in the order of the text: the number of the object
 * (its opening brace counted from 0), then for each key as they stood its place in sorted order.
 */
export type KeyOrder = readonly (readonly number[])[];

export interface Canonical {
  readonly text: string;
  /** Empty where every object had its keys in sorted order. */
  readonly order: KeyOrder;
}

/** Deeper data is refused before it can exhaust the stack; a cycle ends here too. */
const MAX_DEPTH = 1000;

/** Throws a TypeError for what JSON cannot hold: NaN, functions, cycles. `undefined` in an object is an absent key. */
export function canonicalJson(value: unknown): string {
  return new CanonicalWriter().write(value, 0);
}

export function canonicalWithOrder(value: unknown): Canonical {
  const writer = new CanonicalWriter();
  const text = writer.write(value, 0);
  return { text, order: writer.order };
}

/** What the platform would have to escape. A text without it is its own JSON, and that is nearly every text. */
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** For what writes a part of its text itself: `objects` counts the braces it opens. */
export class CanonicalWriter {
  order: number[][] = NO_ORDER;
  objects = 0;

  write(value: unknown, depth: number): string {
    switch (typeof value) {
      case 'string':
        return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
      case 'number':
        if (!Number.isFinite(value)) throw new TypeError(`${value} is not JSON`);
        // String() writes numbers as the RFC wants them, also -0 as 0.
        return String(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'object':
        if (value === null) return 'null';
        if (depth > MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH} levels, or a cycle`);
        if (Array.isArray(value)) return this.array(value, depth + 1);
        return this.object(value as Readonly<Record<string, unknown>>, depth + 1);
      default:
        throw new TypeError(`a ${typeof value} is not JSON`);
    }
  }

  private array(items: readonly unknown[], depth: number): string {
    if (items.length === 0) return '[]';
    let text = `[${this.write(items[0], depth)}`;
    for (let i = 1; i < items.length; i++) text += `,${this.write(items[i], depth)}`;
    return `${text}]`;
  }

  private object(object: Readonly<Record<string, unknown>>, depth: number): string {
    if (typeof object.toJSON === 'function') return this.write(object.toJSON(), depth);
    const number = this.objects++;
    const given = Object.keys(object);
    const keys = isSorted(object, given) ? given : this.sortedKeys(object, given, number);
    if (keys.length === 0) return '{}';
    let text = `{${nameOf(keys[0]!)}${this.write(object[keys[0]!], depth)}`;
    for (let at = 1; at < keys.length; at++) {
      const key = keys[at]!;
      text += `,${nameOf(key)}${this.write(object[key], depth)}`;
    }
    return `${text}}`;
  }

  private sortedKeys(
    object: Readonly<Record<string, unknown>>,
    given: readonly string[],
    number: number,
  ): readonly string[] {
    const keys = given.filter((key) => object[key] !== undefined);
    const inOrder = keys.length < MANY ? inserted(keys) : keys.slice().sort();
    const places = placesOf(keys, inOrder);
    if (places.every((place, at) => place === at)) return keys;
    if (this.order === NO_ORDER) this.order = [];
    this.order.push([number, ...places]);
    return inOrder;
  }
}

/** The sort of the platform takes ten times as long for a few. */
function inserted(keys: readonly string[]): string[] {
  const sorted: string[] = [];
  for (let count = 0; count < keys.length; count++) {
    const key = keys[count]!;
    let at = count;
    for (; at > 0 && sorted[at - 1]! > key; at--) sorted[at] = sorted[at - 1]!;
    sorted[at] = key;
  }
  return sorted;
}

function isSorted(object: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  for (let at = 0; at < keys.length; at++) {
    if (object[keys[at]!] === undefined || (at > 0 && keys[at - 1]! > keys[at]!)) return false;
  }
  return true;
}

/** Keys as they are written, with their colon: the same few come up in every record. */
const names = new Map<string, string>();
const MOST_NAMES = 1024;
const LONGEST_NAME = 64;

function nameOf(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = NEEDS_ESCAPE.test(key) ? `${JSON.stringify(key)}:` : `"${key}":`;
  if (names.size < MOST_NAMES && key.length <= LONGEST_NAME) names.set(key, name);
  return name;
}

/** Shared by every writer that met no object out of order, which is most of them. */
const NO_ORDER: number[][] = [];

/** From here on looking each key up beats searching for it. */
const MANY = 16;

function placesOf(keys: readonly string[], sorted: readonly string[]): number[] {
  if (keys.length < MANY) return keys.map((key) => sorted.indexOf(key));
  const places = new Map(sorted.map((key, place) => [key, place]));
  return keys.map((key) => places.get(key)!);
}

/**
 * The data with its keys as they stood. `value` is what parsing the text gave, and may be changed; `first` is the number of its
 * first object. It throws where the lists do not fit.
 */
export function restoreOrder<T>(value: T, order: KeyOrder, first = 0): T {
  if (order.length === 0) return value;
  let objects = first;
  let next = 0;
  const restore = (inner: unknown): unknown => {
    // Nothing behind the last object with an order changes.
    if (next === order.length || typeof inner !== 'object' || inner === null) return inner;
    if (Array.isArray(inner)) {
      for (let i = 0; i < inner.length; i++) if (isNested(inner[i])) inner[i] = restore(inner[i]);
      return inner;
    }
    const place = order[next]?.[0] === objects++ ? order[next++] : undefined;
    const object = inner as Record<string, unknown>;
    const keys = inTextOrder(Object.keys(object));
    for (const key of keys) {
      const held = object[key];
      if (!isNested(held)) continue;
      const restored = restore(held);
      if (restored !== held) define(object, key, restored);
    }
    return place === undefined ? object : reordered(object, keys, place);
  };
  const restored = restore(value);
  if (next !== order.length) throw new TypeError('the order does not fit the data');
  return restored as T;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** The platform puts keys that look like indices first, whatever the text said. */
function inTextOrder(keys: string[]): string[] {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

/** `place` is the number of the object, then the place of each key. */
function reordered(
  object: Record<string, unknown>,
  keys: readonly string[],
  place: readonly number[],
): object {
  if (place.length !== keys.length + 1) throw new TypeError('the order does not fit the data');
  const made: Record<string, unknown> = {};
  for (let i = 1; i < place.length; i++) {
    const key = keys[place[i]!];
    if (key === undefined || Object.hasOwn(made, key)) throw new TypeError('the order does not fit the data');
    define(made, key, object[key]);
  }
  return made;
}

/** Assigning would set the prototype for one name. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
