/**
 * What both back ends must know of a program before they translate it, and must agree on: which reads may
 * meet an unbound variable, which functions may be entered twice, and which calls may have to be awaited.
 */
import type { Binding, Dialect } from '../resolve/binding.ts';
import { Builtin } from '../run/signature.ts';
import type { Call, Def, Expr, FileNode, FunctionNode, Ident, Stmt } from '../syntax/ast.ts';
import { Budget } from '../syntax/budget.ts';
import { Live } from '../values/live.ts';
import { FRAME, SLOT } from '../values/size.ts';
import { Module } from '../values/struct.ts';
import { StarObject, type Value } from '../values/value.ts';
import { findUnsafeReads } from './assignment.ts';
import { callersOf, inCycles, leadingTo } from './call-graph.ts';
import { operands, stripParens, targetOperands } from './walk.ts';

/** One `def`, `lambda`, or the top level of the file. */
export interface FunctionInfo {
  /** Order of appearance; the top level is 0. */
  readonly id: number;
  /** Null for the top level. */
  readonly node: FunctionNode | null;
  /** A `def` that is itself a statement of the file, so made at most once a run. */
  readonly topLevelDef: Def | null;
  /** Writes itself to `thread.stack`, so that an entry check further in can find it. */
  tracked: boolean;
  /** Must look on entry whether it is running already. */
  checksEntry: boolean;
  /** May have to await, so is translated to an asynchronous function. */
  suspends: boolean;
  /** What its variables weigh, which functions made in it may keep after it has ended; 0 if it makes none. */
  frameBytes: number;
}

export interface Analysis {
  readonly top: FunctionInfo;
  readonly functions: ReadonlyMap<FunctionNode, FunctionInfo>;
  /** Reads of variables that may be unbound then. */
  readonly unsafeReads: ReadonlySet<Ident>;
  /** The program may reach an asynchronous built-in. */
  readonly async: boolean;
  /** The top-level function a call certainly reaches once it is bound, or null. */
  knownCallee(callee: Expr): FunctionInfo | null;
  /**
   * The value a host or the language gave a name, or a member of such a module; undefined for anything else.
   */
  constant(e: Expr): Value | undefined;
  /** What a name of the environment stands for if it is no constant: its value is that of the run. */
  live(e: Ident): Live | null;
  /** Evaluating the expression may have to await. Always false in a synchronous program. */
  suspends(e: Expr): boolean;
}

/** Built-ins of the language that call a function they are given. */
const CALLS_BACK = new Set(['sorted', 'min', 'max']);

interface Calls {
  readonly known: Set<FunctionInfo>;
  /** Calls something not known before the run: it may lead anywhere, also back here. */
  opaque: boolean;
  /** Calls something that may answer with a promise, in a program that has any. */
  awaits: boolean;
  makesFunctions: boolean;
}

function noCalls(): Calls {
  return { known: new Set(), opaque: false, awaits: false, makesFunctions: false };
}

