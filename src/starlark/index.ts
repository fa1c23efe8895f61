/**
 * Starlark for TypeScript hosts: compile once, run many times, under limits that hold. Everything a host
 * needs is exported here.
 */
export { expressionsOf } from './compile/analyze.ts';
export { parameterList } from './compile/arguments.ts';
export {
  type Compiled,
  type CompileOptions,
  compile,
  compileExpression,
  ExpressionProgram,
  Program,
  type RunOptions,
} from './compile/program.ts';
export { operands } from './compile/walk.ts';
export { formatExpression, formatFile } from './format/format.ts';
export { DICT_METHODS } from './lib/dict-methods.ts';
export { isJsonText, JSON_MODULE } from './lib/json.ts';
export { encodeJson } from './lib/json-encode.ts';
export { LIST_METHODS } from './lib/list-methods.ts';
export { MATH_MODULE } from './lib/math.ts';
export { RE_MODULE } from './lib/re.ts';
export { standardModules } from './lib/standard.ts';
export { converted, STRING_METHODS } from './lib/string-methods.ts';
export { STRUCT } from './lib/struct-builtin.ts';
export { type Clock, makeTimeModule } from './lib/time.ts';
export { UNIVERSE } from './lib/universe.ts';
export type { Binding, Dialect } from './resolve/binding.ts';
export { resolve, resolveExpression } from './resolve/resolve.ts';
export { type Attempt, asStarlarkError, attempt, call, invokeCallable } from './run/call.ts';
export { type ErrorKind, type Frame, fail, StarlarkError } from './run/errors.ts';
export { drain, iterate, toArray } from './run/iterate.ts';
export { isIn, truth } from './run/operators.ts';
export { bindBuiltin, parseSignature, type Signature } from './run/parameters.ts';
export { Builtin, type BuiltinFlags, builtin, Method, method, type ParamsOf } from './run/signature.ts';
export { type CallSite, type Limits, Thread, UNLIMITED } from './run/thread.ts';
export {
  wantBool,
  wantCallable,
  wantDict,
  wantInt,
  wantItems,
  wantIterable,
  wantList,
  wantNumber,
  wantSmallInt,
  wantString,
} from './run/want.ts';
export type {
  Binary,
  Call,
  Def,
  Dot,
  Expr,
  FileNode,
  FunctionNode,
  Ident,
  Load,
  Stmt,
  Target,
} from './syntax/ast.ts';
export { Budget, COMPILE_LIMITS, type CompileLimits } from './syntax/budget.ts';
export { isNode, nodesIn, partsOf, type SyntaxNode } from './syntax/nodes.ts';
export { parse, parseExpression } from './syntax/parse.ts';
export type { StaticError } from './syntax/static-error.ts';
export { Bytes } from './values/bytes.ts';
export { Dict } from './values/dict.ts';
export { equal } from './values/equal.ts';
export { freeze, freezeAll, freezeModule } from './values/freeze.ts';
export { directArity, type ParameterList, StarFunction } from './values/function.ts';
export { wrapJson } from './values/json-view.ts';
export { EMPTY_TUPLE, List, Tuple } from './values/list.ts';
export { Live } from './values/live.ts';
export { Range } from './values/range.ts';
export { repr, str } from './values/repr.ts';
export { StarSet } from './values/set.ts';
export { BOUND_METHOD, ENTRY, LIST, listBytes, STRUCT_SIZE, textBytes } from './values/size.ts';
export { Module, Struct } from './values/struct.ts';
export { toJson } from './values/to-json.ts';
export {
  Callable,
  type Cursor,
  Float,
  type PositionalFn,
  type ReprWriter,
  StarObject,
  typeName,
  type Value,
} from './values/value.ts';
