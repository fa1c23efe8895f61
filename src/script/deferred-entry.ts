/**
 * The entry of a script whose top level only declares: what it defines is known from its text, so that it is translated
 * and run when first called. Of a thousand hooks a session calls a few.
 */
import {
  Callable,
  directArity,
  type Expr,
  type FileNode,
  type FunctionNode,
  type ParameterList,
  type PositionalFn,
  type Program,
  type ReprWriter,
  type Stmt,
  Thread,
  type Value,
} from '../starlark/index.ts';

type Result = Value | Promise<Value>;

export class DeferredEntry extends Callable {
  readonly type = 'function';
  readonly name: string;
  readonly minArgs: number;
  readonly maxArgs: number;
  /** Becomes the function's own with the first call, so that later ones go straight there. */
  direct: PositionalFn;
  readonly params: ParameterList;
  private readonly program: Program;

  constructor(program: Program, name: string, params: ParameterList) {
    super();
    this.program = program;
    this.params = params;
    this.name = name;
    const arity = directArity(params);
    this.minArgs = arity.min;
    this.maxArgs = arity.max;
    this.direct = (thread, ...args) => this.enter((entry) => entry.direct(thread, ...args));
  }

  override invoke(thread: Thread, args: Value[], names: readonly string[] | null): Result {
    return this.enter((entry) => entry.invoke(thread, args, names));
  }

  override writeRepr(out: ReprWriter): void {
    out.text(`<function ${this.name}>`);
  }

  private enter(go: (entry: Callable) => Result): Result {
    // On a thread of its own: the first call counts the same steps as all others.
    const module = this.program.run(new Thread());
    const find = (globals: ReadonlyMap<string, Value>): Result => {
      const entry = globals.get(this.name) as Callable;
      this.direct = entry.direct;
      return go(entry);
    };
    return module instanceof Promise ? module.then((late) => find(late.globals)) : find(module.globals);
  }
}

/** The function of that name, where the top level does nothing but bind names to functions and constants. */
export function declaredFunction(file: FileNode, name: string): FunctionNode | null {
  let found: FunctionNode | null = null;
  for (const stmt of file.body) {
    if (!declares(stmt)) return null;
    if (stmt.kind === 'def' && stmt.ident.name === name) found = stmt.fn;
    else if (stmt.kind === 'assign' && stmt.target.kind === 'ident' && stmt.target.name === name) return null;
  }
  return found;
}

function declares(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case 'pass':
    // What it names has been found, and is frozen.
    case 'load':
      return true;
    case 'expr':
      return stmt.value.kind === 'literal';
    case 'assign':
      return stmt.target.kind === 'ident' && isConstant(stmt.value);
    case 'def':
      return stmt.fn.params.every((param) => param.default === null || isConstant(param.default));
    default:
      return false;
  }
}

const CONSTANTS = new Set(['None', 'True', 'False']);

/** Nothing in it can fail. A dict could, by two equal keys, so only strings that differ are let pass as keys. */
function isConstant(expr: Expr): boolean {
  switch (expr.kind) {
    case 'literal':
      return true;
    case 'ident':
      return expr.binding?.kind === 'universal' && CONSTANTS.has(expr.name);
    case 'paren':
      return isConstant(expr.inner);
    case 'list':
    case 'tuple':
      return expr.items.every(isConstant);
    case 'dict': {
      const keys = expr.entries.map(({ key }) =>
        key.kind === 'literal' && key.type === 'string' ? key.value : null,
      );
      if (keys.includes(null) || new Set(keys).size < keys.length) return false;
      return expr.entries.every(({ value }) => isConstant(value));
    }
    default:
      return false;
  }
}
