/**
 * Numbers in a row that a seed fixes: the same seed finds the same calls on every machine. Not for secrets.
 */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = (Math.floor(seed) ^ 0x5bd1e995) >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000;
  }

  /** From 0 up to `below`. */
  whole(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Undefined for an empty list. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.whole(list.length)];
  }
}
