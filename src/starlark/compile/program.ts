/**
 * Programs: source text compiled once, to be run as often as wanted. Every run has a module scope of its own
 * and shares nothing with the runs before it.
 */
import type { SourceFile } from '../../base/index.ts';
import { UNIVERSE } from '../lib/universe.ts';
import type { Dialect, FunctionScope } from '../resolve/binding.ts';
import { resolve, resolveExpression } from '../resolve/resolve.ts';
import { asStarlarkError, boundary } from '../run/call.ts';
import { fail, StarlarkError } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import type { Expr, FileNode, FunctionNode, Load } from '../syntax/ast.ts';
import { Budget, type CompileLimits, OverBudget } from '../syntax/budget.ts';
import { parse, parseExpression } from '../syntax/parse.ts';
import type { StaticError } from '../syntax/static-error.ts';
import { freezeAll } from '../values/freeze.ts';
import { Module } from '../values/struct.ts';
import type { PositionalFn, Value } from '../values/value.ts';
import { analyze, reachesAsync } from './analyze.ts';
import type { BackEnd, Execute, Globals, TranslationInput } from './back-end.ts';
import { closures } from './closures/build.ts';
import { Coverage } from './coverage.ts';
import { generatedText, javascript } from './javascript/generate.ts';
import { TooMuchCode } from './javascript/unit.ts';
import type { Loaded } from './runtime.ts';

export interface CompileOptions {
  /**
   * Names the script may use beside those of the language. They are fixed from here on; state of a run is in
   * `thread.host`.
   */
  readonly environment?: ReadonlyMap<string, Value>;
  readonly dialect?: Dialect;
  /**
   * `js` generates JavaScript; `closures` works where that is forbidden, and for programs of a size that would become
   * too much of it. It is what `js` then falls back to.
   */
  readonly backend?: 'js' | 'closures';
  /** Finds modules for runs that bring no loader of their own. */
  readonly load?: RunOptions['load'];
  /** Count how often each line runs. */
  readonly coverage?: boolean;
  /** Called with the tree as it was parsed, for a host that folds literals before anything is resolved. */
  readonly prepare?: (tree: FileNode | Expr) => void;
  /** How large the source may be, and how long it may take to compile; see `COMPILE_LIMITS`. */
  readonly limits?: Partial<CompileLimits>;
}

export type Compiled<P> =
  | { readonly ok: true; readonly program: P }
  | { readonly ok: false; readonly errors: StaticError[] };

export interface RunOptions {
  /** Finds the module of a `load` statement. All are loaded, in order, before the first statement runs. */
  readonly load?: (module: string) => Module | Promise<Module>;
}

const NO_NAMES: ReadonlyMap<string, Value> = new Map();
const NO_MODULES: Loaded = new Map();

/** Compiles a file. */
export function compile(source: SourceFile, options: CompileOptions = {}): Compiled<Program> {
  const environment = options.environment ?? NO_NAMES;
  const budget = new Budget(options.limits);
  const parsed = parse(source, budget);
  if (parsed.errors.length === 0) options.prepare?.(parsed.file);
  const resolved = resolve(parsed.file, {
    source,
    predeclared: environment,
    universal: UNIVERSE,
    dialect: options.dialect,
    partial: parsed.errors.length > 0,
    budget,
  });
  const errors = [...parsed.errors, ...resolved.errors];
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, program: new Program(source, parsed.file, options) };
}

/** Compiles a text that is one expression over the given parameters. */
export function compileExpression(
  source: SourceFile,
  params: readonly string[],
  options: CompileOptions = {},
): Compiled<ExpressionProgram> {
  const environment = options.environment ?? NO_NAMES;
  const budget = new Budget(options.limits);
  const { expr, errors } = parseExpression(source, budget);
  if (expr === null) return { ok: false, errors };
  options.prepare?.(expr);
  const resolved = resolveExpression(expr, params, {
    source,
    predeclared: environment,
    universal: UNIVERSE,
    dialect: options.dialect,
    budget,
  });
  if (resolved.errors.length > 0) return { ok: false, errors: resolved.errors };
  return { ok: true, program: new ExpressionProgram(source, expr, params, resolved.scope, options) };
}

/**
 * The JavaScript a file is translated to, for those who want to look at it. The file must be free of static
 * errors.
 */
export function generatedCode(source: SourceFile, options: CompileOptions = {}): string {
  const { file } = parse(source);
  const predeclared = options.environment ?? NO_NAMES;
  resolve(file, { source, predeclared, universal: UNIVERSE, dialect: options.dialect });
  return generatedText(inputFor(source, file, options), file);
}

