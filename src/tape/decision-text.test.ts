import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalWithOrder, restoreOrder } from '../base/canonical-json.ts';
import type { Json } from '../base/json.ts';
import type { Effect, Outcome, TraceEntry } from '../engine/decision.ts';
import { type CallEnded, type DecisionEvent, decisionText } from './decision-text.ts';
import type { DecisionRecord, Fired, Reading } from './entry.ts';
import { PayloadShortener } from './payload-dedup.ts';

const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
const text = fc.string({ unit: 'binary', maxLength: 8 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const some = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 2 });

const reading = fc.record({ key: maybe(json), kind: text, value: maybe(json) }) as fc.Arbitrary<Reading>;
const failure = fc.record({
  kind: fc.constant('error' as const),
  message: text,
  code: text,
  position: maybe(fc.record({ line: fc.nat(), column: fc.nat() })),
});
const effect = fc.oneof(
  fc.record({ kind: fc.constant('log'), hook: text, message: text, level: fc.constant('info') }),
  fc.record({ kind: fc.constant('metric'), hook: text, op: fc.constant('incr'), value: number, name: text }),
  fc.record({ kind: fc.constant('annotate'), facts: fc.dictionary(text, json), hook: text }),
  fc.record({ kind: fc.constant('reminder'), hook: text, reminder: fc.record({ tags: json, body: text }) }),
) as fc.Arbitrary<Effect>;
const entry = fc.record({
  hook: text,
  state: fc.constantFrom('ran', 'condition_failed', 'unreached'),
  decision: orNull(fc.constantFrom('allow', 'block', 'modify')),
  reason: orNull(text),
  failure: orNull(failure),
  onFailure: maybe(fc.constant('blocked')),
  vetoIgnored: maybe(text),
  warnings: some(text),
  ms: number,
  steps: fc.nat(),
}) as fc.Arbitrary<unknown> as fc.Arbitrary<TraceEntry>;
const call = fc.record({
  entry,
  decision: orNull(fc.record({ action: fc.constant('modify' as const), payload: json })),
  effects: some(effect),
  readings: some(reading),
  origin: maybe(fc.record({ source: text, layer: text })),
  payload: maybe(json),
  recheck: fc.boolean(),
}) as fc.Arbitrary<CallEnded>;
/** What most hooks leave: they ran, and that is all. */
const plain = fc.record({ hook: text, steps: fc.nat() }).map((left) => ({
  entry: { ...left, state: 'ran', decision: null, reason: null, failure: null, warnings: [], ms: 0 },
  decision: null,
  effects: [],
  readings: [],
  origin: undefined,
  payload: undefined,
  recheck: false,
})) as fc.Arbitrary<unknown> as fc.Arbitrary<CallEnded>;
const fired = fc.record({
  dispatch: fc.nat(),
  event: fc.constantFrom('tool.pre', 'completion.pre', 'session.start'),
  callId: maybe(text),
  payload: json,
  run: fc.nat(),
  turn: maybe(fc.nat()),
}) as fc.Arbitrary<Fired>;
const outcome = fc.record({
  action: fc.constantFrom('allow', 'block', 'modify'),
  reason: orNull(text),
  hook: orNull(text),
  payload: json,
  request: maybe(json),
}) as fc.Arbitrary<unknown> as fc.Arbitrary<Outcome>;
const told = fc.record({ fired, ended: some(fc.oneof(call, plain)), outcome, rewritten: fc.boolean() });

function read(given: DecisionEvent): DecisionRecord {
  const written = decisionText(given, new PayloadShortener());
  return restoreOrder(JSON.parse(written.text) as DecisionRecord, written.order);
}

describe('the text of a decision', () => {
  it('is the canonical one, and tells how the keys of its data stood, whatever hooks left', () => {
    fc.assert(
      fc.property(told, (given) => {
        const written = decisionText(given, new PayloadShortener());
        const record = restoreOrder(JSON.parse(written.text) as DecisionRecord, written.order);
        const again = canonicalWithOrder(record);
        expect(again.text).toBe(written.text);
        // The record's own keys stand as they are sorted, so that what has an order is data.
        expect(again.order).toEqual(written.order);
        expect(JSON.stringify((record.in as Fired).payload)).toBe(JSON.stringify(given.fired.payload));
        if (given.rewritten)
          expect(JSON.stringify(record.out.payload)).toBe(JSON.stringify(given.outcome.payload));
      }),
    );
  });

  it('holds a placeholder for what JSON cannot hold, and everything else', () => {
    const effects = [{ kind: 'metric', hook: 'h', name: 'a', op: 'set', value: Number.NaN }] as const;
    const loop: Record<string, unknown> = { z: 1, a: 2 };
    loop.self = loop;
    const ended = {
      entry: { hook: 'h', state: 'ran', decision: null, reason: null, failure: null, warnings: [], steps: 3 },
      decision: { action: 'modify', payload: loop },
      effects,
      readings: [],
    } as unknown as CallEnded;
    const outcome = { action: 'allow', reason: null, hook: null } as unknown as Outcome;
    const fired = { dispatch: 1, event: 'tool.pre', payload: { b: 1, a: 2 }, run: 1 };
    const { out, in: given } = read({ fired, ended: [ended], outcome, rewritten: false });
    expect(out.hooks).toEqual([
      {
        effects: [{ kind: 'metric', name: 'a', op: 'set', value: { $unrecordable: 'NaN' } }],
        hook: 'h',
        raw: { z: 1, a: 2, self: { $unrecordable: 'cycle' } },
        steps: 3,
      },
    ]);
    expect(Object.keys(out.hooks![0]!.raw as object)).toEqual(['z', 'a', 'self']);
    expect(Object.keys((given as Fired).payload as object)).toEqual(['b', 'a']);
  });

  it('of a call that follows names what the first had, whoever changed its payload since', () => {
    const shortener = new PayloadShortener();
    const long = 'a text that is long enough to be worth saying where it is';
    const payload = { name: 'x', args: { z: long, a: 1 } };
    const told = (dispatch: number, given: Json): DecisionEvent => ({
      fired: { dispatch, event: 'tool.pre', callId: 'c', payload: given, run: 1 },
      ended: [],
      outcome: { action: 'allow', reason: null, hook: null } as unknown as Outcome,
      rewritten: false,
    });
    const same = (given: DecisionEvent) =>
      (JSON.parse(decisionText(given, shortener).text) as DecisionRecord).in;
    const copy = structuredClone(payload);
    expect(same(told(1, payload))).not.toHaveProperty('same');
    payload.args.a = 2;
    expect(same(told(2, copy))).toMatchObject({ same: { args: [1, 'args'] } });
    expect(same(told(3, { name: 'x', args: { a: 1, z: long } }))).not.toHaveProperty('same');
  });
});
