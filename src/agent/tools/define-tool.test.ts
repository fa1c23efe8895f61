import { describe, expect, expectTypeOf, it } from 'vitest';
import { toolContext } from '../../../test/support/tool-context.ts';
import type { Json } from '../../base/json.ts';
import { checkArguments } from '../../engine/check-arguments.ts';
import { defineTool } from './define-tool.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  parameters: {
    text: { type: 'string', required: true, description: 'What for.' },
    order: { type: 'string', enum: ['newest', 'oldest'], default: 'newest' },
    limit: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    range: {
      type: 'object',
      properties: { from: { type: 'number', required: true }, to: { type: 'number' } },
    },
  },
  timeoutMs: 50,
  run: (args, { workspace }) => {
    expectTypeOf(args.text).toEqualTypeOf<string>();
    expectTypeOf(args.order).toEqualTypeOf<'newest' | 'oldest'>();
    expectTypeOf(args.limit).toEqualTypeOf<number | undefined>();
    expectTypeOf(args.tags).toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf(args.range?.from).toEqualTypeOf<number | undefined>();
    return { text: args.text, order: args.order, limit: args.limit ?? null, workspace };
  },
});

describe('a tool in TypeScript', () => {
  it('has the schema its table gives', () => {
    expect(search).toMatchObject({
      name: 'search',
      description: 'Searches.',
      timeoutMs: 50,
      source: '<code>',
    });
    expect(search.parameters).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What for.' },
        order: { type: 'string', enum: ['newest', 'oldest'], default: 'newest' },
        limit: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        range: {
          type: 'object',
          properties: { from: { type: 'number' }, to: { type: 'number' } },
          required: ['from'],
        },
      },
      required: ['text'],
    });
    expect(checkArguments(search.parameters, { text: 'x', range: {} })).toMatchObject({ ok: false });
  });

  it('runs with its defaults', async () => {
    expect(await search.run({ text: 'x' }, toolContext('/w').context)).toEqual({
      text: 'x',
      order: 'newest',
      limit: null,
      workspace: '/w',
    });
  });

  it('may take nothing', () => {
    const bare = defineTool({ name: 'now', description: 'Tells the time.', run: (): Json => 0 });
    expect(bare.parameters).toEqual({ type: 'object', properties: {} });
  });

  it('must have a name every provider takes', () => {
    const make = () => defineTool({ name: 'a b', description: '', run: (): Json => 0 });
    expect(make).toThrow('the tool name "a b" is not allowed: want 1 to 64 letters, digits, _ and -');
  });
});
