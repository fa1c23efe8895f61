/**
 * The names every program knows without declaring them.
 */
import { fail, StarlarkError } from '../run/errors.ts';
import { cursorOf, drain, readAll, whileOpen } from '../run/iterate.ts';
import { installPercentFormat, truth } from '../run/operators.ts';
import { type Builtin, builtin } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantBool, wantInt, wantItems, wantIterable, wantNumber, wantString } from '../run/want.ts';
import { Bytes, byteValue } from '../values/bytes.ts';
import { Dict } from '../values/dict.ts';
import { makeFloat } from '../values/float.ts';
import { hashBytes, hashString } from '../values/hash.ts';
import { addInts, negateInt } from '../values/int.ts';
import { EMPTY_TUPLE, List, Tuple } from '../values/list.ts';
import { Range } from '../values/range.ts';
import { repr, str } from '../values/repr.ts';
import { textOf } from '../values/sequence.ts';
import { StarSet } from '../values/set.ts';
import { BYTES, DICT, LIST, listBytes, PIECE, RANGE, SET, SLOT, TEXT, tupleBytes } from '../values/size.ts';
import { type Cursor, Float, StarObject, typeName, type Value } from '../values/value.ts';
import { attrNames, getAttr, hasAttr, tryGetAttr } from './attributes.ts';
import { updateDict } from './dict-methods.ts';
import { toFloat, toInt } from './numbers.ts';
import { percentFormat } from './percent-format.ts';
import { extreme, sortByKeys, withKeys } from './sort.ts';
import { codePointAt, countCodePoints, fromCodePoint } from './unicode.ts';

installPercentFormat(percentFormat);

/** Whether the iterable has an element whose truth is `wanted`. */
function hasTruth(thread: Thread, name: string, iterable: Value, wanted: boolean): boolean {
  const cursor = wantIterable(thread, name, 'iterable', iterable);
  try {
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
      thread.spend(1);
      if (truth(item) === wanted) return true;
    }
    return false;
  } finally {
    cursor.close();
  }
}

function abs(thread: Thread, x: Value): Value {
  const number = wantNumber('abs', 'x', x);
  if (number instanceof Float) return makeFloat(thread, Math.abs(number.value));
  return number < 0 ? negateInt(thread, number) : number;
}

function toBytes(thread: Thread, x: Value): Value {
  if (x instanceof Bytes) return x;
  if (typeof x === 'string') {
    thread.spend(x.length >> 4);
    thread.charge(BYTES + x.length * 3);
    return Bytes.encode(x);
  }
  const cursor = isRow(x) ? undefined : cursorOf(thread, x);
  if (!isRow(x) && cursor === undefined)
    fail(`bytes: got ${typeName(x)}, want string, bytes, or iterable of ints`);
  const items = isRow(x) ? x.elements(thread) : drain(thread, cursor!, x);
  if (isRow(x)) thread.spend(items.length);
  thread.charge(BYTES + items.length);
  return new Bytes(textOf(items.length, (i) => byteAt(items, i)));
}

function byteAt(items: readonly Value[], i: number): number {
  const item = items[i]!;
  // The message is made only where it is wanted.
  return typeof item === 'number' && item >= 0 && item <= 255
    ? item
    : byteValue(item, `bytes: at index ${i}, `);
}

function chr(thread: Thread, i: Value): Value {
  const point = wantInt('chr', 'i', i);
  if (point < 0) fail(`chr: Unicode code point ${point} out of range (<0)`);
  if (point > 0x10ffff) {
    fail(`chr: Unicode code point U+${point.toString(16).toUpperCase()} out of range (>0x10FFFF)`);
  }
  thread.charge(TEXT);
  return fromCodePoint(Number(point));
}

function ord(thread: Thread, s: Value): Value {
  if (s instanceof Bytes) {
    return s.length === 1 ? s.units.charCodeAt(0) : fail(`ord: bytes has length ${s.length}, want 1`);
  }
  if (typeof s !== 'string') fail(`ord: got ${typeName(s)}, want string or bytes`);
  thread.spend(s.length >> 4);
  const count = countCodePoints(s);
  return count === 1 ? codePointAt(s, 0) : fail(`ord: string encodes ${count} Unicode code points, want 1`);
}

function enumerate(thread: Thread, iterable: Value, start: Value): Value {
  const first = wantInt('enumerate', 'start', start);
  const items = enumerated(thread, iterable);
  const isSmall = typeof first === 'number' && Number.isSafeInteger(first + items.length);
  for (let i = 0; i < items.length; i++)
    items[i] = new Tuple([isSmall ? first + i : addInts(thread, first, i), items[i]!]);
  return new List(items);
}

