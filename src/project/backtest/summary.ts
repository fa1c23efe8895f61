/**
 * The sum of a backtest: counts of every class, and the changed calls themselves as far as a reader can use them. It grows
 * with the changes it keeps, never with the number of tapes.
 */
import type { ChangedDecision, NotReplayable } from '../../tape/index.ts';
import type { TapeReport } from './one-tape.ts';

/** Kept of each kind; all are counted. */
const MOST_KEPT = 1000;

export interface BrokenTape {
  readonly tape: string;
  readonly problem: string;
}

export class Summary {
  tapes = 0;
  decisions = 0;
  same = 0;
  counterfactual = 0;
  notReplayableCount = 0;
  readonly classes = new Map<string, number>();
  readonly reasons = new Map<string, number>();
  readonly changed: ChangedDecision[] = [];
  readonly notReplayable: (NotReplayable & { readonly session: string })[] = [];
  /** Tapes that could not be read. */
  readonly broken: BrokenTape[] = [];
  /** Tapes that do not prove their own decisions. */
  readonly unproven: BrokenTape[] = [];
  private readonly perClass = new Map<string, number>();

  add(report: TapeReport): void {
    this.tapes++;
    if ('problem' in report) {
      this.broken.push(report);
      return;
    }
    const { tape, result } = report;
    if (result.check !== null) this.unproven.push({ tape, problem: result.check });
    this.decisions += result.decisions;
    this.same += result.same;
    for (const change of result.changed) this.change(change);
    this.notReplayableCount += result.notReplayable.length;
    for (const one of result.notReplayable) {
      count(this.reasons, one.reason);
      if (this.notReplayable.length < MOST_KEPT) this.notReplayable.push(one);
    }
  }

  get changedCount(): number {
    return [...this.classes.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Whether any decision could be held against the candidate. */
  get compared(): boolean {
    return this.same + this.changedCount > 0;
  }

  private change(change: ChangedDecision): void {
    count(this.classes, change.class);
    if (change.counterfactual) this.counterfactual++;
    // Every class is shown, however many there are of another.
    if (count(this.perClass, change.class) <= MOST_KEPT) this.changed.push(change);
  }
}

function count(counts: Map<string, number>, key: string): number {
  const now = (counts.get(key) ?? 0) + 1;
  counts.set(key, now);
  return now;
}
