/**
 * A Starlark module that handlers are taken from, in the environment and under the limits that Markdown hooks have. Every
 * mistake that can be found without an event is found here.
 */
import { didYouMean, type Problem, type SourceFile } from '../../base/index.ts';
import { type Body, resolveEvent } from '../../engine/index.ts';
import type { FileReport } from '../../files/index.ts';
import {
  bindingOf,
  bodyOf,
  compileEntry,
  type EntryPoint,
  foldEventKeys,
  freshBodyOf,
  HOOK_SCRIPT,
  type Library,
  type Mistake,
  readsPolicy,
  type ScriptOptions,
} from '../../script/index.ts';
import { invokeCallable, parse, type Value } from '../../starlark/index.ts';
import { harnEvent } from '../code/functions/events.ts';

export type HandlerFound =
  | { readonly ok: true; readonly body: Body; readonly readsPolicy: boolean }
  /** The module lacks it: a mistake of the one who named it. */
  | { readonly ok: false; readonly message: string }
  /** A mistake in the module. */
  | { readonly ok: false; readonly problem: Problem };

export class StarModule {
  private readonly report: FileReport;

  private readonly library: Library | null;

  constructor(report: FileReport, library: Library | null = null) {
    this.report = report;
    this.library = library;
  }

  async handler(name: string): Promise<HandlerFound> {
    const { source } = this.report;
    const kind = { ...HOOK_SCRIPT, entry: name, parameters: ['event'] };
    const options = { library: this.library, prepare: foldNames };
    const compiled = await compileEntry(source, kind, undefined, options);
    if (!compiled.ok) {
      const missing = missingFunction(source, name);
      if (missing !== null) return { ok: false, message: missing };
      const problems = compiled.mistakes.map((mistake) => this.problem(compiled.code, mistake));
      return { ok: false, problem: problems[0]! };
    }
    const point: EntryPoint = { name, call: callWithEvent };
    const { entry } = compiled;
    return {
      ok: true,
      readsPolicy: readsPolicy(source.text),
      body: 'shared' in entry ? bodyOf(entry.shared, point) : freshBodyOf(entry.fresh, point),
    };
  }

  /** A mistake that several handlers run into is one problem. */
  private problem(code: Problem['code'], { message, position }: Mistake): Problem {
    const before = this.report.problems.find(
      (known) =>
        known.message === message &&
        known.position?.line === position.line &&
        known.position.col === position.col,
    );
    return before ?? this.report.at(code, message, position);
  }
}

/** What to say of a module that could be read and lacks the function, or null. */
function missingFunction(source: SourceFile, name: string): string | null {
  const { file, errors } = parse(source);
  if (errors.length > 0 || bindingOf(file, name) !== null) return null;
  const defined = file.body.flatMap((stmt) => (stmt.kind === 'def' ? [stmt.ident.name] : []));
  const open = defined.filter((known) => !known.startsWith('_'));
  return `${source.name} defines no function ${name}${didYouMean(name, open)}`;
}

/** Handlers are told the name that Harn has for an event; a comparison with another spelling of it holds all the same. */
const foldNames: ScriptOptions['prepare'] = (tree) =>
  foldEventKeys(tree, (literal) => {
    const resolved = resolveEvent(literal);
    return (resolved.ok && harnEvent(resolved.event)?.name) || null;
  });

const callWithEvent: EntryPoint['call'] = (thread, fn, _call, seen) =>
  invokeCallable(thread, fn, [seen as Value], null);
