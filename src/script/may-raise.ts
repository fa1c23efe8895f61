/**
 * Whether a condition can raise on a payload of its event. Only a few forms are known not to: comparisons of keys that every
 * payload has with literals, and what can be asked of a text or a dict without looking inside. Everything else may.
 */
import type { EventSpec } from '../engine/index.ts';
import type { Expr } from '../starlark/index.ts';
import { isConstant, isPayload, textOf, unwrap } from './selector.ts';

type Kind = 'string' | 'object' | 'other';

export function mayRaise(expr: Expr, spec: EventSpec): boolean {
  return kindOf(expr, spec) === null;
}

/** What the expression gives, or null if looking may raise. */
function kindOf(written: Expr, spec: EventSpec): Kind | null {
  const expr = unwrap(written);
  if (isConstant(expr)) return expr.kind === 'literal' && expr.type === 'string' ? 'string' : 'other';
  if (expr.kind === 'ident') return nameKind(expr.name, spec);
  if (expr.kind === 'list' || expr.kind === 'tuple')
    return expr.items.every((item) => kindOf(item, spec) !== null) ? 'other' : null;
  if (expr.kind === 'unary') return expr.op === 'not' ? kindOf(expr.operand, spec) && 'other' : null;
  if (expr.kind === 'index') return isPayload(expr.object) ? keyKind(textOf(expr.index), spec) : null;
  if (expr.kind === 'call') return callKind(expr, spec);
  return expr.kind === 'binary' ? binaryKind(expr, spec) : null;
}

function nameKind(name: string, { payload }: EventSpec): Kind | null {
  if (name === 'event') return 'string';
  if (name === 'caller') return 'object';
  if (name === 'actor') return 'other';
  if (name !== 'payload') return null;
  return payload.kind === 'string' || payload.kind === 'object' ? payload.kind : null;
}

/** A key is certain to be there if the catalog requires it, or if it is one of a pair that the engine completes. */
function keyKind(key: string | undefined, { payload, pair }: EventSpec): Kind | null {
  if (key === undefined) return null;
  if (key === pair?.data && pair.data === 'args') return 'object';
  if (key === pair?.text) return 'string';
  const field = payload.fields?.[key];
  if (field?.required !== true || field.nullable === true) return null;
  return field.kind === 'string' || field.kind === 'object' ? field.kind : 'other';
}

const TEXT_METHODS = new Set(['startswith', 'endswith', 'lower', 'upper', 'strip', 'lstrip', 'rstrip']);

function callKind({ callee, args }: Extract<Expr, { kind: 'call' }>, spec: EventSpec): Kind | null {
  if (callee.kind !== 'dot') return null;
  const literal = args.every(({ kind, value }) => kind === 'positional' && isConstant(unwrap(value)));
  const object = literal ? kindOf(callee.object, spec) : null;
  if (object === 'object' && callee.name === 'get' && args.length > 0 && args.length < 3) return 'other';
  if (object !== 'string' || !TEXT_METHODS.has(callee.name)) return null;
  const texts = args.every(({ value }) => textOf(value) !== undefined);
  if (!texts) return null;
  return callee.name.endsWith('swith') ? (args.length === 1 ? 'other' : null) : 'string';
}

function binaryKind({ op, left, right }: Extract<Expr, { kind: 'binary' }>, spec: EventSpec): Kind | null {
  const [a, b] = [kindOf(left, spec), kindOf(right, spec)];
  if (a === null || b === null) return null;
  if (op === 'and' || op === 'or' || op === '==' || op === '!=') return 'other';
  if (op !== 'in' && op !== 'not in') return null;
  const among = unwrap(right);
  if (among.kind === 'list' || among.kind === 'tuple') return 'other';
  // A dict takes any key that can be hashed, a text only another text.
  return b === 'object' && (a === 'string' || isConstant(unwrap(left))) ? 'other' : a === b ? 'other' : null;
}
