/**
 * The data model. A Starlark value is one of
 *
 *   None    null                      int     number (safe integers, never -0) or bigint (all others, always canonical)
 *   bool    boolean                   float   Float, a box, so that 1.0 and 1 differ
 *   string  string (UTF-16)           other   a subclass of StarObject
 *
 * Nothing else may reach a script: no host object, no JavaScript function. `undefined` is never a value; compiled code
 * uses it for "not bound yet".
 */
import type { Thread } from '../run/thread.ts';
import { formatFloat } from './float-format.ts';

export type Value = null | boolean | number | bigint | string | StarObject;

/**
 * What a Map may be keyed by so that equal Starlark values, and only those, are one key; see `hashKey` in hash.ts.
 */
export type Key = string | number | bigint | boolean | null | object;

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '&' | '|' | '^' | '<<' | '>>';
export type OrderOperator = '<' | '<=' | '>' | '>=';

/** An iteration under way. The code that opens one closes it, also after an error: a container is locked until then. */
export interface Cursor {
  /** The next element, or undefined at the end. */
  next(): Value | undefined;
  close(): void;
}

/**
 * Every value that is not a JavaScript primitive. Hosts may subclass it; a subclass overrides what it supports, and
 * `undefined` (or -1, or false) from one of these methods means "not supported", which the operators report.
 */
export abstract class StarObject {
  /** What `type(x)` returns. */
  abstract readonly type: string;

  /**
   * Appends the `repr` of the value. Containers call `out.value` for their elements, which bounds depth and cycles. The
   * thread is that of the script that wants it, null when a host prints for itself.
   */
  abstract writeRepr(out: ReprWriter, thread: Thread | null): void;

  truth(): boolean {
    return true;
  }

  /** Makes the value and all it reaches immutable. Iterative through the given queue: push children, do not recurse. */
  freeze(_queue: StarObject[]): void {}

  /**
   * A field or method by name, or undefined if there is none. The thread is that of the script that reads it, for
   * charging what is made; null when a program is compiled, which asks built-ins and modules what they hold.
   */
  attr(_name: string, _thread: Thread | null = null): Value | undefined {
    return undefined;
  }

  /** All names `attr` answers, for `dir` and spelling hints. */
  attrNames(): readonly string[] {
    return [];
  }

  /** Assigns a field; false where the value has no such field to assign. */
  setAttr(_thread: Thread, _name: string, _value: Value): boolean {
    return false;
  }

  /** The error for a name that `attr` does not answer, without a spelling hint. */
  missingAttr(name: string): string {
    return `${this.type} has no .${name} field or method`;
  }

  /** A dictionary key equal for equal values, or undefined where the value is unhashable. `nested` hashes a part. */
  hashKey(_nested: (part: Value) => Key, _thread: Thread | null): Key | undefined {
    return this;
  }

  /** Equality with another object of the same `type`; `nested` compares parts, charges for them and bounds depth. */
  equals(other: StarObject, _nested: (a: Value, b: Value) => boolean, _thread: Thread): boolean {
    return this === other;
  }

  /** Order among objects of the same `type`: negative, zero or positive; undefined where they have none. */
  order(_other: StarObject, _nested: (a: Value, b: Value) => number, _thread: Thread): number | undefined {
    return undefined;
  }

  /** What `len(x)` returns; -1 where there is no length. */
  len(_thread?: Thread): number {
    return -1;
  }

  cursor(_thread: Thread): Cursor | undefined {
    return undefined;
  }

  /** `x[key]`. */
  getItem(_thread: Thread, _key: Value): Value | undefined {
    return undefined;
  }

  /** `x[key] = value`. */
  setItem(_thread: Thread, _key: Value, _value: Value): boolean {
    return false;
  }

  /** The elements from `start` on, `count` of them, `step` apart; all are in range. */
  sliceItems(_thread: Thread, _start: number, _step: number, _count: number): Value | undefined {
    return undefined;
  }

  /** `item in x`. */
  contains(_thread: Thread, _item: Value): boolean | undefined {
    return undefined;
  }

  /** `x op other`, or `other op x` where `reversed`. */
  binary(_thread: Thread, _op: ArithmeticOperator, _other: Value, _reversed: boolean): Value | undefined {
    return undefined;
  }

  /** `x op= other` where that changes x itself; undefined falls back to `x = x op other`. */
  inPlace(_thread: Thread, _op: ArithmeticOperator, _other: Value): Value | undefined {
    return undefined;
  }
}

/** The bounded writer `repr`, `str` and `print` share. */
export interface ReprWriter {
  text(text: string): void;
  value(value: Value): void;
  /** Writes `open`, then what `body` writes, then `close`; a value already being written becomes `...`. */
  nest(container: StarObject, open: string, close: string, body: () => void): void;
}

/** A boxed IEEE double. */
export class Float extends StarObject {
  get type(): 'float' {
    return 'float';
  }
  readonly value: number;
  constructor(value: number) {
    super();
    this.value = value;
  }
  override truth(): boolean {
    return this.value !== 0;
  }
  override writeRepr(out: ReprWriter): void {
    out.text(formatFloat(this.value));
  }
  /** A whole float is the same key as the int; every other one is a JavaScript number that no int can be. */
  override hashKey(): Key {
    const { value } = this;
    if (!Number.isInteger(value)) return value;
    return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
  }
}

export type PositionalFn = (thread: Thread, ...args: Value[]) => Value | Promise<Value>;

/**
 * Anything that can be called. Two entrances:
 *
 * - `invoke(thread, args, names)`, the general one. The last `names.length` elements of `args` are keyword arguments
 *   with those names; `names` is null if there are none. No object literal ever holds a script's names.
 * - `direct(thread, a, b, …)`, the fast one, for n plain positional arguments with `minArgs <= n <= maxArgs`; a parameter
 *   left out arrives as undefined and takes its default inside. `maxArgs` is -1 where only `invoke` may be used.
 */
export abstract class Callable extends StarObject {
  abstract readonly name: string;
  abstract readonly minArgs: number;
  abstract readonly maxArgs: number;
  abstract readonly direct: PositionalFn;
  abstract invoke(thread: Thread, args: Value[], names: readonly string[] | null): Value | Promise<Value>;
}

/** Every value that is not a primitive; cheaper than asking for the class. */
export function isObject(value: Value): value is StarObject {
  return typeof value === 'object' && value !== null;
}

/** What `type(x)` returns. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'object':
      return value.type;
    default:
      return 'int';
  }
}
