/**
 * How long things took, kept as counts: quantiles to within five percent and the buckets Prometheus wants, in the same small
 * memory for ten values or ten million.
 */

/** Upper bounds in seconds: from a script of a few microseconds to a person who was asked. */
export const BUCKETS: readonly number[] = [
  0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300,
];

/** Each step is five percent wider than the one before. */
const STEP = Math.log(1.05);
/** A nanosecond: what is shorter counts as that. */
const SHORTEST_MS = 1e-6;

export class Durations {
  count = 0;
  sumMs = 0;
  maxMs = 0;
  private readonly steps = new Map<number, number>();
  private readonly buckets = new Array<number>(BUCKETS.length).fill(0);

  add(ms: number): void {
    this.count++;
    this.sumMs += ms;
    if (ms > this.maxMs) this.maxMs = ms;
    const step = Math.ceil(Math.log(Math.max(ms, SHORTEST_MS)) / STEP);
    this.steps.set(step, (this.steps.get(step) ?? 0) + 1);
    const bucket = BUCKETS.findIndex((bound) => ms <= bound * 1000);
    if (bucket !== -1) this.buckets[bucket]!++;
  }

  /** In milliseconds; 0 where nothing was measured. */
  quantile(part: number): number {
    let left = Math.max(1, Math.ceil(part * this.count));
    for (const step of [...this.steps.keys()].sort((a, b) => a - b)) {
      left -= this.steps.get(step)!;
      if (left <= 0) return Math.min(Math.exp(step * STEP), this.maxMs);
    }
    return 0;
  }

  /** How many took no longer than each bound. */
  cumulative(): number[] {
    let sum = 0;
    return this.buckets.map((count) => (sum += count));
  }
}
