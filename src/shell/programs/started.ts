/**
 * Which programs a command may start by the words it is given, from the rows of the table: the command itself, the script of an
 * interpreter, the command of a runner. A row that cannot start anything has none but itself.
 */
import type { Command } from '../reading.ts';
import { readCached } from '../remembered.ts';
import { type Program, programNamed, subNamed } from './table.ts';

export interface StartedProgram {
  /** A name or a path, as written. */
  readonly file: string;
  readonly args: readonly string[];
  /** False: whether this word names what is started depends on what the program makes of its words. */
  readonly certain: boolean;
  /** What follows it are its own words; false: words of the program that starts it may stand among them. */
  readonly isScript: boolean;
}

/** A script that is given another one has it among these. */
const FIRST_WORDS = 3;

/** Longer texts are no command that somebody types. */
const LONGEST_TEXT = 200;

/** The command first. */
export function programsStarted(command: Command): readonly StartedProgram[] {
  const { program: name, path, args } = command;
  if (command.isFunction || path === '') return [];
  const own: StartedProgram = { file: path, args, certain: true, isScript: true };
  const program = programNamed(name);
  if (program !== undefined && !RUNS_FILES.has(name) && !startsOthers(program)) return [own];
  const script = scriptAt(command, program);
  const isInterpreter = program?.row.language !== undefined;
  const isStarter = ({ starts }: Program) => starts !== null;
  const takesTexts =
    program === undefined ||
    isStarter(program) ||
    READ_AS_TEXT.has(program.row.language ?? '') ||
    subNamed(program, command.operands, isStarter) !== null;
  const others = args.flatMap((arg, at): StartedProgram[] => {
    const rest = args.slice(at + 1);
    // `--require=file`, `-rfile`
    const file = /^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? arg;
    if (file.startsWith('-')) return [];
    const certain = at === script || (isInterpreter && at < FIRST_WORDS && file.includes('/'));
    if (!/\s/.test(file)) return [{ file, args: rest, certain, isScript: at === script }];
    return takesTexts ? [...startedInText(file)] : [];
  });
  return [own, ...others];
}

/** Languages with words like a shell's, which nothing here reads. */
const READ_AS_TEXT: ReadonlySet<string> = new Set(['fish', 'csh', 'elvish', 'xonsh', 'nu']);

/** The word that is a script, behind the sub-command that runs scripts; -1 if there is none. */
function scriptAt(command: Command, program: Program | undefined): number {
  const { operands, args } = command;
  if (program === undefined) return -1;
  const isScript = program.row.language !== undefined && program.roles[0] === 'codefile';
  const sub = subNamed(program, operands, ({ row }) => [row.effects ?? []].flat().includes('run'));
  const scripted = isScript || RUNS_FILES.has(command.program) ? 0 : (sub?.depth ?? -1);
  return scripted === -1 || operands[scripted] === undefined ? -1 : args.indexOf(operands[scripted]!);
}

/** Builtins that run a file, and managers whose first operand may be a program of a project. */
const RUNS_FILES: ReadonlySet<string> = new Set(['.', 'source', 'yarn', 'pnpm', 'bun', 'deno']);

/** A text given to a program that may run or type it: `xterm -e 'program and words'`. */
export function startedInText(text: string): readonly StartedProgram[] {
  if (text.length > LONGEST_TEXT) return [];
  const { commands } = readCached(text.replace(/\\[nrt]|\^M/g, ' '), {});
  return commands.flatMap(({ path, args }) => [
    { file: path, args, certain: false, isScript: false },
    // `if-shell true 'run-shell "program and words"'`
    ...args.filter((arg) => arg.length < text.length && /\s/.test(arg)).flatMap(startedInText),
  ]);
}

const STARTING = new WeakMap<Program, boolean>();
const STARTING_ROLE = /=(?:shell|command\+|code|codefile)\b/;

/** Whether a row, or one of its sub-commands, starts anything it is given. */
export function startsOthers(program: Program): boolean {
  let known = STARTING.get(program);
  if (known === undefined) {
    const { row, starts, subs } = program;
    known =
      starts !== null ||
      row.language !== undefined ||
      row.lookup !== undefined ||
      STARTING_ROLE.test(row.values ?? '') ||
      [row.effects ?? []].flat().some((effect) => /^run\b/.test(effect)) ||
      [...subs.values()].some(startsOthers);
    STARTING.set(program, known);
  }
  return known;
}
