/**
 * Interpreters: finds the code they run, in an argument, a file of this text, or on the input. Shell code is walked; in code
 * of other languages, the commands it starts are looked for.
 */

import { callsIn, commandLiterals } from '../code/calls.ts';
import type { ShellCommand } from '../command.ts';
import type { ShellReading } from '../dialect.ts';
import { type Alt, type Field, knownField, unknownField } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import { FORMS, type SubRow } from '../programs/notation.ts';
import { scanOptions } from '../programs/options.ts';
import { interpreterNamed, type Program } from '../programs/table.ts';
import { inQuotes } from '../text.ts';
import type { Written } from './files.ts';
import { readingFor, runTexts, SH } from './nested.ts';
import { type Frame, INHERITED, type Result, type Run, UNKNOWN } from './run.ts';
import { inputText, printed, programOf, type Started, start, startedBy } from './start.ts';
import { variable } from './state.ts';
import { joinWords } from './unwrap.ts';
import { cmdArguments, powerShellArguments } from './windows-shells.ts';

export function interpret(run: Run, started: Started, command: ShellCommand, program: Program): Result {
  const { words } = started;
  const { row } = program;
  const style = { mixed: row.mixed === true, single: row.single === true };
  const windows = WINDOWS[row.language ?? ''];
  if (windows !== undefined) {
    const { alts, file, args } = windows(words);
    if (alts !== null) return runCode(run, started, command, program, alts, args);
    return file === null
      ? runInput(run, started, command, program, args)
      : runFileOf(run, started, command, program, file, args);
  }
  const { options, operands, strange } = scanOptions(optionWords(row, words), 1, program.spec, style);
  const has = (names: readonly string[]) => options.some(({ name }) => names.includes(name));
  const valuesAs = (role: string) => options.filter(({ name }) => program.values.get(name) === role);
  if (strange !== null && row.language === 'sh') {
    run.error(
      'program',
      `an option of ${command.program} that is not known: ${inQuotes(strange)}`,
      started.start,
    );
  }
  const given = valuesAs('code').filter(({ value }) => value !== null);
  const [first, ...others] = operands;
  const sub = words[first ?? -1]?.text ?? '';
  if (program.only.length > 0 && !program.only.includes(sub)) return printed(run, started, command.program);
  const other = options.find(({ name }) => program.values.get(name)?.startsWith('codefile:'));
  if (other?.value != null) {
    const rest = { ...started, words: [words[0]!, other.value, ...operands.map((at) => words[at]!)] };
    const named = program.values.get(other.name)!.slice('codefile:'.length);
    return interpret(run, rest, command, interpreterNamed(named)!);
  }
  const [starts] = valuesAs('command+');
  if (starts !== undefined && starts.at + 1 < words.length) {
    const frame = {
      ...started.frame,
      level: started.frame.level + 1,
      via: [...started.frame.via, command.program],
    };
    if (run.mayDescend(frame, started.start))
      start(run, {
        ...startedBy(started, words.slice(starts.at + 1), { ...frame, capture: false }),
        env: started.env.fork(true),
      });
  }
  const texts = [...given.map(({ value }) => value!), ...markedIn(row, words, operands)];
  if (texts.length > 0)
    runCode(
      run,
      started,
      command,
      program,
      texts,
      operands.map((at) => words[at]!),
    );
  const args = others.map((at) => words[at]!);
  const flagged = has(program.flag);
  const files = valuesAs('codefile');
  const inOrder = program.roles.indexOf('code');
  const place = flagged
    ? 0
    : given.length === 0 && files.length === 0 && inOrder !== -1
      ? inOrder
      : undefined;
  const behind = program.behind.includes(sub) ? others[0] : undefined;
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
    if (!flagged) return runCode(run, started, command, program, [words[code]!], args);
    return runCode(run, started, command, program, [words[code]!], args.slice(1), started.input, args[0]);
  }
  const file = files[0]?.value;
  if (file != null && isStdin(file)) return runInput(run, started, command, program, args);
  if (file != null) return runFileOf(run, started, command, program, file, args);
  if (texts.length > 0 || has(program.quiet)) return printed(run, started, command.program);
  const reads = has(['-s']) && row.language === 'sh';
  if (first !== undefined && program.roles[0] === 'codefile' && !reads && !isStdin(words[first]!)) {
    const script = interpreterNamed(programOf(words[first]!.text));
    if (script !== undefined && script.only.length > 0)
      return interpret(run, { ...started, words: words.slice(first) }, command, script);
    return runFileOf(run, started, command, program, words[first]!, args);
  }
  const usual = program.files.find((name) => run.wroteFiles && run.files.has(name));
  if (usual !== undefined) return runFileOf(run, started, command, program, knownField(usual), args);
  if (row.stdin !== true) return printed(run, started, command.program);
  const list = reads ? operands.map((at) => words[at]!) : args;
  return runInput(run, started, command, program, list);
}

/** Shells whose options are read by their own rules. */
const WINDOWS: Readonly<Record<string, typeof powerShellArguments>> = {
  powershell: powerShellArguments,
  cmd: cmdArguments,
};

