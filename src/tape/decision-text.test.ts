import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalWithOrder } from '../base/canonical-json.ts';
import type { Json } from '../base/json.ts';
import { decisionText } from './decision-text.ts';
import type { DecisionRecord } from './entry.ts';

const json = fc.jsonValue({ maxDepth: 2 });
const text = fc.string({ unit: 'binary', maxLength: 8 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const reading = fc.record({ key: maybe(json), kind: text, value: maybe(json) });
const effect = fc.oneof(
  fc.record({ kind: fc.constant('log'), level: fc.constant('info'), message: text }),
  fc.record({
    kind: fc.constant('metric'),
    name: text,
    op: fc.constant('incr'),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }),
  }),
  fc.record({ facts: json, kind: fc.constant('annotate') }),
);
const part = fc.record({
  effects: maybe(fc.array(effect, { maxLength: 2 })),
  hook: text,
  raw: maybe(json),
  readings: maybe(fc.array(reading, { maxLength: 2 })),
  reason: maybe(text),
  steps: maybe(fc.nat()),
  warnings: maybe(fc.array(text, { maxLength: 2 })),
});

/** As records are made: without what is absent. */
const made = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

describe('the text of a decision', () => {
  it('is the canonical one, with the same order of keys, whatever hooks left', () => {
    const decision = fc.record({
      in: fc.record({ dispatch: fc.nat(), event: text, payload: json, run: fc.nat() }),
      out: fc.record({ action: text, hooks: fc.array(part, { maxLength: 3 }), payload: maybe(json) }),
      type: fc.constant('decision'),
    });
    fc.assert(
      fc.property(decision, (given) => {
        const record = made(given) as unknown as DecisionRecord;
        expect(decisionText(record)).toEqual(canonicalWithOrder(record));
      }),
    );
  });

  it('is refused for what JSON cannot hold', () => {
    const effects = [{ kind: 'metric', name: 'a', op: 'set', value: Number.NaN }] as const;
    const record: DecisionRecord = {
      in: { dispatch: 1 },
      out: { action: 'allow', hooks: [{ effects, hook: 'h' }] },
      type: 'decision',
    };
    expect(() => decisionText(record)).toThrow(TypeError);
  });
});
