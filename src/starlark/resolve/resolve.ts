/**
 * The resolver: decides which variable every name means, fills in `binding` and `scope` of the tree, and reports
 * whatever is wrong without running anything. Later phases may rely on every name of an error-free tree being bound.
 */
import { didYouMean, formatPosition, type SourceFile } from '../../base/index.ts';
import type { Comprehension, Expr, FileNode, FunctionNode, Ident, Load, Stmt } from '../syntax/ast.ts';
import { Budget, OverBudget } from '../syntax/budget.ts';
import { MAX_ERRORS } from '../syntax/limits.ts';
import type { StaticError } from '../syntax/static-error.ts';
import { checkArguments, checkParameters } from './arguments.ts';
import type { Binding, Dialect, FunctionScope } from './binding.ts';
import { type Block, bindGlobal, bindLocal, lookUp, newBinding, newBlock, newScope } from './scope.ts';

/** A set of names, or a map by name. */
export interface Names {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

export interface ResolveOptions {
  readonly source: SourceFile;
  /** What the host puts into the environment. */
  readonly predeclared: Names;
  /** What the language itself brings. */
  readonly universal: Names;
  readonly dialect?: Dialect;
  /** Statements are missing from the tree, so a name without a binding may be right. */
  readonly partial?: boolean;
  readonly budget?: Budget;
}

/** Resolves a file. */
export function resolve(
  file: FileNode,
  options: ResolveOptions,
): { scope: FunctionScope; errors: StaticError[] } {
  const resolver = new Resolver(options);
  return resolver.within(() => resolver.file(file));
}

/** Resolves one expression whose free names may be `params`, the first locals of the scope returned. */
export function resolveExpression(
  expr: Expr,
  params: readonly string[],
  options: ResolveOptions,
): { scope: FunctionScope; errors: StaticError[] } {
  const resolver = new Resolver(options);
  return resolver.within(() => resolver.wholeExpression(expr, params));
}

class Resolver {
  private readonly options: ResolveOptions;
  private readonly dialect: Dialect;
  private readonly budget: Budget;
  /** Found in no order; only the first in the text are told, so only those are put into words. */
  private readonly errors: { readonly offset: number; readonly message: () => string }[] = [];
  /** Predeclared and universal names in use, so that all identifiers of one share a binding. */
  private readonly outside = new Map<string, Binding>();
  /** The innermost block; and the block of the file, where there is one. */
  private block: Block = newBlock(null, newScope(null));
  private top: Block | null = null;
  /** Where each top-level name was first bound. */
  private readonly firstBound = new Map<string, number>();
  /** Top-level names bound by the statements resolved so far; see `meaning`. */
  private readonly boundSoFar = new Set<string>();
  private loops = 0;
  private conditionals = 0;

  constructor(options: ResolveOptions) {
    this.options = options;
    this.dialect = options.dialect ?? {};
    this.budget = options.budget ?? new Budget();
  }

  file(file: FileNode): FunctionScope {
    this.top = this.block;
    this.collect(file.body);
    this.statements(file.body);
    file.scope = this.block.scope;
    return file.scope;
  }

  wholeExpression(expr: Expr, params: readonly string[]): FunctionScope {
    for (const name of params) this.bindLocal(name, expr.start);
    this.expression(expr);
    return this.block.scope;
  }

  /** What `run` resolves, with the first of all errors; one more where the budget did not suffice. */
  within(run: () => FunctionScope): { scope: FunctionScope; errors: StaticError[] } {
    let scope = this.block.scope;
    try {
      scope = run();
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      this.report(error.offset, error.message);
    }
    const { source } = this.options;
    const first = this.errors.sort((a, b) => a.offset - b.offset).slice(0, MAX_ERRORS);
    const errors = first.map(({ offset, message }) => {
      return { phase: 'resolve', position: source.position(offset), message: message() } as const;
    });
    return { scope, errors };
  }

  private readonly report = (offset: number, message: string): void => {
    this.reportLater(offset, () => message);
  };

  private reportLater(offset: number, message: () => string): void {
    this.errors.push({ offset, message });
  }

  // --- binding: what the statements of one block bind, before any of them is resolved ---

  /** Inside `if` or a loop (`nested`) a statement may run never, or more than once. */
  private collect(statements: readonly Stmt[], nested = false): void {
    for (const statement of statements) {
      switch (statement.kind) {
        case 'assign':
        case 'augAssign':
          this.collectTarget(statement.target);
          break;
        case 'def': {
          const binding = this.bind(statement.ident);
          if (binding.kind === 'global' && binding.bindings === 1 && !nested) binding.definedBy = statement;
          break;
        }
        case 'for':
          this.collectTarget(statement.target);
          this.collect(statement.body, true);
          break;
        case 'while':
          this.collect(statement.body, true);
          break;
        case 'if':
          this.collect(statement.then, true);
          this.collect(statement.otherwise, true);
          break;
        case 'load':
          this.collectLoad(statement);
      }
    }
  }