const MARKED_CODE = /(?:^| )code:(\S+)/;

function markedIn({ marked }: SubRow, words: readonly Field[], operands: readonly number[]): Alt[] {
  const form = MARKED_CODE.exec(marked ?? '')?.[1];
  if (form === undefined) return [];
  return operands.flatMap((at) => {
    const text = FORMS[form]!.exec(words[at]!.text)?.[1];
    return text === undefined ? [] : [{ text, known: words[at]!.known }];
  });
}

/** Shells take `+e` where they take `-e`, and `+c` is no different from `-c`. */
function optionWords(row: SubRow, words: readonly Field[]): readonly Field[] {
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
  program: Program,
  alts: readonly Alt[] | null,
  args: readonly Field[],
  input = started.input,
  zero?: Field,
): Result {
  const { row } = program;
  const language = row.language!;
  // One statement each.
  const text = alts?.map((alt) => alt.text).join(language === 'sql' ? ';\n' : '\n') ?? '';
  const known = alts?.every((alt) => alt.known) ?? false;
  command.code = { language, text, known };
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
  if (language === 'sh' || WINDOWS[language] !== undefined) {
    const reading =
      language !== 'sh'
        ? readingFor(run, language, started.start)
        : interpreterNamed(command.program)?.row.flag === undefined
          ? SH
          : readingFor(run, command.program, started.start);
    const state = started.env.fork(true);
    state.args = args;
    if (zero !== undefined) state.set('0', variable({ alts: [zero], numeric: false, from: zero.from }));
    if (reading !== undefined) return runTexts(run, alts, reading, state, frame);
    return UNKNOWN;
  }
  if (UNREADABLE.has(language)) {
    run.error('shell', `${language} cannot be read`, started.start);
    return UNKNOWN;
  }
  if (alts === null && row.loose !== true) {
    run.error('code', `code for ${language} is only known when it runs`, started.start);
  }
  runCalls(
    run,
    started,
    command,
    language,
    `${awkAssignments(program, started.words)}${text}`,
    { ...frame, capture: false },
    args,
  );
  return printed(run, started, command.program);
}

/** What awk is told to hold, `-v name=text`, as the assignments that they are. */
function awkAssignments({ row, spec }: Program, words: readonly Field[]): string {
  if (row.language !== 'awk') return '';
  return scanOptions(words, 1, spec)
    .options.filter(({ name, value }) => value !== null && (name === '-v' || name === '--assign'))
    .map(({ value }) => value!.text.replace(/=(.*)$/s, (_, text: string) => `=${JSON.stringify(text)};`))
    .join('');
}

const UNREADABLE: ReadonlySet<string> = new Set(['fish', 'csh', 'elvish', 'xonsh', 'nu']);

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
      start(run, { ...startedBy(started, words, frame), env, state: env });
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
  program: Program,
  args: readonly Field[],
): Result {
  const { input } = started;
  if (program.row.language === 'sh') {
    const shell = interpreterNamed(command.program)?.row.flag !== undefined;
    const reading = shell ? readingFor(run, command.program, started.start) : SH;
    return reading === undefined ? UNKNOWN : runStdin(run, started, command, reading, args);
  }
  if (input.kind === 'inherited' || (input.kind === 'file' && input.alts === null)) return UNKNOWN;
  command.runsStdin = true;
  return runCode(run, started, command, program, input.alts, args, INHERITED);
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
    run.error('code', 'which command reads which part of the input is unknown', started.start);
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
  program: Program,
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
  return runCode(run, started, command, program, written.alts, args);
}

/** A path that is only known when it runs; the one of `<(…)` counts as known. */
export function isUncertain(file: Field): boolean {
  return file.many || (!file.known && !/^\/dev\/fd\/\d+$/.test(file.text));
}

/** Files that say by their name what they are. */
const SCRIPTS = /\.(ps1|psm1|bat|cmd)$/i;
const WINDOWS_SCRIPTS: Readonly<Record<string, string>> = {
  ps1: 'powershell',
  psm1: 'powershell',
  powershell: 'powershell',
  bat: 'cmd',
  cmd: 'cmd',
};

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
    const language = SCRIPTS.exec(path)?.[1]?.toLowerCase() ?? interpreterNamed(name)?.row.language;
    const frame = {
      ...started.frame,
      via: [...started.frame.via, path],
      place: { start: started.start, end: started.end },
    };
    const other = language === undefined ? undefined : WINDOWS_SCRIPTS[language];
    if (language === undefined || language === 'sh' || other !== undefined) {
      const reading = readingFor(run, other ?? (language === undefined ? 'sh' : name), started.start);
      const state = started.env.fork(true);
      state.args = args;
      if (reading !== undefined) runTexts(run, [alt], reading, state, frame);
    } else {
      if (!alt.known) run.error('code', 'a file that is run is only known when it runs', started.start);
      command.code = { language, text: alt.text, known: alt.known };
      runCalls(run, started, command, language, alt.text, frame);
    }
  }
}
