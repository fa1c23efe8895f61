/**
 * What an index can know about a condition without running it: that it can only hold where a key of the payload is one
 * of a few strings. Whatever is not certain here is left to the condition itself.
 */
import type { Selects } from '../hooks/hook.ts';
import type { Expr } from '../starlark/syntax/ast.ts';

/**
 * The selection of an expression, if it has one: with any other string under the key it is false, and false before
 * anything in it could raise. That is why only the first part of an `and` counts.
 */
export function selectsOf(written: Expr): Selects | undefined {
  const expr = unwrap(written);
  if (expr.kind === 'call') return edgeOf(expr);
  if (expr.kind !== 'binary') return undefined;
  switch (expr.op) {
    case 'and':
      return partOf(selectsOf(expr.left));
    case 'or':
      return union(selectsOf(expr.left), selectsOf(expr.right));
    case '==': {
      const [left, right] = [unwrap(expr.left), unwrap(expr.right)];
      return selection(keyRead(left), [right]) ?? selection(keyRead(right), [left]);
    }
    case 'in': {
      const among = unwrap(expr.right);
      if (among.kind !== 'list' && among.kind !== 'tuple') return undefined;
      return selection(keyRead(unwrap(expr.left)), among.items);
    }
    default:
      return undefined;
  }
}

/** The same selection, where more has to hold as well. */
export function partOf(selects: Selects | undefined): Selects | undefined {
  if (selects === undefined) return undefined;
  const { whole: _, ...part } = selects;
  return part;
}

function union(a: Selects | undefined, b: Selects | undefined): Selects | undefined {
  if (a === undefined || b === undefined || a.key !== b.key) return undefined;
  const whole = a.whole === true && b.whole === true;
  return {
    key: a.key,
    values: both(a.values, b.values),
    ...edges('prefixes', both(a.prefixes, b.prefixes)),
    ...edges('suffixes', both(a.suffixes, b.suffixes)),
    whole,
  };
}

function both(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])];
}

function edges(name: 'prefixes' | 'suffixes', texts: readonly string[]): Partial<Selects> {
  return texts.length === 0 ? {} : { [name]: texts };
}

const EDGES: Readonly<Record<string, 'prefixes' | 'suffixes'>> = {
  startswith: 'prefixes',
  endswith: 'suffixes',
};

/** `payload["key"].startswith("x")`, or with a tuple of texts. Of a text that is asked no more, neither raises. */
function edgeOf({ callee, args }: Extract<Expr, { kind: 'call' }>): Selects | undefined {
  if (callee.kind !== 'dot' || !Object.hasOwn(EDGES, callee.name)) return undefined;
  const object = unwrap(callee.object);
  // With `.get` the key may be None, which has no methods: then it is for the condition to raise.
  const key = object.kind === 'index' && isPayload(object.object) ? textOf(object.index) : undefined;
  const [only, more] = args;
  if (key === undefined || only === undefined || more !== undefined || only.kind !== 'positional')
    return undefined;
  const given = unwrap(only.value);
  const items = given.kind === 'tuple' ? given.items : [given];
  const texts = items.map(textOf);
  if (texts.includes(undefined)) return undefined;
  return { key, values: [], ...edges(EDGES[callee.name]!, texts as string[]), whole: true };
}

function selection(key: string | undefined, items: readonly Expr[]): Selects | undefined {
  if (key === undefined) return undefined;
  const values: string[] = [];
  for (const item of items) {
    const literal = unwrap(item);
    // Other literals equal no string; anything but a literal could be anything.
    if (literal.kind !== 'literal') return undefined;
    if (literal.type === 'string') values.push(String(literal.value));
  }
  return { key, values, whole: true };
}

/** `payload["key"]`, `payload.get("key")` or `payload.get("key", literal)`: neither raises where the key is there. */
function keyRead(expr: Expr): string | undefined {
  if (expr.kind === 'index' && isPayload(expr.object)) return textOf(expr.index);
  if (expr.kind !== 'call' || expr.callee.kind !== 'dot') return undefined;
  if (expr.callee.name !== 'get' || !isPayload(expr.callee.object)) return undefined;
  const [key, otherwise, more] = expr.args;
  if (key === undefined || more !== undefined) return undefined;
  if (expr.args.some((argument) => argument.kind !== 'positional')) return undefined;
  if (otherwise !== undefined && !isConstant(unwrap(otherwise.value))) return undefined;
  return textOf(key.value);
}

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

export function unwrap(expr: Expr): Expr {
  let inner = expr;
  while (inner.kind === 'paren') inner = inner.inner;
  return inner;
}
