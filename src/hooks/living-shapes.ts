/**
 * V8 throws optimised code away when a full collection finds no living object of a shape it was made for, and between two
 * decisions there is none. A few finished dispatches of each engine are therefore kept: small ones only, a bounded number, and
 * they go with the engine.
 */
import type { Outcome } from '../events/decision.ts';

/** A process that decides a few times and ends has no optimised code. */
const FIRST = 8;
/** From here on only now and then: shapes that come up later are kept as well. */
const EVERY_FROM = 64;
const EVERY = 61;
const MOST = 32;
/** In characters and in values: what is kept is no more than this. */
const MOST_TEXT = 2048;
const MOST_VALUES = 64;

export class LivingShapes {
  private readonly kept: unknown[] = [];
  private count = 0;

  /** `payload` is what the dispatch was about. */
  keep(dispatch: object, outcome: Outcome, payload: unknown): void {
    const at = this.count++;
    if (at < FIRST || (at > EVERY_FROM && at % EVERY !== 0)) return;
    if (!new Measure().fits(payload)) return;
    // As a host leaves it that reads everything.
    this.kept[at % MOST] = [dispatch, outcome, outcome.trace, outcome.payload];
  }
}

class Measure {
  private text = MOST_TEXT;
  private values = MOST_VALUES;

  fits(value: unknown): boolean {
    if (typeof value === 'string') return (this.text -= value.length) >= 0;
    if (typeof value !== 'object' || value === null) return true;
    for (const key in value) {
      if (--this.values < 0 || !this.fits((value as Record<string, unknown>)[key])) return false;
    }
    return true;
  }
}
