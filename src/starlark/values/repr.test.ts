import { describe, expect, it } from 'vitest';
import { Thread } from '../run/thread.ts';
import { Dict } from './dict.ts';
import { freeze, freezeAll } from './freeze.ts';
import { List, Tuple } from './list.ts';
import { repr, str } from './repr.ts';
import { Struct } from './struct.ts';
import { Float, type Value } from './value.ts';

const thread = new Thread();

describe('repr', () => {
  it.each([
    [null, 'None'],
    [true, 'True'],
    [-7, '-7'],
    [2n ** 70n, '1180591620717411303424'],
    [new Float(3), '3.0'],
    ['a"b\\\n\x00\x7fé\u{1f600}\u200b', '"a\\"b\\\\\\n\\x00\\x7fé\u{1f600}\\u200b"'],
    ['\ud800', '"\\ud800"'],
    [new List([1, 'x', new Tuple([])]), '[1, "x", ()]'],
    [new Tuple([1]), '(1,)'],
    [Dict.of(thread, [[1, new List([])]]), '{1: []}'],
    [
      new Struct([
        ['port', 80],
        ['host', 'h'],
      ]),
      'struct(host = "h", port = 80)',
    ],
  ] as [Value, string][])('writes case %#', (value, text) => {
    expect(repr(value)).toBe(text);
  });

  it('quotes strings where str does not', () => {
    expect(str('x')).toBe('x');
    expect(str(new List(['x']))).toBe('["x"]');
  });

  it('marks cycles', () => {
    const list = new List([1]);
    list.items.push(list);
    expect(repr(list)).toBe('[1, [...]]');
    const dict = new Dict();
    dict.set(thread, 'x', new List([dict]));
    expect(repr(dict)).toBe('{"x": [{...}]}');
  });

  it('stops at its depth limit', () => {
    let deep: Value = new List([]);
    for (let i = 0; i < 100_000; i++) deep = new List([deep]);
    expect(() => repr(deep)).toThrow(expect.objectContaining({ kind: 'depth' }));
  });

  it('is charged while it is written', () => {
    let bomb: Value = new List([]);
    for (let i = 0; i < 40; i++) bomb = new List([bomb, bomb]);
    expect(() => repr(bomb, new Thread({ limits: { memory: 10_000 } }))).toThrow('memory limit');
    expect(() => repr('x'.repeat(2000), new Thread({ limits: { memory: 1000 } }))).toThrow('memory limit');
  });
});

describe('freeze', () => {
  it('reaches everything, through cycles and any depth', () => {
    const inner = new List([1]);
    const dict = Dict.of(thread, [['k', new Tuple([inner])]]);
    inner.items.push(dict);
    freeze(new Struct([['d', dict]]));
    expect(() => inner.mutable('append to')).toThrow('cannot append to frozen list');
    expect(() => dict.clear()).toThrow('frozen');
    const bottom = new List([]);
    let deep: Value = bottom;
    for (let i = 0; i < 100_000; i++) deep = new List([deep]);
    freeze(deep);
    expect(bottom.frozen).toBe(true);
  });

  it('visits shared parts once', () => {
    const bottom = new List([]);
    let bomb: Value = bottom;
    for (let i = 0; i < 60; i++) bomb = new Tuple([bomb, bomb]);
    freezeAll([bomb, 1, 'x']);
    expect(bottom.frozen).toBe(true);
  });
});
