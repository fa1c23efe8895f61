/** What an expression of a condition is, looked at without running it. */
import type { Expr } from '../starlark/index.ts';
import { writtenForm } from './tool-names.ts';

export function isPayload(expr: Expr): boolean {
  const object = unwrap(expr);
  return object.kind === 'ident' && object.name === 'payload';
}

const CONSTANTS = new Set(['None', 'True', 'False']);

export function isConstant(expr: Expr): boolean {
  return expr.kind === 'literal' || (expr.kind === 'ident' && CONSTANTS.has(expr.name));
}

export function textOf(expr: Expr): string | undefined {
  const literal = unwrap(expr);
  return literal.kind === 'literal' && literal.type === 'string' ? String(literal.value) : undefined;
}

/** Without parentheses, and as it stood before names of tools were folded. */
export function unwrap(expr: Expr): Expr {
  let inner = writtenForm(expr);
  while (inner.kind === 'paren') inner = writtenForm(inner.inner);
  return inner;
}
