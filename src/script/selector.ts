/**
 * What an index can know about a condition without running it: that it can only hold where a key of the payload, or of its
 * arguments, is one of a few strings, begins or ends with one, or is there at all. Whatever is not certain here is left to the
 * condition itself.
 */
import type { ArgumentTest, Selects } from '../hooks/hook.ts';
import type { Expr } from '../starlark/syntax/ast.ts';

/**
 * The selection of an expression, if it has one: with any other payload it is false, and false before anything in it could raise.
 * That is why a later part of an `and` counts only after parts that cannot raise.
 */
export function selectsOf(written: Expr): Selects | undefined {
  const expr = unwrap(written);
  if (expr.kind === 'call') return edgeOf(expr);
  if (expr.kind !== 'binary') return undefined;
  switch (expr.op) {
    case 'and':
      return both(expr.left, expr.right);
    case 'or':
      return union(selectsOf(expr.left), selectsOf(expr.right));
    case '==': {
      const [left, right] = [unwrap(expr.left), unwrap(expr.right)];
      return equality(left, [right]) ?? equality(right, [left]);
    }
    case 'in': {
      const among = unwrap(expr.right);
      if (among.kind === 'list' || among.kind === 'tuple') return equality(unwrap(expr.left), among.items);
      const key = isArguments(among) ? textOf(expr.left) : undefined;
      return key === undefined ? undefined : ofArguments({ key, present: true });
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

function both(left: Expr, right: Expr): Selects | undefined {
  const first = partOf(selectsOf(left));
  const second = isCalm(left) ? partOf(selectsOf(right)) : undefined;
  if (first === undefined || second === undefined) return first ?? second;
  const { others: more = [], ...other } = thereIf(first, second);
  return { ...first, others: [...(first.others ?? []), other, ...more] };
}

/** `"k" in payload["args"] and payload["args"]["k"] == …`: where the key is absent, the first part has said no. */
function thereIf({ key, args = [] }: Selects, second: Selects): Selects {
  const there = key === 'args' && args.length === 1 && args[0]!.present === true ? args[0]!.key : null;
  if (there === null || second.args === undefined) return second;
  const args2 = second.args.map(({ absent, ...test }) =>
    test.key === there || absent === undefined ? test : { ...test, absent },
  );
  return { ...second, args: args2 };
}

function union(a: Selects | undefined, b: Selects | undefined): Selects | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a.key !== b.key && a.key !== 'args' && b.key !== 'args') return undefined;
  const args = [...(a.args ?? []), ...(b.args ?? [])];
  return {
    key: a.key === 'args' ? b.key : a.key,
    values: merged(a.values, b.values),
    ...edges('prefixes', merged(a.prefixes, b.prefixes)),
    ...edges('suffixes', merged(a.suffixes, b.suffixes)),
    ...(args.length > 0 && { args }),
    whole: a.whole === true && b.whole === true,
  };
}

function merged(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])];
}

function ofArguments(test: ArgumentTest): Selects {
  return { key: 'args', values: [], args: [test] };
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
  const [only, more] = args;
  if (only === undefined || more !== undefined || only.kind !== 'positional') return undefined;
  const given = unwrap(only.value);
  const items = given.kind === 'tuple' ? given.items : [given];
  const texts = items.map(textOf);
  if (texts.includes(undefined)) return undefined;
  const asked = edges(EDGES[callee.name]!, texts as string[]);
  const argument = argumentRead(object);
  // Without the key, and of what is no text, it is for the condition to raise, or to look at what stands in for it.
  if (argument !== undefined) {
    const { key, otherwise } = argument;
    const meets = (text: string) =>
      callee.name === 'startswith' ? otherwise?.startsWith(text) : otherwise?.endsWith(text);
    const absent = typeof otherwise !== 'string' || (texts as string[]).some((text) => meets(text) === true);
    return ofArguments({ key, ...asked, noText: true, absent });
  }
  // With `.get` the key may be None, which has no methods: the same.
  const key = object.kind === 'index' && isPayload(object.object) ? textOf(object.index) : undefined;
  return key === undefined || key === 'args' ? undefined : { key, values: [], ...asked, whole: true };
}

