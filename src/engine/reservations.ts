/**
 * What guards took from limits while an event was decided, until it is known what became of it. A call that does not happen
 * gives back what was taken for it; a host that says nothing more leaves it counted, and so does a process that dies.
 */
import type { Outcome } from './decision.ts';
import type { Reservation, RunArea } from './stores/run-store.ts';

/** One grant of a limit. */
export interface LimitReservation {
  readonly area: RunArea;
  readonly key: string;
  readonly amount: number;
  readonly granted: Reservation & { readonly ok: true };
}

/** The grants of one operation. */
export class Reservations {
  private open: readonly LimitReservation[];

  constructor(taken: readonly LimitReservation[]) {
    this.open = taken;
  }

  /** What was taken and has not been given back. */
  get taken(): readonly LimitReservation[] {
    return this.open;
  }

  giveBack(): void {
    const given = this.open;
    this.open = [];
    for (const { area, granted } of given) {
      const done = area.settle(granted.token, false);
      // What could not be given back stays counted, which is the strict side.
      if (done instanceof Promise) done.catch(() => {});
    }
  }
}

/** For a host: the operation this outcome let pass did not happen after all. */
export function giveBack({ reservations }: Pick<Outcome, 'reservations'>): void {
  reservations?.giveBack();
}
