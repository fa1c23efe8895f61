import { describe, expect, it } from 'vitest';
import { add, equal } from '../run/operators.ts';
import { Thread } from '../run/thread.ts';
import { hashKey } from './hash.ts';
import { List } from './list.ts';
import { repr } from './repr.ts';
import { Module, Struct } from './struct.ts';
import type { Value } from './value.ts';

const thread = new Thread();
const struct = (fields: Record<string, Value>, by?: Value): Struct => new Struct(Object.entries(fields), by);

describe('struct', () => {
  it('has fields, in the order of their names', () => {
    const s = struct({ port: 80, host: 'h' });
    expect(s.attr('host')).toBe('h');
    expect(s.attrNames()).toEqual(['host', 'port']);
    expect(s.attr('constructor')).toBeUndefined();
    expect(s.missingAttr('x')).toBe('struct has no .x attribute');
    expect(struct({}, 'pair').missingAttr('x')).toBe('pair struct has no .x attribute');
    expect(repr(struct({ a: 1 }, 'pair'))).toBe('pair(a = 1)');
  });

  it('is equal to a struct with equal fields and an equal constructor', () => {
    expect(equal(thread, struct({ a: 1, b: 2 }), struct({ b: 2, a: 1 }))).toBe(true);
    expect(equal(thread, struct({ a: 1 }), struct({ a: 2 }))).toBe(false);
    expect(equal(thread, struct({ a: 1 }), struct({ b: 1 }))).toBe(false);
    expect(equal(thread, struct({ a: 1 }), struct({ a: 1 }, 'pair'))).toBe(false);
    expect(hashKey(struct({ a: 1 }))).toBe(hashKey(struct({ a: 1 })));
    expect(hashKey(struct({ a: 1 }))).not.toBe(hashKey(struct({ a: 1 }, 'pair')));
    expect(() => hashKey(struct({ a: new List([]) }))).toThrow('unhashable type: list');
  });

  it('adds by laying the fields of the right one over those of the left', () => {
    expect(repr(add(thread, struct({ a: 1, b: 1 }), struct({ b: 2, c: 2 })))).toBe(
      'struct(a = 1, b = 2, c = 2)',
    );
    expect(() => add(thread, struct({}), 1)).toThrow('unknown binary op: struct + int');
    expect(() => add(thread, struct({}, 'a'), struct({}, 'b'))).toThrow('different constructors: a + b');
  });
});

describe('module', () => {
  it('has members, a name, and no key', () => {
    const module = new Module('m', new Map<string, Value>([['x', 1]]));
    expect(module.attr('x')).toBe(1);
    expect(repr(module)).toBe('<module "m">');
    expect(module.missingAttr('y')).toBe('m has no .y field or method');
    expect(() => hashKey(module)).toThrow('unhashable: module');
  });
});
