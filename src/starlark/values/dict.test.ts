import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashable } from '../../../test/support/arbitrary-values.ts';
import { Thread } from '../run/thread.ts';
import { Bytes } from './bytes.ts';
import { Dict } from './dict.ts';
import { equal } from './equal.ts';
import { freeze } from './freeze.ts';
import { List, Tuple } from './list.ts';
import { repr } from './repr.ts';
import { Float, type Value } from './value.ts';

const thread = new Thread();

/** A dict as slow and plain as can be. */
class NaiveDict {
  readonly entries: [Value, Value][] = [];
  private find(key: Value): number {
    return this.entries.findIndex(([each]) => equal(thread, each, key));
  }
  set(key: Value, value: Value): void {
    const at = this.find(key);
    if (at >= 0) this.entries[at]![1] = value;
    else this.entries.push([key, value]);
  }
  delete(key: Value): void {
    const at = this.find(key);
    if (at >= 0) this.entries.splice(at, 1);
  }
}

describe('dict', () => {
  it('behaves as a list of entries searched one by one', () => {
    const command = fc.tuple(fc.constantFrom('set', 'delete', 'get'), hashable, fc.integer());
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const dict = new Dict();
        const naive = new NaiveDict();
        for (const [what, key, value] of commands) {
          if (what === 'set') {
            dict.set(thread, key, value);
            naive.set(key, value);
          } else if (what === 'delete') {
            dict.delete(thread, key);
            naive.delete(key);
          }
          const expected = naive.entries.find(([each]) => equal(thread, each, key))?.[1];
          expect(dict.get(key)).toBe(expected);
          expect(dict.has(key)).toBe(expected !== undefined);
        }
        expect(dict.size).toBe(naive.entries.length);
        // The very keys that were first set, in that order.
        dict.entries().forEach(([key, value], i) => {
          expect(key).toBe(naive.entries[i]![0]);
          expect(value).toBe(naive.entries[i]![1]);
        });
        expect(dict.keys()).toEqual(naive.entries.map(([key]) => key));
      }),
    );
  });

  it('takes 1 and 1.0 for one key, keeps the first spelling, and tells True from 1', () => {
    const dict = new Dict();
    dict.set(thread, new Float(1), 'float');
    dict.set(thread, 1, 'int');
    dict.set(thread, true, 'bool');
    expect(repr(dict)).toBe('{1.0: "int", True: "bool"}');
  });

  it('keeps None as a key', () => {
    const dict = Dict.of(thread, [
      [new Float(1.5), 1],
      [null, 2],
    ]);
    expect(dict.keys()).toEqual([new Float(1.5), null]);
    expect(dict.get(null)).toBe(2);
  });

  it('never mistakes a string for an encoded key', () => {
    const dict = new Dict();
    dict.set(thread, new Tuple(['a']), 'tuple');
    for (const text of ['\0ts1:a', '\0s', '\0', '__proto__', 'constructor']) {
      expect(dict.get(text)).toBeUndefined();
      dict.set(thread, text, text);
      expect(dict.get(text)).toBe(text);
    }
    expect(dict.get(new Tuple(['a']))).toBe('tuple');
    expect(dict.keys()).toContain('\0ts1:a');
  });

  it('gives up its oldest entry first, in constant time', () => {
    const command = fc.tuple(fc.constantFrom('set', 'delete', 'pop'), fc.integer({ min: 0, max: 6 }));
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        const dict = new Dict();
        const order: number[] = [];
        for (const [what, key] of commands) {
          if (what === 'pop') {
            expect(dict.popFirst()?.[0]).toBe(order.shift());
          } else if (what === 'set') {
            dict.set(thread, key, key);
            if (!order.includes(key)) order.push(key);
          } else {
            dict.delete(thread, key);
            if (order.includes(key)) order.splice(order.indexOf(key), 1);
          }
        }
        expect(dict.keys()).toEqual(order);
      }),
    );
    const count = 100_000;
    const large = new Dict();
    for (let i = 0; i < count; i++) large.set(thread, i, i);
    const start = process.cpuUsage();
    for (let i = 0; i < count; i++) large.popFirst();
    expect(large.size).toBe(0);
    // Quadratic, it would take more than ten times as long.
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  it('has changes of its own where it shares its keys with a copy, a display or an object of JSON', () => {
    const small = ['a', 'b', 'c'];
    const large = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const command = fc.tuple(
      fc.boolean(),
      fc.constantFrom('set', 'delete'),
      fc.constantFrom('a', 'k3', 'new', 7),
    );
    fc.assert(
      fc.property(fc.constantFrom(small, large), fc.array(command, { maxLength: 30 }), (keys, commands) => {
        const first = Dict.withKeys(
          keys,
          keys.map((_, i) => i),
        );
        const dicts = [first, first.copy(thread)];
        const naive = dicts.map(() => new Map<Value, Value>(keys.map((key, i) => [key, i])));
        const before = keys.slice();
        for (const [isCopy, what, key] of commands) {
          const at = isCopy ? 1 : 0;
          if (what === 'set') dicts[at]!.set(thread, key, key);
          else dicts[at]!.delete(thread, key);
          if (what === 'set') naive[at]!.set(key, key);
          else naive[at]!.delete(key);
        }
        expect(dicts.map((dict) => dict.entries())).toEqual(naive.map((map) => [...map]));
        expect(keys).toEqual(before);
      }),
    );
  });

  it('reports a key that a display writes twice', () => {
    const dict = new Dict();
    dict.insertNew(thread, 'one', 1);
    expect(() => dict.insertNew(thread, 'one', 2)).toThrow('duplicate key: "one"');
  });

  it('refuses to change while it is iterated or once it is frozen', () => {
    const dict = Dict.of(thread, [['a', 1]]);
    const cursor = dict.cursor(thread);
    expect(() => dict.set(thread, 'a', 2)).toThrow('cannot insert into hash table during iteration');
    expect(() => dict.delete(thread, 'a')).toThrow('cannot delete from hash table during iteration');
    cursor.close();
    cursor.close();
    expect(dict.locks).toBe(0);
    dict.set(thread, 'a', 2);
    freeze(dict);
    expect(() => dict.set(thread, 'a', 3)).toThrow('cannot insert into frozen hash table');
    expect(() => dict.clear()).toThrow('cannot clear frozen hash table');
  });

  it('unites with |, and |= changes the left one', () => {
    const a = Dict.of(thread, [
      ['x', 1],
      ['y', 2],
    ]);
    const b = Dict.of(thread, [
      ['y', 3],
      [new Float(2), 4],
    ]);
    expect(repr(a.binary(thread, '|', b, false)!)).toBe('{"x": 1, "y": 3, 2.0: 4}');
    expect(repr(a)).toBe('{"x": 1, "y": 2}');
    expect(a.inPlace(thread, '|', b)).toBe(a);
    expect(repr(a)).toBe('{"x": 1, "y": 3, 2.0: 4}');
    expect(a.binary(thread, '|', new List([]), false)).toBeUndefined();
  });

  it('charges every new entry, and the text of an encoded key with it', () => {
    const limited = new Thread({ limits: { memory: 48 * 10 } });
    const dict = new Dict();
    for (let i = 0; i < 10; i++) dict.set(limited, i, i);
    dict.set(limited, 3, 'again');
    expect(() => dict.set(limited, 10, 10)).toThrow('memory limit');
    const before = thread.memory;
    new Dict().set(thread, Bytes.encode('x'.repeat(1000)), 1);
    expect(thread.memory - before).toBeGreaterThan(1000);
  });
});
