/**
 * One walk over a resolved tree: where each variable gets its value, who calls whom, what each function returns, and
 * every expression and statement in order. Built once a script; every check reads it.
 */
import {
  type Binding,
  type Call,
  type Def,
  type Expr,
  expressionsOf,
  type FileNode,
  type FunctionNode,
  operands,
  type Stmt,
  type Target,
} from '../../starlark/index.ts';
import { unwrap } from '../expressions.ts';

/** Where the value of a variable that is bound once comes from. */
export type Origin =
  | { readonly kind: 'value'; readonly value: Expr }
  /** An element of what a loop goes over. */
  | { readonly kind: 'item'; readonly of: Expr }
  | { readonly kind: 'def'; readonly def: Def }
  | { readonly kind: 'parameter'; readonly fn: FunctionNode; readonly at: number };

export interface ProgramUses {
  readonly origins: ReadonlyMap<Binding, Origin>;
  readonly exprs: readonly Expr[];
  readonly stmts: readonly Stmt[];
  /** Variables whose value is read somewhere. */
  readonly read: ReadonlySet<Binding>;
  /** The values of all `return` statements; null for one without a value. */
  returnsOf(fn: FunctionNode): readonly (Expr | null)[];
  /** Every call of a function of the top level; null if it may be called in ways that are not seen. */
  callsOf(fn: FunctionNode): readonly Call[] | null;
}

export function usesOf(tree: FileNode | Expr): ProgramUses {
  const origins = new Map<Binding, Origin>();
  const exprs: Expr[] = [];
  const stmts: Stmt[] = [];
  const read = new Set<Binding>();
  const returns = new Map<FunctionNode, (Expr | null)[]>();
  const calls = new Map<Binding, Call[]>();
  const reads = new Map<Binding, number>();
  const defs = new Map<FunctionNode, Binding>();

  const bind = (target: Target, origin: Origin | null) => {
    if (target.kind === 'paren') bind(target.inner as Target, origin);
    else if (target.kind === 'ident' && target.binding !== undefined && origin !== null)
      origins.set(target.binding, origin);
  };

  const visit = (expr: Expr) => {
    exprs.push(expr);
    if (expr.kind === 'ident' && expr.binding !== undefined) {
      read.add(expr.binding);
      reads.set(expr.binding, (reads.get(expr.binding) ?? 0) + 1);
    }
    if (expr.kind === 'call') {
      const callee = unwrap(expr.callee);
      if (callee.kind === 'ident' && callee.binding !== undefined) {
        const known = calls.get(callee.binding);
        if (known === undefined) calls.set(callee.binding, [expr]);
        else known.push(expr);
      }
    }
    if (expr.kind === 'comprehension')
      for (const clause of expr.clauses)
        if (clause.kind === 'forClause') bind(clause.target, { kind: 'item', of: clause.iterable });
    if (expr.kind === 'lambda') enter(expr.fn);
    for (const part of operands(expr)) visit(part);
  };

  const enter = (fn: FunctionNode) => {
    returns.set(fn, []);
    for (const [at, { ident, kind }] of fn.params.entries()) {
      if (ident?.binding === undefined || kind !== 'plain') continue;
      origins.set(ident.binding, { kind: 'parameter', fn, at });
    }
    statements(fn.body, fn);
  };

  const statements = (body: readonly Stmt[], fn: FunctionNode | null) => {
    for (const stmt of body) {
      stmts.push(stmt);
      for (const expr of expressionsOf(stmt)) visit(expr);
      if (stmt.kind === 'assign') bind(stmt.target, { kind: 'value', value: stmt.value });
      else if (stmt.kind === 'for') bind(stmt.target, { kind: 'item', of: stmt.iterable });
      else if (stmt.kind === 'return' && fn !== null) returns.get(fn)!.push(stmt.value);
      else if (stmt.kind === 'def') {
        if (stmt.ident.binding !== undefined) {
          origins.set(stmt.ident.binding, { kind: 'def', def: stmt });
          defs.set(stmt.fn, stmt.ident.binding);
        }
        enter(stmt.fn);
      }
      if (stmt.kind === 'if') {
        statements(stmt.then, fn);
        statements(stmt.otherwise, fn);
      } else if (stmt.kind === 'for' || stmt.kind === 'while') statements(stmt.body, fn);
    }
  };

  if ('kind' in tree) visit(tree);
  else statements(tree.body, null);
  return {
    origins,
    exprs,
    stmts,
    read,
    returnsOf: (fn) => returns.get(fn) ?? [],
    callsOf: (fn) => {
      const binding = defs.get(fn);
      if (binding?.definedBy == null) return null;
      const found = calls.get(binding) ?? [];
      const plain = found.every(({ args }) => args.every(({ kind }) => kind === 'positional'));
      return plain && found.length === (reads.get(binding) ?? 0) ? found : null;
    },
  };
}
