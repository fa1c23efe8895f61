/**
 * The quick texts must be the very texts the records would have: replay trusts them to be.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hook } from '../../test/support/plain-hook.ts';
import { canonicalJson } from '../base/canonical-json.ts';
import type { Decision, Effect, Outcome, TraceEntry } from '../events/decision.ts';
import { traceEntry } from '../hooks/trace.ts';
import { callText, endText, outcomeText, vetoText } from './record-text.ts';
import { callRecord, endRecord, outcomeRecord, vetoRecord } from './records.ts';

const text = fc.string({ unit: 'binary' });

const effect = fc.oneof(
  fc.record({
    kind: fc.constant('log'),
    hook: text,
    level: fc.constantFrom('info', 'warn'),
    message: text,
  }),
  fc.record({
    kind: fc.constant('metric'),
    hook: text,
    name: text,
    op: fc.constantFrom('incr', 'set'),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }),
  }),
  fc.record({ kind: fc.constantFrom('context', 'output'), hook: text, text }),
  fc.record({
    kind: fc.constant('reminder'),
    hook: text,
    reminder: fc.record({ body: text, tags: fc.array(text), authority: fc.constant('advisory') }),
  }),
) as fc.Arbitrary<Effect>;

const reading = fc.record(
  { key: text, kind: text, value: fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)) },
  { requiredKeys: ['kind'] },
);

const decision = fc.oneof(
  fc.constant<Decision>({ action: 'allow' }),
  fc.record({ action: fc.constantFrom('block', 'ask', 'permit'), reason: text }),
) as fc.Arbitrary<Decision>;

describe('the text of a record, without the record', () => {
  it('is that of a call', () => {
    fc.assert(
      fc.property(fc.nat(), text, text, (dispatch, name, source) => {
        const called = callRecord(dispatch, name, source, undefined);
        expect(callText(dispatch, hook({ name, source }))).toBe(canonicalJson(called));
      }),
    );
  });

  it('is that of an answer', () => {
    const remarks = fc.record({ vetoIgnored: text, warnings: fc.array(text) });
    fc.assert(
      fc.property(
        fc.nat(),
        text,
        decision,
        fc.array(effect),
        fc.array(reading),
        fc.nat(),
        fc.option(remarks),
        (dispatch, name, said, effects, readings, steps, more) => {
          const one = hook({ name });
          const entry: TraceEntry = {
            ...traceEntry(one, 'ran', 'reason' in said ? said.reason : null, 0, steps),
            decision: said.action,
            ...more,
          };
          const ended = { entry, decision: said, effects, readings };
          expect(endText(dispatch, one, ended)).toBe(canonicalJson(endRecord(dispatch, ended)));
          const veto = vetoRecord(dispatch, entry);
          if (veto !== null) expect(vetoText(veto, one)).toBe(canonicalJson(veto));
        },
      ),
    );
  });

  it('is that of an outcome', () => {
    fc.assert(
      fc.property(fc.nat(), fc.option(text), fc.option(text), (dispatch, by, reason) => {
        const outcome = { event: 'tool.pre', action: 'block', hook: by, reason, effects: [], trace: [] };
        const said = { ...outcome, payload: null } as Outcome;
        expect(outcomeText(dispatch, said, false)).toBe(canonicalJson(outcomeRecord(dispatch, said, false)));
      }),
    );
  });

  it('is left to the record where it has something rarer to say', () => {
    const one = hook();
    const failure = { kind: 'error', code: 'HOOK_THREW', message: 'x' } as const;
    const entry = { ...traceEntry(one, 'ran', null, 0, 0), failure };
    expect(endText(1, one, { entry, decision: null, effects: [], readings: [] })).toBeNull();
    const modify = { action: 'modify', payload: {} } as const;
    const ran = traceEntry(one, 'ran', null, 0, 0);
    expect(endText(1, one, { entry: ran, decision: modify, effects: [], readings: [] })).toBeNull();
  });
});
