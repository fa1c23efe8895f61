import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../test/support/cpu-time.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { checkArguments } from './check-arguments.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const problems = (schema: JsonObject, args: JsonObject) => {
  const checked = checkArguments(schema, args);
  return checked.ok ? [] : checked.problems;
};

describe('arguments against a schema', () => {
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['fits', object({ a: { type: 'string' } }), { a: 'x' }, []],
    ['has more than is asked for', object({}), { extra: 1 }, []],
    [
      'is of another type',
      object({ a: { type: 'string' } }),
      { a: 5 },
      ['args.a is the number 5 (want string)'],
    ],
    [
      'is a number in quotes',
      object({ a: { type: 'integer' } }),
      { a: '5' },
      ['args.a is the text "5" (want integer)'],
    ],
    [
      'is no whole number',
      object({ a: { type: 'integer' } }),
      { a: 1.5 },
      ['args.a is the number 1.5 (want integer)'],
    ],
    ['may be null', object({ a: { type: ['string', 'null'] } }), { a: null }, []],
    ['may not be null', object({ a: { type: 'string' } }), { a: null }, ['args.a is null (want string)']],
    ['is missing', object({ a: {} }, { required: ['a'] }), {}, ['args.a is missing']],
    [
      'is missing and was misspelt',
      object({ path: { type: 'string' } }, { required: ['path'] }),
      { pth: 'x' },
      ['args.path is missing (got args.pth)'],
    ],
    [
      'is unknown where nothing else may be given',
      object({ path: {} }, { additionalProperties: false }),
      { pathh: 1 },
      ['args.pathh is unknown (did you mean path?)'],
    ],
    [
      'is beside the properties and has a schema of its own',
      object({ a: {} }, { additionalProperties: { type: 'number' } }),
      { a: 'x', b: 'y' },
      ['args.b is the text "y" (want number)'],
    ],
    [
      'is none of the choices',
      object({ mode: { enum: ['read', 'write'] } }),
      { mode: 'raed' },
      ['args.mode is the text "raed" (want one of "read", "write") (did you mean read?)'],
    ],
    ['is another constant', object({ v: { const: 1 } }), { v: 2 }, ['args.v is the number 2 (want 1)']],
    [
      'is wrong inside a list',
      object({ list: { type: 'array', items: object({ n: { type: 'number' } }) } }),
      { list: [{ n: 1 }, { n: 'x' }] },
      ['args.list[1].n is the text "x" (want number)'],
    ],
    [
      'is too short',
      object({ a: { minLength: 2 } }),
      { a: '😀' },
      ['args.a has 1 characters (want at least 2)'],
    ],
    ['is too many', object({ a: { maxItems: 1 } }), { a: [1, 2] }, ['args.a has 2 items (want at most 1)']],
    ['is too small', object({ a: { minimum: 1 } }), { a: 0 }, ['args.a is 0 (want at least 1)']],
    ['is at an open end', object({ a: { exclusiveMaximum: 1 } }), { a: 1 }, ['args.a is 1 (want below 1)']],
    [
      'does not match',
      object({ a: { pattern: '^x' } }),
      { a: 'y' },
      ['args.a is the text "y" (want a match of ^x)'],
    ],
    ['has a pattern RE2 cannot have', object({ a: { pattern: '(?=x)' } }), { a: 'y' }, []],
    [
      'fits none of several',
      object({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
      { a: true },
      ['args.a is the boolean true: it fits none of the forms it may have'],
    ],
    [
      'fits two where one is wanted',
      object({ a: { oneOf: [{ type: 'number' }, { type: 'integer' }] } }),
      { a: 1 },
      ['args.a is the number 1: it does not fit exactly one of the forms it may have'],
    ],
    [
      'must fit all of several',
      object({ a: { allOf: [{ minimum: 2 }, { maximum: 3 }] } }),
      { a: 4 },
      ['args.a is 4 (want at most 3)'],
    ],
    [
      'is described elsewhere in the schema',
      object({ a: { $ref: '#/$defs/name' } }, { $defs: { name: { type: 'string' } } }),
      { a: 1 },
      ['args.a is the number 1 (want string)'],
    ],
    ['may not be given at all', object({ a: false as never }), { a: 1 }, ['args.a may not be given']],
    ['has a type nobody knows', object({ a: { type: 'date' } }), { a: 1 }, []],
  ])('one that %s', (_what, schema, args, wanted) => {
    expect(problems(schema, args)).toEqual(wanted);
  });

  it('fills in the defaults of the schema and nothing else', () => {
    const schema = object({ n: { type: 'integer', default: 10 }, path: { type: 'string' } });
    expect(checkArguments(schema, { path: 'x' })).toEqual({ ok: true, args: { path: 'x', n: 10 } });
    expect(checkArguments(schema, { n: 3 })).toEqual({ ok: true, args: { n: 3 } });
  });

  it('names at most ten problems', () => {
    const args = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 1]));
    expect(problems(object({}, { additionalProperties: false }), args)).toHaveLength(10);
  });

  it('checks every item against a reference, however many there are', () => {
    const schema = object({ list: { items: { $ref: '#/$defs/n' } } }, { $defs: { n: { type: 'number' } } });
    const list: Json[] = Array.from({ length: 20_000 }, (_, n) => n);
    expect(problems(schema, { list })).toEqual([]);
    expect(problems(schema, { list: [...list, 'x'] })).toEqual([
      'args.list[20000] is the text "x" (want number)',
    ]);
  });

  it('takes two objects for equal whatever the order of their keys', () => {
    const schema = object({ a: { const: { x: 1, y: [2] } }, b: { enum: [[1, 2]] } });
    expect(problems(schema, { a: { y: [2], x: 1 }, b: [1, 2] })).toEqual([]);
    expect(problems(schema, { a: { y: [2] }, b: [1, 2, 3] })).toHaveLength(2);
  });

  it('holds a tree that describes itself to its description', () => {
    const schema = object(
      { root: { $ref: '#/$defs/node' } },
      { $defs: { node: object({ next: { $ref: '#/$defs/node' }, v: { type: 'number' } }) } },
    );
    expect(problems(schema, { root: { v: 1, next: { v: 'x' } } })).toEqual([
      'args.root.next.v is the text "x" (want number)',
    ]);
  });

  it('does not list more choices than a model can read', () => {
    const schema = object({ a: { enum: Array.from({ length: 5000 }, (_, n) => `choice ${n}`) } });
    expect(problems(schema, { a: 'none' })[0]).toMatch(/^args\.a .*"choice 49", …\)$/);
  });

  it('a key that is also on every object is an ordinary key', () => {
    expect(problems(object({}, { required: ['toString'] }), {})).toEqual(['args.toString is missing']);
    expect(problems(object({ constructor: { type: 'string' } }), {})).toEqual([]);
  });
});

