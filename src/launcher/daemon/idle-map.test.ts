import { describe, expect, it } from 'vitest';
import { IdleMap } from './idle-map.ts';

describe('the map of what a daemon has open', () => {
  it('drops the least used entry when it is full, and says so', () => {
    const dropped: string[] = [];
    const map = new IdleMap<string>(2, (value) => dropped.push(value));
    map.set('a', 'A');
    map.set('b', 'B');
    expect(map.use('a')).toBe('A');
    map.set('c', 'C');
    expect(dropped).toEqual(['B']);
    expect([...map.values()]).toEqual(['A', 'C']);
  });

  it('drops at a sweep what was not used since the sweep before', () => {
    const dropped: string[] = [];
    const map = new IdleMap<string>(9, (value) => dropped.push(value));
    for (const key of ['a', 'b']) map.useOrMake(key, () => key);
    map.sweep();
    expect(dropped).toEqual([]);
    expect(map.useOrMake('a', () => 'another')).toBe('a');
    map.sweep();
    expect([dropped, map.size]).toEqual([['b'], 1]);
  });
});
