/**
 * Whether a condition can raise. Only a few forms are known not to: comparisons of keys that are certain to be there with
 * literals, and what can be asked of a text or a dict without looking inside. Everything else may.
 */
import type { EventSpec } from '../engine/index.ts';
import type { Expr } from '../starlark/index.ts';
import { isConstant, isPayload, textOf, unwrap } from './expressions.ts';

type Kind = 'string' | 'object' | 'other';

/** What is certain of a payload: what it is, and what stands under a key of it; null: it may be missing. */
interface KnownPayload {
  readonly payload: Kind | null;
  readonly key: (key: string) => Kind | null;
}

/** On a payload of this event. */
export function mayRaise(expr: Expr, spec: EventSpec): boolean {
  const { kind } = spec.payload;
  const payload = kind === 'string' || kind === 'object' ? kind : null;
  return kindOf(expr, { payload, key: (key) => keyKind(key, spec) }) === null;
}

/** On any payload that an index looks at: `name` is a text in it and `args` a dict. */
export function mayRaiseInIndex(expr: Expr): boolean {
  return kindOf(expr, INDEXED) === null;
}

const INDEXED: KnownPayload = {
  payload: 'object',
  key: (key) => (key === 'name' ? 'string' : key === 'args' ? 'object' : null),
};

/** What the expression gives, or null if looking may raise. */
function kindOf(written: Expr, known: KnownPayload): Kind | null {
  const expr = unwrap(written);
  if (isConstant(expr)) return textOf(expr) === undefined ? 'other' : 'string';
  switch (expr.kind) {
    case 'ident':
      return expr.name === 'payload' ? known.payload : (NAME_KINDS.get(expr.name) ?? null);
    case 'list':
    case 'tuple':
      return expr.items.every((item) => kindOf(item, known) !== null) ? 'other' : null;
    case 'dict':
      return expr.entries.length === 0 ? 'object' : null;
    case 'unary':
      return expr.op === 'not' ? kindOf(expr.operand, known) && 'other' : null;
    case 'index':
      return isPayload(expr.object) ? keyIn(expr.index, known) : null;
    case 'call':
      return callKind(expr, known);
    case 'binary':
      return binaryKind(expr, known);
    default:
      return null;
  }
}

const NAME_KINDS: ReadonlyMap<string, Kind> = new Map([
  ['event', 'string'],
  ['caller', 'object'],
  ['actor', 'other'],
]);

function keyIn(written: Expr, { payload, key }: KnownPayload): Kind | null {
  const name = textOf(written);
  return payload !== 'object' || name === undefined ? null : key(name);
}

/** A key is certain to be there if the catalog requires it, or if it is one of a pair that the engine completes. */
function keyKind(key: string, { payload, pair }: EventSpec): Kind | null {
  if (key === pair?.data && pair.data === 'args') return 'object';
  if (key === pair?.text) return 'string';
  const field = payload.fields?.[key];
  if (field?.required !== true || field.nullable === true) return null;
  return field.kind === 'string' || field.kind === 'object' ? field.kind : 'other';
}

/** Methods of a text, with the most texts that they take. */
const TEXT_METHODS: Readonly<Record<string, number>> = { lower: 0, upper: 0, strip: 1, lstrip: 1, rstrip: 1 };
const EDGE_METHODS: ReadonlySet<string> = new Set(['startswith', 'endswith']);

function callKind({ callee, args }: Extract<Expr, { kind: 'call' }>, known: KnownPayload): Kind | null {
  if (callee.kind !== 'dot' || args.some(({ kind }) => kind !== 'positional')) return null;
  const object = kindOf(callee.object, known);
  const [first, otherwise, more] = args.map(({ value }) => unwrap(value));
  if (object === 'object' && callee.name === 'get') {
    if (first === undefined || more !== undefined || !isConstant(first)) return null;
    if (otherwise !== undefined && kindOf(otherwise, known) === null) return null;
    return (isPayload(callee.object) ? keyIn(first, known) : null) ?? 'other';
  }
  if (object !== 'string') return null;
  if (EDGE_METHODS.has(callee.name)) {
    const texts = first?.kind === 'tuple' ? first.items : [first];
    return otherwise === undefined && texts.every(isText) ? 'other' : null;
  }
  const most = Object.hasOwn(TEXT_METHODS, callee.name) ? TEXT_METHODS[callee.name]! : -1;
  return args.length <= most && args.every(({ value }) => isText(value)) ? 'string' : null;
}

function binaryKind(
  { op, left, right }: Extract<Expr, { kind: 'binary' }>,
  known: KnownPayload,
): Kind | null {
  const [a, b] = [kindOf(left, known), kindOf(right, known)];
  if (a === null || b === null) return null;
  if (op === 'and' || op === 'or' || op === '==' || op === '!=') return 'other';
  if (op !== 'in' && op !== 'not in') return null;
  const among = unwrap(right);
  if (among.kind === 'list' || among.kind === 'tuple') return 'other';
  // A dict takes any key that can be hashed, a text only another text.
  const fits = b === 'object' ? a === 'string' || isConstant(unwrap(left)) : a === 'string' && b === 'string';
  return fits ? 'other' : null;
}

function isText(expr: Expr | undefined): boolean {
  return expr !== undefined && textOf(expr) !== undefined;
}
