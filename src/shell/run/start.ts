/**
 * Starts a program in the walk: finds out what its name stands for (a function, a builtin, a wrapper, an interpreter), names
 * it, and follows what it starts in turn.
 */

import { startCmd } from '../cmd/start.ts';
import { programOf, type ShellCommand, type ShownRedirect } from '../command.ts';
import type { Dialect } from '../dialect.ts';
import { printedBy } from '../known/printed.ts';
import { type Alt, type Field, knownField, type Ranges, UNTAINTED } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import { interpreterNamed } from '../programs/table.ts';
import type { CommandAssign } from '../reading.ts';
import { inQuotes } from '../text.ts';
import { BUILTINS } from './builtins.ts';
import { runHelpers } from './carried.ts';
import { callFunction } from './functions.ts';
import { interpret, runFile } from './interpret.ts';
import { patchOf } from './patches.ts';
import { startPowerShell } from './powershell.ts';
import { FAILED, type Frame, type Input, type Result, type Run, UNKNOWN } from './run.ts';
import { join, type State } from './state.ts';
import { starterOf, unwrap } from './unwrap.ts';

/** A program about to start. */
export interface Started {
  readonly words: readonly Field[];
  readonly assigns: readonly CommandAssign[];
  readonly redirects: readonly ShownRedirect[];
  readonly input: Input;
  /** The shell that starts it. */
  readonly state: State;
  /** The same with the variables set for this command. */
  readonly env: State;
  readonly frame: Frame;
  /** What its name may stand for beside a program. */
  readonly shell: 'all' | 'builtins' | 'none';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly from: Ranges;
  /** Words before it that may have been nothing. */
  readonly tries: number;
}

const MOST_TRIES = 3;
/** Builtins that no function hides in some shells. */
const SPECIAL: ReadonlySet<string> = new Set(
  '. : break continue eval exec exit export readonly return set shift times trap unset'.split(' '),
);

/** Shells whose own commands are those of programs, under other names. */
const STARTERS: Partial<Record<Dialect['name'], (run: Run, started: Started) => Result>> = {
  powershell: (run, started) => startPowerShell(run, started),
  cmd: (run, started) => startCmd(run, started),
};

export function start(run: Run, started: Started): Result {
  const own = started.shell === 'all' ? STARTERS[started.frame.dialect.name] : undefined;
  if (own !== undefined) return own(run, started);
  const first = started.words[0]!;
  if (!first.known || first.many) return startUnknown(run, started, first);
  const path = first.text;
  let hidden = false;
  if (started.shell === 'all') {
    const bodies = started.env.bodies(path);
    if (bodies?.more === true)
      run.error('limit', `the function ${inQuotes(path)} has more bodies than are followed`, started.start);
    if (bodies !== undefined && bodies.nodes.length > 0) {
      if (bodies.sure && !SPECIAL.has(path)) return callFunction(run, started, path, bodies.nodes);
      // It may be a function: what it sets may be set.
      const layer = started.env.fork();
      callFunction(run, { ...started, env: layer, state: layer }, path, bodies.nodes);
      join(started.state, [layer], false);
      hidden = true;
    }
  }
  const command = emit(run, started);
  const result = startNamed(run, started, command, path);
  return hidden ? UNKNOWN : result;
}

function startNamed(run: Run, started: Started, command: ShellCommand, path: string): Result {
  const { program } = command;
  // Names of programs are plain letters; others only look like them.
  if (/[^\x21-\x7e]/.test(program)) {
    run.error('text', `the program name ${inQuotes(program)} has unusual letters`, started.start);
  }
  if (started.shell !== 'none') {
    const builtin = BUILTINS.get(path);
    const result = builtin?.(run, started, command) ?? null;
    if (result !== null) return result;
  }
  const starter = starterOf(command);
  if (starter !== null) return unwrap(run, started, command, starter);
  runHelpers(run, started, command);
  command.patch = patchOf(run, started, command);
  const interpreter = interpreterNamed(program);
  if (interpreter !== undefined) return interpret(run, started, command, interpreter);
  if (path.includes('/')) runWritten(run, started, command);
  return printed(run, started, program);
}

/** A file that this text wrote is not just a program. */
function runWritten(run: Run, started: Started, command: ShellCommand): void {
  const path = resolvePath(started.state.cwd, started.words[0]!);
  const written = run.written(path, started.frame);
  if (written !== undefined) runFile(run, started, command, path, written, started.words.slice(1));
}

/** Which program it is shows only when it runs; if it may be nothing, the next word may be the program. */
function startUnknown(run: Run, started: Started, first: Field): Result {
  emit(run, started);
  run.error('program', `the program ${inQuotes(first.text)} is only known when it runs`, started.start);
  const pieces = first.text.trim().split(/\s+/);
  // Words that it would be divided into, as far as they are there.
  if (first.many && pieces.length > 1 && started.tries < MOST_TRIES) {
    const words = [
      ...pieces.map((text) => ({ ...knownField(text), from: first.from })),
      ...started.words.slice(1),
    ];
    start(run, { ...started, words, tries: started.tries + 1 });
  }
  if (first.many && started.words.length > 1 && started.tries < MOST_TRIES) {
    start(run, { ...started, words: started.words.slice(1), tries: started.tries + 1 });
  }
  return UNKNOWN;
}

