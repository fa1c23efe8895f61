/**
 * How much work one check may take. Every checker that recurses spends from one of these, so that a schema or a value made
 * to multiply (alternatives of alternatives, references in a circle) ends in a refusal and not in hours of work.
 */

/** Far more than an honest description needs for a small value; a schema that doubles reaches it at once. */
export const SMALL_BUDGET = 10_000;

export class Budget {
  private left: number;

  constructor(visits: number) {
    this.left = visits;
  }

  get spent(): boolean {
    return this.left < 0;
  }

  /** False if there is nothing left, and from then on: the caller must refuse, never pass. */
  spend(visits = 1): boolean {
    this.left -= visits;
    return this.left >= 0;
  }
}
