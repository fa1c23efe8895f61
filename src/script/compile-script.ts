/**
 * From the text of `script:` and `when:` to something that can be called. Every mistake that can be found without an
 * event is found here.
 */

import { nearest, type Position, type SourceFile } from '../base/index.ts';
import type { Body, Condition, CoveredScript, HookCall } from '../engine/index.ts';
import { DEFAULT_TIMEOUT_MS } from '../files/index.ts';
import {
  Callable,
  type CompileOptions,
  compile,
  compileExpression,
  type Def,
  type FileNode,
  type FunctionNode,
  type Module,
  type ParameterList,
  type Program,
  parameterList,
  StarFunction,
  StarlarkError,
  type StaticError,
  type Stmt,
  Thread,
  typeName,
  type Value,
} from '../starlark/index.ts';
import { LoadProbe } from './builtins/reach.ts';
import { withToolNames } from './builtins/tool-names.ts';
import { coverageOf } from './coverage.ts';
import { DeferredEntry, declaredFunction } from './deferred-entry.ts';
import { CONDITION_ENVIRONMENT, HOOK_BUILTINS } from './environment.ts';
import { type EventNames, foldEventNames, namesEvent } from './event-names.ts';
import { inPlainWords } from './habits.ts';
import { faultsInLoads, type Library, moduleIn } from './library.ts';
import { mayRaise } from './may-raise.ts';
import { bodyOf, choiceOf, freshBodyOf, testOf } from './run-script.ts';
import { limitsFor } from './script-limits.ts';
import { indexableIn } from './selector.ts';
import { foldToolNames } from './tool-names.ts';
import { ABSENT_MEMBERS, unknownMembers } from './unknown-members.ts';

export interface Mistake {
  readonly message: string;
  readonly position: Position;
}

/** What a script is for: where it enters, and what it may use. */
export interface ScriptKind {
  readonly noun: 'hook' | 'tool';
  readonly environment: ReadonlyMap<string, Value>;
  readonly entry: string;
  readonly parameters: readonly string[];
  /** What is reported where the entry is missing or cannot be called. */
  readonly code: 'SCRIPT_HANDLE' | 'SCRIPT_RUN';
  /** Names people expect, and why a script of this kind has none. */
  readonly absent: Readonly<Record<string, string>>;
}

/** The entry of a script: a function all calls share, or a program that is run anew for each because its top level acts. */
export type ScriptEntry = { readonly shared: Callable } | { readonly fresh: Program };

export type CompiledEntry =
  | { readonly ok: true; readonly entry: ScriptEntry; readonly program: Program }
  | {
      readonly ok: false;
      readonly code: 'SCRIPT_INVALID' | ScriptKind['code'];
      readonly mistakes: readonly Mistake[];
    };

export type CompiledScript =
  | {
      readonly ok: true;
      readonly body: Body;
      readonly covered?: CoveredScript;
    }
  | Extract<CompiledEntry, { readonly ok: false }>;

export interface ScriptOptions extends Pick<CompileOptions, 'coverage' | 'prepare'> {
  /** What `load` finds; without one a script stands alone. */
  readonly library?: Library | null;
}

/** `names` are those of the event the hook listens to; without them every comparison stays as it is written. */
export async function compileScript(
  source: SourceFile,
  names?: EventNames,
  options: ScriptOptions = {},
): Promise<CompiledScript> {
  const compiled = await compileEntry(source, HOOK_SCRIPT, names, options);
  if (!compiled.ok) return compiled;
  const { entry, program } = compiled;
  const body = 'shared' in entry ? bodyOf(entry.shared) : freshBodyOf(entry.fresh);
  const covered = options.coverage === true && { covered: coverageOf(program) };
  return { ok: true, body, ...covered };
}

export async function compileEntry(
  source: SourceFile,
  kind: ScriptKind,
  names?: EventNames,
  { library = null, ...options }: ScriptOptions = {},
): Promise<CompiledEntry> {
  const compiled = compile(source, {
    ...options,
    ...folding(source, kind, names, options.prepare),
    ...(library !== null && { load: (path) => moduleIn(library.find(path)) }),
  });
  if (!compiled.ok) {
    const mistakes = compiled.errors.map((error) => scriptMistake(error, kind));
    return { ok: false, code: 'SCRIPT_INVALID', mistakes };
  }
  const { program } = compiled;
  const unknown = unknownMembers(program.file, source, kind.environment, ABSENT_MEMBERS);
  if (unknown.length > 0) return { ok: false, code: 'SCRIPT_INVALID', mistakes: unknown };
  if (program.loads.length > 0) {
    const mistakes = library === null ? [standsAlone(program, kind)] : faultsInLoads(program, library);
    if (mistakes.length > 0) return { ok: false, code: 'SCRIPT_INVALID', mistakes };
  }
  const declared = declaredFunction(program.file, kind.entry);
  if (declared !== null) return declaredEntry(program, declared, kind);
  const tried = await tryTopLevel(program);
  if (tried.kind === 'failed') {
    const { error } = tried;
    const message = `the top level of the script fails: ${error.message}`;
    const mistakes = [{ message, position: error.position ?? source.position(0) }];
    return { ok: false, code: 'SCRIPT_INVALID', mistakes };
  }
  if (tried.kind === 'impure') {
    const found = findEntry(program, kind);
    return found.ok ? { ok: true, entry: { fresh: program }, program } : found.wrong;
  }
  const entry = tried.module.globals.get(kind.entry);
  const mistake = mistakeIn(entry, kind);
  if (mistake === null) return { ok: true, entry: { shared: entry as Callable }, program };
  const found = findEntry(program, kind);
  return found.ok
    ? wrong(kind.code, `${mistake}: want def ${signatureOf(kind)}`, source, found.at)
    : found.wrong;
}

