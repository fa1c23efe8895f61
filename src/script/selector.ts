/**
 * What the index of a chain can know about a condition without running it: that the condition can only hold where a key of the
 * payload is one of a few strings, or begins or ends with one. Whatever is not certain here is left to the condition itself.
 */
import { CATALOG, type IndexableTest, indexNames } from '../engine/index.ts';
import type { Expr } from '../starlark/index.ts';
import { isConstant, isPayload, textOf, unwrap } from './expressions.ts';
import { mayRaiseInIndex } from './may-raise.ts';

/**
 * The indexable test of an expression, if it has one: with any other payload the expression is false, and false before anything in
 * it could raise. That is why a later part of an `and` counts only after parts that cannot raise.
 */
export function indexableIn(written: Expr): IndexableTest | undefined {
  const expr = unwrap(written);
  if (expr.kind === 'call') return edgeOf(expr);
  if (expr.kind !== 'binary') return undefined;
  switch (expr.op) {
    case 'and':
      return either(
        partOf(indexableIn(expr.left)),
        mayRaiseInIndex(expr.left) ? undefined : partOf(indexableIn(expr.right)),
      );
    case 'or':
      return union(indexableIn(expr.left), indexableIn(expr.right));
    case '==': {
      const [left, right] = [unwrap(expr.left), unwrap(expr.right)];
      return equality(left, [right]) ?? equality(right, [left]);
    }
    case 'in': {
      const among = unwrap(expr.right);
      const isListed = among.kind === 'list' || among.kind === 'tuple';
      return isListed ? equality(unwrap(expr.left), among.items) : undefined;
    }
    default:
      return undefined;
  }
}

/** The same test, where more has to hold as well. */
export function partOf(test: IndexableTest | undefined): IndexableTest | undefined {
  if (test === undefined) return undefined;
  const { whole: _, ...part } = test;
  return part;
}

const INDEXED_KEYS: ReadonlySet<string | null> = new Set(Object.values(CATALOG).map(({ index }) => index));

/** Of two tests that must both hold, the one that an index can use. */
function either(a: IndexableTest | undefined, b: IndexableTest | undefined): IndexableTest | undefined {
  return a !== undefined && (b === undefined || INDEXED_KEYS.has(a.key)) ? a : b;
}

function union(a: IndexableTest | undefined, b: IndexableTest | undefined): IndexableTest | undefined {
  if (a === undefined || b === undefined || a.key !== b.key) return undefined;
  return {
    key: a.key,
    values: merged(a.values, b.values),
    ...edges('prefixes', merged(a.prefixes, b.prefixes)),
    ...edges('suffixes', merged(a.suffixes, b.suffixes)),
    whole: a.whole === true && b.whole === true,
  };
}

function merged(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])];
}

function edges(name: 'prefixes' | 'suffixes', texts: readonly string[]): Partial<IndexableTest> {
  return texts.length === 0 ? {} : { [name]: texts };
}

const EDGES: Readonly<Record<string, 'prefixes' | 'suffixes'>> = {
  startswith: 'prefixes',
  endswith: 'suffixes',
};

/** `payload["key"].startswith("x")`, or with a tuple of texts: neither raises for a text. */
function edgeOf({ callee, args }: Extract<Expr, { kind: 'call' }>): IndexableTest | undefined {
  if (callee.kind !== 'dot' || !Object.hasOwn(EDGES, callee.name)) return undefined;
  const object = unwrap(callee.object);
  const [only, more] = args;
  if (only === undefined || more !== undefined || only.kind !== 'positional') return undefined;
  const given = unwrap(only.value);
  const items = given.kind === 'tuple' ? given.items : [given];
  const texts = items.map(textOf);
  if (texts.includes(undefined)) return undefined;
  // With `.get` the value may be None, which has no methods: then the condition has to raise.
  const key = object.kind === 'index' && isPayload(object.object) ? textOf(object.index) : undefined;
  return key === undefined
    ? undefined
    : { key, values: [], ...edges(EDGES[callee.name]!, texts as string[]), whole: true };
}

function equality(read: Expr, items: readonly Expr[]): IndexableTest | undefined {
  const key = keyRead(read);
  if (key === undefined) return undefined;
  const values: string[] = [];
  for (const item of items) {
    const literal = unwrap(item);
    // Anything but a literal could be anything. The indexed key holds a string, which equals no other literal.
    if (literal.kind !== 'literal') return undefined;
    if (literal.type === 'string') values.push(String(literal.value));
  }
  if (key !== 'name') return { key, values, whole: true };
  // A call of another agent's tool meets a synonym by its canonical name, one of a policy's tool of that name does not.
  const names = indexNames(values);
  return { key, values: names, whole: names.length === new Set(values).size };
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
