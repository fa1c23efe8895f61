/**
 * Interpreters: finds the code they run, in an argument, a file of this text, or on the input. Shell code is walked; in code
 * of other languages, the commands it starts are looked for.
 */

import { callsIn, commandLiterals } from '../code/calls.ts';
import type { ShellCommand } from '../command.ts';
import type { ShellReading } from '../dialect.ts';
import { type Alt, type Field, knownField, unknownField } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import { type Interpreter, interpreterOf } from '../programs/interpreters.ts';
import { scanOptions, specOf } from '../programs/options.ts';
import { inQuotes } from '../text.ts';
import type { Written } from './files.ts';
import { readingFor, runTexts, SH } from './nested.ts';
import { type Frame, INHERITED, type Result, type Run, UNKNOWN } from './run.ts';
import { inputText, inside, printed, programOf, type Started, start } from './start.ts';
import { variable } from './state.ts';
import { joinWords } from './unwrap.ts';

export function interpret(run: Run, started: Started, command: ShellCommand, row: Interpreter): Result {
  const { words } = started;
  const style = { mixed: row.mixed === true, single: row.single === true };
  const { options, operands, strange } = scanOptions(optionWords(row, words), 1, specOf(row.options), style);
  const has = (names: readonly string[] | undefined) => options.some(({ name }) => names?.includes(name));
  if (strange !== null && row.language === 'sh') {
    run.error(
      'program',
      `an option of ${command.program} that is not known: ${inQuotes(strange)}`,
      started.start,
    );
  }
  const given = options.filter(({ name, value }) => value !== null && row.code.includes(name));
  const [first, ...others] = operands;
  if (row.subs?.includes(words[first ?? -1]?.text ?? '') === false)
    return printed(run, started, command.program);
  const other = options.find(({ name }) => name === row.as?.[0]);
  if (other?.value != null) {
    const rest = { ...started, words: [words[0]!, other.value, ...operands.map((at) => words[at]!)] };
    return interpret(run, rest, command, interpreterOf(row.as![1])!);
  }
  const starts = options.find(({ name }) => row.starts?.includes(name));
  if (starts !== undefined && starts.at + 1 < words.length) {
    const frame = {
      ...started.frame,
      level: started.frame.level + 1,
      via: [...started.frame.via, command.program],
    };
    if (run.mayDescend(frame, started.start))
      start(run, {
        ...inside(started, words.slice(starts.at + 1), { ...frame, capture: false }),
        env: started.env.fork(true),
      });
  }
  const texts = [...given.map(({ value }) => value!), ...markedIn(row, words, operands)];
  if (texts.length > 0)
    runCode(
      run,
      started,
      command,
      row,
      texts,
      operands.map((at) => words[at]!),
    );
  const args = others.map((at) => words[at]!);
  const place = has(row.flag) ? 0 : given.length === 0 && !has(row.files) ? row.operand : undefined;
  const behind = row.behind?.includes(words[first ?? -1]?.text ?? '') === true ? others[0] : undefined;
  const code = place === undefined ? behind : operands[place];
  // Only looked at: `bash -n -c code`, which `+n` and `+o noexec` take back, and which asks no shell that is interactive.
  const unread =
    has(['-n', '-D', '--dump-strings', '--dump-po-strings']) ||
    options.some(({ name, value }) => name === '-o' && value?.known === true && value.text === 'noexec');
  const runs = has(['-i']) || words.some(({ text, known }) => text.startsWith('+') || !known);
  if (row.language === 'sh' && unread && !runs) return printed(run, started, command.program);
  if (code !== undefined) {
    command.codeAt = code;
    // `sh -c code name a b`: the name is no argument.
    if (!has(row.flag)) return runCode(run, started, command, row, [words[code]!], args);
    return runCode(run, started, command, row, [words[code]!], args.slice(1), started.input, args[0]);
  }
  const file = options.find(({ name }) => row.files?.includes(name))?.value;
  if (file != null && isStdin(file)) return runInput(run, started, command, row, args);
  if (file != null) return runFileOf(run, started, command, row, file, args);
  if (texts.length > 0 || has(row.quiet)) return printed(run, started, command.program);
  const reads = has(['-s']) && row.language === 'sh';
  if (first !== undefined && row.file === true && !reads && !isStdin(words[first]!)) {
    const script = interpreterOf(programOf(words[first]!.text));
    if (script?.subs !== undefined)
      return interpret(run, { ...started, words: words.slice(first) }, command, script);
    return runFileOf(run, started, command, row, words[first]!, args);
  }
  const usual = row.usual?.find((name) => run.wroteFiles && run.files.has(name));
  if (usual !== undefined) return runFileOf(run, started, command, row, knownField(usual), args);
  if (row.stdin !== true) return printed(run, started, command.program);
  const list = reads ? operands.map((at) => words[at]!) : args;
  return runInput(run, started, command, row, list);
}

