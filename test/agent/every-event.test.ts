/**
 * Every event of the catalog, held by one table: when it fires, what it carries, and that its veto and its rewrite are
 * honoured or reported as ignored. An event without a row in the table fails.
 */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Field } from '../../src/base/shape/field.ts';
import { CATALOG } from '../../src/engine/catalog.ts';
import type { Decision, Outcome } from '../../src/engine/decision.ts';
import { checkPayload, requireEvent } from '../../src/engine/describe.ts';
import { decisions, names, on, outcomeOf } from '../support/agent.ts';
import { CASES, type EventCase } from './every-event-cases.ts';
import { SCENES, type Scene } from './every-event-scenes.ts';

const { block, modify } = decisions;

const NAMED = CASES.map((row) => [`${row.event} (${row.scene})`, row] as const);
const rows = (fits: (row: EventCase) => boolean) => NAMED.filter(([, row]) => fits(row));
const honoursOf = ({ event }: EventCase) => requireEvent(event).honours;

/** The scene with one hook that says something at the first such event, and nothing after. */
function playing({ event, scene }: EventCase, said?: Decision): Promise<Scene> {
  let first = true;
  const speak = () => {
    if (!first) return undefined;
    first = false;
    return said;
  };
  return SCENES[scene].play(said === undefined ? [] : [on(event, speak)]);
}

const ignoredIn = ({ run }: Scene) => run.health.get('hook.veto_ignored') ?? 0;

/** Nothing has changed, and the trace says that something was wanted. */
async function expectIgnored(row: EventCase, said: Decision, why: string): Promise<void> {
  const [plain, scene] = [await playing(row), await playing(row, said)];
  expect(names(scene)).toEqual(names(plain));
  expect(scene.facts).toEqual(plain.facts);
  expect(outcomeOf(scene, row.event)).toMatchObject({
    action: 'allow',
    trace: [{ decision: said.action, vetoIgnored: why }],
  });
  expect(ignoredIn(scene)).toBe(1);
}

describe('the table', () => {
  it('has a row for every event of the catalog, and for one that a tool emits', () => {
    const held = new Set<string>(CASES.map(({ event }) => event));
    expect([...held].sort()).toEqual([...Object.keys(CATALOG), 'custom.wrote'].sort());
  });

  it('says what a veto and a rewrite do exactly where the catalog lets them count', () => {
    for (const row of CASES) {
      const { block: blocks, modify: rewrites } = honoursOf(row);
      expect(row.blocked !== undefined, `a veto of ${row.event}`).toBe(blocks !== false);
      expect(row.rewritten !== undefined, `a rewrite of ${row.event}`).toBe(rewrites !== 'none');
    }
  });
});

describe('an event fires', () => {
  it.each(Object.entries(SCENES))('in its place among the others: %s', async (_name, { play, order }) => {
    expect(names(await play([]))).toEqual(order);
  });

  it.each(NAMED)('with what the catalog promises: %s', async (_name, row) => {
    const { fired } = await playing(row);
    const payloads = fired.filter(({ event }) => event === row.event).map(({ payload }) => payload);
    expect(payloads[0]).toEqual(row.carries);
    expect(payloads.flatMap((payload) => checkPayload(row.event, payload))).toEqual([]);
    for (const payload of payloads) {
      for (const [key, field] of fieldsOf(row)) if (field.required) expect(payload).toHaveProperty([key]);
    }
  });
});

describe('a veto', () => {
  it.each(rows((row) => honoursOf(row).block === true))('is honoured: %s', async (_name, row) => {
    const scene = await playing(row, block('no'));
    expect(outcomeOf(scene, row.event)).toMatchObject({ action: 'block', reason: 'no' });
    expect(scene.facts).toMatchObject(row.blocked!.facts);
    expect(scene.facts).not.toEqual((await playing(row)).facts);
    expectSilence(scene, row);
    expect(ignoredIn(scene)).toBe(0);
  });

  it.each(rows((row) => honoursOf(row).block === 'error'))('is an error: %s', async (_name, row) => {
    const scene = await playing(row, block('no'));
    expect(outcomeOf(scene, row.event).failure).toMatchObject({
      hook: `on ${row.event}`,
      message: expect.stringContaining('does not accept a veto'),
    });
    expect(scene.facts).toMatchObject(row.blocked!.facts);
    expectSilence(scene, row);
  });

  it.each(rows((row) => honoursOf(row).block === false))(
    'is ignored, and the trace says so: %s',
    (_name, row) => expectIgnored(row, block('no'), `nothing can block ${row.event}`),
  );
});

