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
const MOST_KEPT = 32;
/** In characters, of which each value counts as some: no larger payload is kept. */
const MOST = 2048;
const EACH_VALUE = 32;

export class LivingShapes {
  private readonly kept: unknown[] = [];
  private count = 0;

  /** `payload` is what the dispatch was about. */
  keep(dispatch: object, outcome: Outcome, payload: unknown): void {
    const at = this.count++;
    if (at < FIRST || (at > EVERY_FROM && at % EVERY !== 0)) return;
    if (roomAfter(payload, MOST) < 0) return;
    // As a host leaves it that reads everything.
    this.kept[at % MOST_KEPT] = [dispatch, outcome, outcome.trace, outcome.payload];
  }
}

/** What is left of `room` beside a value; negative: it is too large. Makes no object, whose shape would have to be kept as well. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length;
  if (typeof value !== 'object' || value === null) return room;
  let left = room;
  for (const key in value) {
    left = roomAfter((value as Record<string, unknown>)[key], left - EACH_VALUE);
    if (left < 0) break;
  }
  return left;
}
