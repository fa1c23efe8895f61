/** Hook and tool scripts: compile, run, built-ins, limits. */
export { BUILTIN_DOCS } from './builtin-docs.ts';
export { DECISIONS, DEFAULT_REASONS, DecisionValue } from './builtins/decisions.ts';
export { CALL_TOOL } from './builtins/meta.ts';
export { readsPolicy } from './builtins/policy.ts';
export { type ScriptCall, scriptCallOf } from './builtins/reach.ts';
export { checkScript } from './check/check-script.ts';
export type { ScriptCheck, ToolMention } from './check/finding.ts';
export {
  bindingOf,
  type CompiledScript,
  compileChoice,
  compileCondition,
  compileEntry,
  compileScript,
  HOOK_SCRIPT,
  type Mistake,
  type ScriptEntry,
  type ScriptKind,
  type ScriptOptions,
} from './compile-script.ts';
export { CONDITION_ENVIRONMENT, GUARD_NAMES, HOOK_BUILTINS, LIBRARY_ENVIRONMENT } from './environment.ts';
export { type EventNames, foldEventKeys } from './event-names.ts';
export { inPlainWords } from './habits.ts';
export { exported, isLibraryName, Library, type LibraryFile, moduleIn, TEST } from './library.ts';
export { bodyOf, type EntryPoint, freshBodyOf } from './run-script.ts';
export { limitsFor, SCRIPT_LIMITS } from './script-limits.ts';
export { partOf } from './selector.ts';
