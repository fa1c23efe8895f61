/**
 * What the resolver finds out: which variable every name means and what each function needs to know of its variables.
 */

/** One variable. All identifiers that mean it share the object. */
export interface Binding {
  readonly name: string;
  /**
   * `local` of one function (or of the top level of an expression), `global` of the module, `predeclared` by the host,
   * `universal` of the language. A variable used by an inner function stays `local` and has `captured` set. Names bound
   * by `load` and variables of comprehensions at the top level are `local` too, and belong to the module's scope.
   */
  readonly kind: 'local' | 'global' | 'predeclared' | 'universal';
  /** Unique among the locals of its function, or among the globals of the module; -1 for the other kinds. */
  readonly index: number;
  /** The scope that owns a `local`. */
  readonly owner: FunctionScope | null;
  /** An inner function reads it. */
  captured: boolean;
  /** How often the program text binds it (parameters count). A global with one binding, by `def`, never changes. */
  bindings: number;
  /** The only binding is a `def` statement of the top level. */
  definedBy: import('../syntax/ast.ts').Def | null;
}

export interface FunctionScope {
  readonly parent: FunctionScope | null;
  /** Parameters first, in order; then every other local, comprehension variables included. */
  readonly locals: Binding[];
  /** Locals of enclosing functions that this function, or one inside it, reads. */
  readonly free: Binding[];
  /** For the module scope only: its globals in order of first binding. */
  readonly globals: Binding[];
}

/** The language beyond the strict specification, all off by default. */
export interface Dialect {
  /** `while` statements (they also need a step limit to be safe). */
  readonly while?: boolean;
  /** Functions may call themselves. */
  readonly recursion?: boolean;
  /** A global may be bound more than once. */
  readonly globalReassign?: boolean;
  /** `if`, `for` and `while` at the top level of a file. */
  readonly topLevelControl?: boolean;
  /** `load` makes globals of the module rather than file-local names. */
  readonly loadBindsGlobally?: boolean;
}
