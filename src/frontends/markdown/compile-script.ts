/**
 * From the text of `script:` and `when:` to something the pipeline can call. Every mistake that can be found without an
 * event is found here.
 */

import type { Position, SourceFile } from '../../base/source.ts';
import { nearest } from '../../base/spelling.ts';
import type { Body, Condition } from '../../hooks/hook.ts';
import {
  Callable,
  compile,
  compileExpression,
  type Module,
  type Program,
  StarFunction,
  StarlarkError,
  type StaticError,
  Thread,
  typeName,
  type Value,
} from '../../starlark/index.ts';
import type { Def, FileNode, Stmt } from '../../starlark/syntax/ast.ts';
import { parse, parseExpression } from '../../starlark/syntax/parse.ts';
import { LoadProbe } from './builtins/reach.ts';
import { CONDITION_ENVIRONMENT, HOOK_ENVIRONMENT } from './environment.ts';
import { limitsFor } from './limits.ts';
import { bodyOf, freshBodyOf, testOf } from './run-script.ts';
import { DEFAULT_TIMEOUT_MS } from './schema.ts';
import { selectsOf } from './selector.ts';

export interface Mistake {
  readonly message: string;
  readonly position: Position;
}

export type CompiledScript =
  | { readonly ok: true; readonly body: Body }
  | {
      readonly ok: false;
      readonly code: 'SCRIPT_INVALID' | 'SCRIPT_HANDLE';
      readonly mistakes: readonly Mistake[];
    };

export async function compileScript(source: SourceFile): Promise<CompiledScript> {
  const compiled = compile(source, { environment: HOOK_ENVIRONMENT });
  if (!compiled.ok)
    return { ok: false, code: 'SCRIPT_INVALID', mistakes: compiled.errors.map(scriptMistake) };
  const { program } = compiled;
  // Hooks are self-contained: what is reviewed is what runs.
  if (program.loads.length > 0) return wrong('SCRIPT_INVALID', 'a hook cannot load other files', source, 0);
  const tried = await tryTopLevel(program);
  if (tried.kind === 'failed') {
    const { error } = tried;
    const message = `the top level of the script fails: ${error.message}`;
    const mistakes = [{ message, position: error.position ?? source.position(0) }];
    return { ok: false, code: 'SCRIPT_INVALID', mistakes };
  }
  if (tried.kind === 'impure') {
    const entry = findEntry(source);
    return entry.ok ? { ok: true, body: freshBodyOf(program) } : entry.wrong;
  }
  const handle = tried.module.globals.get('handle');
  const mistake = mistakeIn(handle);
  if (mistake === null) return { ok: true, body: bodyOf(handle as Callable) };
  const entry = findEntry(source);
  return entry.ok
    ? wrong('SCRIPT_HANDLE', `${mistake}: want def handle(event, payload)`, source, entry.at)
    : entry.wrong;
}

/** What keeps a value from being called as `handle(event, payload)`, or null. */
function mistakeIn(handle: Value | undefined): string | null {
  if (handle === undefined) return 'handle is not defined';
  if (!(handle instanceof Callable)) return `handle is of type ${typeName(handle)}, not a function`;
  if (!(handle instanceof StarFunction) || takesTwo(handle)) return null;
  const { length } = handle.params.names;
  return `handle takes ${length} parameter${length === 1 ? '' : 's'}`;
}

function takesTwo({ params }: StarFunction): boolean {
  if (params.positional < 2 && !params.variadic) return false;
  return !params.required.some((required, i) => required && i >= 2);
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

type Entry =
  | { readonly ok: true; readonly at: number }
  | { readonly ok: false; readonly wrong: CompiledScript & { ok: false } };

/** Where `handle` is bound, so that its absence is known also where the top level cannot be tried. */
function findEntry(source: SourceFile): Entry {
  const { file } = parse(source);
  const at = bindingOf(file, 'handle');
  if (at !== null) return { ok: true, at };
  const defs = file.body.filter((stmt): stmt is Def => stmt.kind === 'def');
  const [meant] = defs.filter(
    (def) => USUAL_MISTAKES.has(def.ident.name) || nearest(def.ident.name, ['handle']),
  );
  const message =
    meant === undefined
      ? 'the script defines no handle(event, payload)'
      : `the script defines ${meant.ident.name}, but the entry point of a hook is handle(event, payload)`;
  return { ok: false, wrong: wrong('SCRIPT_HANDLE', message, source, meant?.ident.start ?? 0) };
}

/** The entry points of tools and of other systems. */
const USUAL_MISTAKES = new Set(['run', 'main', 'handler', 'hook', 'on_event', 'process', 'check']);

function bindingOf(file: FileNode, name: string): number | null {
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

/** `field` is what the expression stands under: `when`, or the `condition` of a bundle. */
export function compileCondition(source: SourceFile, field: string): CompiledCondition {
  const options = { environment: CONDITION_ENVIRONMENT };
  const compiled = compileExpression(source, ['event', 'payload'], options);
  if (!compiled.ok)
    return { ok: false, mistakes: compiled.errors.map((error) => conditionMistake(error, field)) };
  const { expr } = parseExpression(source);
  const selects = expr === null ? undefined : selectsOf(expr);
  const condition: Condition = {
    text: source.text.trim(),
    test: testOf(compiled.program),
    ...(selects !== undefined && { selects }),
  };
  return { ok: true, condition };
}

function scriptMistake({ message, position }: StaticError): Mistake {
  const name = undefinedName(message);
  const hint = name !== undefined && Object.hasOwn(ABSENT, name) ? `: ${ABSENT[name]}` : '';
  return { message: message + hint, position };
}

/** Names people expect from tools or from Python, and why a hook has none. */
const ABSENT: Readonly<Record<string, string>> = {
  exec: 'hooks cannot run commands; let a tool do it',
  fs: 'hooks cannot touch files; let a tool do it',
  open: 'hooks cannot touch files; let a tool do it',
  os: 'hooks cannot reach the machine',
  env: 'hooks cannot read the environment',
  isinstance: 'use type(value) == "string"',
};

function conditionMistake({ message, position }: StaticError, field: string): Mistake {
  const name = undefinedName(message);
  if (name === undefined || !HOOK_ENVIRONMENT.has(name)) return { message: `${field}: ${message}`, position };
  return { message: `${field} is a pure predicate: ${name} belongs into handle(event, payload)`, position };
}

function undefinedName(message: string): string | undefined {
  return /^undefined: (\w+)/.exec(message)?.[1];
}

function wrong(
  code: 'SCRIPT_INVALID' | 'SCRIPT_HANDLE',
  message: string,
  source: SourceFile,
  offset: number,
): CompiledScript & { ok: false } {
  return { ok: false, code, mistakes: [{ message, position: source.position(offset) }] };
}
