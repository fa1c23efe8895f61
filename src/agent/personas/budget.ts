/**
 * What a persona may spend, and which shares of it have been crossed. A share is reported once.
 */
import { HarnessError } from '../../base/errors.ts';

export interface BudgetOptions {
  /** In whatever unit `spend` is told. */
  readonly limit: number;
  /** Percentages to report; 50, 80 and 100 unless told. */
  readonly thresholds?: readonly number[];
}

export interface Crossing {
  readonly percentage: number;
  readonly spent: number;
  readonly limit: number;
  readonly [key: string]: number;
}

export class Budget {
  spent = 0;
  private readonly limit: number;
  private readonly left: number[];

  constructor({ limit, thresholds = [50, 80, 100] }: BudgetOptions) {
    check('budget.limit', limit, limit > 0);
    for (const threshold of thresholds) check('budget.thresholds', threshold, threshold > 0);
    this.limit = limit;
    this.left = [...new Set(thresholds)].sort((a, b) => a - b);
  }

  /** The shares that this amount crosses, the lowest first. */
  spend(amount: number): Crossing[] {
    check('spend', amount, amount >= 0);
    this.spent += amount;
    const { spent, limit } = this;
    const reached = this.left.filter((percentage) => spent * 100 >= percentage * limit);
    this.left.splice(0, reached.length);
    return reached.map((percentage) => ({ percentage, spent, limit }));
  }
}

function check(what: string, value: number, fits: boolean): void {
  if (Number.isFinite(value) && fits) return;
  throw new HarnessError('PERSONA_CONFIG', `${what} wants a number above 0, got ${String(value)}`);
}
