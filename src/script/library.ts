/**
 * Code that scripts share: `load("//lib/paths.star", "inside")`. A library computes and nothing else: it has no decisions, no
 * state and no clock, its top level runs once, and what it made is frozen. A layer finds its own libraries first and then those
 * of the layers above it; a library finds others from where it stands itself.
 */
import { didYouMean, formatPosition, type SourceFile } from '../base/index.ts';
import type { CoveredScript } from '../engine/index.ts';
import { DEFAULT_TIMEOUT_MS } from '../files/index.ts';
import {
  compile,
  type FileNode,
  type Load,
  type Module,
  type Program,
  StarlarkError,
  Thread,
} from '../starlark/index.ts';
import { LoadProbe } from './builtins/reach.ts';
import { withToolNames } from './builtins/tool-names.ts';
import type { Mistake } from './compile-script.ts';
import { coverageOf } from './coverage.ts';
import { HOOK_BUILTINS, LIBRARY_ENVIRONMENT } from './environment.ts';
import { inPlainWords } from './habits.ts';
import { limitsFor } from './script-limits.ts';
import { foldToolNamesInLibrary } from './tool-names.ts';
import { ABSENT_MEMBERS, unknownMembers } from './unknown-members.ts';

/** A file of a library folder, by its name there: its text, or why it cannot be read. */
export type LibraryFile = SourceFile | { readonly unreadable: string; readonly path: string };

export type LoadedLibrary =
  | { readonly ok: true; readonly module: Module; readonly program: Program }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

export type FoundLibrary =
  | { readonly ok: true; readonly module: Module; readonly program: Program }
  | { readonly ok: false; readonly message: string };

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*\.star$/;
const PREFIX = '//lib/';

export function isLibraryName(name: string): boolean {
  return NAME.test(name);
}

export class Library {
  /** The next one to look into, of a higher layer. */
  readonly above: Library | null;
  readonly files: ReadonlyMap<string, LibraryFile>;
  private readonly coverage: boolean;
  private readonly loaded = new Map<string, LoadedLibrary>();
  /** What is being loaded, from the first to the last: one that comes twice needs itself. */
  private readonly loading: string[] = [];

  constructor(
    files: ReadonlyMap<string, LibraryFile>,
    { above = null, coverage = false }: { readonly above?: Library | null; readonly coverage?: boolean } = {},
  ) {
    this.files = files;
    this.above = above;
    this.coverage = coverage;
  }

  /** What `load(path, …)` gives in a script of this layer. */
  find(path: string): FoundLibrary {
    const name = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : null;
    if (name === null || !NAME.test(name)) return { ok: false, message: this.otherPath(path) };
    const owner = this.ownerOf(name);
    if (owner === null) {
      const hint = didYouMean(name, this.names());
      return { ok: false, message: `cannot load ${path}: no layer has .harness/lib/${name}${hint}` };
    }
    const loaded = owner.own(name);
    if (loaded.ok) return loaded;
    const [first] = loaded.mistakes;
    return {
      ok: false,
      message: `cannot load ${path}: ${formatPosition(first!.position)}: ${first!.message}`,
    };
  }

  /** A file of this very layer, compiled and run once. */
  own(name: string): LoadedLibrary {
    const known = this.loaded.get(name);
    if (known !== undefined) return known;
    this.loading.push(name);
    try {
      const loaded = this.load(name);
      this.loaded.set(name, loaded);
      return loaded;
    } finally {
      this.loading.pop();
    }
  }

  /** The names of the files of this layer and of those above it. */
  names(): string[] {
    return [...this.files.keys(), ...(this.above?.names() ?? [])];
  }

  /** Which lines of its files have run, for a library that was made with `coverage`. */
  covered(): ReadonlyMap<string, CoveredScript> {
    const scripts = [...this.loaded].flatMap(([name, loaded]) =>
      loaded.ok ? [[name, coverageOf(loaded.program)] as const] : [],
    );
    return new Map(this.coverage ? scripts : []);
  }

  private ownerOf(name: string): Library | null {
    if (this.files.has(name)) return this;
    return this.above?.ownerOf(name) ?? null;
  }

