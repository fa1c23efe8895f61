/**
 * What a persona may spend, and which shares of it have been crossed. A share is reported once.
 */
import { HarnessError } from '../../base/index.ts';

export interface BudgetOptions {
  /** In whatever unit `spend` is told. */
  readonly limit: number;
  /** Percentages to report; 50, 80 and 100 by default. */
  readonly thresholds?: readonly number[];
}

export interface Crossing {
  readonly percentage: number;
  /** The share below it that was reported last, 0 for the first. */
  readonly previous: number;
  readonly spent: number;
  readonly limit: number;
  readonly [key: string]: number;
}

export class Budget {
  spent = 0;
  private readonly limit: number;
  private readonly thresholds: readonly number[];
  private readonly reported = new Set<number>();

  constructor({ limit, thresholds = [50, 80, 100] }: BudgetOptions) {
    check('budget.limit', limit, limit > 0);
    for (const threshold of thresholds) check('budget.thresholds', threshold, threshold > 0);
    this.limit = limit;
    this.thresholds = thresholds;
  }

  /** The shares that this amount crosses, the lowest first: those of the budget, and those that hooks listen for. */
  spend(amount: number, listened: (usual: readonly number[]) => readonly number[] = inOrder): Crossing[] {
    check('spend', amount, amount >= 0);
    this.spent += amount;
    const { spent, limit, reported } = this;
    const reached = listened(this.thresholds).filter(
      (percentage) => !reported.has(percentage) && spent * 100 >= percentage * limit,
    );
    return reached.map((percentage) => {
      const previous = Math.max(0, ...[...reported].filter((share) => share < percentage));
      reported.add(percentage);
      return { percentage, previous, spent, limit };
    });
  }
}

function inOrder(thresholds: readonly number[]): readonly number[] {
  return [...new Set(thresholds)].sort((a, b) => a - b);
}

function check(what: string, value: number, fits: boolean): void {
  if (Number.isFinite(value) && fits) return;
  throw new HarnessError('PERSONA_CONFIG', `${what} wants a number above 0, got ${String(value)}`);
}
