/**
 * A thread: one run of one script, with the limits it runs under and the account of what it has used. Compiled code
 * and every built-in get it as their first argument.
 */
import type { SourceFile } from '../../base/index.ts';
import { type Frame, StarlarkError } from './errors.ts';

export { MAX_NESTING } from '../syntax/limits.ts';

export interface Limits {
  /** Back-edges, calls, and elements touched inside built-ins. Deterministic: the same on every machine. */
  readonly steps: number;
  /** Bytes charged before they are allocated and never refunded. Deterministic as well. */
  readonly memory: number;
  /** Nested calls. */
  readonly depth: number;
  /** Bits of an integer. */
  readonly intBits: number;
  /** Milliseconds on the wall clock: the outer net, checked every 10,000 steps. Not deterministic. */
  readonly time: number;
}

export const UNLIMITED: Limits = {
  steps: Infinity,
  memory: Infinity,
  depth: 1000,
  intBits: 1 << 20,
  time: Infinity,
};

const CLOCK_INTERVAL = 10_000;
const NOT_STARTED = -1;

/** A function of a script, as far as a thread knows it. */
export interface RunningCode {
  readonly name: string;
  readonly source: SourceFile;
}

/** An offset in a script. */
export interface CallSite {
  readonly source: SourceFile;
  readonly at: number;
}

export class Thread {
  steps = 0;
  /** Compiled code does `if (++thread.steps > thread.checkpoint) thread.check()`. */
  checkpoint: number;
  /** Compiled code adds to it and compares with `maxMemory`, as `charge` does. */
  memory = 0;
  depth = 0;
  /** `limits.depth` and `limits.memory`, one load nearer for checks that are made all the time. */
  readonly maxDepth: number;
  readonly maxMemory: number;
  /**
   * The code now running at each depth, written on entry and never erased: only `stack[1..depth]` means anything. Kept
   * of every function that calls, itself or through others, something that is not known before the run.
   */
  readonly stack: RunningCode[] = [];
  /** The offset of the last call of something that is not a function of a script; see `caller`. */
  at = 0;
  /** The globals so far of the module whose top level is running; see `freezeModule`. */
  globals: (() => readonly unknown[]) | null = null;
  /** Built-ins with an effect, or that read outside state, called so far; see `Builtin.pure`. */
  impureCalls = 0;
  readonly limits: Limits;
  /** Whatever the host's built-ins need; this language never looks at it. */
  host: unknown;
  /** Where `print` goes. */
  readonly print: (text: string) => void;
  /** Most runs end before the first checkpoint: the clock is first read there, and starts there. */
  private deadline: number;
  private cancelReason: string | null = null;

  constructor(options: { limits?: Partial<Limits>; host?: unknown; print?: (text: string) => void } = {}) {
    this.limits = options.limits === undefined ? UNLIMITED : { ...UNLIMITED, ...options.limits };
    this.maxDepth = this.limits.depth;
    this.maxMemory = this.limits.memory;
    this.host = options.host;
    this.print = options.print ?? ignore;
    this.deadline = this.limits.time === Infinity ? Infinity : NOT_STARTED;
    this.checkpoint = this.nextCheckpoint();
  }

  /** Makes a thread whose run has ended ready for another, under the same limits: hosts that run often keep a few. */
  restart(host: unknown): void {
    this.steps = 0;
    this.memory = 0;
    this.depth = 0;
    this.globals = null;
    this.impureCalls = 0;
    this.host = host;
    this.cancelReason = null;
    this.deadline = this.limits.time === Infinity ? Infinity : NOT_STARTED;
    this.checkpoint = this.nextCheckpoint();
  }

  /**
   * Which function of a script called the built-in that asks, and where; null when the host called it itself. To be asked
   * in the body of a built-in, before it calls back or awaits anything.
   */
  caller(): Frame | null {
    const code = this.depth > 0 ? this.stack[this.depth] : undefined;
    return code === undefined ? null : { function: code.name, position: code.source.position(this.at) };
  }

  /** The same, to be read later or never. */
  callSite(): CallSite | null {
    const code = this.depth > 0 ? this.stack[this.depth] : undefined;
    return code === undefined ? null : { source: code.source, at: this.at };
  }

  /** Charges the work of a built-in: one step for each element it touches. */
  spend(steps: number): void {
    if ((this.steps += steps) > this.checkpoint) this.check();
  }

  /** Charges memory; call it before allocating. */
  charge(bytes: number): void {
    if ((this.memory += bytes) > this.maxMemory) this.outOfMemory();
  }

  outOfMemory(): never {
    throw new StarlarkError('memory', `memory limit of ${this.maxMemory} bytes exceeded`);
  }

  /** Entered by a function call; compiled code does the same inline. */
  enter(): void {
    if (++this.depth > this.limits.depth) this.tooDeep();
  }

  tooDeep(): never {
    throw new StarlarkError(
      'depth',
      `Starlark stack overflow: call stack deeper than ${this.limits.depth} frames`,
    );
  }

  /** Ends the run at its next checkpoint. */
  cancel(reason: string): void {
    this.cancelReason = reason;
    this.checkpoint = this.steps;
  }

  check(): void {
    if (this.cancelReason !== null) throw new StarlarkError('cancelled', this.cancelReason);
    if (this.steps > this.limits.steps) {
      throw new StarlarkError('steps', `step limit of ${this.limits.steps} exceeded`);
    }
    if (this.deadline === NOT_STARTED) this.deadline = performance.now() + this.limits.time;
    else if (performance.now() > this.deadline) {
      throw new StarlarkError('time', `time limit of ${this.limits.time} ms exceeded`);
    }
    this.checkpoint = this.nextCheckpoint();
  }

  private nextCheckpoint(): number {
    return Math.min(this.limits.steps, this.deadline === Infinity ? Infinity : this.steps + CLOCK_INTERVAL);
  }
}

function ignore(): void {}
