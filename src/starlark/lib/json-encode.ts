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
import { List, Tuple } from '../values/list.ts';
import { repr } from '../values/repr.ts';
import { listBytes, TEXT } from '../values/size.ts';
import { blocksOf, TextBuilder } from '../values/text-builder.ts';
import { Float, StarObject, typeName, type Value } from '../values/value.ts';

export function encodeJson(thread: Thread, name: string, value: Value): string {
  thread.charge(TEXT);
  const writer = new Writer(thread, name);
  writer.value(value);
  return writer.finish();
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

/** How a dict of these keys is written: records come in rows, and those of one kind are sorted once. */
interface Layout {
  readonly keys: readonly string[];
  /** Which of the keys is written first, second… */
  readonly order: readonly number[];
  /** What stands before each value, in the order of writing; null if a key is too long to be kept twice. */
  readonly before: readonly (string | null)[];
}

class Writer {
  private readonly out = new TextBuilder();
  private readonly thread: Thread;
  private readonly name: string;
  /** The containers being written, and the way taken inside each: an index, a key or a field; null before the first. */
  private readonly open: StarObject[] = [];
  private readonly way: (number | string | null)[] = [];
  /** By the first key. */
  private readonly layouts = new Map<string, Layout>();

  constructor(thread: Thread, name: string) {
    this.thread = thread;
    this.name = name;
  }

  finish(): string {
    return this.out.finish();
  }

  value(value: Value): void {
    this.thread.spend(1);
    if (typeof value === 'string') this.quoted(value);
    else if (value instanceof Float) this.float(value.value);
    else if (value instanceof StarObject) this.object(value);
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
    const { open, way } = this;
    this.thread.spend(open.length >> 6);
    if (open.includes(value)) this.wrong('cycle in JSON structure');
    if (open.length >= MAX_NESTING) {
      throw new StarlarkError('depth', `${this.name}: nested deeper than ${MAX_NESTING} levels`);
    }
    open.push(value);
    way.push(null);
    if (value instanceof Dict) this.dict(value);
    else if (value instanceof List || value instanceof Tuple) this.items(value.elements(this.thread));
    else if (!this.iterable(value)) this.fields(value);
    open.pop();
    way.pop();
  }

  private dict(dict: Dict): void {
    const size = dict.len(this.thread);
    this.thread.charge(listBytes(size) + PAIRS * size);
    this.thread.spend(size * (1 + Math.ceil(Math.log2(size + 1))));
    const keys: string[] = [];
    const values: Value[] = [];
    dict.forEach((key, value) => {
      if (typeof key !== 'string') this.wrong(`dict has ${typeName(key)} key, want string`);
      keys.push(key);
      values.push(value);
    }, this.thread);
    this.members(keys, values);
  }

  private fields(value: StarObject): void {
    const keys: string[] = [];
    const values: Value[] = [];
    for (const name of value.attrNames()) {
      const field = value.attr(name, this.thread);
      if (field === undefined) continue;
      keys.push(name);
      values.push(field);
    }
    if (keys.length === 0 && value.type !== 'struct') this.wrong(`cannot encode ${value.type} as JSON`);
    this.members(keys, values);
  }

  private members(keys: readonly string[], values: readonly Value[]): void {
    const { way } = this;
    const last = way.length - 1;
    const { order, before } = this.layoutOf(keys);
    for (let i = 0; i < order.length; i++) {
      const at = order[i]!;
      way[last] = keys[at]!;
      if (before[i] === null) {
        this.put(i === 0 ? '{' : ',');
        this.quoted(keys[at]!);
        this.put(':');
      } else this.put(before[i]!);
      this.value(values[at]!);
    }
    this.put(keys.length === 0 ? '{}' : '}');
  }

  private layoutOf(keys: readonly string[]): Layout {
    const known = keys.length === 0 ? EMPTY : this.layouts.get(keys[0]!);
    if (known !== undefined && sameKeys(known.keys, keys)) return known;
    const order = keys.map((_, i) => i).sort((a, b) => orderStrings(this.thread, keys[a]!, keys[b]!));
    const before = order.map((at, i) =>
      keys[at]!.length > SHORT ? null : `${i === 0 ? '{' : ','}${quoteJson(keys[at]!)}:`,
    );
    const layout = { keys, order, before };
    this.layouts.set(keys[0]!, layout);
    return layout;
  }

  private items(items: readonly Value[]): void {
    const last = this.way.length - 1;
    this.put('[');
    for (let i = 0; i < items.length; i++) {
      this.way[last] = i;
      if (i > 0) this.put(',');
      this.value(items[i]!);
    }
    this.put(']');
  }

  private iterable(value: StarObject): boolean {
    const cursor = value.cursor(this.thread);
    if (cursor === undefined) return false;
    try {
      const last = this.way.length - 1;
      this.put('[');
      let index = 0;
      for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
        this.way[last] = index;
        if (index++ > 0) this.put(',');
        this.value(item);
      }
      this.put(']');
    } finally {
      cursor.close();
    }
    return true;
  }

  private put(text: string): void {
    this.thread.charge(text.length);
    this.out.add(text);
  }

  private wrong(message: string): never {
    const path = this.open.flatMap((each, i) => {
      const step = this.way[i]!;
      if (step === null) return [];
      if (typeof step === 'number') return `at ${each.type} index ${step}`;
      return each instanceof Dict ? `in dict key ${repr(step, this.thread)}` : `in field .${step}`;
    });
    throw new StarlarkError('eval', [this.name, ...path, message].join(': '));
  }
}

const EMPTY: Layout = { keys: [], order: [], before: [] };

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