function markedIn({ marked }: Interpreter, words: readonly Field[], operands: readonly number[]): Alt[] {
  if (marked === undefined) return [];
  return operands.flatMap((at) => {
    const text = marked.exec(words[at]!.text)?.[1];
    return text === undefined ? [] : [{ text, known: words[at]!.known }];
  });
}

/** Shells take `+e` where they take `-e`, and `+c` is no different from `-c`. */
function optionWords(row: Interpreter, words: readonly Field[]): readonly Field[] {
  if (row.language !== 'sh' || !words.some((word) => word.text.startsWith('+'))) return words;
  return words.map((word) =>
    /^\+[a-zA-Z]+$/.test(word.text) ? { ...word, text: `-${word.text.slice(1)}` } : word,
  );
}

function isStdin({ text }: Field): boolean {
  return text === '-' || text === '/dev/stdin' || text === '/dev/fd/0' || text === '/proc/self/fd/0';
}

/** Code that is there as text. */
function runCode(
  run: Run,
  started: Started,
  command: ShellCommand,
  row: Interpreter,
  alts: readonly Alt[] | null,
  args: readonly Field[],
  input = started.input,
  zero?: Field,
): Result {
  // One statement each.
  const text = alts?.map((alt) => alt.text).join(row.language === 'sql' ? ';\n' : '\n') ?? '';
  const known = alts?.every((alt) => alt.known) ?? false;
  command.code = { language: row.language, text, known };
  const frame: Frame = {
    ...started.frame,
    via: [...started.frame.via, command.program],
    place: { start: started.start, end: started.end },
    input,
    calls: [],
    loop: null,
    call: null,
    locals: null,
  };
  if (row.language === 'sh') {
    const reading =
      interpreterOf(command.program)?.flag === undefined
        ? SH
        : readingFor(run, command.program, started.start);
    const state = started.env.fork(true);
    state.args = args;
    if (zero !== undefined) state.set('0', variable({ alts: [zero], numeric: false, from: zero.from }));
    if (reading !== undefined) return runTexts(run, alts, reading, state, frame);
    return UNKNOWN;
  }
  if (UNREADABLE.has(row.language)) {
    run.error('shell', `${row.language} cannot be read`, started.start);
    return UNKNOWN;
  }
  if (alts === null && row.loose !== true) {
    run.error('code', `code for ${row.language} is only known when it runs`, started.start);
  }
  runCalls(
    run,
    started,
    command,
    row.language,
    `${heldBy(row, started.words)}${text}`,
    { ...frame, capture: false },
    args,
  );
  return printed(run, started, command.program);
}

/** What awk is told to hold, `-v name=text`, as the assignments that they are. */
function heldBy({ language, options }: Interpreter, words: readonly Field[]): string {
  if (language !== 'awk') return '';
  return scanOptions(words, 1, specOf(options))
    .options.filter(({ name, value }) => value !== null && (name === '-v' || name === '--assign'))
    .map(({ value }) => value!.text.replace(/=(.*)$/s, (_, text: string) => `=${JSON.stringify(text)};`))
    .join('');
}

const UNREADABLE: ReadonlySet<string> = new Set([
  'fish',
  'csh',
  'elvish',
  'xonsh',
  'nu',
  'powershell',
  'cmd',
]);

/** Commands that code of another language starts. */
function runCalls(
  run: Run,
  started: Started,
  command: ShellCommand,
  language: string,
  text: string,
  frame: Frame,
  args: readonly Field[] = [],
): void {
  const kept = started.frame.capture;
  for (const call of callsIn(language, text, kept)) {
    const env = started.env.fork(true);
    if (call.kind === 'text') {
      // `s/^/program /e` runs the line that it stands before.
      const line = language === 'sed' && !call.known ? inputText(started.input) : null;
      runTexts(run, [line === null ? call : { ...call, text: `${call.text} ${line}` }], SH, env, frame);
    } else if (call.words.length === 0) {
      run.error('code', `a command that ${command.program} starts is only known when it runs`, started.start);
      runHanded(run, started, language, text, frame, args);
    } else {
      const words = call.words.map((word) => (word === null ? unknownField('$()', true) : knownField(word)));
      start(run, { ...inside(started, words, frame), env, state: env });
    }
  }
}

const FROM_ARGUMENTS = /argv|\$@|\$\*|commandArgs/i;
const FROM_INPUT = /stdin|readline|<>|\bgets\b|getline|\$_\b|\$0/i;

