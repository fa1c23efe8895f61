/**
 * Everything that can end a running script. A failure of the script is `eval`; each limit has a kind of its own, so that
 * a host can tell "the policy is wrong" from "the policy ran away". A script can catch none of them.
 */
import { formatPosition, type Position } from '../../base/index.ts';

export type ErrorKind =
  /** The script did something wrong: a type error, a missing key, `fail(…)`. */
  | 'eval'
  | 'steps'
  | 'memory'
  /** Call depth, or nesting of values. */
  | 'depth'
  /** An integer over the size limit. */
  | 'intsize'
  /** The wall-clock net. */
  | 'time'
  /** The host cancelled the thread. */
  | 'cancelled';

/** One line of a traceback, outermost first. A built-in has no position. */
export interface Frame {
  readonly function: string;
  readonly position: Position | null;
}

export class StarlarkError extends Error {
  // A field, not an assignment: where a host has frozen `Error.prototype`, its `name` cannot be assigned over.
  override readonly name = 'StarlarkError';
  readonly kind: ErrorKind;
  /** Outermost frame first; filled while the error unwinds. */
  readonly frames: Frame[] = [];

  constructor(kind: ErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }

  /** Where it happened: the innermost frame with a position. */
  get position(): Position | null {
    for (let i = this.frames.length - 1; i >= 0; i--) {
      const position = this.frames[i]!.position;
      if (position !== null) return position;
    }
    return null;
  }

  /** The last line of a traceback; it names the built-in that failed, once. */
  private get summary(): string {
    const innermost = this.frames.at(-1);
    if (innermost === undefined || innermost.position !== null) return `Error: ${this.message}`;
    const named = this.message.startsWith(`${innermost.function}: `);
    return `Error in ${named ? this.message : `${innermost.function}: ${this.message}`}`;
  }

  /** `Traceback (most recent call last):` and one line a frame, then the message. */
  get traceback(): string {
    const lines = this.frames.map((frame) =>
      frame.position === null
        ? `  <builtin>: in ${frame.function}`
        : `  ${formatPosition(frame.position)}: in ${frame.function}`,
    );
    return ['Traceback (most recent call last):', ...lines, this.summary].join('\n');
  }
}

/** Shorthand for the common case. */
export function fail(message: string): never {
  throw new StarlarkError('eval', message);
}
