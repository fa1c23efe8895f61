/**
 * A mistake found before anything runs. Scanner, parser and resolver collect these; a program with any is not compiled.
 */
import type { Position } from '../../base/index.ts';

export interface StaticError {
  readonly phase: 'scan' | 'parse' | 'resolve';
  readonly position: Position;
  /** Lower case, without the position: `undefined: foo (did you mean for?)`. */
  readonly message: string;
}