/** What `enumerate` counts, at the cost of its rows; for loops that make none. */
export function enumerated(thread: Thread, iterable: Value): Value[] {
  const items = wantItems(thread, 'enumerate', 'iterable', iterable);
  thread.charge(tupleBytes(2) * items.length);
  return items;
}

/** What can be read by index, and does not change meanwhile. */
function isRow(value: Value): value is List | Tuple {
  return value instanceof List || value instanceof Tuple;
}

/** An iteration under way; `zip` has many at once. */
const CURSOR = 64;

/** What `zip` puts side by side, at the cost of its rows; for loops that make none. All columns are of one length. */
export function zipColumns(thread: Thread, iterables: readonly Value[]): (readonly Value[])[] {
  thread.charge(LIST + CURSOR * iterables.length);
  const rowBytes = SLOT + tupleBytes(iterables.length);
  if (iterables.every(isRow)) {
    const all = iterables.map((each) => each.elements(thread));
    const count = Math.min(...all.map((each) => each.length));
    thread.spend(count * all.length);
    thread.charge(count * rowBytes);
    return all.map((each) => each.slice(0, count));
  }
  const open: Cursor[] = [];
  const columns: Value[][] = iterables.map(() => []);
  try {
    iterables.forEach((each, i) => {
      open.push(cursorOf(thread, each) ?? fail(`zip: argument #${i + 1} is not iterable: ${typeName(each)}`));
    });
    for (let count = 0; ; count++) {
      thread.spend(open.length);
      thread.charge(rowBytes);
      for (const [i, cursor] of open.entries()) {
        const item = cursor.next();
        if (item === undefined) return columns.map((each) => each.slice(0, count));
        columns[i]!.push(item);
      }
    }
  } finally {
    for (const cursor of open) cursor.close();
  }
}

function zip(thread: Thread, iterables: readonly Value[]): Value {
  if (iterables.length === 0) {
    thread.charge(LIST);
    return new List([]);
  }
  const columns = zipColumns(thread, iterables);
  const [a, b] = columns as [readonly Value[], readonly Value[]];
  const rows: Value[] = a.slice();
  for (let i = 0; i < rows.length; i++)
    rows[i] = new Tuple(columns.length === 2 ? [a[i]!, b[i]!] : columns.map((each) => each[i]!));
  return new List(rows);
}

function joinText(thread: Thread, name: string, args: readonly Value[], sep: Value): string {
  const between = wantString(name, 'sep', sep);
  let out = '';
  args.forEach((arg, i) => {
    const text = str(arg, thread);
    thread.spend(1 + (text.length >> 4));
    thread.charge(PIECE + text.length + between.length);
    out += i === 0 ? text : between + text;
  });
  return out;
}

function hash(thread: Thread, x: Value): Value {
  if (typeof x === 'string') {
    thread.spend(x.length >> 4);
    return hashString(x);
  }
  if (!(x instanceof Bytes)) fail(`hash: got ${typeName(x)}, want string or bytes`);
  thread.spend(x.length >> 4);
  return hashBytes(x.data);
}

function len(thread: Thread, x: Value): Value {
  if (typeof x === 'string') return x.length;
  const length = x instanceof StarObject ? x.len(thread) : -1;
  return length >= 0 ? length : fail(`len: value of type ${typeName(x)} has no len`);
}

function makeRange(thread: Thread, start: Value, stop: Value | undefined, step: Value): Value {
  const first = wantInt('range', 'start', start);
  const by = wantInt('range', 'step', step);
  const range =
    stop === undefined ? Range.of(0, first, by) : Range.of(first, wantInt('range', 'stop', stop), by);
  thread.charge(RANGE);
  return range;
}

function minOrMax(name: 'min' | 'max'): Builtin {
  return builtin(name, '*args, key=None', (thread, args, key) => {
    const choose = (items: readonly Value[]): Value | Promise<Value> => {
      if (items.length === 0) fail(`${name}: argument is an empty sequence`);
      return withKeys(thread, name, items, key, (keys) => items[extreme(thread, keys, name === 'max')]!);
    };
    if (args.length === 0) fail(`${name} requires at least one positional argument`);
    if (args.length > 1) return choose(args);
    const [iterable] = args as [Value];
    const cursor = cursorOf(thread, iterable) ?? fail(`${name}: ${typeName(iterable)} value is not iterable`);
    // Open until the choice is made: the key function must not change what is chosen from.
    return whileOpen(cursor, () => choose(readAll(thread, cursor, iterable)));
  });
}

