/**
 * Which helper of the runtime each operator is.
 */
import type { ArithmeticOp } from '../syntax/ast.ts';

export const ARITHMETIC = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '//': 'floorDiv',
  '%': 'mod',
  '&': 'bitAnd',
  '|': 'bitOr',
  '^': 'bitXor',
  '<<': 'shiftLeft',
  '>>': 'shiftRight',
} as const;

/** `x += …` and its like may change x itself. */
const IN_PLACE = {
  '+': 'addInPlace',
  '-': 'subInPlace',
  '&': 'andInPlace',
  '|': 'orInPlace',
  '^': 'xorInPlace',
} as const;

export function augmentedHelper(op: ArithmeticOp) {
  return op in IN_PLACE ? IN_PLACE[op as keyof typeof IN_PLACE] : ARITHMETIC[op];
}

export const ORDER = { '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' } as const;

export const UNARY = { '+': 'plus', '-': 'negate', '~': 'invert' } as const;
