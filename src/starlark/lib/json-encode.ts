/**
 * Writes Starlark values as JSON text: dicts by sorted key, any other iterable as an array, structs by sorted field.
 * Cycles and values without a JSON form are errors that name the way to them. Text is charged before it is kept.
 */
import { StarlarkError } from '../run/errors.ts';
import { MAX_NESTING, type Thread } from '../run/thread.ts';
import { orderStrings } from '../values/compare.ts';
import { Dict } from '../values/dict.ts';
import { formatFloat } from '../values/float-format.ts';
import { intText } from '../values/int.ts';
import { repr } from '../values/repr.ts';
import { listBytes, PIECE, TEXT } from '../values/size.ts';
import { blocksOf } from '../values/text-builder.ts';
import { Float, StarObject, typeName, type Value } from '../values/value.ts';

export function encodeJson(thread: Thread, name: string, value: Value): string {
  thread.charge(TEXT);
  const writer = new Writer(thread, name);
  writer.value(value);
  return writer.text;
}

const LONE_SURROGATE = /\p{Cs}/gu;

/** A JSON string literal; half a surrogate pair is not text and becomes U+FFFD. */
export function quoteJson(text: string): string {
  return JSON.stringify(text.replace(LONE_SURROGATE, '\ufffd'));
}

/** Text that is quoted in one piece. */
const SHORT = 1024;
/** The pair of an entry, as it is and as it is sorted. */
const PAIRS = 96;

class Writer {
  text = '';
  private readonly thread: Thread;
  private readonly name: string;
  /** The containers being written, each with the step of the path taken inside it: `at list index 1`. */
  private readonly open = new Map<StarObject, () => string>();

  constructor(thread: Thread, name: string) {
    this.thread = thread;
    this.name = name;
  }

  value(value: Value): void {
    this.thread.spend(1);
    if (value instanceof Float) this.float(value.value);
    else if (value instanceof StarObject) this.object(value);
    else if (typeof value === 'string') this.quoted(value);
    else this.put(this.primitive(value));
  }

  private primitive(value: null | boolean | number | bigint): string {
    if (value === null) return 'null';
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    return intText(value, 10, this.thread);
  }

  private quoted(text: string): void {
    this.thread.spend(text.length >> 4);
    if (text.length <= SHORT) {
      this.put(quoteJson(text));
      return;
    }
    // Escapes lengthen a text several times over: each block is paid for before the next is made.
    this.put('"');
    for (const block of blocksOf(text)) this.put(quoteJson(block).slice(1, -1));
    this.put('"');
  }

  private float(value: number): void {
    if (!Number.isFinite(value)) this.wrong(`cannot encode non-finite float ${formatFloat(value)}`);
    this.put(formatFloat(value));
  }

  private object(value: StarObject): void {
    if (this.open.has(value)) this.wrong('cycle in JSON structure');
    if (this.open.size >= MAX_NESTING) {
      throw new StarlarkError('depth', `${this.name}: nested deeper than ${MAX_NESTING} levels`);
    }
    this.open.set(value, () => '');
    if (value instanceof Dict) this.dict(value);
    else if (!this.iterable(value)) this.fields(value);
    this.open.delete(value);
  }

  private dict(dict: Dict): void {
    this.thread.charge(listBytes(dict.len(this.thread)) + PAIRS * dict.len());
    const entries = dict.entries(this.thread);
    this.thread.spend(entries.length * (1 + Math.ceil(Math.log2(entries.length + 1))));
    const named = entries.map(([key, value]): [string, Value] => {
      if (typeof key !== 'string') this.wrong(`dict has ${typeName(key)} key, want string`);
      return [key, value];
    });
    named.sort(([a], [b]) => orderStrings(this.thread, a, b));
    this.members(dict, named, (key) => `in dict key ${repr(key, this.thread)}`);
  }

  private fields(value: StarObject): void {
    const names = value.attrNames();
    const named: [string, Value][] = [];
    for (const name of names) {
      const field = value.attr(name, this.thread);
      if (field !== undefined) named.push([name, field]);
    }
    if (named.length === 0 && value.type !== 'struct') this.wrong(`cannot encode ${value.type} as JSON`);
    named.sort(([a], [b]) => orderStrings(this.thread, a, b));
    this.members(value, named, (name) => `in field .${name}`);
  }

  private members(owner: StarObject, named: readonly [string, Value][], step: (key: string) => string): void {
    this.put('{');
    named.forEach(([key, value], i) => {
      this.open.set(owner, () => step(key));
      if (i > 0) this.put(',');
      this.quoted(key);
      this.put(':');
      this.value(value);
    });
    this.put('}');
  }

  private iterable(value: StarObject): boolean {
    const cursor = value.cursor(this.thread);
    if (cursor === undefined) return false;
    try {
      let index = 0;
      this.open.set(value, () => `at ${value.type} index ${index}`);
      this.put('[');
      for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
        if (index > 0) this.put(',');
        this.value(item);
        index++;
      }
      this.put(']');
    } finally {
      cursor.close();
    }
    return true;
  }

  private put(text: string): void {
    this.thread.charge(PIECE + text.length);
    this.text += text;
  }

  private wrong(message: string): never {
    const path = [...this.open.values()].map((step) => step()).filter((step) => step !== '');
    throw new StarlarkError('eval', [this.name, ...path, message].join(': '));
  }
}