describe('a schema made to keep the checker busy is refused soon', () => {
  const doubled = (levels: number, inner: JsonObject, keyword: string): JsonObject =>
    levels === 0 ? inner : { [keyword]: Array(2).fill(doubled(levels - 1, inner, keyword)) };

  /** `d0` asks twice for `d1`, that twice for `d2`, and so on. */
  const doubledReferences = (levels: number, keyword: string): JsonObject => {
    const next = (level: number) => ({ $ref: `#/$defs/d${level + 1}` });
    const rows = Array.from({ length: levels }, (_, n) => [`d${n}`, { [keyword]: [next(n), next(n)] }]);
    return { ...Object.fromEntries(rows), [`d${levels}`]: { type: 'string' } };
  };

  const chain = (length: number, keyword: string): JsonObject =>
    Object.fromEntries(
      Array.from({ length }, (_, n) => [`d${n}`, { [keyword]: [{ $ref: `#/$defs/d${n + 1}` }] }]),
    );

  const referring = ($defs: JsonObject) => object({ a: { $ref: '#/$defs/d0' } }, { $defs });
  const text = 'ab'.repeat(200_000);
  const patterns = Array.from({ length: 2000 }, (_, n) => ({ pattern: `(a|b)*c${n}$` }));
  const long = Array.from({ length: 300 }, (_, n) => 'y'.repeat(10_000) + n);

  it.each<[string, JsonObject, Json]>([
    ['anyOf of anyOf', object({ a: doubled(40, { type: 'string' }, 'anyOf') }), 1],
    ['oneOf of oneOf', object({ a: doubled(40, { type: 'string' }, 'oneOf') }), 'x'],
    ['allOf of allOf', object({ a: doubled(40, { type: 'string' }, 'allOf') }), 'x'],
    ['references that double', referring(doubledReferences(60, 'allOf')), 'x'],
    ['references that double in alternatives', referring(doubledReferences(60, 'anyOf')), 1],
    ['references in a circle', referring({ d0: { $ref: '#/$defs/d1' }, d1: { $ref: '#/$defs/d0' } }), 1],
    ['a reference to itself', { $ref: '#' }, 1],
    ['a chain deeper than the stack', referring(chain(20_000, 'anyOf')), 1],
    ['patterns over a long text', object({ a: { anyOf: patterns } }), text],
  ])('%s', (_what, schema, a) => {
    const began = cpuTime();
    expect(problems(schema, { a })).toEqual([
      'args cannot be checked: the parameters of this tool are too complex',
    ]);
    expect(cpuTime() - began).toBeLessThan(2000);
  });

  it('a long text is not searched for among long choices', () => {
    const began = cpuTime();
    expect(problems(object({ a: { enum: long } }), { a: 'x'.repeat(10_000) })).toHaveLength(1);
    expect(cpuTime() - began).toBeLessThan(1000);
  });
});
