/** What the compiler says of `decide`: `tsc` reads this file, and an error that is expected and missing fails it. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import { machineHost } from '../machine/host.ts';
import type { Policy } from '../policy/policy.ts';
import type { Outcome } from './decision.ts';
import { Engine } from './engine.ts';
import type { HookCall } from './hook.ts';
import { RunState } from './run-state.ts';

const engine = new Engine({ hooks: [], host: machineHost, run: new RunState() });
const call = { id: '1', name: 'run_command', args: { command: 'ls' } };

describe('the types of decide', () => {
  it('an event written out gives payload and outcome its type', async () => {
    const outcome = await engine.decide('tool.pre', call);
    expectTypeOf(outcome).toEqualTypeOf<Outcome<'tool.pre'>>();
    expectTypeOf(outcome.event).toEqualTypeOf<'tool.pre'>();
    expectTypeOf(outcome.payload.name).toEqualTypeOf<string>();
    expectTypeOf(outcome.payload.args).toEqualTypeOf<JsonObject | undefined>();
    expect(outcome.payload.args?.command).toBe('ls');
    expectTypeOf((await engine.decide('turn.start', 'hello')).payload).toEqualTypeOf<string>();
  });

  it('a wrong event does not compile, and is refused when it runs', () => {
    // @ts-expect-error tool.prre is no event
    expect(() => engine.decide('tool.prre', call)).toThrow('tool.pre');
    // @ts-expect-error families have a name behind the dot of their own spelling
    expect(() => engine.decide('costum.deploy', {})).toThrow('invalid');
  });

  it('a wrong payload does not compile', () => {
    // @ts-expect-error comand is no key of tool.pre
    engine.decide('tool.pre', { name: 'run_command', comand: 'ls' });
    // @ts-expect-error tool.pre needs the name
    engine.decide('tool.pre', { args: {} });
    // @ts-expect-error a name is a string
    engine.decide('tool.pre', { name: 7 });
    // @ts-expect-error turn.start is a text
    engine.decide('turn.start', { prompt: 'hello' });
    // @ts-expect-error nothing a host may set
    engine.decide('tool.pre', call, { depth: 2 });
  });

  it('a custom event and a name known only when it runs take any JSON', async () => {
    const event: string = 'tool.pre';
    const outcome = await engine.decide(event, { anything: [1], name: 'x' });
    expectTypeOf(outcome.payload).toEqualTypeOf<Json>();
    const custom = await engine.decide('custom.deploy', { to: ['a'] });
    expectTypeOf(custom.payload).toEqualTypeOf<Json>();
    expect(custom.payload).toEqual({ to: ['a'] });
    // @ts-expect-error a function is not JSON
    engine.decide(event, () => 1);
  });

  it('an outcome of one event is an outcome', async () => {
    const outcomes: Outcome[] = [
      await engine.decide('tool.pre', call),
      await engine.decide('turn.start', ''),
    ];
    expect(outcomes.map(({ event }) => event)).toEqual(['tool.pre', 'turn.start']);
  });

  it('holds for a policy as for an engine', () => {
    type Decided = Awaited<ReturnType<typeof ofPolicy>>;
    const ofPolicy = async (policy: Policy) => policy.decide('tool.pre', call);
    expectTypeOf<Decided>().toEqualTypeOf<Outcome<'tool.pre'>>();
    const wrong = (policy: Policy) =>
      // @ts-expect-error comand is no key of tool.pre
      policy.decide('tool.pre', { name: 'run_command', comand: 'ls' });
    expect([ofPolicy, wrong]).toHaveLength(2);
  });

  it('a call tells a hook nothing of how it is recorded', () => {
    expectTypeOf<HookCall>().not.toHaveProperty('recording');
    expect(Object.getOwnPropertyNames(Engine.prototype)).toEqual(['constructor', 'layered', 'decide']);
  });
});