/** What came without a folder has no libraries either: what was read is what runs. */
function standsAlone({ file, source }: Program, { noun }: ScriptKind): Mistake {
  const at = file.body.find(({ kind }) => kind === 'load')?.start ?? 0;
  const message = `this ${noun} comes from no policy folder and cannot load other files: write what it needs into it`;
  return { message, position: source.position(at) };
}

/** The entry as its text has it, without running anything. */
function declaredEntry(program: Program, fn: FunctionNode, kind: ScriptKind): CompiledEntry {
  const params = parameterList(fn);
  if (takes(params, kind.parameters.length))
    return { ok: true, entry: { shared: new DeferredEntry(program, kind.entry, params) }, program };
  const message = `${parameterCountText(kind, params)}: want def ${signatureOf(kind)}`;
  return wrong(kind.code, message, program.source, bindingOf(program.file, kind.entry) ?? 0);
}

/** `handle(event, payload)` */
function signatureOf({ entry, parameters }: ScriptKind): string {
  return `${entry}(${parameters.join(', ')})`;
}

/** What keeps a value from being called with the parameters of its kind, or null. */
function mistakeIn(value: Value | undefined, kind: ScriptKind): string | null {
  if (value === undefined) return `${kind.entry} is not defined`;
  if (!(value instanceof Callable)) return `${kind.entry} is of type ${typeName(value)}, not a function`;
  if (!(value instanceof StarFunction) || takes(value.params, kind.parameters.length)) return null;
  return parameterCountText(kind, value.params);
}

function parameterCountText({ entry }: ScriptKind, { names }: ParameterList): string {
  return `${entry} takes ${names.length} parameter${names.length === 1 ? '' : 's'}`;
}

function takes(params: ParameterList, count: number): boolean {
  if (params.positional < count && !params.variadic) return false;
  return !params.required.some((required, i) => required && i >= count);
}

type Tried =
  | { readonly kind: 'pure'; readonly module: Module }
  | { readonly kind: 'impure' }
  | { readonly kind: 'failed'; readonly error: StarlarkError };

/**
 * Runs the top level once. What is a function of nothing is the same in every run, so its frozen module can serve all
 * calls and still be a fresh scope to each.
 */
async function tryTopLevel(program: Program): Promise<Tried> {
  const probe = new LoadProbe();
  const thread = new Thread({
    limits: limitsFor(DEFAULT_TIMEOUT_MS),
    host: probe,
    print: () => probe.touch(),
  });
  try {
    const module = await program.run(thread);
    return module.pure ? { kind: 'pure', module } : { kind: 'impure' };
  } catch (error) {
    if (probe.touched) return { kind: 'impure' };
    if (error instanceof StarlarkError) return { kind: 'failed', error };
    throw error;
  }
}

type FoundEntry =
  | { readonly ok: true; readonly at: number }
  | { readonly ok: false; readonly wrong: CompiledEntry & { ok: false } };

/** Where the entry is bound, so that its absence is known also where the top level cannot be tried. */
function findEntry({ file, source }: Program, kind: ScriptKind): FoundEntry {
  const at = bindingOf(file, kind.entry);
  if (at !== null) return { ok: true, at };
  const defs = file.body.filter((stmt): stmt is Def => stmt.kind === 'def');
  const [meant] = defs.filter(
    (def) => USUAL_MISTAKES.has(def.ident.name) || nearest(def.ident.name, [kind.entry]),
  );
  const message =
    meant === undefined
      ? `the script defines no ${signatureOf(kind)}`
      : `the script defines ${meant.ident.name}, but the entry point of a ${kind.noun} is ${signatureOf(kind)}`;
  return { ok: false, wrong: wrong(kind.code, message, source, meant?.ident.start ?? 0) };
}

/** The entry points of the other kind and of other systems. */
const USUAL_MISTAKES = new Set(['handle', 'run', 'main', 'handler', 'hook', 'on_event', 'process', 'check']);

