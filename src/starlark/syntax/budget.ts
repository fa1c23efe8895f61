/**
 * What compiling one program may use. Every phase takes time in proportion to the text, so the size of the text is the
 * limit that counts; the wall clock is the net below it.
 */
import { MAX_NESTING } from './limits.ts';

export interface CompileLimits {
  /** UTF-16 units of source text. */
  readonly length: number;
  /** Variables: globals, locals, parameters, and names taken from the host or the language, each counted once. */
  readonly names: number;
  /** Levels of the syntax tree; never more than 500. */
  readonly nesting: number;
  /** Milliseconds on the wall clock for checking a program, and again for translating it. Not deterministic. */
  readonly time: number;
}

export const COMPILE_LIMITS: CompileLimits = {
  length: 1 << 19,
  names: 50_000,
  nesting: MAX_NESTING,
  time: 10_000,
};

const CLOCK_INTERVAL = 4096;

/** Thrown where a limit is passed; the phase that runs turns it into an error with a position. */
export class OverBudget extends Error {
  /** The place in the source, where one is known. */
  readonly offset: number;
  constructor(message: string, offset = 0) {
    super(message);
    this.offset = offset;
  }
}

export class Budget {
  readonly limits: CompileLimits;
  /** Most programs are done before the first look at the clock: it is first read there, and starts there. */
  private deadline = Infinity;
  private ticks = 0;
  private names = 0;

  constructor(limits: Partial<CompileLimits> = {}) {
    this.limits = { ...COMPILE_LIMITS, ...limits };
  }

  /** Levels of nesting that are left to the tree. */
  get nesting(): number {
    return Math.min(this.limits.nesting, MAX_NESTING);
  }

  /** One token or one node more; now and then a look at the clock. */
  tick(): void {
    if (++this.ticks % CLOCK_INTERVAL === 0) this.look();
  }

  private look(): void {
    const now = performance.now();
    if (this.deadline === Infinity) this.deadline = now + this.limits.time;
    else if (now > this.deadline) throw new OverBudget(`compiling took longer than ${this.limits.time} ms`);
  }

  /** One variable more, at an offset. */
  name(offset: number): void {
    if (++this.names > this.limits.names) {
      throw new OverBudget(`too many names (limit ${this.limits.names})`, offset);
    }
  }

  checkLength(length: number): void {
    if (length <= this.limits.length) return;
    throw new OverBudget(`source of ${length} characters is too long (limit ${this.limits.length})`);
  }
}
