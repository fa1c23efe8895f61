import { describe, expect, it } from 'vitest';
import { hook } from '../../../../test/support/plain-hook.ts';
import { Registry } from '../../../engine/registry.ts';
import { HookRegistry, type HookSpec } from './registry.ts';

const allow: HookSpec = { type: 'fn', name: 'allow', fn: () => ({}) };

describe('a hook registry', () => {
  it('[C013] [C121] registers in a chain of calls, lists, asks and counts', () => {
    const second: HookSpec<'tool.pre'> = { type: 'command', name: 'second', command: 'true' };
    const registry = new HookRegistry().register('tool.pre', allow).register('tool.pre', second);
    registry.register('session.end', allow);
    expect(registry.for('tool.pre')).toEqual([allow, second]);
    expect([registry.has('tool.pre'), registry.has('error'), registry.size]).toEqual([true, false, 3]);
  });

  it('[C012] can be cleared, without the hooks of others in the same chain', () => {
    const into = new Registry([hook({ name: 'other' })]);
    const registry = new HookRegistry({ into }).register('tool.pre', allow);
    expect(into.size).toBe(2);
    registry.clear();
    expect([registry.size, registry.has('tool.pre'), registry.for('tool.pre'), into.size]).toEqual([
      0,
      false,
      [],
      1,
    ]);
  });

  it('[C005] knows its events by canonical names in the pipeline', () => {
    const registry = new HookRegistry();
    registry.register('model.pre', allow).register('model.post', allow).register('user.prompt.submit', allow);
    expect(registry.chain.events()).toEqual(['completion.post', 'completion.pre', 'turn.start']);
  });

  it('[C008] keeps the order of registration, in a chain with others as well', () => {
    const registry = new HookRegistry({
      into: new Registry([hook({ name: 'later', priority: 5, source: 'a' })]),
    });
    for (const name of ['c', 'a', 'b']) registry.register('tool.pre', { ...allow, name });
    expect(registry.chain.list('tool.pre').map(({ name }) => name)).toEqual(['c', 'a', 'b', 'later']);
  });

  it('[C035] gives each hook 5000 ms by default', () => {
    const registry = new HookRegistry().register('tool.pre', allow);
    registry.register('tool.pre', { ...allow, timeoutMs: 10_000 });
    expect(registry.chain.list('tool.pre').map(({ timeoutMs }) => timeoutMs)).toEqual([5000, 10_000]);
  });

  it.each([
    ['an unknown event', 'tool.before', allow, 'event "tool.before" is invalid'],
    ['an event of another surface', 'tool.pree', allow, 'did you mean tool.pre?'],
    ['no name', 'tool.pre', { ...allow, name: ' ' }, 'wants a name'],
    ['no function', 'tool.pre', { type: 'fn', name: 'x' }, 'fn wants a function, got undefined'],
    ['a blank command', 'tool.pre', { type: 'command', name: 'x', command: ' ' }, 'command wants a line'],
    ['another type', 'tool.pre', { type: 'agent', name: 'x' }, 'type wants fn or command, got agent'],
    ['a limit that is none', 'tool.pre', { ...allow, timeoutMs: 0 }, 'timeoutMs wants'],
    ['a limit that is no number', 'tool.pre', { ...allow, timeoutMs: Number.NaN }, 'timeoutMs wants'],
  ])('refuses %s, and nothing is registered', (_, event, spec, message) => {
    const registry = new HookRegistry();
    expect(() => registry.register(event as 'tool.pre', spec as typeof allow)).toThrow(message);
    expect([registry.size, registry.chain.size]).toEqual([0, 0]);
  });
});
