/**
 * What guards took from limits while an event was decided, until it is known what became of it. A call that does not happen
 * gives back what was taken for it; a host that says nothing more leaves it counted, and so does a process that dies.
 */
import type { Outcome } from '../events/decision.ts';
import type { Reservation, RunArea } from './stores/run-store.ts';

export interface Held {
  readonly area: RunArea;
  readonly key: string;
  readonly amount: number;
  readonly granted: Reservation & { readonly ok: true };
}

const held = new WeakMap<Outcome, readonly Held[]>();

export function holdFor(outcome: Outcome, reservations: readonly Held[]): void {
  held.set(outcome, reservations);
}

/** What was taken while this was decided, and has not been given back. */
export function heldBy(outcome: Outcome): readonly Held[] {
  return held.get(outcome) ?? [];
}

/** For a host: the operation this outcome let pass did not happen after all. */
export function giveBack(outcome: Outcome): void {
  release(heldBy(outcome));
  held.delete(outcome);
}

export function release(reservations: readonly Held[]): void {
  for (const { area, granted } of reservations) {
    const done = area.settle(granted.token, false);
    // What could not be given back stays counted, which is the strict side.
    if (done instanceof Promise) done.catch(() => {});
  }
}
