/**
 * The methods of sets. Where one takes other collections, any iterable will do.
 */
import { fail, StarlarkError } from '../run/errors.ts';
import { cursorOf, drain } from '../run/iterate.ts';
import { type Method, method, type ParamsOf } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantItems } from '../run/want.ts';
import { StarSet } from '../values/set.ts';
import { typeName, type Value } from '../values/value.ts';

/** A method whose errors begin with its name, those of the set underneath included: `add: unhashable type: list`. */
function setMethod<S extends string>(
  name: string,
  signature: S,
  body: (thread: Thread, self: StarSet, ...args: ParamsOf<S>) => Value,
): Method {
  // At most one argument: to collect and spread them would cost more than most of the methods do.
  const run = body as (thread: Thread, self: StarSet, arg: unknown) => Value;
  const named = (thread: Thread, self: StarSet, arg?: unknown): Value => {
    try {
      return run(thread, self, arg);
    } catch (error) {
      const isOwn = error instanceof StarlarkError && error.kind === 'eval' && error.frames.length === 0;
      if (isOwn && !error.message.startsWith(`${name}: `)) error.message = `${name}: ${error.message}`;
      throw error;
    }
  };
  return method<StarSet, S>(name, signature, named as typeof body);
}

/** The elements of one of the other collections. */
function itemsOf(thread: Thread, other: Value, i: number): Value[] {
  const cursor = cursorOf(thread, other) ?? fail(`argument #${i + 1} is not iterable: ${typeName(other)}`);
  return drain(thread, cursor, other);
}

function toSet(thread: Thread, other: Value, i: number): StarSet {
  return other instanceof StarSet ? other : StarSet.of(thread, itemsOf(thread, other, i));
}

type Combine = (thread: Thread, self: StarSet, others: readonly Value[]) => StarSet;

/** One after the other; of none, a copy. */
function combined(name: 'union' | 'intersection' | 'difference'): Combine {
  return (thread, self, others) =>
    others.length === 0
      ? self.copy(thread)
      : others.reduce<StarSet>((left, other, i) => left[name](thread, toSet(thread, other, i)), self);
}

const symmetricDifference: Combine = (thread, self, [other]) =>
  self.symmetricDifference(thread, toSet(thread, other!, 0));

/** The method that gives a new set, and the one that changes the set itself, of one way to combine. */
function combining(name: string, updating: string, verb: string, combine: Combine): Method[] {
  return [
    setMethod(name, '*others', (thread, self, others) => combine(thread, self, others)),
    setMethod(updating, '*others', (thread, self, others) => {
      self.mutable(verb);
      self.replaceWith(verb, combine(thread, self, others));
      return null;
    }),
  ];
}

/** A question about the set and one other collection. */
function relation(name: string, test: (thread: Thread, self: StarSet, other: StarSet) => boolean): Method {
  return setMethod(name, 'iterable, /', (thread, self, other) => {
    const set =
      other instanceof StarSet ? other : StarSet.of(thread, wantItems(thread, name, 'iterable', other));
    return test(thread, self, set);
  });
}

const METHODS: readonly Method[] = [
  setMethod('add', 'x, /', (thread, self, x) => {
    self.add(thread, x);
    return null;
  }),
  setMethod('clear', '', (_thread, self) => {
    self.clear();
    return null;
  }),
  ...combining('difference', 'difference_update', 'delete from', combined('difference')),
  setMethod('discard', 'x, /', (thread, self, x) => {
    self.delete(thread, x);
    return null;
  }),
  ...combining('intersection', 'intersection_update', 'delete from', combined('intersection')),
  relation('isdisjoint', (thread, self, other) => self.intersection(thread, other).size === 0),
  relation('issubset', (thread, self, other) => self.isSubset(thread, other)),
  relation('issuperset', (thread, self, other) => other.isSubset(thread, self)),
  setMethod('pop', '', (_thread, self) => {
    if (self.size === 0) fail('pop: empty set');
    return self.pop()!;
  }),
  setMethod('remove', 'x, /', (thread, self, x) =>
    self.delete(thread, x) ? null : fail('remove: missing key'),
  ),
  setMethod('symmetric_difference', 'iterable, /', (thread, self, other) =>
    symmetricDifference(thread, self, [other]),
  ),
  setMethod('symmetric_difference_update', 'iterable, /', (thread, self, other) => {
    self.mutable('insert into');
    self.replaceWith('insert into', symmetricDifference(thread, self, [other]));
    return null;
  }),
  setMethod('union', '*others', combined('union')),
  setMethod('update', '*others', (thread, self, others) => {
    others.forEach((other, i) => {
      for (const item of itemsOf(thread, other, i)) self.add(thread, item);
    });
    return null;
  }),
];

export const SET_METHODS: ReadonlyMap<string, Method> = new Map(METHODS.map((each) => [each.name, each]));
