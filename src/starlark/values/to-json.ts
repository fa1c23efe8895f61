/**
 * Starlark values as plain JSON data. Exact or an error that says where; a view that was only read goes back as the very
 * object it was made from.
 */
import { fail, StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { Dict } from './dict.ts';
import { List, Tuple } from './list.ts';
import { DICT, ENTRY, listBytes, SLOT } from './size.ts';
import { Struct } from './struct.ts';
import { Float, type StarObject, typeName, type Value } from './value.ts';

/** Values that share their parts grow when written out; without a thread to charge, this is where it ends. */
const MAX_NODES = 1_000_000;
const MAX_BYTES = 64 * 1024 * 1024;

export function toJson(value: Value, thread?: Thread): unknown {
  return new Conversion(thread).convert(value, null);
}

/** Where in the result a value goes; only read when something is wrong. */
interface JsonPath {
  readonly parent: JsonPath | null;
  readonly key: string | number;
  readonly depth: number;
}

class Conversion {
  private nodes = 0;
  private bytes = 0;
  private readonly open = new Set<StarObject>();
  private readonly thread: Thread | undefined;

  constructor(thread: Thread | undefined) {
    this.thread = thread;
  }

  convert(value: Value, place: JsonPath | null): unknown {
    this.thread?.spend(1);
    if (++this.nodes > MAX_NODES) throw new StarlarkError('memory', 'value too large to convert to JSON');
    switch (typeof value) {
      case 'string':
        this.pay(value.length);
        return value;
      case 'bigint':
        return exactNumber(value, place);
      case 'object':
        return value === null ? null : this.convertObject(value, place);
      default:
        return value;
    }
  }

  private convertObject(value: StarObject, place: JsonPath | null): unknown {
    if (value instanceof Float) {
      return Number.isFinite(value.value) ? value.value : wrong(place, `float ${value.value} is not JSON`);
    }
    if ((value instanceof List || value instanceof Dict) && value.source !== null) {
      this.weigh(value.source);
      return value.source;
    }
    if (this.open.has(value)) wrong(place, `${value.type} contains itself`);
    if (this.open.size >= MAX_NESTING) {
      throw new StarlarkError('depth', `value nested deeper than ${MAX_NESTING} levels`);
    }
    this.open.add(value);
    const json = this.convertContainer(value, place);
    this.open.delete(value);
    return json;
  }

  private convertContainer(value: StarObject, place: JsonPath | null): unknown {
    if (value instanceof List || value instanceof Tuple) {
      this.thread?.charge(listBytes(value.length));
      return value
        .elements(this.thread ?? null)
        .map((item, index) => this.convert(item, childPath(place, index)));
    }
    if (value instanceof Dict) {
      const json = this.object(value.size);
      value.forEach((key, item) => {
        if (typeof key !== 'string') wrong(place, `dict key ${typeName(key)} is not a string`);
        this.pay(key.length);
        define(json, key, this.convert(item, childPath(place, key)));
      });
      return json;
    }
    if (value instanceof Struct) {
      const json = this.object(value.fields.size);
      for (const [name, field] of value.fields)
        define(json, name, this.convert(field, childPath(place, name)));
      return json;
    }
    return wrong(place, `${value.type} is not JSON`);
  }

  /** Nothing of it is copied here, but whatever takes it writes it out: a record, a store, a program. */
  private weigh(source: object): void {
    const open: object[] = [source];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const items: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
      this.thread?.spend(items.length);
      this.pay(SLOT * items.length);
      for (const item of items) {
        if (typeof item === 'string') this.pay(item.length);
        else if (typeof item === 'object' && item !== null) open.push(item);
      }
    }
  }

  /** For text too, which is shared as long as nobody writes it out. */
  private pay(bytes: number): void {
    if (this.thread !== undefined) this.thread.charge(bytes);
    else if ((this.bytes += bytes) > MAX_BYTES)
      throw new StarlarkError('memory', 'value too large to convert to JSON');
  }

  private object(size: number): Record<string, unknown> {
    this.thread?.charge(DICT + ENTRY * size);
    return {};
  }
}

/** Plain assignment to `__proto__` would set the prototype instead of a property. */
function define(json: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') json[key] = value;
  else Object.defineProperty(json, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A large int passes where a double holds it exactly, as it does when it came from parsed JSON. */
function exactNumber(value: bigint, place: JsonPath | null): number {
  const double = Number(value);
  if (!Number.isFinite(double) || BigInt(double) !== value)
    wrong(place, 'int too large for an exact JSON number');
  return double;
}

function childPath(parent: JsonPath | null, key: string | number): JsonPath {
  return { parent, key, depth: (parent?.depth ?? 0) + 1 };
}

function wrong(place: JsonPath | null, what: string): never {
  let path = '';
  for (let at = place; at !== null; at = at.parent) {
    const part = typeof at.key === 'number' ? `[${at.key}]` : propertyText(at.key);
    path = part + path;
  }
  return fail(`cannot convert to JSON: ${what} (at $${path})`);
}

function propertyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