export class Program {
  readonly source: SourceFile;
  /** The resolved tree, for hosts that look before they run. */
  readonly file: FileNode;
  /** The modules it loads, in order, each once. */
  readonly loads: readonly string[];
  private readonly loadStatements: readonly Load[];
  private readonly loader: RunOptions['load'];
  private readonly names: readonly string[];
  private readonly translation: Translation<Execute>;
  /** Threads that are loading what this program needs, to find a program that needs itself. Most need nothing. */
  private loading: WeakSet<Thread> | null = null;

  constructor(source: SourceFile, file: FileNode, options: CompileOptions) {
    this.source = source;
    this.file = file;
    this.loader = options.load;
    this.loadStatements = file.body.filter((stmt) => stmt.kind === 'load');
    this.loads = [...new Set(this.loadStatements.map((stmt) => stmt.module))];
    this.names = file.scope!.globals.map((binding) => binding.name);
    this.translation = new Translation(source, file, options, (backEnd, input) => backEnd.file(input, file));
  }

  /** Its runs give promises, because it can reach an asynchronous built-in. */
  get async(): boolean {
    return this.translation.input.analysis.async;
  }

  /**
   * Runs the top level in a fresh scope and freezes what it made. Throws StarlarkError; gives a promise where
   * the program is asynchronous or a module has to be waited for.
   */
  run(thread: Thread, options: RunOptions = {}): Module | Promise<Module> {
    if (this.loadStatements.length === 0) return this.start(thread, NO_MODULES, thread.impureCalls);
    const before = thread.impureCalls;
    const modules = this.load(thread, options);
    return modules instanceof Promise
      ? modules.then((loaded) => this.start(thread, loaded, before))
      : this.start(thread, modules, before);
  }

  /** How often each line has run, over all runs; empty unless compiled with `coverage`. */
  coverage(): ReadonlyMap<number, number> {
    const { coverage } = this.translation.input;
    // Translating is what finds the lines, those that never run included.
    if (coverage !== null) void this.translation.result;
    return coverage?.lines(this.source) ?? new Map();
  }

  private start(thread: Thread, loaded: Loaded, impureBefore: number): Module | Promise<Module> {
    const { name } = this.source;
    return runTopLevel(thread, () => this.translation.result, {
      name,
      names: this.names,
      loaded,
      impureBefore,
    });
  }

  private load(thread: Thread, { load = this.loader }: RunOptions): Loaded | Promise<Loaded> {
    const loaded = new Map<string, Module>();
    const statements = this.loadStatements.values();
    const failed = (error: unknown, stmt: Load): never => {
      const known = asStarlarkError(error);
      if (known instanceof StarlarkError) {
        known.frames.unshift({ function: '<toplevel>', position: this.source.position(stmt.start) });
      }
      throw known;
    };
    const next = (): Loaded | Promise<Loaded> => {
      for (const stmt of statements) {
        if (loaded.has(stmt.module)) continue;
        try {
          if (load === undefined) fail(`cannot load ${stmt.module}: this host loads no modules`);
          const module = load(stmt.module);
          if (module instanceof Promise) {
            return module.then(
              (value) => {
                loaded.set(stmt.module, value);
                return next();
              },
              (error) => failed(error, stmt),
            );
          }
          loaded.set(stmt.module, module);
        } catch (error) {
          failed(error, stmt);
        }
      }
      return loaded;
    };
    const loading = (this.loading ??= new WeakSet());
    if (loading.has(thread)) fail(`cannot load ${this.source.name}: cycle in load graph`);
    loading.add(thread);
    const done = () => loading.delete(thread);
    try {
      const result = next();
      if (result instanceof Promise) return result.finally(done);
      done();
      return result;
    } catch (error) {
      done();
      throw error;
    }
  }
}

interface TopLevel {
  readonly name: string;
  readonly names: readonly string[];
  readonly loaded: Loaded;
  readonly impureBefore: number;
}

/** `execute` is asked for when everything is ready for it: to translate it may fail. */
function runTopLevel(
  thread: Thread,
  execute: () => Execute,
  { name, names, loaded, impureBefore }: TopLevel,
): Module | Promise<Module> {
  const { depth, steps, globals: outer } = thread;
  const finish = (values: Globals): Module => {
    const globals = new Map<string, Value>();
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value !== undefined) globals.set(names[i]!, value);
    }
    freezeAll(globals.values());
    thread.globals = outer;
    const pure = thread.impureCalls === impureBefore && allPure(loaded);
    return new Module(name, globals, { pure, initSteps: thread.steps - steps });
  };
  const failed = (error: unknown) => {
    thread.globals = outer;
    return boundary(thread, depth, error);
  };
  thread.globals = null;
  try {
    const values = execute()(thread, loaded);
    return values instanceof Promise ? values.then(finish, failed) : finish(values);
  } catch (error) {
    return failed(error);
  }
}