const BUILTINS: readonly Builtin[] = [
  builtin('abs', 'x, /', abs),
  builtin('all', 'iterable, /', (thread, iterable) => !hasTruth(thread, 'all', iterable, false)),
  builtin('any', 'iterable, /', (thread, iterable) => hasTruth(thread, 'any', iterable, true)),
  builtin('bool', 'x=False, /', (_thread, x) => truth(x)),
  builtin('bytes', 'x, /', toBytes),
  builtin('chr', 'i, /', chr),
  builtin('dict', 'pairs?, /, **kwargs', (thread, pairs, kwargs) => {
    if (!(pairs instanceof Dict)) thread.charge(DICT);
    const dict = pairs instanceof Dict ? pairs.copy(thread) : new Dict();
    updateDict(thread, 'dict', dict, pairs instanceof Dict ? undefined : pairs, kwargs);
    return dict;
  }),
  builtin('dir', 'x, /', (thread, x) => {
    const names = attrNames(x);
    thread.charge(listBytes(names.length));
    thread.spend(names.length);
    return new List(names);
  }),
  builtin('enumerate', 'iterable, start=0, /', enumerate),
  builtin('fail', '*args, sep=" "', (thread, args, sep) => {
    throw new StarlarkError('eval', `fail: ${joinText(thread, 'fail', args, sep)}`);
  }),
  builtin('float', 'x?, /', toFloat),
  builtin('getattr', 'x, name, default?, /', (thread, x, name, otherwise) => {
    const attribute = wantString('getattr', 'name', name);
    if (otherwise === undefined) return getAttr(thread, x, attribute);
    const value = tryGetAttr(thread, x, attribute);
    return value === undefined ? otherwise : value;
  }),
  builtin('hasattr', 'x, name, /', (thread, x, name) =>
    hasAttr(thread, x, wantString('hasattr', 'name', name)),
  ),
  builtin('hash', 'x, /', hash),
  builtin('int', 'x, /, base?', toInt),
  builtin('len', 'x, /', len),
  builtin(
    'list',
    'iterable?, /',
    (thread, iterable) =>
      new List(iterable === undefined ? emptyItems(thread) : wantItems(thread, 'list', 'iterable', iterable)),
  ),
  minOrMax('max'),
  minOrMax('min'),
  builtin('ord', 's, /', ord),
  builtin(
    'print',
    '*args, sep=" "',
    (thread, args, sep) => {
      thread.print(joinText(thread, 'print', args, sep));
      return null;
    },
    { pure: false },
  ),
  builtin('range', 'start, stop?, step=1, /', makeRange),
  builtin('repr', 'x, /', (thread, x) => repr(x, thread)),
  builtin(
    'reversed',
    'iterable, /',
    (thread, iterable) => new List(wantItems(thread, 'reversed', 'iterable', iterable).reverse()),
  ),
  builtin('set', 'iterable?, /', (thread, iterable) => {
    if (iterable === undefined) {
      thread.charge(SET);
      return new StarSet();
    }
    return StarSet.of(thread, wantItems(thread, 'set', 'iterable', iterable));
  }),
  builtin('sorted', 'iterable, /, *, key=None, reverse=False', (thread, iterable, key, reverse) => {
    const items = wantItems(thread, 'sorted', 'iterable', iterable);
    const descending = wantBool('sorted', 'reverse', reverse);
    return withKeys(thread, 'sorted', items, key, (keys) => {
      return new List(sortByKeys(thread, items, keys, descending));
    });
  }),
  builtin('str', 'x, /', (thread, x) => str(x, thread)),
  builtin('tuple', 'iterable?, /', (thread, iterable) => {
    if (iterable === undefined) return EMPTY_TUPLE;
    if (iterable instanceof Tuple) return iterable;
    return new Tuple(wantItems(thread, 'tuple', 'iterable', iterable));
  }),
  builtin('type', 'x, /', (_thread, x) => typeName(x)),
  builtin('zip', '*iterables', zip),
];

function emptyItems(thread: Thread): Value[] {
  thread.charge(LIST);
  return [];
}

export const UNIVERSE: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['None', null],
  ['True', true],
  ['False', false],
  ...BUILTINS.map((each): [string, Value] => [each.name, each]),
]);