/** Code that runs what it does not name: its arguments, its input and texts in it may be commands. */
function runHanded(
  run: Run,
  started: Started,
  language: string,
  code: string,
  frame: Frame,
  args: readonly Field[],
): void {
  const texts = FROM_ARGUMENTS.test(code) ? [...args.map((word) => word.text), joinWords(args).text] : [];
  if (FROM_INPUT.test(code)) texts.push(inputText(started.input) ?? '');
  texts.push(...commandLiterals(language, code));
  for (const text of texts) {
    if (text.trim() !== '')
      runTexts(run, [{ text, known: false }], SH, started.env.fork(true), { ...frame, input: INHERITED });
  }
}

/** Code from its own input. */
function runInput(
  run: Run,
  started: Started,
  command: ShellCommand,
  row: Interpreter,
  args: readonly Field[],
): Result {
  const { input } = started;
  if (row.language === 'sh') {
    const shell = interpreterOf(command.program)?.flag !== undefined;
    const reading = shell ? readingFor(run, command.program, started.start) : SH;
    return reading === undefined ? UNKNOWN : runStdin(run, started, command, reading, args);
  }
  if (input.kind === 'inherited' || (input.kind === 'file' && input.alts === null)) return UNKNOWN;
  command.runsStdin = true;
  return runCode(run, started, command, row, input.alts, args, INHERITED);
}

/** A shell that reads commands from its input. */
export function runStdin(
  run: Run,
  started: Started,
  command: ShellCommand,
  reading: ShellReading,
  args: readonly Field[] = [],
): Result {
  const { input } = started;
  command.runsStdin = true;
  const text = input.alts?.map((alt) => alt.text).join('\n') ?? '';
  const known = input.alts?.every((alt) => alt.known) ?? false;
  command.code = { language: 'sh', text, known };
  // A file that this text did not write is like a program that was there before.
  if (input.kind === 'file' && input.alts === null && input.path !== null) {
    if (run.written(input.path, started.frame) === undefined) return UNKNOWN;
  }
  if (input.shared)
    run.error('code', 'nobody knows which command reads which part of the input', started.start);
  const frame: Frame = {
    ...started.frame,
    via: [...started.frame.via, command.program],
    place: { start: started.start, end: started.end },
    input: INHERITED,
    calls: [],
    loop: null,
    call: null,
    locals: null,
  };
  const state = started.env.fork(true);
  state.args = args;
  return runTexts(run, input.alts, reading, state, frame);
}

/** `python file`, `sh file`: of interest only if this text wrote the file. */
function runFileOf(
  run: Run,
  started: Started,
  command: ShellCommand,
  row: Interpreter,
  file: Field,
  args: readonly Field[],
): Result {
  if (isUncertain(file)) {
    if (run.files.any(run.commands))
      run.error('code', 'a file that is run may be one of this text', started.start);
    return UNKNOWN;
  }
  const path = resolvePath(started.state.cwd, file);
  const written = run.written(path, started.frame);
  if (written === undefined) {
    // `sh /dev/fd/3`: whatever stands there.
    if (/^\/(?:dev\/fd|proc)\//.test(path)) run.error('code', 'a descriptor is run', started.start);
    return UNKNOWN;
  }
  command.runs = written.from;
  return runCode(run, started, command, row, written.alts, args);
}

/** A path that is only known when it runs; the one of `<(…)` counts as known. */
export function isUncertain(file: Field): boolean {
  return file.many || (!file.known && !/^\/dev\/fd\/\d+$/.test(file.text));
}

const SHEBANG = /^#![ \t]*(\S+)(?:[ \t]+(\S+))?/;

/** A file of this text, started by its path. */
export function runFile(
  run: Run,
  started: Started,
  command: ShellCommand,
  path: string,
  written: Written,
  args: readonly Field[],
): void {
  command.runs = written.from;
  for (const alt of written.alts) {
    const [, program = '/bin/sh', first] = SHEBANG.exec(alt.text) ?? [];
    const name = programOf(program) === 'env' && first !== undefined ? programOf(first) : programOf(program);
    const row = interpreterOf(name);
    const frame = {
      ...started.frame,
      via: [...started.frame.via, path],
      place: { start: started.start, end: started.end },
    };
    if (row === undefined || row.language === 'sh') {
      const reading = readingFor(run, row === undefined ? 'sh' : name, started.start);
      const state = started.env.fork(true);
      state.args = args;
      if (reading !== undefined) runTexts(run, [alt], reading, state, frame);
    } else {
      if (!alt.known) run.error('code', 'a file that is run is only known when it runs', started.start);
      command.code = { language: row.language, text: alt.text, known: alt.known };
      runCalls(run, started, command, row.language, alt.text, frame);
    }
  }
}
