/**
 * The methods of dicts, and the way a dict takes entries from whatever holds pairs.
 */
import { fail } from '../run/errors.ts';
import { cursorOf, drain } from '../run/iterate.ts';
import { type Method, method } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { Dict } from '../values/dict.ts';
import { List, Tuple } from '../values/list.ts';
import { listBytes, tupleBytes } from '../values/size.ts';
import { typeName, type Value } from '../values/value.ts';

/** What `dict(…)` and `update(…)` do: the entries of a dict or of an iterable of pairs, then the keyword arguments. */
export function updateDict(
  thread: Thread,
  name: string,
  dict: Dict,
  pairs: Value | undefined,
  keywords: ReadonlyMap<string, Value>,
): void {
  if (pairs instanceof Dict) dict.update(thread, 'insert into', pairs);
  else if (pairs !== undefined) insertPairs(thread, name, dict, pairs);
  for (const [key, value] of keywords) {
    thread.spend(1);
    dict.set(thread, key, value);
  }
}

function insertPairs(thread: Thread, name: string, dict: Dict, pairs: Value): void {
  const cursor = cursorOf(thread, pairs) ?? fail(`${name}: got ${typeName(pairs)}, want iterable`);
  try {
    let i = 0;
    for (let pair = cursor.next(); pair !== undefined; pair = cursor.next()) {
      thread.spend(1);
      const [key, value] = unpackPair(thread, name, i++, pair);
      dict.set(thread, key, value);
    }
  } finally {
    cursor.close();
  }
}

function unpackPair(thread: Thread, name: string, i: number, pair: Value): readonly [Value, Value] {
  const wrong = (what: string): never => fail(`${name}: dictionary update sequence element #${i} ${what}`);
  let items: readonly Value[];
  if (pair instanceof Tuple || pair instanceof List) {
    items = pair.elements(thread);
  } else {
    const cursor = cursorOf(thread, pair) ?? wrong(`is not iterable (${typeName(pair)})`);
    items = drain(thread, cursor);
  }
  if (items.length !== 2) wrong(`has length ${items.length}, want 2`);
  return [items[0]!, items[1]!];
}

const METHODS: readonly Method[] = [
  method('clear', '', (_thread, self: Dict) => {
    self.clear();
    return null;
  }),
  // Without a stated default the body is called as it is; policies call nothing more often than this.
  method('get', 'key, default?, /', (thread, self: Dict, key, otherwise) => {
    const value = self.get(key, thread);
    if (value !== undefined) return value;
    return otherwise === undefined ? null : otherwise;
  }),
  method('items', '', (thread, self: Dict) => {
    chargeList(thread, self.len(thread), tupleBytes(2));
    const values = self.values(thread);
    const keys = self.keys(thread);
    for (let i = 0; i < keys.length; i++) keys[i] = new Tuple([keys[i]!, values[i]!]);
    return new List(keys);
  }),
  method('keys', '', (thread, self: Dict) => {
    chargeList(thread, self.len(thread));
    return new List(self.keys(thread));
  }),
  method('pop', 'key, default?, /', (thread, self: Dict, key, otherwise) => {
    const value = self.delete(thread, key);
    if (value !== undefined) return value;
    return otherwise === undefined ? fail('pop: missing key') : otherwise;
  }),
  method('popitem', '', (thread, self: Dict) => {
    if (self.size === 0) fail('popitem: empty dict');
    thread.charge(tupleBytes(2));
    return new Tuple(self.popFirst()!);
  }),
  method('setdefault', 'key, default=None, /', (thread, self: Dict, key, otherwise) => {
    // Also where the key is there: whether a call may change the dict must not depend on what is in it.
    self.mutable('insert into');
    const value = self.get(key, thread);
    if (value !== undefined) return value;
    self.set(thread, key, otherwise);
    return otherwise;
  }),
  method('update', 'pairs?, /, **kwargs', (thread, self: Dict, pairs, kwargs) => {
    updateDict(thread, 'update', self, pairs, kwargs);
    return null;
  }),
  method('values', '', (thread, self: Dict) => {
    chargeList(thread, self.len(thread));
    return new List(self.values(thread));
  }),
];

function chargeList(thread: Thread, length: number, each = 0): void {
  thread.charge(listBytes(length) + each * length);
  thread.spend(length);
}

export const DICT_METHODS: ReadonlyMap<string, Method> = new Map(METHODS.map((each) => [each.name, each]));