export class ExpressionProgram {
  readonly source: SourceFile;
  /** The resolved tree, for hosts that look before they run. */
  readonly expr: Expr;
  readonly params: readonly string[];
  private readonly translation: Translation<PositionalFn>;

  constructor(
    source: SourceFile,
    expr: Expr,
    params: readonly string[],
    scope: FunctionScope,
    options: CompileOptions,
  ) {
    this.source = source;
    this.expr = expr;
    this.params = params;
    const fn = expressionFunction(expr, params, scope);
    this.translation = new Translation(source, wrapInFile(fn), options, (backEnd, input) =>
      backEnd.expression(input, fn),
    );
  }

  /** It gives promises, because it can reach an asynchronous built-in. */
  get async(): boolean {
    return this.translation.input.analysis.async;
  }

  /** The value of the expression, one argument for each parameter. */
  evaluate(thread: Thread, args: readonly Value[]): Value | Promise<Value> {
    return evaluated(thread, this.params, this.translation, args);
  }
}

/** The value of an expression, one argument for each parameter. `result` is asked for inside: translating may fail. */
function evaluated(
  thread: Thread,
  params: readonly string[],
  made: { readonly result: PositionalFn },
  args: readonly Value[],
): Value | Promise<Value> {
  if (args.length !== params.length) {
    throw new TypeError(`expression takes ${params.length} arguments, got ${args.length}`);
  }
  const { depth } = thread;
  try {
    const result = made.result(thread, ...args);
    return result instanceof Promise ? result.catch((error) => boundary(thread, depth, error)) : result;
  } catch (error) {
    return boundary(thread, depth, error);
  }
}

/** Analysis and translation, done when first needed: many programs are only checked. */
class Translation<T> {
  private readonly source: SourceFile;
  private readonly file: FileNode;
  private readonly options: CompileOptions;
  private readonly make: (backEnd: BackEnd, input: TranslationInput) => T;
  private known: TranslationInput | null = null;
  private made: T | null = null;

  constructor(
    source: SourceFile,
    file: FileNode,
    options: CompileOptions,
    make: (backEnd: BackEnd, input: TranslationInput) => T,
  ) {
    this.source = source;
    this.file = file;
    this.options = options;
    this.make = make;
  }

  get input(): TranslationInput {
    return (this.known ??= inTime(() => inputFor(this.source, this.file, this.options)));
  }

  get result(): T {
    return (this.made ??= inTime(() => this.translate()));
  }

  private translate(): T {
    // Time has passed since the program was analysed, perhaps hours of it.
    const input = { ...this.input, budget: new Budget(this.options.limits) };
    if (this.options.backend === 'closures') return this.make(closures, input);
    try {
      return this.make(javascript, input);
    } catch (error) {
      // An EvalError is thrown where the host forbids generating code.
      if (error instanceof EvalError || error instanceof TooMuchCode) return this.make(closures, input);
      throw error;
    }
  }
}

/** What is translated while a program runs is refused as the run would be. */
function inTime<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof OverBudget ? new StarlarkError('time', error.message) : error;
  }
}

function inputFor(source: SourceFile, file: FileNode, options: CompileOptions): TranslationInput {
  const environment = options.environment ?? NO_NAMES;
  const lookUp = (name: string) => (environment.has(name) ? environment.get(name) : UNIVERSE.get(name));
  const anyAsync = [...environment.values()].some(reachesAsync);
  const budget = new Budget(options.limits);
  return {
    source,
    budget,
    analysis: analyze(file, lookUp, options.dialect ?? {}, anyAsync, budget),
    coverage: options.coverage === true ? new Coverage() : null,
  };
}

function allPure(loaded: Loaded): boolean {
  for (const module of loaded.values()) if (!module.pure) return false;
  return true;
}

/** `lambda params: expr`, already resolved. */
function expressionFunction(expr: Expr, params: readonly string[], scope: FunctionScope): FunctionNode {
  const { start, end } = expr;
  return {
    name: '<expr>',
    params: params.map((name, i) => {
      const ident = { kind: 'ident', name, binding: scope.locals[i]!, start, end } as const;
      return { kind: 'plain', ident, default: null, start, end };
    }),
    body: [{ kind: 'return', value: expr, start, end }],
    scope,
    start,
    end,
  };
}

/** Analysis is of files: one whose only statement is the function. */
function wrapInFile(fn: FunctionNode): FileNode {
  const { start, end } = fn;
  const value = { kind: 'lambda', fn, start, end } as const;
  const scope: FunctionScope = { parent: null, locals: [], free: [], globals: [] };
  return { body: [{ kind: 'expr', value, start, end }], scope, start, end };
}
