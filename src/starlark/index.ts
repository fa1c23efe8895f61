/**
 * Starlark for TypeScript hosts: compile once, run many times, under limits that hold. Everything a host
 * needs is exported here.
 */
export { formatPosition, type Position, type PositionMap, SourceFile } from '../base/source.ts';
export {
  type Compiled,
  type CompileOptions,
  compile,
  compileExpression,
  type ExpressionProgram,
  type Program,
  type RunOptions,
} from './compile/program.ts';
export { JSON_MODULE } from './lib/json.ts';
export { MATH_MODULE } from './lib/math.ts';
export { RE_MODULE } from './lib/re.ts';
export { standardModules } from './lib/standard.ts';
export { STRUCT } from './lib/struct-builtin.ts';
export { type Clock, makeTimeModule } from './lib/time.ts';
export { UNIVERSE } from './lib/universe.ts';
export type { Dialect } from './resolve/binding.ts';
export { type Attempt, attempt, call } from './run/call.ts';
export { type ErrorKind, type Frame, fail, StarlarkError } from './run/errors.ts';
export { drain, iterate, toArray } from './run/iterate.ts';
export { Builtin, type BuiltinFlags, builtin, method } from './run/signature.ts';
export { type Limits, Thread, UNLIMITED } from './run/thread.ts';
export * from './run/want.ts';
export { COMPILE_LIMITS, type CompileLimits } from './syntax/budget.ts';
export type { StaticError } from './syntax/static-error.ts';
export { Bytes } from './values/bytes.ts';
export { Dict } from './values/dict.ts';
export { equal } from './values/equal.ts';
export { freeze, freezeAll, freezeModule } from './values/freeze.ts';
export { StarFunction } from './values/function.ts';
export { wrapJson } from './values/json-view.ts';
export { EMPTY_TUPLE, List, Tuple } from './values/list.ts';
export { Live } from './values/live.ts';
export { Range } from './values/range.ts';
export { repr, str } from './values/repr.ts';
export { StarSet } from './values/set.ts';
export { Module, Struct } from './values/struct.ts';
export { toJson } from './values/to-json.ts';
export {
  Callable,
  type Cursor,
  Float,
  type ReprWriter,
  StarObject,
  typeName,
  type Value,
} from './values/value.ts';
