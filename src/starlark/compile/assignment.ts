/**
 * Definite assignment: finds the reads that may meet a variable not bound yet. All others need no check at
 * run time. One set of bound variables is carried along and what a branch added to it is taken back, so that
 * the whole walk takes time in proportion to the program.
 */
import type { Binding } from '../resolve/binding.ts';
import type { Expr, FileNode, FunctionNode, Ident, Stmt, Target } from '../syntax/ast.ts';
import type { Budget } from '../syntax/budget.ts';
import { operands, targetOperands } from './walk.ts';

/** Variables certainly bound at a point of the program, in the order they became so. */
class Bound {
  private readonly all = new Set<Binding>();
  private readonly order: Binding[] = [];

  has(binding: Binding): boolean {
    return this.all.has(binding);
  }

  add(binding: Binding): void {
    if (this.all.has(binding)) return;
    this.all.add(binding);
    this.order.push(binding);
  }

  /** How many there are now: a point to come back to. */
  get mark(): number {
    return this.order.length;
  }

  /** Takes back, and gives, what was added since. */
  undo(mark: number): Binding[] {
    const added = this.order.splice(mark);
    for (const binding of added) this.all.delete(binding);
    return added;
  }

  copy(): Binding[] {
    return this.order.slice();
  }
}

/** Whether control goes on after a statement. */
type GoesOn = boolean;

export function findUnsafeReads(file: FileNode, budget: Budget): Set<Ident> {
  const unsafe = new Set<Ident>();
  const bound = new Bound();
  /** Functions made by the top level: what they see of it is known once all of it has been walked. */
  const pending: FunctionNode[] = [];
  /**
   * No function body runs before the first call of the top level, so what is bound by then is bound in every
   * body.
   */
  let boundAtFirstCall: Binding[] | null = null;
  let inFunction = false;

  const read = (ident: Ident) => {
    const binding = ident.binding;
    if (binding === undefined || binding.kind === 'predeclared' || binding.kind === 'universal') return;
    if (!bound.has(binding)) unsafe.add(ident);
  };
  const expr = (e: Expr): void => {
    budget.tick();
    if (e.kind === 'ident') read(e);
    else if (e.kind === 'comprehension') {
      for (const clause of e.clauses) {
        if (clause.kind === 'ifClause') expr(clause.condition);
        else {
          expr(clause.iterable);
          assign(clause.target);
        }
      }
      if (e.key !== null) expr(e.key);
      expr(e.body);
    } else {
      for (const part of operands(e)) expr(part);
      if (e.kind === 'lambda') made(e.fn);
      else if (e.kind === 'call' && !inFunction) boundAtFirstCall ??= bound.copy();
    }
  };
  const assign = (target: Target): void => {
    for (const part of targetOperands(target)) expr(part);
    bindAll(target);
  };
  const bindAll = (target: Target): void => {
    if (target.kind === 'ident') {
      if (target.binding !== undefined) bound.add(target.binding);
    } else if (target.kind === 'list' || target.kind === 'tuple') {
      for (const item of target.items) bindAll(item as Target);
    } else if (target.kind === 'paren') bindAll(target.inner as Target);
  };
  /** A function sees what is bound where it is made; what it binds itself is its own. */
  const made = (fn: FunctionNode): void => {
    if (inFunction) body(fn);
    else pending.push(fn);
  };
  const body = (fn: FunctionNode): void => {
    const { mark } = bound;
    for (const param of fn.params) if (param.ident !== null) bindAll(param.ident);
    block(fn.body);
    bound.undo(mark);
  };
  const block = (stmts: readonly Stmt[]): GoesOn => {
    let goesOn = true;
    // Code after a `return` never runs; it is walked all the same, for the functions in it.
    for (const stmt of stmts) goesOn = statement(stmt) && goesOn;
    return goesOn;
  };
  /** Of two branches, what both have bound; of one that does not go on, nothing is asked. */
  const branches = (then: readonly Stmt[], otherwise: readonly Stmt[]): GoesOn => {
    const { mark } = bound;
    const thenGoesOn = block(then);
    const byThen = bound.undo(mark);
    const otherwiseGoesOn = block(otherwise);
    const byOtherwise = bound.undo(mark);
    if (thenGoesOn && otherwiseGoesOn) {
      const [few, many] = byThen.length < byOtherwise.length ? [byThen, byOtherwise] : [byOtherwise, byThen];
      const inMany = few.length === 0 ? null : new Set(many);
      for (const binding of few) if (inMany!.has(binding)) bound.add(binding);
    } else {
      for (const binding of thenGoesOn ? byThen : byOtherwise) bound.add(binding);
    }
    return thenGoesOn || otherwiseGoesOn;
  };
  const loop = (stmts: readonly Stmt[], target: Target | null): void => {
    const { mark } = bound;
    if (target !== null) assign(target);
    block(stmts);
    bound.undo(mark);
  };
  const statement = (stmt: Stmt): GoesOn => {
    budget.tick();
    switch (stmt.kind) {
      case 'expr':
        expr(stmt.value);
        return true;
      case 'assign':
      case 'augAssign':
        if (stmt.kind === 'augAssign' && stmt.target.kind === 'ident') read(stmt.target);
        expr(stmt.value);
        assign(stmt.target);
        return true;
      case 'def':
        for (const param of stmt.fn.params) if (param.default !== null) expr(param.default);
        bindAll(stmt.ident);
        made(stmt.fn);
        return true;
      case 'if':
        expr(stmt.condition);
        return branches(stmt.then, stmt.otherwise);
      case 'for':
        expr(stmt.iterable);
        loop(stmt.body, stmt.target);
        return true;
      case 'while':
        expr(stmt.condition);
        loop(stmt.body, null);
        return true;
      case 'load':
        for (const { ident } of stmt.bindings) bindAll(ident);
        return true;
      case 'return':
        if (stmt.value !== null) expr(stmt.value);
        return false;
      case 'pass':
        return true;
      default:
        return false;
    }
  };

  block(file.body);
  const moduleWide = boundAtFirstCall ?? bound.copy();
  bound.undo(0);
  for (const binding of moduleWide) bound.add(binding);
  inFunction = true;
  for (const fn of pending) body(fn);
  return unsafe;
}
