/**
 * Arbitrary Starlark values for property tests: few enough scalars that equal ones meet often.
 */
import fc from 'fast-check';
import { Thread } from '../../src/starlark/run/thread.ts';
import { Bytes } from '../../src/starlark/values/bytes.ts';
import { Dict } from '../../src/starlark/values/dict.ts';
import { List, Tuple } from '../../src/starlark/values/list.ts';
import { StarSet } from '../../src/starlark/values/set.ts';
import { Struct } from '../../src/starlark/values/struct.ts';
import { Float, type Value } from '../../src/starlark/values/value.ts';

const thread = new Thread();

const float = (value: number): Value => new Float(value);

export const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(null, true, false, 0, 1, 2, -1, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 80n),
  fc.constantFrom(0, -0, 1, 1.5, 2 ** 53, 2 ** 80, Infinity, NaN).map(float),
  fc.constantFrom('', 'a', 'b', 'ab', '\0', '\0sa', '\0ts1:a', '1', '\ud83d\ude00', '\uffff'),
  fc.constantFrom('', 'a', 'ab').map((text) => Bytes.encode(text)),
);

/** Values that can be keys. */
export const hashable: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    {
      arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items): Value => new Tuple(items)),
      weight: 2,
    },
    {
      arbitrary: fc.tuple(tie('value'), tie('value')).map(
        ([x, y]): Value =>
          new Struct([
            ['x', x],
            ['y', y],
          ]),
      ),
      weight: 1,
    },
  ),
})).value;

export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: hashable, weight: 4 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items): Value => new List(items)), weight: 2 },
    {
      arbitrary: fc
        .array(fc.tuple(hashable, tie('value')), { maxLength: 3 })
        .map((entries): Value => Dict.of(thread, entries)),
      weight: 1,
    },
    {
      arbitrary: fc.array(hashable, { maxLength: 3 }).map((items): Value => StarSet.of(thread, items)),
      weight: 1,
    },
  ),
})).value;
