/**
 * The methods of lists.
 */
import { fail } from '../run/errors.ts';
import { type Method, method } from '../run/signature.ts';
import { wantInt, wantItems } from '../run/want.ts';
import { equal } from '../values/equal.ts';
import { type List, Tuple } from '../values/list.ts';
import { checkedIndex, indices } from '../values/sequence.ts';
import { SLOT } from '../values/size.ts';
import { typeName } from '../values/value.ts';

/** Elements that move when one is put in or taken out; moving is cheap, so eight of them make a step. */
const MOVED_PER_STEP_LOG2 = 3;

const METHODS: readonly Method[] = [
  method('append', 'x, /', (thread, self: List, x) => {
    thread.charge(SLOT);
    self.mutable('append to').push(x);
    return null;
  }),
  method('clear', '', (_thread, self: List) => {
    self.mutable('clear').length = 0;
    return null;
  }),
  method('extend', 'iterable, /', (thread, self: List, iterable) => {
    const items =
      iterable instanceof Tuple ? iterable.items : wantItems(thread, 'extend', 'iterable', iterable);
    self.extend(thread, 'extend', items);
    return null;
  }),
  method('index', 'x, start=None, end=None, /', (thread, self: List, x, start, end) => {
    for (const [what, bound] of [
      ['start', start],
      ['end', end],
    ] as const) {
      const isIndex = bound === null || typeof bound === 'number' || typeof bound === 'bigint';
      if (!isIndex) fail(`index: invalid ${what} index: got ${typeName(bound)}, want int`);
    }
    const [low, high] = indices(start, end, self.length);
    for (let i = low; i < high; i++) {
      thread.spend(1);
      if (equal(thread, self.at(i, thread), x)) return i;
    }
    fail('index: value not in list');
  }),
  method('insert', 'i, x, /', (thread, self: List, i, x) => {
    const [at] = indices(wantInt('insert', 'i', i), null, self.length);
    const items = self.mutable('insert into');
    thread.charge(SLOT);
    thread.spend((items.length - at) >> MOVED_PER_STEP_LOG2);
    items.splice(at, 0, x);
    return null;
  }),
  method('pop', 'i=-1, /', (thread, self: List, i) => {
    const at = checkedIndex('list', wantInt('pop', 'i', i), self.length);
    const items = self.mutable('pop from');
    if (at === items.length - 1) return items.pop()!;
    thread.spend((items.length - at) >> MOVED_PER_STEP_LOG2);
    return items.splice(at, 1)[0]!;
  }),
  method('remove', 'x, /', (thread, self: List, x) => {
    const items = self.mutable('remove from');
    for (let i = 0; i < items.length; i++) {
      thread.spend(1);
      if (!equal(thread, items[i]!, x)) continue;
      thread.spend((items.length - i) >> MOVED_PER_STEP_LOG2);
      items.splice(i, 1);
      return null;
    }
    fail('remove: element not found');
  }),
];

export const LIST_METHODS: ReadonlyMap<string, Method> = new Map(METHODS.map((each) => [each.name, each]));
