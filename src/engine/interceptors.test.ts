import { describe, expect, it } from 'vitest';
import { type BeforeToolHook, ToolHookRegistry, type ToolResult } from './interceptors.ts';

const boom = () => {
  throw new Error('boom');
};
const never = () => new Promise<never>(() => {});

describe('interceptors before a tool', () => {
  it('[C139] rewrite the input, each seeing what the one before left', async () => {
    const registry = new ToolHookRegistry();
    registry.registerBefore('write_file', (_, input) => ({ modifiedInput: { ...input, tenant: 't1' } }));
    registry.registerBefore('write_file', async (_, input) => ({
      blocked: false,
      modifiedInput: { ...input, path: `/${input.tenant}/${input.path}` },
    }));
    expect(await registry.runBeforeHooks('write_file', { path: 'a' }, {})).toEqual({
      blocked: false,
      modifiedInput: { path: '/t1/a', tenant: 't1' },
    });
  });

  it('[C140] run for every tool first, then for the one named, whatever the order of registration', async () => {
    const registry = new ToolHookRegistry<string[]>();
    const note = (word: string) => (_: string, __: unknown, seen: string[]) => void seen.push(word);
    registry.registerBefore('read', note('read'));
    registry.registerBefore('*', note('all'));
    registry.registerBefore('write', note('write'));
    const seen: string[] = [];
    await registry.runBeforeHooks('read', {}, seen);
    expect(seen).toEqual(['all', 'read']);
  });

  it('stop at the first that blocks', async () => {
    const registry = new ToolHookRegistry();
    let reached = false;
    registry.registerBefore('*', () => ({ blocked: true, reason: 'not here' }));
    registry.registerBefore('*', () => {
      reached = true;
    });
    expect(await registry.runBeforeHooks('x', {}, null)).toEqual({ blocked: true, reason: 'not here' });
    expect(reached).toBe(false);
  });

  it('name no new input where the object is the same', async () => {
    const registry = new ToolHookRegistry();
    registry.registerBefore('*', (_, input) => ({ modifiedInput: input }));
    registry.registerBefore('*', () => undefined);
    expect(await registry.runBeforeHooks('x', { a: 1 }, null)).toEqual({ blocked: false });
  });

  it('can be removed by their id', async () => {
    const registry = new ToolHookRegistry();
    registry.registerBefore('x', () => ({ blocked: true }), 'guard');
    const other = registry.registerBefore('x', () => ({ blocked: true }));
    expect([registry.remove('guard'), registry.remove('guard'), registry.remove(other)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await registry.runBeforeHooks('x', {}, null)).toEqual({ blocked: false });
  });

  it.each<[string, unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      'error',
    ],
    [
      'throws no error',
      () => {
        throw null;
      },
      'error',
    ],
    ['rejects', () => Promise.reject(new Error('boom')), 'error'],
    ['never answers', never, 'timeout'],
    ['has a then that throws', () => Object.defineProperty({}, 'then', { value: boom }), 'error'],
    ['returns a text', () => 'yes', 'invalid_return'],
    ['returns another type of blocked', () => ({ blocked: 'no' }), 'invalid_return'],
    ['returns an input that is none', () => ({ modifiedInput: [1] }), 'invalid_return'],
  ])('block the call where one %s', async (_, hook, kind) => {
    const registry = new ToolHookRegistry({ timeoutMs: 20 });
    registry.registerBefore('*', hook as BeforeToolHook, 'broken');
    expect(await registry.runBeforeHooks('x', {}, null)).toMatchObject({
      blocked: true,
      reason: expect.stringContaining('interceptor "broken" failed: '),
      failure: { kind, interceptor: 'broken' },
    });
  });
});

describe('interceptors after a tool', () => {
  it('[C139] rewrite the result in turn, those for every tool first', async () => {
    const registry = new ToolHookRegistry();
    const adds = (word: string) => (_: string, __: unknown, result: ToolResult) => ({
      ...result,
      content: `${result.content}${word}`,
    });
    registry.registerAfter('read', adds(' read'));
    registry.registerAfter('*', async (tool, input, result) => adds(' all')(tool, input, result));
    expect(await registry.runAfterHooks('read', {}, { content: 'text' }, null)).toEqual({
      content: 'text all read',
    });
    expect(await registry.runAfterHooks('other', {}, { content: 'text' }, null)).toEqual({
      content: 'text all',
    });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['never answers', never],
    ['forgets to return the result', () => undefined as never],
  ])('hide the result where one %s: cleaning it may have been its purpose', async (_, hook) => {
    const registry = new ToolHookRegistry({ timeoutMs: 20 });
    registry.registerAfter('*', hook, 'cleaner');
    const result = await registry.runAfterHooks('x', {}, { content: 'secret' }, null);
    expect(result).toMatchObject({ isError: true, failure: { interceptor: 'cleaner' } });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});