export function emit(run: Run, started: Started, isFunction = false, recursive = false): ShellCommand {
  const { frame, state } = started;
  return run.emit(
    {
      words: started.words,
      assigns: started.assigns,
      redirects: started.redirects,
      input: started.input,
      via: frame.via,
      elevated: frame.elevated,
      remote: frame.remote,
      mounts: frame.mounts,
      background: frame.background,
      isFunction,
      recursive,
      endless: frame.endless,
      cwd: state.cwd,
      cwdCertain: state.cwdCertain,
      text: started.text,
      start: started.start,
      end: started.end,
      from: started.from,
    },
    frame.repeats,
  );
}

const SURE: ReadonlySet<string> = new Set(['echo', 'printf', 'true', ':', 'cat', 'tee']);

/** What it prints, if anybody asks and it can be known. */
export function printed(run: Run, started: Started, program: string): Result {
  const { frame, words, input } = started;
  if (program === 'false') return FAILED;
  if (program === 'tee') teeFiles(run, started);
  if (COPIES.has(program)) copyFile(run, started);
  const args = words.slice(1);
  const plain = args.every((word) => word.known && !word.many) && isUsual(started, program);
  const status = SURE.has(program) && program !== 'cat' && plain ? 0 : -1;
  if (!frame.capture || (!plain && !FILTERS.has(program))) return { text: null, sure: false, status };
  let sure = true;
  const text = printedBy(program, {
    dialect: frame.dialect,
    args: args.map((word) => word.text),
    input: inputText(input),
    file: (name) => {
      const alt = run.wroteFiles ? fileText(run, started, name) : null;
      sure &&= alt?.known === true;
      return alt?.text ?? null;
    },
    differs: () => {
      run.differs = true;
    },
  });
  const given = text === null && FILTERS.has(program) ? inputText(input) : null;
  if (given !== null) return { text: given, sure: false, status };
  // A file may be gone, and then `cat` prints nothing.
  if (program === 'cat' && args.length > 0) sure = false;
  return { text, sure: sure && text !== null, status };
}

/** A program of another folder, or found through another PATH, only has the same name. */
function isUsual({ words, env }: Started, program: string): boolean {
  const path = words[0]!.text;
  if (path.includes('/')) return /^\/(?:usr\/)?bin\/[^/]+$/.test(path) && env.get('PATH') === undefined;
  return BUILT_IN.has(program) || env.get('PATH') === undefined;
}

const BUILT_IN: ReadonlySet<string> = new Set(['echo', 'printf', 'true', ':']);

export function inputText({ alts, shared }: Input): string | null {
  return !shared && alts?.length === 1 && alts[0]!.known ? alts[0]!.text : null;
}

function fileText(run: Run, { state, frame }: Started, name: string): Alt | null {
  const written = run.written(resolvePath(state.cwd, { text: name, tilde: false }), frame);
  return written?.alts.length === 1 && written.alts[0]!.text !== '' ? written.alts[0]! : null;
}

/** What they print is a part of their input, or little different from it. */
const FILTERS: ReadonlySet<string> = new Set(
  'sed grep egrep head tail sort uniq awk gawk cut envsubst fold fmt tac column expand strings iconv dos2unix sponge pv'.split(
    ' ',
  ),
);

const COPIES: ReadonlySet<string> = new Set(['cp', 'mv', 'ln', 'install']);

/** `cp /dev/stdin file`, `mv a b`: what this text wrote has another name as well. */
function copyFile(run: Run, started: Started): void {
  const { words, input, state, frame } = started;
  const [source, target] = words.slice(-2);
  if (words.length < 3 || !source!.known || !target!.known) return;
  const text =
    source!.text === '/dev/stdin'
      ? inputText(input)
      : run.wroteFiles
        ? (fileText(run, started, source!.text)?.text ?? null)
        : null;
  if (text !== null)
    run.write(resolvePath(state.cwd, target!), { text, sure: false }, false, input.from, frame);
}

function teeFiles(run: Run, { words, input, state, frame }: Started): void {
  const append = words.some((word) => word.text === '-a' || word.text === '--append');
  const text = inputText(input);
  const sure = text !== null && !frame.repeats && !run.unsteady;
  for (const word of words.slice(1)) {
    if (word.text.startsWith('-') || !word.known || word.many) continue;
    run.write(resolvePath(state.cwd, word), { text, sure }, append, input.from, frame);
  }
}

/** A command started by another one: same place, other words. */
export function startedBy(
  started: Started,
  words: readonly Field[],
  frame: Frame,
  shell: Started['shell'] = 'none',
): Started {
  return {
    ...started,
    words,
    frame,
    shell,
    redirects: [],
    assigns: started.assigns,
    from: UNTAINTED,
    tries: 0,
  };
}

export { programOf };
