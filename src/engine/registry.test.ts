import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hook } from '../../test/support/plain-hook.ts';
import { compareHooks, sort } from './pipeline.ts';
import { Registry } from './registry.ts';

const names = (hooks: readonly { name: string }[]) => hooks.map((each) => each.name);

const anyHook = fc
  .record({
    name: fc.string(),
    priority: fc.integer({ min: -3, max: 3 }),
    source: fc.constantFrom('a.md', 'b.md', 'ä.md', 'B.md', 'a/b.md'),
    position: fc.nat(2),
  })
  .map(hook);

describe('the order of a chain', () => {
  it('[C007] is priority, then source path by code unit, then position', () => {
    const sorted = sort([
      hook({ name: 'e', priority: 1 }),
      hook({ name: 'd', priority: 0, source: 'b.md', position: 1 }),
      hook({ name: 'c', priority: 0, source: 'b.md', position: 0 }),
      hook({ name: 'b', priority: 0, source: 'B.md' }),
      hook({ name: 'a', priority: -5, source: 'z.md' }),
    ]);
    expect(names(sorted)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('[C007] is total: any two hooks compare the same way round', () => {
    fc.assert(
      fc.property(anyHook, anyHook, anyHook, (a, b, c) => {
        expect(Math.sign(compareHooks(a, b))).toBe(-Math.sign(compareHooks(b, a)) + 0);
        if (compareHooks(a, b) <= 0 && compareHooks(b, c) <= 0)
          expect(compareHooks(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('[C007] [C008] is stable: equal hooks keep the order of registration, and sorting twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(anyHook), (hooks) => {
        const sorted = sort(hooks);
        expect(sort(sorted)).toEqual(sorted);
        for (let i = 1; i < sorted.length; i++) {
          const [a, b] = [sorted[i - 1]!, sorted[i]!];
          if (compareHooks(a, b) === 0) expect(hooks.indexOf(a)).toBeLessThanOrEqual(hooks.indexOf(b));
        }
      }),
    );
  });

  it('does not depend on the order of registration where the keys differ', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyHook, { comparator: (a, b) => compareHooks(a, b) === 0 }), (hooks) => {
        expect(sort([...hooks].reverse())).toEqual(sort(hooks));
      }),
    );
  });
});

describe('the registry', () => {
  it('[C013] lists the hooks of an event in order, and knows has and size', () => {
    const registry = new Registry([hook({ name: 'b', priority: 2 }), hook({ name: 'a', priority: 1 })]);
    registry.add(hook({ name: 'c', event: 'tool.post' }));
    expect(names(registry.list('tool.pre'))).toEqual(['a', 'b']);
    expect(names(registry.list())).toEqual(['c', 'a', 'b']);
    expect(registry.events()).toEqual(['tool.post', 'tool.pre']);
    expect([registry.has('tool.pre'), registry.has('error'), registry.size]).toEqual([true, false, 3]);
  });

  it('[C011] returns from add what removes that registration alone, once', () => {
    const twice = hook({ name: 'twice' });
    const registry = new Registry([twice]);
    const remove = registry.add(twice);
    expect(registry.size).toBe(2);
    remove();
    remove();
    expect(registry.size).toBe(1);
  });

  it('[C011] unregisters the first hook of a name on an event', () => {
    const registry = new Registry([
      hook({ name: 'x', priority: 2, source: 'second.md' }),
      hook({ name: 'x', priority: 1, source: 'first.md' }),
    ]);
    expect(registry.unregister('x', 'tool.pre')).toBe(true);
    expect(registry.list('tool.pre').map((each) => each.source)).toEqual(['second.md']);
    expect(registry.unregister('y', 'tool.pre')).toBe(false);
    expect(registry.unregister('x', 'tool.post')).toBe(false);
  });

  it('[C012] clears one event or all', () => {
    const registry = new Registry([hook({}), hook({ event: 'tool.post' })]);
    registry.clear('tool.pre');
    expect([registry.has('tool.pre'), registry.has('tool.post')]).toEqual([false, true]);
    registry.clear();
    expect(registry.size).toBe(0);
  });

  it('[C014] hands out snapshots: what was listed does not change', () => {
    const registry = new Registry([hook({ name: 'a' })]);
    const before = registry.list('tool.pre');
    registry.add(hook({ name: 'b' }));
    expect(names(before)).toEqual(['a']);
    expect(() => (before as unknown[]).push(1)).toThrow();
    expect(names(registry.list('tool.pre'))).toEqual(['a', 'b']);
  });

  it('replaces a set as a whole or not at all', () => {
    const registry = new Registry([hook({ name: 'old' })]);
    expect(() => registry.replaceAll([hook({ name: 'new' }), hook({ event: 'nope' })])).toThrow('is invalid');
    expect(names(registry.list())).toEqual(['old']);
    registry.replaceAll([hook({ name: 'new' })]);
    expect(names(registry.list())).toEqual(['new']);
    registry.replaceAll([]);
    expect(registry.size).toBe(0);
  });

  it('keeps what was added one by one when a set is replaced, removers included', () => {
    const registry = new Registry([hook({ name: 'file' })]);
    const remove = registry.add(hook({ name: 'code' }));
    registry.replaceAll([hook({ name: 'newer file' })]);
    expect(names(registry.list()).sort()).toEqual(['code', 'newer file']);
    remove();
    expect(names(registry.list())).toEqual(['newer file']);
  });

  it('[C001] refuses a hook on an event the catalog does not have', () => {
    expect(() => new Registry([hook({ event: 'tool.prre' })])).toThrow(
      'event "tool.prre" is invalid (did you mean tool.pre?)',
    );
    expect(() => new Registry([hook({ event: 'PreToolUse' })])).toThrow('use "tool.pre"');
  });

  it('keeps the chains it prepared, but not those of made-up events nobody listens to', () => {
    const registry = new Registry([hook({ event: 'custom.heard' })]);
    for (const event of ['tool.pre', 'custom.heard', 'custom.unheard']) registry.chain(event);
    const kept = ['tool.pre', 'custom.heard', 'custom.unheard'].map(
      (event) => registry.prepared(event) !== undefined,
    );
    expect(kept).toEqual([true, true, false]);
    registry.add(hook({}));
    expect(registry.prepared('tool.pre')).toBeUndefined();
  });

  it('[C009] keeps hooks added at run time behind the policy', () => {
    const registry = new Registry([
      hook({ name: 'pushy', origin: 'runtime', priority: -100 }),
      hook({ name: 'late', origin: 'runtime', priority: 70 }),
      hook({ name: 'policy', priority: 49 }),
    ]);
    expect(registry.list('tool.pre').map(({ name, priority }) => [name, priority])).toEqual([
      ['policy', 49],
      ['pushy', 50],
      ['late', 70],
    ]);
  });

  it('[C009] does not let them watch over their own registration', () => {
    const watcher = hook({ name: 'w', origin: 'runtime', event: 'meta.register_hook' });
    expect(() => new Registry([watcher])).toThrow('may not listen to meta.register_hook');
  });

  it('refuses a priority that has no place in an order', () => {
    expect(() => new Registry([hook({ priority: Number.NaN })])).toThrow('finite');
  });
});
