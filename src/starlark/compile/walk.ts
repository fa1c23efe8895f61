/**
 * The order in which the parts of an expression are evaluated, as data: what analysis and both back ends
 * agree on.
 */
import type {
  Assign,
  Call,
  Comprehension,
  Expr,
  FunctionNode,
  Parameter,
  Paren,
  Target,
} from '../syntax/ast.ts';

/** Direct subexpressions, in order of evaluation. The body of a lambda is not one: it runs later. */
export function operands(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'ident':
    case 'literal':
      return [];
    case 'list':
    case 'tuple':
      return e.items;
    case 'dict':
      return e.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'comprehension':
      return comprehensionParts(e);
    case 'unary':
      return [e.operand];
    case 'binary':
      return [e.left, e.right];
    case 'conditional':
      return [e.condition, e.then, e.otherwise];
    case 'call':
      return [e.callee, ...e.args.map((arg) => arg.value)];
    case 'index':
      return [e.object, e.index];
    case 'slice':
      return [e.object, e.low, e.high, e.step].filter((part) => part !== null);
    case 'dot':
      return [e.object];
    case 'lambda':
      return defaultsOf(e.fn).map((param) => param.default!);
    case 'paren':
      return [e.inner];
  }
}

function comprehensionParts(e: Comprehension): Expr[] {
  const parts: Expr[] = [];
  for (const clause of e.clauses) {
    if (clause.kind === 'ifClause') parts.push(clause.condition);
    else parts.push(clause.iterable, ...targetOperands(clause.target));
  }
  if (e.key !== null) parts.push(e.key);
  parts.push(e.body);
  return parts;
}

/** The expressions a target evaluates before it stores: `x` and `i` of `x[i] = …`. */
export function targetOperands(target: Target): Expr[] {
  switch (target.kind) {
    case 'ident':
      return [];
    case 'index':
      return [target.object, target.index];
    case 'dot':
      return [target.object];
    case 'list':
    case 'tuple':
      return target.items.flatMap((item) => targetOperands(item as Target));
    case 'paren':
      return targetOperands(target.inner as Target);
  }
}

/** The parameters that have a default, in order: their defaults are evaluated when the function is made. */
export function defaultsOf(fn: FunctionNode): readonly Parameter[] {
  return fn.params.filter((param) => param.default !== null);
}

export function stripParens(e: Expr): Exclude<Expr, Paren> {
  let inner = e;
  while (inner.kind === 'paren') inner = inner.inner;
  return inner;
}

/** `f(a, b)`: no keyword, no star. */
export function isPlainCall(call: Call): boolean {
  return call.args.every((arg) => arg.kind === 'positional');
}

/**
 * `a, b = b, a`: as many values as targets, so that no tuple has to be made. Null if it is not of that
 * form.
 */
export function parallelParts(stmt: Assign): { targets: readonly Target[]; values: readonly Expr[] } | null {
  const { target } = stmt;
  const value = stripParens(stmt.value);
  if (target.kind !== 'tuple' || value.kind !== 'tuple' || target.items.length !== value.items.length)
    return null;
  return { targets: target.items as readonly Target[], values: value.items };
}
