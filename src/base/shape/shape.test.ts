import { describe, expect, expectTypeOf, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import type { Json } from '../json.ts';
import { check, isError, withoutUnknownKeys } from './check.ts';
import {
  anything,
  dict,
  either,
  type Field,
  flag,
  integer,
  list,
  map,
  mapOf,
  nullable,
  number,
  oneOf,
  optional,
  record,
  strictMap,
  type TypeOf,
  text,
  texts,
} from './field.ts';
import { jsonSchema } from './json-schema.ts';
import { expectationOf, hintFor, pathText } from './words.ts';

/** Each fault as `kind path`. */
function faults(field: Field, value: unknown, rules = {}): string[] {
  return check(field, value, rules).map(({ kind, path }) => `${kind} ${pathText(path)}`.trim());
}

describe('a value against its shape', () => {
  it.each<[string, Field, unknown, string[]]>([
    ['a text', text(''), 'x', []],
    ['a number for a text', text(''), 5, ['wrong']],
    ['white space where a word is wanted', text('', { blank: false }), ' \n', ['wrong']],
    ['another choice', oneOf('', ['a', 'b']), 'c', ['wrong']],
    ['half a number', integer(''), 1.5, ['wrong']],
    ['no number', number(''), Number.NaN, ['wrong']],
    [
      'the ends of a range',
      list('', integer('', { min: 1, max: 3 })),
      [0, 1, 3, 4],
      ['wrong [0]', 'wrong [3]'],
    ],
    ['an open end', number('', { above: 0 }), 0, ['wrong']],
    ['null', text(''), null, ['wrong']],
    ['null where it is as good as a value', nullable(text('')), null, []],
    ['a list for an object', dict(''), [], ['wrong']],
    ['a wrong item', texts(''), ['a', 1], ['wrong [1]']],
    ['a key of the author’s own', mapOf('', text('')), { a: 'x', b: 1 }, ['wrong b']],
    ['a key nobody knows', map('', { a: optional(text('')) }), { b: 1 }, ['unknown b']],
    ['another key beside those of a payload', record('', { a: text('') }), { a: 'x', b: 1 }, []],
    ['a key that is missing', map('', { a: text('') }), {}, ['missing a']],
    ['a key of every object', map('', { toString: text('') }), {}, ['missing toString']],
    ['deep down', map('', { a: list('', map('', { b: flag('') })) }), { a: [{ b: 1 }] }, ['wrong a[0].b']],
    ['either form', either('', text(''), map('', { a: text('') })), { a: 1 }, ['wrong a']],
    ['neither form', either('', text(''), texts('')), 5, ['wrong']],
    ['a number that was not meant', number('', { odd: (n) => (n < 9 ? 'small' : null) }), 5, ['odd']],
    ['what nobody reads', anything('', { ignored: 'not here' }), 5, ['ignored']],
    ['what nobody reads and needs no word', anything('', { ignored: '' }), 5, []],
  ])('%s', (_what, field, value, wanted) => {
    expect(faults(field, value)).toEqual(wanted);
  });

  it('in YAML a key with nothing behind it is no key, and an empty text does not fill a required one', () => {
    const shape = map('', { a: text(''), b: optional(text('')), c: optional(mapOf('', text(''))) });
    const value = { a: '', b: null, c: { d: null } };
    expect(faults(shape, value, { emptyIsAbsent: true })).toEqual(['wrong c.d', 'missing a']);
    expect(faults(shape, { a: null }, { emptyIsAbsent: true })).toEqual(['missing a']);
    expect(faults(shape, { a: null })).toEqual(['wrong a']);
  });

  it('an unknown key is worth a warning, or a mistake where it may be a misspelt guard', () => {
    const [loose] = check(map('', {}), { a: 1 });
    const [strict] = check(strictMap('', {}), { a: 1 });
    expect([loose, strict].map((fault) => isError(fault!))).toEqual([false, true]);
  });

  it('more values than anybody writes are refused, and soon', () => {
    const began = cpuTime();
    const found = check(list('', text('')), Array(2_000_000).fill('x'));
    expect(found.map(({ kind }) => kind)).toEqual(['too complex']);
    expect(found.every(isError)).toBe(true);
    expect(cpuTime() - began).toBeLessThan(2000);
  });

  it('what fits is given without what is ignored', () => {
    const shape = map('', { a: optional(list('', map('', { b: optional(text('')) }))), c: anything('') });
    const value: Json = { a: [{ b: null, x: 1 }, { b: 'y' }], c: null, z: 1 };
    expect(withoutUnknownKeys(shape, value)).toEqual({ a: [{}, { b: 'y' }], c: null });
  });
});

describe('what a shape wants, in words', () => {
  it.each<[Field, unknown, string, string]>([
    [text('', { hint: 'quote it' }), 5, 'a string', ' (quote it)'],
    [text('', { blank: false }), ' ', 'a string that is not blank', ''],
    [oneOf('', ['block', 'allow']), 'blok', 'one of block, allow', ' (did you mean block?)'],
    [oneOf('', ['block']), 5, 'a string', ''],
    [integer('', { min: 1, max: 9 }), 10, 'from 1 to 9', ''],
    [integer('', { min: 1, max: 9 }), 'x', 'an integer', ''],
    [number('', { above: 0, wanted: 'seconds above 0' }), 0, 'seconds above 0', ''],
    [either('', text(''), dict('')), 5, 'a string or an object', ''],
    [flag(''), 'yes', 'true or false', ''],
  ])('%j, got %j: %s', (field, value, wanted, hint) => {
    expect(expectationOf(field, value)).toBe(wanted);
    expect(hintFor(field, value)).toBe(hint);
  });
});

describe('the JSON Schema of a shape', () => {
  it('says what the check demands', () => {
    const shape = map('A thing.', {
      name: text('Its name.', { blank: false }),
      size: optional(integer('How big.', { min: 1, max: 9 }), '3'),
      mode: nullable(oneOf('How.', ['a', 'b'])),
      parts: optional(list('', either('', text(''), mapOf('', number('', { above: 0 }))))),
      old: optional(anything('Not used.', { ignored: '' })),
    });
    expect(jsonSchema(shape)).toEqual({
      description: 'A thing.',
      type: 'object',
      properties: {
        name: { description: 'Its name.', type: 'string', minLength: 1 },
        size: { description: 'How big. Default: 3.', type: 'integer', minimum: 1, maximum: 9 },
        mode: { description: 'How.', type: ['string', 'null'], enum: ['a', 'b', null] },
        parts: {
          type: 'array',
          items: {
            anyOf: [
              { type: 'string' },
              { type: 'object', additionalProperties: { type: 'number', exclusiveMinimum: 0 } },
            ],
          },
        },
        old: { description: 'Not used.', deprecated: true },
      },
      additionalProperties: false,
      required: ['name', 'mode'],
    });
    expect(jsonSchema(record('', {}))).toEqual({ type: 'object', properties: {} });
  });
});

describe('the type of a shape', () => {
  it('is that of the values that fit', () => {
    const shape = map('', {
      name: text(''),
      mode: optional(oneOf('', ['a', 'b'])),
      parts: list('', either('', text(''), map('', { file: text('') }))),
    });
    expectTypeOf<TypeOf<typeof shape>>().toExtend<{
      readonly name: string;
      readonly mode?: 'a' | 'b';
      readonly parts: readonly (string | { readonly file: string })[];
    }>();
    expectTypeOf<{ name: string; parts: string[]; mode: 'c' }>().not.toExtend<TypeOf<typeof shape>>();
  });
});
