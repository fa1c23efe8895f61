/**
 * struct, an immutable record of named fields, and module, a named collection of them.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { equal } from './equal.ts';
import { encodeParts } from './hash.ts';
import { str } from './repr.ts';
import { ENTRY, STRUCT_SIZE } from './size.ts';
import { type ArithmeticOperator, type Key, type ReprWriter, StarObject, type Value } from './value.ts';

const PLAIN = 'struct';

export class Struct extends StarObject {
  readonly type = 'struct';
  /** In the order of their names. */
  readonly fields: ReadonlyMap<string, Value>;
  /** What made it: a name, or a value hosts use to tell kinds of struct apart. Equal structs have equal constructors. */
  readonly constructedBy: Value;

  constructor(fields: Iterable<readonly [string, Value]>, constructedBy: Value = PLAIN) {
    super();
    this.fields = new Map([...fields].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    this.constructedBy = constructedBy;
  }

  override attr(name: string): Value | undefined {
    return this.fields.get(name);
  }

  override attrNames(): readonly string[] {
    return [...this.fields.keys()];
  }

  override missingAttr(name: string): string {
    const kind = this.constructedBy === PLAIN ? PLAIN : `${str(this.constructedBy)} struct`;
    return `${kind} has no .${name} attribute`;
  }

  override freeze(queue: StarObject[]): void {
    for (const value of this.fields.values()) if (value instanceof StarObject) queue.push(value);
  }

  override writeRepr(out: ReprWriter): void {
    out.nest(this, `${str(this.constructedBy)}(`, ')', () => {
      let first = true;
      for (const [name, value] of this.fields) {
        out.text(first ? `${name} = ` : `, ${name} = `);
        first = false;
        out.value(value);
      }
    });
  }

  override hashKey(nested: (part: Value) => Key): Key {
    const parts: Key[] = [nested(this.constructedBy)];
    for (const [name, value] of this.fields) parts.push(name, nested(value));
    return encodeParts('r', parts);
  }

  override equals(other: StarObject, nested: (a: Value, b: Value) => boolean): boolean {
    if (this === other) return true;
    if (!(other instanceof Struct) || this.fields.size !== other.fields.size) return false;
    if (!nested(this.constructedBy, other.constructedBy)) return false;
    for (const [name, value] of this.fields) {
      const their = other.fields.get(name);
      if (their === undefined || !nested(value, their)) return false;
    }
    return true;
  }

  /** `a + b` has the fields of both; where both have one, that of b. */
  override binary(
    thread: Thread,
    op: ArithmeticOperator,
    other: Value,
    reversed: boolean,
  ): Value | undefined {
    if (op !== '+' || reversed || !(other instanceof Struct)) return undefined;
    if (!equal(thread, this.constructedBy, other.constructedBy)) {
      fail(
        `cannot add structs of different constructors: ${str(this.constructedBy)} + ${str(other.constructedBy)}`,
      );
    }
    const count = this.fields.size + other.fields.size;
    thread.charge(STRUCT_SIZE + ENTRY * count);
    thread.spend(count);
    return new Struct([...this.fields, ...other.fields], this.constructedBy);
  }
}

/** A module: what `load` reads from, and what hosts predeclare families of functions in. */
export class Module extends StarObject {
  readonly type = 'module';
  readonly name: string;
  readonly globals: ReadonlyMap<string, Value>;
  /** No impure built-in was called while its top level ran: running it again would give the same. */
  readonly pure: boolean;
  /** Steps its top level took. */
  readonly initSteps: number;

  constructor(name: string, globals: ReadonlyMap<string, Value>, { pure = true, initSteps = 0 } = {}) {
    super();
    this.name = name;
    this.globals = globals;
    this.pure = pure;
    this.initSteps = initSteps;
  }

  override attr(name: string): Value | undefined {
    return this.globals.get(name);
  }

  override attrNames(): readonly string[] {
    return [...this.globals.keys()];
  }

  override missingAttr(name: string): string {
    return `${this.name} has no .${name} field or method`;
  }

  override freeze(queue: StarObject[]): void {
    for (const value of this.globals.values()) if (value instanceof StarObject) queue.push(value);
  }

  override writeRepr(out: ReprWriter): void {
    out.text('<module ');
    out.value(this.name);
    out.text('>');
  }

  override hashKey(): undefined {
    return undefined;
  }
}
