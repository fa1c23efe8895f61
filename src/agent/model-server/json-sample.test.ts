import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { sampleOf } from './json-sample.ts';

describe('a sample of a JSON Schema', () => {
  it.each<[JsonObject, Json]>([
    [{ type: 'string' }, 'ok'],
    [{ type: 'integer', minimum: 3 }, 3],
    [{ type: 'number' }, 0],
    [{ type: 'boolean' }, false],
    [{ type: 'null' }, null],
    [{ type: ['string', 'null'] }, 'ok'],
    [{ enum: ['user', 'model'] }, 'user'],
    [{ const: 7 }, 7],
    [{ anyOf: [{ type: 'boolean' }, { type: 'string' }] }, false],
    [{ type: 'array', items: { type: 'string' } }, []],
    [{ type: 'array', items: { type: 'string' }, minItems: 2 }, ['ok', 'ok']],
    [{ type: 'OBJECT', properties: { a: { type: 'STRING' }, b: {} }, required: ['a'] }, { a: 'ok' }],
    [{ properties: { a: { type: 'integer' } }, required: ['a'] }, { a: 0 }],
    [{ $ref: '#/$defs/one', $defs: { one: { type: 'boolean' } } }, false],
    [{ $ref: '#/$defs/missing' }, 'ok'],
    [{}, 'ok'],
  ])('%j: %j', (schema, value) => {
    expect(sampleOf(schema)).toEqual(value);
  });

  it('a schema that refers to itself comes to an end', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
    expect(JSON.stringify(sampleOf(node)).length).toBeLessThan(1000);
  });

  it('a schema that multiplies comes to an end', () => {
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const properties = Object.fromEntries(keys.map((key) => [key, { $ref: '#' }]));
    const wide = { type: 'object', properties, required: keys };
    expect(JSON.stringify(sampleOf(wide)).length).toBeLessThan(100_000);
  });

  it('a schema that wants the same keys a thousand times comes to an end', () => {
    const required = Array.from({ length: 100_000 }, (_, i) => `k${i}`);
    const many = { type: 'object', properties: {}, required };
    const schema = { ...many, properties: Object.fromEntries(required.map((key) => [key, many])) };
    expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(1_000_000);
  });

  it('an array that wants more than there could be gets a few', () => {
    expect(sampleOf({ type: 'array', minItems: 1e15 })).toHaveLength(8);
  });
});