export function analyze(
  file: FileNode,
  names: (name: string) => Value | undefined,
  dialect: Dialect,
  anyAsync: boolean,
  budget = new Budget(),
): Analysis {
  const functions = new Map<FunctionNode, FunctionInfo>();
  const calls = new Map<FunctionInfo, Calls>();
  const topDefs = new Map<Def, FunctionInfo>();
  let usesAsync = false;

  const add = (node: FunctionNode | null, topLevelDef: Def | null): FunctionInfo => {
    const info = {
      id: calls.size,
      node,
      topLevelDef,
      tracked: false,
      checksEntry: false,
      suspends: false,
      frameBytes: 0,
    };
    if (node !== null) functions.set(node, info);
    calls.set(info, noCalls());
    return info;
  };
  const top = add(null, null);
  // Known first, because a function may call one that is defined further down.
  for (const stmt of file.body) if (stmt.kind === 'def') topDefs.set(stmt, add(stmt.fn, stmt));

  const knownCallee = (callee: Expr): FunctionInfo | null => {
    const inner = stripParens(callee);
    const def = inner.kind === 'ident' && inner.binding?.kind === 'global' ? inner.binding.definedBy : null;
    return def === null ? null : (topDefs.get(def) ?? null);
  };
  const constant = (e: Expr): Value | undefined => {
    const inner = stripParens(e);
    if (inner.kind === 'ident') {
      const value = isFixed(inner.binding) ? names(inner.name) : undefined;
      return value instanceof Live ? undefined : value;
    }
    if (inner.kind !== 'dot') return undefined;
    const object = constant(inner.object);
    // A built-in may be a family as well: `log(…)` and `log.info(…)`.
    return object instanceof Module || object instanceof Builtin ? object.attr(inner.name, null) : undefined;
  };

  const live = (e: Ident): Live | null => {
    const value = isFixed(e.binding) ? names(e.name) : undefined;
    return value instanceof Live ? value : null;
  };

  const visitCall = (call: Call, into: Calls) => {
    const known = knownCallee(call.callee);
    if (known !== null) {
      into.known.add(known);
      return;
    }
    const value = constant(call.callee);
    const universal = stripParens(call.callee);
    if (universal.kind === 'ident' && universal.binding?.kind === 'universal') {
      if (!CALLS_BACK.has(universal.name) || call.args.every((arg) => arg.kind === 'positional')) return;
    }
    into.opaque = true;
    if (!(value instanceof Builtin) || value.async || CALLS_BACK.has(value.name)) into.awaits = true;
  };
  const judged = new Map<Value | undefined, boolean>();
  const mayBeAsync = (value: Value | undefined): boolean => {
    let answer = judged.get(value);
    if (answer === undefined) judged.set(value, (answer = reachesAsync(value)));
    return answer;
  };
  const visit = (e: Expr, into: Calls) => {
    budget.tick();
    if (e.kind === 'call') visitCall(e, into);
    else if (e.kind === 'ident' || e.kind === 'dot') usesAsync ||= mayBeAsync(constant(e));
    else if (e.kind === 'lambda') visitFunction(e.fn, into);
    // A member of a module is judged by itself, not by all its module holds.
    if (e.kind === 'dot' && constant(e) !== undefined) return;
    for (const part of operands(e)) visit(part, into);
  };
  const visitFunction = (fn: FunctionNode, madeIn: Calls) => {
    madeIn.makesFunctions = true;
    const info = functions.get(fn) ?? add(fn, null);
    visitBody(fn.body, calls.get(info)!);
  };
  const visitBody = (body: readonly Stmt[], into: Calls) => {
    for (const stmt of body) {
      for (const e of expressionsOf(stmt)) visit(e, into);
      for (const block of blocksOf(stmt)) visitBody(block, into);
      if (stmt.kind === 'def') visitFunction(stmt.fn, into);
      if (stmt.kind === 'load') usesAsync ||= anyAsync;
    }
  };
  visitBody(file.body, calls.get(top)!);

  // What a function's known callees may do, it may do.
  const calleesOf = (info: FunctionInfo) => calls.get(info)!.known;
  const callers = callersOf(calls.keys(), calleesOf);
  const those = (wanted: (own: Calls) => boolean) =>
    leadingTo(
      [...calls.keys()].filter((info) => wanted(calls.get(info)!)),
      callers,
    );
  const opaque = those((own) => own.opaque);
  const awaiting = those((own) => own.awaits);
  const cyclic = dialect.recursion ? new Set<FunctionInfo>() : inCycles(calls.keys(), calleesOf);
  // Part of a cycle of known calls, or leading to one: something further in looks at the stack.
  const guarded = leadingTo(cyclic, callers);
  for (const [info, { makesFunctions }] of calls) {
    info.tracked = opaque.has(info) || guarded.has(info);
    info.checksEntry = info !== top && !dialect.recursion && (opaque.has(info) || cyclic.has(info));
    info.suspends = usesAsync && awaiting.has(info);
    if (makesFunctions) info.frameBytes = FRAME + SLOT * variablesOf(info.node ?? file);
  }

  const suspending = new Map<Expr, boolean>();
  const suspends = (e: Expr): boolean => {
    if (!usesAsync) return false;
    let answer = suspending.get(e);
    if (answer === undefined) {
      const own = noCalls();
      if (e.kind === 'call') visitCall(e, own);
      answer = own.awaits || [...own.known].some((callee) => callee.suspends) || operands(e).some(suspends);
      suspending.set(e, answer);
    }
    return answer;
  };
  return {
    top,
    functions,
    unsafeReads: findUnsafeReads(file, budget),
    async: usesAsync,
    knownCallee,
    constant,
    live,
    suspends,
  };
}

/** The expressions a statement evaluates itself, its targets' included, not those of statements inside it. */
export function expressionsOf(stmt: Stmt): Expr[] {
  switch (stmt.kind) {
    case 'expr':
      return [stmt.value];
    case 'assign':
    case 'augAssign':
      return [stmt.value, ...targetOperands(stmt.target)];
    case 'def':
      return stmt.fn.params.flatMap((param) => param.default ?? []);
    case 'if':
    case 'while':
      return [stmt.condition];
    case 'for':
      return [stmt.iterable, ...targetOperands(stmt.target)];
    case 'return':
      return stmt.value === null ? [] : [stmt.value];
    default:
      return [];
  }
}

export function blocksOf(stmt: Stmt): (readonly Stmt[])[] {
  if (stmt.kind === 'if') return [stmt.then, stmt.otherwise];
  return stmt.kind === 'for' || stmt.kind === 'while' ? [stmt.body] : [];
}

function isFixed(binding: Binding | undefined): boolean {
  return binding?.kind === 'predeclared' || binding?.kind === 'universal';
}

/** Whether a value of the environment is, or holds, a built-in that may return a promise. */
export function reachesAsync(value: Value | undefined): boolean {
  if (value instanceof Builtin) return value.async;
  if (value instanceof Module) return value.attrNames().some((name) => reachesAsync(value.attr(name)));
  // A host's own kind of object may hand out anything.
  return value instanceof StarObject && 'async' in value && value.async === true;
}

function variablesOf(node: FunctionNode | FileNode): number {
  const { locals, globals } = node.scope!;
  return locals.length + globals.length;
}