export function bindingOf(file: FileNode, name: string): number | null {
  for (const stmt of file.body) {
    const at = boundBy(stmt, name);
    if (at !== null) return at;
  }
  return null;
}

function boundBy(stmt: Stmt, name: string): number | null {
  if (stmt.kind === 'def') return stmt.ident.name === name ? stmt.ident.start : null;
  if (stmt.kind !== 'assign') return null;
  // `handle = …` or a target that may hold it: the value itself is looked at once the top level has run.
  const { target } = stmt;
  if (target.kind === 'ident') return target.name === name ? target.start : null;
  return target.kind === 'index' || target.kind === 'dot' ? null : target.start;
}

export type CompiledCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/**
 * Names of events and of tools that are folded in the tree, and the environment that this takes. Where nothing is folded, nothing
 * is done: tools hear no events, and most scripts compare neither.
 */
export function folding(
  { text }: SourceFile,
  kind: ScriptKind | 'condition',
  names: EventNames | undefined,
  first?: CompileOptions['prepare'],
): Pick<CompileOptions, 'prepare' | 'environment'> {
  const environment = kind === 'condition' ? CONDITION_ENVIRONMENT : kind.environment;
  if (kind !== 'condition' && kind.noun !== 'hook') return { environment };
  const asksEvent = names !== undefined && namesEvent(text, kind === 'condition' ? kind : 'script');
  return {
    environment: withToolNames(environment),
    prepare: (tree) => {
      first?.(tree);
      if (asksEvent) foldEventNames(tree, names);
      foldToolNames(tree, text);
    },
  };
}

/** `field` is what the expression stands under: `when`, or the `condition` of a bundle. */
export function compileCondition(source: SourceFile, field: string, names?: EventNames): CompiledCondition {
  const options = folding(source, 'condition', names);
  const compiled = compileExpression(source, CONDITION_PARAMETERS, options);
  if (!compiled.ok)
    return { ok: false, mistakes: compiled.errors.map((error) => conditionMistake(error, field)) };
  const { program } = compiled;
  const indexable = indexableIn(program.expr);
  const condition: Condition = {
    text: source.text.trim(),
    test: testOf(program),
    mayRaise: (spec) => mayRaise(program.expr, spec),
    ...(indexable !== undefined && { indexable }),
  };
  return { ok: true, condition };
}

const CONDITION_PARAMETERS = ['event', 'payload'];

export type CompiledChoice =
  | { readonly ok: true; readonly choose: (seen: unknown, call: HookCall) => unknown }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/** An expression that chooses a word, over what a condition may use. */
export function compileChoice(source: SourceFile, field: string): CompiledChoice {
  const compiled = compileExpression(source, CONDITION_PARAMETERS, folding(source, 'condition', undefined));
  if (compiled.ok) return { ok: true, choose: choiceOf(compiled.program) };
  return { ok: false, mistakes: compiled.errors.map((error) => conditionMistake(error, field)) };
}

function scriptMistake({ message, position }: StaticError, { absent, noun }: ScriptKind): Mistake {
  const name = undefinedName(message);
  if (name === undefined || !Object.hasOwn(absent, name))
    return { message: inPlainWords(message, noun), position };
  return { message: `undefined: ${name}: ${absent[name]}`, position };
}

export const HOOK_SCRIPT: ScriptKind = {
  noun: 'hook',
  environment: HOOK_BUILTINS,
  entry: 'handle',
  parameters: ['event', 'payload'],
  code: 'SCRIPT_HANDLE',
  absent: {
    exec: 'hooks cannot run commands; let a tool do it',
    fs: 'hooks cannot touch files; let a tool do it',
    open: 'hooks cannot touch files; let a tool do it',
    env: 'hooks cannot read the environment; what a rule needs to know stands in .harness/data/',
    sleep: 'a hook answers at once; wait in a tool',
    template: 'write "… %s" % value or "… {name}".format(name = value)',
    crypto: 'use hash.sha256; a key has no place in a policy, let a tool sign',
  },
};

function conditionMistake({ message, position }: StaticError, field: string): Mistake {
  const name = undefinedName(message);
  if (name === undefined || !HOOK_BUILTINS.has(name))
    return { message: `${field}: ${inPlainWords(message, 'hook')}`, position };
  return { message: `${field} is a pure predicate: ${name} belongs into handle(event, payload)`, position };
}

function undefinedName(message: string): string | undefined {
  return /^undefined: (\w+)/.exec(message)?.[1];
}

function wrong(
  code: 'SCRIPT_INVALID' | ScriptKind['code'],
  message: string,
  source: SourceFile,
  offset: number,
): CompiledEntry & { ok: false } {
  return { ok: false, code, mistakes: [{ message, position: source.position(offset) }] };
}
