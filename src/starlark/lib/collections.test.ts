import { describe, expect, it } from 'vitest';
import { evaluate, failure, show } from '../../../test/support/evaluate.ts';
import { freeze } from '../values/freeze.ts';
import { repr } from '../values/repr.ts';
import type { Value } from '../values/value.ts';

/** Evaluates `text` with `x` bound to a fresh value; shows the result and what became of x. */
function after(initial: string, text: string): string {
  const x = evaluate(initial);
  const result = show(text, { x });
  return result === 'None' ? repr(x) : `${result} ${repr(x)}`;
}

function frozen(text: string): { x: Value } {
  const x = evaluate(text);
  freeze(x);
  return { x };
}

describe('list methods', () => {
  it.each([
    ['[1]', 'x.append(x and 2)', '[1, 2]'],
    ['[1, 2]', 'x.clear()', '[]'],
    ['[1]', 'x.extend({"a": 1})', '[1, "a"]'],
    ['[1, 2]', 'x.extend(x)', '[1, 2, 1, 2]'],
    ['[1, 2]', 'x.extend((3, 4))', '[1, 2, 3, 4]'],
    ['["b", "c", "e"]', 'x.insert(0, "a")', '["a", "b", "c", "e"]'],
    ['[0, 1, 2]', 'x.insert(-99, 42)', '[42, 0, 1, 2]'],
    ['[0, 1, 2]', 'x.insert(-1, 42)', '[0, 1, 42, 2]'],
    ['[0, 1, 2]', 'x.insert(1 << 70, 42)', '[0, 1, 2, 42]'],
    ['[1, 2, 3]', 'x.pop()', '3 [1, 2]'],
    ['[1, 2, 3]', 'x.pop(0)', '1 [2, 3]'],
    ['[1, 2, 3]', 'x.pop(-2)', '2 [1, 3]'],
    ['[3, 1.0, 1]', 'x.remove(1)', '[3, 1]'],
    ['[3, 1, 4, 1]', 'x.index(1, 2)', '3 [3, 1, 4, 1]'],
    ['[3, 1]', 'x.index(1, None, None)', '1 [3, 1]'],
  ])('%s: %s gives %s', (initial, text, wanted) => {
    expect(after(initial, text)).toBe(wanted);
  });

  it.each([
    ['[].pop()', 'index -1 out of range: empty list'],
    ['[1, 2].pop(2)', 'list index 2 out of range [-2:1]'],
    ['[1].pop("x")', 'pop: for parameter i: got string, want int'],
    ['[1].remove(2)', 'remove: element not found'],
    ['[1].index(2)', 'index: value not in list'],
    ['[1].index(1, 1)', 'index: value not in list'],
    ['[1].index(1, "a")', 'index: invalid start index: got string, want int'],
    ['[1].insert(1.0, 2)', 'insert: for parameter i: got float, want int'],
    ['[1].extend(2)', 'extend: for parameter iterable: got int, want iterable'],
    ['[1].append()', 'append: missing argument for x'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });

  it('a frozen or iterated list does not change', () => {
    expect(failure('x.append(1)', frozen('[]'))).toBe(
      'cannot append to frozen list (copy it first: list(x))',
    );
    expect(failure('x.clear()', frozen('[]'))).toBe('cannot clear frozen list (copy it first: list(x))');
    expect(failure('x.pop()', frozen('[1]'))).toBe('cannot pop from frozen list (copy it first: list(x))');
    expect(failure('x.extend([])', frozen('[1]'))).toBe('cannot extend frozen list (copy it first: list(x))');
    const x = evaluate('[1, 2]');
    expect(failure('[x.remove(i) for i in x]', { x })).toBe('cannot remove from list during iteration');
    expect(show('x.append(3)', { x })).toBe('None');
  });
});

describe('dict methods', () => {
  it.each([
    ['{"a": 1}', 'x.get("a")', '1 {"a": 1}'],
    ['{"a": 1}', 'x.get("b", 2)', '2 {"a": 1}'],
    ['{"a": None}', 'x.get("a", 2) or x', '{"a": None} {"a": None}'],
    ['{"a": 1}', 'x.items()', '[("a", 1)] {"a": 1}'],
    ['{1: 1, 2.0: 2, (1,): 3}', 'x.keys()', '[1, 2.0, (1,)] {1: 1, 2.0: 2, (1,): 3}'],
    ['{"a": 1}', 'x.values()', '[1] {"a": 1}'],
    ['{"a": 1, "b": 2}', 'x.pop("a")', '1 {"b": 2}'],
    ['{"a": None}', 'x.pop("a", 7)', '{}'],
    ['{}', 'x.pop("a", None)', '{}'],
    ['{"a": 1, "b": 2}', 'x.popitem()', '("a", 1) {"b": 2}'],
    ['{"a": 1}', 'x.setdefault("b")', '{"a": 1, "b": None}'],
    ['{"a": 1}', 'x.setdefault("a", 3)', '1 {"a": 1}'],
    ['{"a": 1}', 'x.update([("b", 2), ["c", 3]], d=4)', '{"a": 1, "b": 2, "c": 3, "d": 4}'],
    ['{"a": 1}', 'x.update({"a": 2}, a=3)', '{"a": 3}'],
    ['{"a": 1}', 'x.update(x)', '{"a": 1}'],
    ['{"a": 1}', 'x.clear()', '{}'],
  ])('%s: %s gives %s', (initial, text, wanted) => {
    expect(after(initial, text)).toBe(wanted);
  });

  it.each([
    ['{}.pop("a")', 'pop: missing key'],
    ['{}.popitem()', 'popitem: empty dict'],
    ['{}.get([])', 'unhashable type: list'],
    ['{}.get("a", default=1)', 'get: unexpected keyword arguments'],
    ['{}.update(None)', 'update: got NoneType, want iterable'],
    ['dict(["ab"])', 'dict: dictionary update sequence element #0 is not iterable (string)'],
    ['{}.update([(1, 2), (1,)])', 'update: dictionary update sequence element #1 has length 1, want 2'],
    ['dict(1, 2)', 'dict: got 2 arguments, want at most 1'],
    ['dict(a=1, **{"a": 2})', 'dict: duplicate keyword arg: "a"'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });

  it('an attribute that is no method may be a key', () => {
    expect(failure('{"name": 1}.name')).toBe('dict has no .name field or method (for a key, write ["name"])');
    expect(failure('{}.gett("a")')).toBe('dict has no .gett field or method (did you mean .get?)');
  });

  it('a frozen dict gives but does not take', () => {
    // Whether the key is there or not, as the specification has it.
    expect(failure('x.setdefault("a", 2)', frozen('{"a": 1}'))).toBe(
      'cannot insert into frozen hash table (copy it first: dict(x))',
    );
    expect(failure('x.setdefault("b", 2)', frozen('{"a": 1}'))).toBe(
      'cannot insert into frozen hash table (copy it first: dict(x))',
    );
    expect(failure('x.pop("a")', frozen('{"a": 1}'))).toBe(
      'cannot delete from frozen hash table (copy it first: dict(x))',
    );
    expect(failure('x.update(a=1)', frozen('{}'))).toBe(
      'cannot insert into frozen hash table (copy it first: dict(x))',
    );
    expect(failure('x.clear()', frozen('{"a": 1}'))).toBe(
      'cannot clear frozen hash table (copy it first: dict(x))',
    );
  });

  it('popitem empties a large dict in linear time, with entries added meanwhile', () => {
    const x = evaluate('{i: i for i in range(100000)}');
    const before = process.cpuUsage();
    expect(show('[(x.popitem(), x.setdefault(-i, 0))[0][0] for i in range(1, 100001)][-1]', { x })).toBe(
      '99999',
    );
    expect(show('x.popitem()', { x })).toBe('(-1, 0)');
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

describe('set methods', () => {
  it.each([
    ['set([1])', 'x.add(2)', 'set([1, 2])'],
    ['set([1, 2])', 'x.add(1.0)', 'set([1, 2])'],
    ['set([1, 2])', 'x.discard(3)', 'set([1, 2])'],
    ['set([1, 2])', 'x.remove(1)', 'set([2])'],
    ['set([3, 1])', 'x.pop()', '3 set([1])'],
    ['set([3, 1])', 'x.clear()', 'set([])'],
    ['set([1, 2, 3])', 'x.difference([0, 1], (3, 4))', 'set([2]) set([1, 2, 3])'],
    ['set([1, 2, 3])', 'x.difference()', 'set([1, 2, 3]) set([1, 2, 3])'],
    ['set([1, 2, 3])', 'x.difference_update([2], [3])', 'set([1])'],
    ['set([1, 2, 3])', 'x.intersection([0, 1], [1, 2])', 'set([1]) set([1, 2, 3])'],
    ['set([1, 2, 3])', 'x.intersection_update(set([3, 2]))', 'set([2, 3])'],
    ['set([1, 2])', 'x.symmetric_difference([3, 2])', 'set([1, 3]) set([1, 2])'],
    ['set([1, 2])', 'x.symmetric_difference_update([2, 3])', 'set([1, 3])'],
    ['set([1, 2])', 'x.union([2, 3], {3: "a", 4: "b"})', 'set([1, 2, 3, 4]) set([1, 2])'],
    ['set([1])', 'x.update([2, 3], [3, 4])', 'set([1, 2, 3, 4])'],
    ['set([1])', 'x.update(x)', 'set([1])'],
    ['set([1, 2])', '(x.issubset([1, 2, 3]), x.issuperset([1, 4]))', '(True, False) set([1, 2])'],
    ['set([1, 2])', '(x.isdisjoint([3]), x.isdisjoint([2]))', '(True, False) set([1, 2])'],
  ])('%s: %s gives %s', (initial, text, wanted) => {
    expect(after(initial, text)).toBe(wanted);
  });

  it.each([
    ['set().add([])', 'add: unhashable type: list'],
    ['set().pop()', 'pop: empty set'],
    ['set().remove(1)', 'remove: missing key'],
    ['set().discard({})', 'discard: unhashable type: dict'],
    ['set().union(1)', 'union: argument #1 is not iterable: int'],
    ['set().update([1], 2)', 'update: argument #2 is not iterable: int'],
    ['set().update(a=[1])', 'update: does not accept keyword arguments'],
    ['set().issubset(1)', 'issubset: for parameter iterable: got int, want iterable'],
    ['set().intersection([[]])', 'intersection: unhashable type: list'],
  ])('%s fails', (text, wanted) => {
    expect(failure(text)).toBe(wanted);
  });

  it('a frozen or iterated set does not change, not even where nothing would', () => {
    expect(failure('x.add(1)', frozen('set([1])'))).toBe('add: cannot insert into frozen hash table');
    expect(failure('x.discard(9)', frozen('set([1])'))).toBe('discard: cannot delete from frozen hash table');
    expect(failure('x.pop()', frozen('set([1])'))).toBe('pop: cannot delete from frozen hash table');
    expect(failure('x.update([2])', frozen('set([1])'))).toBe('update: cannot insert into frozen hash table');
    expect(show('x.clear()', frozen('set()'))).toBe('None');
    const x = evaluate('set([1, 2])');
    expect(failure('[x.discard(i) for i in x]', { x })).toBe(
      'discard: cannot delete from hash table during iteration',
    );
    expect(show('x.add(3)', { x })).toBe('None');
  });
});
