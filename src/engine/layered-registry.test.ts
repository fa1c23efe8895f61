import { describe, expect, it } from 'vitest';
import { hook } from '../../test/support/plain-hook.ts';
import { LayeredRegistry } from './layered-registry.ts';
import { Registry } from './registry.ts';

const named = (registry: Registry, event?: string) => registry.list(event).map(({ name }) => name);

describe('[C083] a registry on top of another', () => {
  it('has the hooks of both in one order', () => {
    const below = new Registry([hook({ name: 'late', priority: 30 }), hook({ name: 'early', priority: 10 })]);
    const above = new LayeredRegistry(below, [hook({ name: 'own', priority: 20 })]);
    expect(named(above, 'tool.pre')).toEqual(['early', 'own', 'late']);
    expect(named(below, 'tool.pre')).toEqual(['early', 'late']);
    expect(above.size).toBe(3);
  });

  it('follows what is added and removed on either side', () => {
    const below = new Registry();
    const above = new LayeredRegistry(below);
    const remove = below.add(hook({ name: 'low' }));
    above.add(hook({ name: 'high', event: 'tool.post' }));
    expect(above.events()).toEqual(['tool.post', 'tool.pre']);
    expect(above.has('tool.pre')).toBe(true);
    expect(above.chain('tool.pre')).toBe(above.chain('tool.pre'));
    remove();
    expect(named(above)).toEqual(['high']);
    expect(below.events()).toEqual([]);
  });

  it('cannot take away what is below', () => {
    const below = new Registry([hook({ name: 'guard' })]);
    const above = new LayeredRegistry(below, [hook({ name: 'own' })]);
    expect(above.unregister('guard', 'tool.pre')).toBe(false);
    expect(above.unregister('own', 'tool.pre')).toBe(true);
    above.add(hook({ name: 'own' }));
    above.clear();
    above.replaceAll([]);
    expect(named(above)).toEqual(['guard']);
  });
});
