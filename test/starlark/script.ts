/**
 * Runs a script on one back end and gives everything that can be seen of the run, so that two runs can be compared.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  attempt,
  builtin,
  call,
  compile,
  type Dialect,
  type Limits,
  type Module,
  repr,
  SourceFile,
  StarlarkError,
  Thread,
  type Value,
} from '../../src/exports/starlark.ts';
import { assertions, modules } from './environment.ts';

export type Backend = 'js' | 'closures';
export const BACKENDS: readonly Backend[] = ['js', 'closures'];

export interface ScriptOptions {
  readonly backend: Backend;
  readonly file?: string;
  readonly dialect?: Dialect;
  readonly limits?: Partial<Limits>;
  /** The folder `load` reads from. */
  readonly modules?: string;
}

/** One mistake with the line it is on, found before the run or by it. */
export interface Failure {
  readonly kind: string;
  readonly message: string;
  readonly line: number;
}

export interface Outcome {
  readonly failures: readonly Failure[];
  readonly output: readonly string[];
  readonly traceback: string;
  readonly steps: number;
  readonly memory: number;
  /** The module's globals as text; empty where the run failed. */
  readonly globals: readonly string[];
}

/** A run that neither waits nor can end a host: bounded in steps and memory even where a test sets no limits. */
const BOUNDED: Partial<Limits> = { steps: 20_000_000, memory: 500_000_000 };

export function runScript(text: string, options: ScriptOptions): Outcome {
  const output: string[] = [];
  const file = options.file ?? 'test.star';
  const thread = new Thread({
    limits: { ...BOUNDED, ...options.limits },
    print: (line) => output.push(line),
  });
  const environment = new Map<string, Value>([...assertions(), ...modules(), ['catch', makeCatch(output)]]);
  const compiled = compile(new SourceFile(file, text), {
    environment,
    backend: options.backend,
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
  });
  if (!compiled.ok) {
    const failures = compiled.errors.map(({ message, position }) => ({
      kind: 'static',
      message,
      line: position.line,
    }));
    return { failures, output, traceback: '', steps: 0, memory: 0, globals: [] };
  }
  const load = makeLoader(options, environment, thread);
  const result = attempt(thread, () => compiled.program.run(thread, { load }) as Module);
  const { steps, memory } = thread;
  if (!result.ok) {
    const { kind, message, traceback } = result.error;
    const failures = [{ kind, message, line: lineIn(result.error, file) }];
    return { failures, output, traceback, steps, memory, globals: [] };
  }
  const globals = [...result.value.globals].map(([name, value]) => `${name} = ${show(value)}`);
  return { failures: [], output, traceback: '', steps, memory, globals };
}

/** The line of the innermost frame in the script's own file: a failure in a loaded module counts where it was called. */
function lineIn(error: StarlarkError, file: string): number {
  const positions = error.frames.map((frame) => frame.position).filter((each) => each?.file === file);
  return positions.at(-1)?.line ?? 0;
}

/** Calls a function and prints how that went, with the traceback where it failed. */
function makeCatch(output: string[]): Value {
  return builtin('catch', 'fn', (thread, fn) => {
    const result = attempt(thread, () => call(thread, fn, []) as Value);
    output.push(result.ok ? `value ${show(result.value)}` : `${result.error.kind} ${result.error.traceback}`);
    return result.ok;
  });
}

/** The value as text, at nobody's cost. One too large or too deep to print is none the less a value. */
function show(value: Value): string {
  const printer = new Thread({ limits: { steps: 100_000, memory: 1_000_000 } });
  const printed = attempt(printer, () => repr(value, printer));
  return printed.ok ? printed.value : printed.error.message;
}

function makeLoader(options: ScriptOptions, environment: ReadonlyMap<string, Value>, thread: Thread) {
  const loaded = new Map<string, Module | null>();
  const load = (name: string): Module => {
    const known = loaded.get(name);
    if (known === null) throw new StarlarkError('eval', `cannot load ${name}: cycle in load graph`);
    if (known !== undefined) return known;
    const path = join(options.modules ?? '', name);
    if (options.modules === undefined || !existsSync(path)) {
      throw new StarlarkError('eval', `cannot load ${name}: no such module`);
    }
    loaded.set(name, null);
    const compiled = compile(new SourceFile(name, readFileSync(path, 'utf8')), {
      environment,
      backend: options.backend,
    });
    if (!compiled.ok) throw new StarlarkError('eval', `cannot load ${name}: ${compiled.errors[0]!.message}`);
    const module = compiled.program.run(thread, { load }) as Module;
    loaded.set(name, module);
    return module;
  };
  return load;
}
