import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

describe('a bounded map', () => {
  it('drops the entry that was set longest ago', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('c', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('counts setting a key again and using it as new, reading it does not', () => {
    const map = new BoundedMap<string, number>(3);
    map.set('a', 1).set('b', 2).set('c', 3).set('a', 4);
    map.get('b');
    expect(map.use('c')).toBe(3);
    map.set('d', 5);
    expect([...map.keys()]).toEqual(['a', 'c', 'd']);
  });

  it('makes a value once for as long as its entry is there', () => {
    const map = new BoundedMap<string, number>(1);
    let made = 0;
    const make = () => ++made;
    expect([map.useOrMake('a', make), map.useOrMake('a', make), map.useOrMake('b', make)]).toEqual([1, 1, 2]);
    expect(map.useOrMake('a', make)).toBe(3);
  });

  it('gives a value away with take', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    expect([map.take('a'), map.take('a'), map.size]).toEqual([1, undefined, 0]);
  });

  it('says what it drops, and not what is deleted or replaced', () => {
    const dropped: string[] = [];
    const map = new BoundedMap<string, number>(1, { onDrop: (_value, key) => dropped.push(key) });
    map.set('a', 1).set('a', 2).set('b', 3);
    map.delete('b');
    map.clear();
    expect(dropped).toEqual(['a']);
  });

  it('does not store an entry that weighs more than the limit, and drops none for it', () => {
    const map = new BoundedMap<string, string>(5, { weigh: (value) => value.length });
    map.set('a', 'four').set('b', 'longer');
    expect([...map.keys()]).toEqual(['a']);
  });

  it('never weighs more than its limit, and has the newest entries that fit', () => {
    const operation = fc.record({
      op: fc.constantFrom('set', 'use', 'delete', 'take'),
      key: fc.integer({ min: 0, max: 5 }),
      weight: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(operation), (limit, operations) => {
        const map = new BoundedMap<number, number>(limit, { weigh: (weight) => weight });
        let model: [number, number][] = [];
        for (const { op, key, weight } of operations) {
          const known = model.find(([each]) => each === key);
          const rest = model.filter(([each]) => each !== key);
          if (op === 'set') {
            map.set(key, weight);
            model = weight > limit ? rest : [...rest, [key, weight]];
            while (model.reduce((sum, [, each]) => sum + each, 0) > limit) model.shift();
          } else if (op === 'use') {
            expect(map.use(key)).toBe(known?.[1]);
            if (known !== undefined) model = [...rest, known];
          } else {
            if (op === 'take') expect(map.take(key)).toBe(known?.[1]);
            else expect(map.delete(key)).toBe(known !== undefined);
            model = rest;
          }
          expect([...map]).toEqual(model);
        }
      }),
    );
  });
});