function equality(read: Expr, items: readonly Expr[]): Selects | undefined {
  const argument = argumentRead(read);
  const key = argument?.key ?? keyRead(read);
  if (key === undefined || (argument === undefined && key === 'args')) return undefined;
  const values: string[] = [];
  for (const item of items) {
    const literal = unwrap(item);
    // Anything but a literal could be anything.
    if (literal.kind !== 'literal') return undefined;
    if (literal.type === 'string') values.push(String(literal.value));
    // The indexed key of a payload holds a string; an argument may hold what equals this.
    else if (argument !== undefined) return undefined;
  }
  if (argument !== undefined) {
    const { raises, otherwise } = argument;
    return ofArguments({
      key,
      values,
      absent: raises || (otherwise !== undefined && values.includes(otherwise)),
    });
  }
  return { key, values, whole: true };
}

/** Whether it cannot raise where `name` is a string and `args` a dict. */
function isCalm(written: Expr): boolean {
  const expr = unwrap(written);
  if (isConstant(expr)) return true;
  if (expr.kind === 'unary') return expr.op === 'not' && isCalm(expr.operand);
  if (keyRead(expr) !== undefined) return expr.kind === 'call' || keyRead(expr) === 'name';
  if (isArguments(expr)) return true;
  const argument = argumentRead(expr);
  if (argument !== undefined) return expr.kind === 'call';
  if (expr.kind === 'call') return edgeOf(expr)?.key === 'name';
  if (expr.kind !== 'binary') return false;
  const { op, left, right } = expr;
  if (op === 'and' || op === 'or' || op === '==' || op === '!=') return isCalm(left) && isCalm(right);
  if (op !== 'in' && op !== 'not in') return false;
  const among = unwrap(right);
  if (among.kind === 'list' || among.kind === 'tuple')
    return isCalm(left) && among.items.every((item) => isConstant(unwrap(item)));
  return isArguments(among) && textOf(left) !== undefined;
}

/** `payload["args"]`, `payload.get("args")`, `payload.get("args", {})`. */
function isArguments(written: Expr): boolean {
  const expr = unwrap(written);
  if (expr.kind === 'call' && expr.args.length === 2) {
    const otherwise = expr.args[1]!;
    if (otherwise.kind !== 'positional') return false;
    const value = unwrap(otherwise.value);
    if (value.kind === 'dict' && value.entries.length === 0)
      return keyRead({ ...expr, args: [expr.args[0]!] }) === 'args';
  }
  return keyRead(expr) === 'args';
}

interface ArgumentRead {
  readonly key: string;
  /** Where the key is absent it raises, or is this text, or something that is none. */
  readonly raises: boolean;
  readonly otherwise: string | undefined;
}

/** `A["key"]`, `A.get("key")`, `A.get("key", literal)`, where A is the arguments. */
function argumentRead(written: Expr): ArgumentRead | undefined {
  const expr = unwrap(written);
  const key = partRead(expr, isArguments);
  if (key === undefined) return undefined;
  if (expr.kind !== 'call') return { key, raises: true, otherwise: undefined };
  const [, otherwise] = expr.args;
  return { key, raises: false, otherwise: otherwise === undefined ? undefined : textOf(otherwise.value) };
}

/** `payload["key"]`, `payload.get("key")` or `payload.get("key", literal)`: neither raises where the key is there. */
function keyRead(expr: Expr): string | undefined {
  return partRead(expr, isPayload);
}

function partRead(expr: Expr, isWhole: (expr: Expr) => boolean): string | undefined {
  if (expr.kind === 'index' && isWhole(expr.object)) return textOf(expr.index);
  if (expr.kind !== 'call' || expr.callee.kind !== 'dot') return undefined;
  if (expr.callee.name !== 'get' || !isWhole(expr.callee.object)) return undefined;
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
