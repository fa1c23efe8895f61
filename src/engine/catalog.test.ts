import { describe, expect, expectTypeOf, it } from 'vitest';
import { CATALOG, eventSpec, FAMILIES, isGate, type PayloadOf } from './catalog.ts';
import { checkPayload, describeEvents, eventSchema, requireEvent } from './describe.ts';

const CANONICAL = [
  'session.start session.end turn.start turn.end turn.step completion.pre completion.post tool.pre tool.post',
  'delegation.pre delegation.post_verify delegation.post agent.stop permission.asked permission.replied',
  'compact.pre compact.post file.edited session.idle error finish.pre finish.unsettled finish.post',
  'worker.spawned worker.progressed worker.waiting_for_input worker.suspended worker.resumed worker.completed',
  'worker.failed worker.cancelled suspend.pre suspend.post resume.pre resume.post',
  'drain.pre drain.decision drain.post',
  'step.pre step.post approval.requested handoff.emitted persona.paused persona.resumed budget.threshold',
]
  .join(' ')
  .split(' ');

describe('the event catalog', () => {
  it('[C001] has every canonical event', () => {
    for (const name of CANONICAL) expect(eventSpec(name), name).toBeDefined();
    const meta = Object.keys(CATALOG).filter((name) => name.startsWith('meta.'));
    expect(Object.keys(CATALOG).length).toBe(CANONICAL.length + meta.length);
  });

  it('has a row for each thing an agent does to itself', () => {
    for (const name of [
      'meta.register_tool',
      'meta.register_hook',
      'meta.register_agent',
      'meta.call_tool',
    ]) {
      expect(isGate(name), name).toBe(true);
    }
  });

  it('[C002] knows custom and meta events by their prefix, with lower-case suffixes only', () => {
    for (const name of ['custom.deploy', 'custom.a_1', 'meta.anything'])
      expect(eventSpec(name)).toBeDefined();
    for (const name of [
      'custom.',
      'custom',
      'custom.A',
      'custom.a.b',
      'custom.a-b',
      'custom.a\n',
      'meta.X',
    ]) {
      expect(eventSpec(name), JSON.stringify(name)).toBeUndefined();
    }
  });

  it('does not take properties every object has for events', () => {
    for (const name of ['constructor', '__proto__', 'toString']) expect(eventSpec(name)).toBeUndefined();
  });

  it('[C026] lets nothing block an advisory event, and every gate block', () => {
    for (const [name, spec] of [...Object.entries(CATALOG), ...Object.entries(FAMILIES)]) {
      if (spec.authority === 'gate') expect(spec.honours.block, name).toBe(true);
      if (spec.authority === 'advisory') expect(spec.honours.block, name).not.toBe(true);
      if (spec.honours.ask) expect(spec.authority, name).toBe('gate');
    }
  });

  it('[C018] honours delegate on agent.stop and delegation.post alone', () => {
    const able = Object.entries(CATALOG).filter(([, spec]) => spec.honours.delegate);
    expect(able.map(([name]) => name).sort()).toEqual(['agent.stop', 'delegation.post']);
  });

  it('honours permit on permission.asked alone', () => {
    const able = Object.entries(CATALOG).filter(([, spec]) => spec.honours.permit);
    expect(able.map(([name]) => name)).toEqual(['permission.asked']);
  });

  it('names only payload keys as identity, index and pair', () => {
    for (const [name, spec] of Object.entries(CATALOG)) {
      const row = requireEvent(name);
      const keys = Object.keys(row.payload.fields ?? {});
      const named = [...row.identity, row.index, row.pair?.data, row.pair?.text, row.parameter];
      for (const key of named) if (key) expect(keys, `${name}: ${key}`).toContain(key);
      expect(spec.fires.length).toBeGreaterThan(10);
      expect(spec.onBlock.length).toBeGreaterThan(5);
    }
  });

  it('gives the payload types', () => {
    expectTypeOf<PayloadOf<'turn.start'>>().toEqualTypeOf<string>();
    expectTypeOf<PayloadOf<'tool.pre'>['name']>().toEqualTypeOf<string>();
    expectTypeOf<PayloadOf<'tool.post'>['is_error']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<null>().toExtend<PayloadOf<'session.start'>>();
    expectTypeOf<PayloadOf<'permission.replied'>['decision']>().toEqualTypeOf<'allow' | 'deny' | 'ask'>();
  });
});

describe('what the catalog says', () => {
  it('describes every event and every family', () => {
    const described = describeEvents();
    expect(described.map((event) => event.name)).toEqual([
      ...Object.keys(CATALOG),
      ...['custom.*', 'meta.*', 'native.*'],
    ]);
    expect(described.find((event) => event.name === 'tool.pre')?.aliases).toContain('PreToolUse');
  });

  it('gives the JSON Schema of a payload', () => {
    expect(eventSchema('turn.start')).toMatchObject({ type: 'string', title: 'turn.start' });
    expect(eventSchema('session.start')).toMatchObject({ type: ['object', 'null'] });
    expect(eventSchema('tool.pre')).toMatchObject({
      type: 'object',
      required: ['name'],
      properties: { args: { type: 'object' }, arguments: { type: 'string' } },
    });
    expect(eventSchema('permission.replied')).toMatchObject({
      properties: { decision: { enum: ['allow', 'deny', 'ask'] } },
    });
  });

  it('refuses a name that is not canonical, with the one that is', () => {
    expect(() => eventSchema('PreToolUse')).toThrow('use "tool.pre"');
    expect(() => eventSchema('tool.prr')).toThrow('event "tool.prr" is invalid (did you mean tool.pre?)');
  });
});

describe('checking a payload', () => {
  it('accepts what hosts send, and keys it does not know', () => {
    expect(checkPayload('tool.pre', { name: 'x', args: {}, more: 1 })).toEqual([]);
    expect(checkPayload('turn.start', 'hello')).toEqual([]);
    expect(checkPayload('session.end', null)).toEqual([]);
    expect(checkPayload('custom.any', [1, 'two', null])).toEqual([]);
  });

  it('names each wrong value by its path', () => {
    expect(checkPayload('tool.pre', { name: 7, args: [] })).toEqual([
      'payload.name is number (want string)',
      'payload.args is array (want object)',
    ]);
    expect(checkPayload('turn.start', { prompt: 'x' })).toEqual(['payload is object (want string)']);
    expect(checkPayload('turn.end', { text: '', tool_calls: [{ name: 'a' }, {}] })).toEqual([
      'payload.tool_calls[1].name is missing (want string)',
    ]);
    expect(checkPayload('permission.replied', { name: 'x', decision: 'yes' })).toEqual([
      'payload.decision is "yes" (want "allow" or "deny" or "ask")',
    ]);
    expect(checkPayload('turn.end', { text: 'x', turn: 1.5 })).toEqual([
      'payload.turn is number (want integer)',
    ]);
  });

  it('does not take an inherited property for a value', () => {
    expect(checkPayload('file.edited', Object.create({ path: 'x' }))).toEqual([
      'payload.path is missing (want string)',
    ]);
  });
});