  private collectTarget(target: Expr): void {
    switch (target.kind) {
      case 'ident':
        this.bind(target);
        break;
      case 'paren':
        this.collectTarget(target.inner);
        break;
      case 'list':
      case 'tuple':
        for (const item of target.items) this.collectTarget(item);
    }
  }

  private bind(ident: Ident): Binding {
    if (this.block !== this.top) return (ident.binding = this.bindLocal(ident.name, ident.start));
    const before = this.block.names.get(ident.name);
    if (before !== undefined && !this.dialect.globalReassign) {
      const first = this.firstBound.get(ident.name)!;
      this.reportLater(ident.start, () => {
        const where = formatPosition(this.options.source.position(first));
        return `cannot reassign ${before.kind} ${ident.name} declared at ${where}`;
      });
    }
    if (before === undefined) this.firstBound.set(ident.name, ident.start);
    const bind = before?.kind === 'local' ? bindLocal : bindGlobal;
    return (ident.binding = this.counted(bind(this.block, ident.name), ident.start));
  }

  private bindLocal(name: string, offset: number): Binding {
    return this.counted(bindLocal(this.block, name), offset);
  }

  private counted(binding: Binding, offset: number): Binding {
    if (binding.bindings === 1) this.budget.name(offset);
    return binding;
  }

  private collectLoad(load: Load): void {
    for (const { from, ident, start } of load.bindings) {
      if (from === '') {
        this.report(start, 'load: empty identifier');
        continue;
      }
      if (!IDENTIFIER.test(from)) this.report(start, `load: not an identifier: ${JSON.stringify(from)}`);
      else if (from.startsWith('_')) {
        this.report(start, `load: names with leading underscores are not exported: ${from}`);
      }
      if (this.dialect.loadBindsGlobally || this.block !== this.top) {
        this.bind(ident);
        continue;
      }
      const before = this.block.names.get(ident.name);
      if (before === undefined) this.firstBound.set(ident.name, ident.start);
      else if (!this.dialect.globalReassign) {
        this.report(ident.start, `cannot reassign top-level ${ident.name}`);
      }
      const bind = before?.kind === 'global' ? bindGlobal : bindLocal;
      ident.binding = this.counted(bind(this.block, ident.name), ident.start);
    }
  }

  // --- statements ---

  private statements(statements: readonly Stmt[]): void {
    for (const statement of statements) this.statement(statement);
  }

  private statement(statement: Stmt): void {
    this.budget.tick();
    switch (statement.kind) {
      case 'expr':
        this.expression(statement.value);
        break;
      case 'assign':
      case 'augAssign':
        this.expression(statement.value);
        this.target(statement.target);
        break;
      case 'def':
        this.boundNow(statement.ident);
        this.function(statement.fn);
        break;
      case 'if':
        this.onlyInFunction(statement, 'if statement');
        this.expression(statement.condition);
        this.conditionals++;
        this.statements(statement.then);
        this.elseBranch(statement.otherwise);
        this.conditionals--;
        break;
      case 'for':
        this.onlyInFunction(statement, 'for loop');
        this.expression(statement.iterable);
        this.target(statement.target);
        this.loop(statement.body);
        break;
      case 'while':
        if (!this.dialect.while) {
          this.report(statement.start, 'this Starlark dialect does not support while loops');
        } else {
          this.onlyInFunction(statement, 'while loop');
        }
        this.expression(statement.condition);
        this.loop(statement.body);
        break;
      case 'return':
        if (this.atTopLevel()) this.report(statement.start, 'return statement not within a function');
        if (statement.value !== null) this.expression(statement.value);
        break;
      case 'break':
      case 'continue':
        if (this.loops === 0) this.report(statement.start, `${statement.kind} not in a loop`);
        break;
      case 'load':
        this.load(statement);
    }
  }

  private loop(body: readonly Stmt[]): void {
    this.loops++;
    this.statements(body);
    this.loops--;
  }

  /** An `elif` is an `if` of its own in the tree, but no mistake of its own. */
  private elseBranch(statements: readonly Stmt[]): void {
    const [first] = statements;
    if (this.atTopLevel() && first?.kind === 'if' && statements.length === 1) {
      this.expression(first.condition);
      this.statements(first.then);
      this.elseBranch(first.otherwise);
    } else {
      this.statements(statements);
    }
  }

  private load(load: Load): void {
    let where = '';
    if (!this.atTopLevel()) where = 'function';
    else if (this.loops > 0) where = 'loop';
    else if (this.conditionals > 0) where = 'conditional';
    if (where !== '') this.report(load.start, `load statement within a ${where}`);
    for (const { ident } of load.bindings) this.boundNow(ident);
  }

  private atTopLevel(): boolean {
    return this.block.scope === this.top?.scope;
  }

  private onlyInFunction(statement: Stmt, what: string): void {
    if (this.dialect.topLevelControl || !this.atTopLevel()) return;
    this.report(statement.start, `${what} not within a function`);
  }