function expectSilence(scene: Scene, { scene: name, blocked }: EventCase): void {
  for (const event of blocked!.silences) {
    expect(SCENES[name].order).toContain(event);
    expect(names(scene)).not.toContain(event);
  }
  if (name !== 'persona') expect(names(scene).at(-1), 'the end comes whatever happens').toBe('session.end');
}

describe('a rewrite', () => {
  it.each(rows((row) => honoursOf(row).modify !== 'none'))('is honoured: %s', async (_name, row) => {
    const { to, facts } = row.rewritten!;
    const scene = await playing(row, modify(to));
    const { action, payload } = outcomeOf(scene, row.event);
    // The permission table of the scene asks about the call, whatever it was rewritten to.
    expect(action).toBe(row.event === 'tool.pre' ? 'ask' : 'modify');
    if (typeof to === 'string') expect(payload).toBe(to);
    else expect(payload).toMatchObject(to as JsonObject);
    expect(scene.facts).toMatchObject(facts);
    expect(scene.facts).not.toEqual((await playing(row)).facts);
    expect(ignoredIn(scene)).toBe(0);
  });

  it.each(rows((row) => honoursOf(row).modify === 'none'))(
    'is ignored, and the trace says so: %s',
    (_name, row) =>
      expectIgnored(row, modify({ note: 'other' }), `the payload of ${row.event} cannot be rewritten`),
  );

  const keys = rows((row) => honoursOf(row).modify === 'overlay').flatMap(([, row]) =>
    fieldsOf(row).flatMap(([key, field]) => {
      const held = (row.carries as JsonObject)[key];
      const elsewhere = row.countsElsewhere?.includes(key) ?? false;
      return held === undefined || elsewhere ? [] : [[`${row.event}.${key}`, row, key, field] as const];
    }),
  );

  it.each(keys)('of one key changes something or is reported: %s', async (_name, row, key, field) => {
    const plain = await playing(row);
    const held = (plain.fired.find(({ event }) => event === row.event)!.payload as JsonObject)[key]!;
    const scene = await playing(row, modify({ [key]: otherThan(field, held) }));
    const changed = JSON.stringify(scene.facts) !== JSON.stringify(plain.facts);
    const reported = ignoredIn(scene) > 0 || warned(outcomeOf(scene, row.event));
    expect({ changed, reported }).toEqual({ changed: !reported, reported: !changed });
  });

  it('of delegation.pre.max_verify_retries says how often an answer is sent back', async () => {
    const scene = await SCENES.delegation.play([
      on('delegation.pre', () => modify({ max_verify_retries: 1 })),
      on('delegation.post_verify', () => block('no')),
    ]);
    expect(names(scene).filter((name) => name === 'delegation.post_verify')).toHaveLength(2);
    expect(names(scene)).not.toContain('delegation.post');
    expect(scene.facts.told).toEqual([expect.stringMatching(/^error: .*no/)]);
  });
});

const warned = ({ trace }: Outcome) => trace.some(({ warnings }) => warnings.length > 0);

function fieldsOf({ event }: EventCase): [string, Field][] {
  return Object.entries(requireEvent(event).payload.fields ?? {});
}

/** A value of the same kind that is not this one. */
function otherThan(field: Field, held: Json): Json {
  if (field.kind === 'string') return `${held}-other`;
  if (field.kind === 'integer' || field.kind === 'number') return Number(held) + 1;
  if (field.kind === 'boolean') return held !== true;
  if (field.kind === 'object') return { ...(held as JsonObject), other: 1, ...sampleOf(field) };
  if (field.kind === 'array') return (held as readonly Json[]).length > 0 ? [] : [sampleOf(field.items!)];
  return 'other';
}

function sampleOf({ fields = {} }: Field): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, otherThan(field, 0)]));
}
