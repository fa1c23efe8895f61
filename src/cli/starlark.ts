/**
 * `harness starlark`: runs Starlark files on their own, for trying the language out and for tests of it.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatPosition, SourceFile } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import {
  type CompileOptions,
  compile,
  type Dialect,
  fail,
  JSON_MODULE,
  type Limits,
  MATH_MODULE,
  type Module,
  makeTimeModule,
  type Program,
  RE_MODULE,
  STRUCT,
  StarlarkError,
  type StaticError,
  Thread,
  type Value,
} from '../starlark/index.ts';
import { type Arguments, quote, type Run, readText, UsageError, wholeNumber } from '../terminal/index.ts';

/** What a file finds beside the language itself. */
const ENVIRONMENT: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['json', JSON_MODULE],
  ['math', MATH_MODULE],
  ['re', RE_MODULE],
  ['struct', STRUCT],
  ['time', makeTimeModule(() => machineHost.now())],
]);

/** Stands for what is given on the command line. */
const CODE = '<code>';

const BACKENDS = ['js', 'closures'] as const;

export const run: Run = async (args, output) => {
  if (args.has('interactive')) {
    const { interact } = await import('./starlark/repl.ts');
    return interact(args, output);
  }
  const code = args.value('code');
  if (code === undefined && args.positionals.length === 0)
    throw new UsageError('starlark wants a FILE, -c CODE or -i');
  const steps = wholeNumber(args, 'steps', 1);
  const limits: Partial<Limits> = steps === undefined ? {} : { steps };
  const options: CompileOptions = {
    environment: ENVIRONMENT,
    backend: chooseBackend(args),
    dialect: chooseDialect(args),
  };
  let failed = false;
  const files = code === undefined ? args.positionals : [CODE, ...args.positionals];
  for (const file of files) {
    const thread = new Thread({ limits, print: (text) => output.raw(`${text}\n`) });
    try {
      const text = file === CODE ? code! : file === '-' ? ((await readText('-')) ?? '') : readSource(file);
      const result = compile(new SourceFile(file === '-' ? '<stdin>' : file, text), options);
      if (result.ok) {
        await result.program.run(thread, { load: new Loader(options, thread).from(dirname(file)) });
      } else {
        failed = true;
        for (const error of result.errors) output.note(renderStatic(error));
      }
    } catch (error) {
      if (!(error instanceof StarlarkError)) throw error;
      failed = true;
      output.note(error.traceback);
    }
  }
  return failed ? 1 : 0;
};

/** Programs and modules by path, each compiled and run once for the file that is being run. */
class Loader {
  private readonly programs = new Map<string, Program>();
  private readonly modules = new Map<string, Module | Promise<Module>>();
  private readonly options: CompileOptions;
  private readonly thread: Thread;

  constructor(options: CompileOptions, thread: Thread) {
    this.options = options;
    this.thread = thread;
  }

  /** Finds modules by their path relative to a folder. A program that needs itself is found out by its second run. */
  from(folder: string): (name: string) => Module | Promise<Module> {
    return (name) => {
      const path = join(folder, name);
      const known = this.modules.get(path);
      if (known !== undefined) return known;
      const module = this.program(path).run(this.thread, { load: this.from(dirname(path)) });
      this.modules.set(path, module);
      return module;
    };
  }

  private program(path: string): Program {
    const known = this.programs.get(path);
    if (known !== undefined) return known;
    const result = compile(new SourceFile(path, readModule(path)), this.options);
    if (!result.ok) return fail(`cannot load ${path}: ${result.errors.map(renderStatic).join('; ')}`);
    this.programs.set(path, result.program);
    return result.program;
  }
}

function readModule(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return fail(`cannot load ${path}: ${(error as Error).message}`);
  }
}

function renderStatic(error: StaticError): string {
  return `${formatPosition(error.position)}: ${error.message}`;
}

function readSource(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${quote(file)}: ${(error as Error).message}`);
  }
}

function chooseBackend(args: Arguments): CompileOptions['backend'] {
  const wanted = args.value('backend');
  if (wanted === undefined) return undefined;
  const found = BACKENDS.find((name) => name === wanted);
  if (found === undefined)
    throw new UsageError(`--backend is ${BACKENDS.join(' or ')}, got ${quote(wanted)}`);
  return found;
}

function chooseDialect(args: Arguments): Dialect {
  return {
    recursion: args.has('recursion'),
    while: args.has('while'),
    globalReassign: args.has('global-reassign'),
    topLevelControl: args.has('top-level-control'),
  };
}