  private target(target: Expr): void {
    switch (target.kind) {
      case 'ident':
        this.boundNow(target);
        break;
      case 'paren':
        this.target(target.inner);
        break;
      case 'list':
      case 'tuple':
        for (const item of target.items) this.target(item);
        break;
      default:
        this.expression(target);
    }
  }

  private boundNow(ident: Ident): void {
    if (this.block === this.top) this.boundSoFar.add(ident.name);
  }

  // --- expressions ---

  private expression(expr: Expr): void {
    this.budget.tick();
    switch (expr.kind) {
      case 'ident':
        this.use(expr);
        break;
      case 'literal':
        break;
      case 'list':
      case 'tuple':
        for (const item of expr.items) this.expression(item);
        break;
      case 'dict':
        for (const { key, value } of expr.entries) {
          this.expression(key);
          this.expression(value);
        }
        break;
      case 'comprehension':
        this.comprehension(expr);
        break;
      case 'unary':
        this.expression(expr.operand);
        break;
      case 'binary':
        this.expression(expr.left);
        this.expression(expr.right);
        break;
      case 'conditional':
        this.expression(expr.condition);
        this.expression(expr.then);
        this.expression(expr.otherwise);
        break;
      case 'call':
        this.expression(expr.callee);
        checkArguments(expr, this.report);
        for (const { value } of expr.args) this.expression(value);
        break;
      case 'index':
        this.expression(expr.object);
        this.expression(expr.index);
        break;
      case 'slice':
        this.expression(expr.object);
        if (expr.low !== null) this.expression(expr.low);
        if (expr.high !== null) this.expression(expr.high);
        if (expr.step !== null) this.expression(expr.step);
        break;
      case 'dot':
        this.expression(expr.object);
        break;
      case 'lambda':
        this.function(expr.fn);
        break;
      case 'paren':
        this.expression(expr.inner);
    }
  }

  private comprehension(expr: Comprehension): void {
    const [first] = expr.clauses;
    // The first sequence belongs to the block around: in `[x for x in x]` the last x is another variable.
    if (first?.kind === 'forClause') this.expression(first.iterable);
    const outer = this.block;
    this.block = newBlock(outer, outer.scope);
    for (const clause of expr.clauses) if (clause.kind === 'forClause') this.collectTarget(clause.target);
    for (const clause of expr.clauses) {
      if (clause.kind === 'ifClause') this.expression(clause.condition);
      else {
        if (clause !== first) this.expression(clause.iterable);
        this.target(clause.target);
      }
    }
    if (expr.key !== null) this.expression(expr.key);
    this.expression(expr.body);
    this.block = outer;
  }

  private function(fn: FunctionNode): void {
    for (const param of fn.params) if (param.default !== null) this.expression(param.default);
    checkParameters(fn, this.report);
    const outer = { block: this.block, loops: this.loops, conditionals: this.conditionals };
    const scope = newScope(outer.block.scope);
    fn.scope = scope;
    this.block = newBlock(outer.block, scope);
    this.loops = 0;
    this.conditionals = 0;
    for (const { ident } of fn.params) {
      if (ident !== null) ident.binding = this.bindLocal(ident.name, ident.start);
    }
    this.collect(fn.body);
    this.statements(fn.body);
    this.block = outer.block;
    this.loops = outer.loops;
    this.conditionals = outer.conditionals;
  }

  // --- names ---

  private use(ident: Ident): void {
    const binding = this.meaning(ident.name);
    if (binding !== undefined) ident.binding = binding;
    else if (!this.options.partial) {
      const { block } = this;
      this.reportLater(ident.start, () => {
        return `undefined: ${ident.name}${didYouMean(ident.name, this.visibleNames(block))}`;
      });
    }
  }

  private meaning(name: string): Binding | undefined {
    // Where globals may be bound again, a name at the top level means what it meant to the statements before it.
    const tooEarly = this.dialect.globalReassign && this.block === this.top && !this.boundSoFar.has(name);
    const inside = tooEarly ? undefined : lookUp(this.block, name);
    return inside ?? this.outside.get(name) ?? this.fromOutside(name);
  }

  private fromOutside(name: string): Binding | undefined {
    const { predeclared, universal } = this.options;
    const kind = predeclared.has(name) ? 'predeclared' : universal.has(name) ? 'universal' : null;
    if (kind === null) return undefined;
    const binding = newBinding(name, kind, -1, null);
    this.budget.name(0);
    this.outside.set(name, binding);
    return binding;
  }

  private *visibleNames(from: Block): Iterable<string> {
    for (let block: Block | null = from; block !== null; block = block.parent) yield* block.names.keys();
    yield* this.options.predeclared.keys();
    yield* this.options.universal.keys();
  }
}

/** A name of another module; as strict as the scanner, since it becomes a name here. */
const IDENTIFIER = /^[\p{L}_][\p{L}0-9_]*$/u;
