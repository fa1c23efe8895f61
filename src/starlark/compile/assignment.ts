/**
 * Definite assignment: finds the reads that may meet a variable not bound yet. All others need no check at
 * run time.
 */
import type { Binding } from '../resolve/binding.ts';
import type { Expr, FileNode, FunctionNode, Ident, Stmt, Target } from '../syntax/ast.ts';
import { operands, targetOperands } from './walk.ts';

/** Variables certainly bound at a point of the program; null where control never gets. */
type Bound = Set<Binding> | null;

export function findUnsafeReads(file: FileNode): Set<Ident> {
  const unsafe = new Set<Ident>();
  /** Functions met so far, with what was bound when they were made. */
  const pending: { fn: FunctionNode; bound: Set<Binding> }[] = [];
  /**
   * No function body runs before the first call of the top level, so what is bound by then is bound in every
   * body.
   */
  let boundAtFirstCall: Set<Binding> | null = null;
  let inFunction = false;

  const read = (ident: Ident, bound: Set<Binding>) => {
    const binding = ident.binding;
    if (binding === undefined || binding.kind === 'predeclared' || binding.kind === 'universal') return;
    if (!bound.has(binding)) unsafe.add(ident);
  };
  const expr = (e: Expr, bound: Set<Binding>): void => {
    if (e.kind === 'ident') read(e, bound);
    else if (e.kind === 'comprehension') {
      for (const clause of e.clauses) {
        if (clause.kind === 'ifClause') expr(clause.condition, bound);
        else {
          expr(clause.iterable, bound);
          assign(clause.target, bound);
        }
      }
      if (e.key !== null) expr(e.key, bound);
      expr(e.body, bound);
    } else {
      for (const part of operands(e)) expr(part, bound);
      if (e.kind === 'lambda') pending.push({ fn: e.fn, bound: new Set(bound) });
      else if (e.kind === 'call' && !inFunction) boundAtFirstCall ??= new Set(bound);
    }
  };
  const assign = (target: Target, bound: Set<Binding>): void => {
    for (const part of targetOperands(target)) expr(part, bound);
    bindAll(target, bound);
  };
  const block = (stmts: readonly Stmt[], start: Bound): Bound => {
    let bound = start;
    // Code after a `return` never runs; it is walked all the same, for the functions in it.
    for (const stmt of stmts) bound = statement(stmt, bound ?? new Set(start)) && bound;
    return bound;
  };
  /**
   * Changes `bound` in place, except that branches work on copies. Returns null where control does not go on.
   */
  const statement = (stmt: Stmt, bound: Set<Binding>): Bound => {
    switch (stmt.kind) {
      case 'expr':
        expr(stmt.value, bound);
        return bound;
      case 'assign':
        expr(stmt.value, bound);
        assign(stmt.target, bound);
        return bound;
      case 'augAssign':
        if (stmt.target.kind === 'ident') read(stmt.target, bound);
        expr(stmt.value, bound);
        assign(stmt.target, bound);
        return bound;
      case 'def':
        for (const param of stmt.fn.params) if (param.default !== null) expr(param.default, bound);
        bindAll(stmt.ident, bound);
        pending.push({ fn: stmt.fn, bound: new Set(bound) });
        return bound;
      case 'if': {
        expr(stmt.condition, bound);
        const then = block(stmt.then, new Set(bound));
        const otherwise = block(stmt.otherwise, new Set(bound));
        if (then === null && otherwise === null) return null;
        for (const binding of then ?? otherwise!) {
          if (then === null || otherwise === null || otherwise.has(binding)) bound.add(binding);
        }
        return bound;
      }
      case 'for': {
        expr(stmt.iterable, bound);
        const inside = new Set(bound);
        assign(stmt.target, inside);
        block(stmt.body, inside);
        return bound;
      }
      case 'while':
        expr(stmt.condition, bound);
        block(stmt.body, new Set(bound));
        return bound;
      case 'load':
        for (const { ident } of stmt.bindings) bindAll(ident, bound);
        return bound;
      case 'return':
        if (stmt.value !== null) expr(stmt.value, bound);
        return null;
      case 'pass':
        return bound;
      default:
        return null;
    }
  };

  const atEnd = new Set<Binding>();
  block(file.body, atEnd);
  const moduleWide = boundAtFirstCall ?? atEnd;
  inFunction = true;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { fn, bound } = next;
    // A variable of the module counts by the first call, not by where the function was made.
    for (const binding of bound) if (isModuleWide(binding, file)) bound.delete(binding);
    for (const binding of moduleWide) if (isModuleWide(binding, file)) bound.add(binding);
    for (const param of fn.params) if (param.ident !== null) bindAll(param.ident, bound);
    block(fn.body, bound);
  }
  return unsafe;
}

function isModuleWide(binding: Binding, file: FileNode): boolean {
  return binding.kind === 'global' || binding.owner === file.scope;
}

function bindAll(target: Target, bound: Set<Binding>): void {
  if (target.kind === 'ident') {
    if (target.binding !== undefined) bound.add(target.binding);
  } else if (target.kind === 'list' || target.kind === 'tuple') {
    for (const item of target.items) bindAll(item as Target, bound);
  } else if (target.kind === 'paren') bindAll(target.inner as Target, bound);
}