  private load(name: string): LoadedLibrary {
    const source = this.files.get(name)!;
    if ('unreadable' in source) {
      return {
        ok: false,
        mistakes: [{ message: source.unreadable, position: { file: source.path, line: 1, col: 1 } }],
      };
    }
    const wrong = (...mistakes: Mistake[]): LoadedLibrary => ({ ok: false, mistakes });
    const compiled = compile(source, {
      environment: withToolNames(LIBRARY_ENVIRONMENT),
      prepare: (tree) => foldToolNamesInLibrary(tree as FileNode),
      coverage: this.coverage,
      load: (path) => moduleIn(this.find(path)),
    });
    if (!compiled.ok) return wrong(...compiled.errors.map(libraryMistake));
    const { program } = compiled;
    const unknown = unknownMembers(program.file, source, LIBRARY_ENVIRONMENT, ABSENT_MEMBERS);
    if (unknown.length > 0) return wrong(...unknown);
    const circle = this.loading.indexOf(name);
    if (circle < this.loading.length - 1) {
      const way = this.loading.slice(circle).map((each) => PREFIX + each);
      return wrong({ message: `it needs itself: ${way.join(' loads ')}`, position: source.position(0) });
    }
    const unresolved = faultsInLoads(program, this);
    return unresolved.length > 0 ? wrong(...unresolved) : this.start(program);
  }

  private start(program: Program): LoadedLibrary {
    const probe = new LoadProbe();
    const limits = limitsFor(DEFAULT_TIMEOUT_MS);
    const thread = new Thread({ limits, host: probe, print: () => probe.touch() });
    const wrong = (message: string, position = program.source.position(0)): LoadedLibrary => ({
      ok: false,
      mistakes: [{ message, position }],
    });
    try {
      const module = program.run(thread);
      return module instanceof Promise || !module.pure ? wrong(ONLY_COMPUTES) : { ok: true, module, program };
    } catch (error) {
      if (!(error instanceof StarlarkError)) throw error;
      if (probe.touched) return wrong(ONLY_COMPUTES, error.position ?? undefined);
      return wrong(`the top level of the library fails: ${error.message}`, error.position ?? undefined);
    }
  }

  private otherPath(path: string): string {
    const last = path.slice(path.lastIndexOf('/') + 1).replace(/^:/, '');
    const name = last.endsWith('.star') ? last : `${last}.star`;
    const hint = this.ownerOf(name) === null ? '' : ` (did you mean ${JSON.stringify(PREFIX + name)}?)`;
    return `load wants "//lib/NAME.star", a file of .harness/lib, got ${JSON.stringify(path)}${hint}`;
  }
}

const ONLY_COMPUTES = 'the top level of a library only computes: it cannot print or wait';

/** What is wrong with the `load` statements of a program; empty if every name they bind is there. */
export function faultsInLoads({ file, source }: Program, library: Library): Mistake[] {
  const loads = file.body.filter((stmt): stmt is Load => stmt.kind === 'load');
  return loads.flatMap(({ module: path, moduleStart, bindings }): Mistake[] => {
    const found = library.find(path);
    if (!found.ok) return [{ message: found.message, position: source.position(moduleStart) }];
    const { globals } = found.module;
    return bindings.flatMap(({ from, start }): Mistake[] => {
      if (globals.has(from)) return [];
      const hint = didYouMean(from, exported(globals));
      return [{ message: `${path} defines no ${from}${hint}`, position: source.position(start) }];
    });
  });
}

export function exported(globals: Module['globals']): string[] {
  return [...globals.keys()].filter((name) => !name.startsWith('_') && !name.startsWith(TEST));
}

/** Functions of a library that `harness test` calls. */
export const TEST = 'test_';

export function moduleIn(found: FoundLibrary): Module {
  if (found.ok) return found.module;
  throw new StarlarkError('eval', found.message);
}

function libraryMistake({ message, position }: Mistake): Mistake {
  const name = /^undefined: (\w+)/.exec(message)?.[1];
  if (name === undefined || !HOOK_BUILTINS.has(name))
    return { message: inPlainWords(message, 'library'), position };
  const instead = 'a library only computes: use it in the hook, and pass what it gives as an argument';
  return { message: `undefined: ${name}: ${instead}`, position };
}
