import { describe, expect, it } from 'vitest';
import { engineOf, type HookSketch, hook, now } from '../../test/support/plain-hook.ts';
import { canonicalJson } from '../base/canonical-json.ts';
import type { Decision } from './decision.ts';
import { answeredAsk } from './outcome.ts';
import { giveBack } from './reservations.ts';
import { MemoryRunStore } from './stores/memory-run-store.ts';

const call = { id: '1', name: 'run', args: {} };

/** An engine with one hook that takes one of ten from a limit, and then decides. */
function limited(decision: Decision) {
  const area = new MemoryRunStore({ steady: null }).session('s');
  const take = () => {
    const granted = area.reserve('k', 10, 60_000, 0);
    if (granted instanceof Promise || !granted.ok) throw new Error('not granted');
    return granted;
  };
  const body: HookSketch['body'] = (_seen, given) => {
    given.addReservation({ area, key: 'k', amount: 1, granted: take() });
    return decision;
  };
  const left = () => {
    const granted = take();
    area.settle(granted.token, false);
    return granted.left + 1;
  };
  return { engine: engineOf([hook({ body })], { canAsk: true }), left };
}

describe('what a guard took from a limit', () => {
  it('is given back at once if the call is blocked', () => {
    const { engine, left } = limited({ action: 'block', reason: 'no' });
    expect(now(engine.decide('tool.pre', call)).reservations).toBeUndefined();
    expect(left()).toBe(10);
  });

  it('is given back once if the host says that the call did not happen', () => {
    const { engine, left } = limited({ action: 'allow' });
    const outcome = now(engine.decide('tool.pre', call));
    expect(left()).toBe(9);
    giveBack(outcome);
    expect(left()).toBe(10);
    expect(outcome.reservations?.taken).toEqual([]);
  });

  it('goes from a question to its approved answer, and is given back after a no', () => {
    const { engine, left } = limited({ action: 'ask', reason: 'sure?' });
    const approved = answeredAsk(now(engine.decide('tool.pre', call)), { allowed: true, reason: null });
    expect(left()).toBe(9);
    giveBack(approved);
    expect(left()).toBe(10);
    answeredAsk(now(engine.decide('tool.pre', call)), { allowed: false, reason: 'no' });
    expect(left()).toBe(10);
  });

  it('is no part of the JSON of an outcome', () => {
    const { engine } = limited({ action: 'ask', reason: 'sure?' });
    const asked = now(engine.decide('tool.pre', call));
    const approved = answeredAsk(asked, { allowed: true, reason: null });
    expect(asked.reservations).toBeDefined();
    expect(approved.reservations).toBe(asked.reservations);
    expect(JSON.stringify(asked)).not.toContain('reservations');
    expect(canonicalJson(approved)).not.toContain('reservations');
  });
});
