/**
 * What can be known of a command line without running it: whether the program it begins with is on this machine, whether the
 * script it hands to an interpreter exists, and whether it only names a TypeScript file, which then runs with what there is.
 */
import { access, constants, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ErrorCode } from '../../base/index.ts';
import { type Machine, type Program, planScript, searchFolders } from '../../machine/index.ts';

export interface CommandLine {
  readonly program: Program;
  /** Why it cannot run as things stand; null if nothing speaks against it. */
  readonly problem: { readonly code: ErrorCode; readonly message: string } | null;
}

/** `command` is a line for the shell; with `args` it is a program. `dir` is the project. */
export async function readCommandLine(
  command: string,
  args: readonly string[] | undefined,
  dir: string,
  machine: Machine,
): Promise<CommandLine> {
  if (args !== undefined) {
    return { program: { argv: [command, ...args] }, problem: await missingProgram(command, dir, machine) };
  }
  const words = simpleWords(command, dir);
  const script = await singleScript(words, dir, machine);
  if (script !== null) {
    const plan = await planScript(dir, script, machine);
    return { program: { script }, problem: plan.ok ? null : plan };
  }
  const [first, second = ''] = words;
  if (first === undefined) return { program: { shell: command }, problem: null };
  const problem = await missingProgram(first, dir, machine);
  const missing = INTERPRETER.test(first) && SCRIPT.test(second) && !(await isFile(resolve(dir, second)));
  return { program: { shell: command }, problem: problem ?? (missing ? missingFile(second) : null) };
}

const INTERPRETER = /(?:^|\/)(?:ba|da|k|z)?sh$|(?:^|\/)(?:python3?|node|bun|tsx|ruby|perl)$/;
/** With an ending: some interpreters find a file that is named without one. */
const SCRIPT = /^[^-].*\.\w+$/;

const PROJECT =
  /"?\$(?:\{(?:CLAUDE_PROJECT|HARNESS_PROJECT|HARNESS_PROFILE)_DIR\}|(?:CLAUDE_PROJECT|HARNESS_PROJECT|HARNESS_PROFILE)_DIR\b)"?/g;

/** The words of a line that the shell would take as they stand, the project's folder put in; none of any other line. */
function simpleWords(line: string, dir: string): string[] {
  const text = line.trim();
  if (/[^\w./@%+:=, -]/.test(text.replace(PROJECT, '').replaceAll('"', ''))) return [];
  const words = (text.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) =>
    word.replace(PROJECT, () => dir).replaceAll('"', ''),
  );
  // Variables set for one command are the shell's.
  return /^\w+=/.test(words[0] ?? '') ? [] : words;
}

const TYPESCRIPT = /\.[cm]?ts$/;

/** The one file a line names, alone or behind a Bun that is not here; null if it is more than that, or not TypeScript. */
async function singleScript(words: readonly string[], dir: string, machine: Machine): Promise<string | null> {
  const [first = '', ...rest] = words;
  if (TYPESCRIPT.test(first)) return first.includes('/') && rest.length === 0 ? first : null;
  if (first !== 'bun' || (await onPath('bun', dir, machine))) return null;
  const files = rest[0] === 'run' ? rest.slice(1) : rest;
  return files.length === 1 && TYPESCRIPT.test(files[0]!) ? files[0]! : null;
}

/** Words the shell understands itself. */
const OF_THE_SHELL = new Set(
  '. : [ alias break case cd command continue echo eval exec exit export false for getopts hash if printf pwd read return set shift test times trap true type ulimit umask unset until wait while { ('.split(
    ' ',
  ),
);

async function missingProgram(
  program: string,
  dir: string,
  machine: Machine,
): Promise<CommandLine['problem']> {
  if (!program.includes('/')) {
    if (OF_THE_SHELL.has(program) || (await onPath(program, dir, machine))) return null;
    return { code: 'COMMAND_MISSING', message: `the program ${program} is not on this machine` };
  }
  const path = resolve(dir, program);
  if (!(await isFile(path))) return missingFile(program);
  if (await isExecutable(path)) return null;
  const message = `${program} is not executable: chmod +x ${program}`;
  return { code: 'COMMAND_NOT_EXECUTABLE', message };
}

const missingFile = (path: string) =>
  ({ code: 'COMMAND_MISSING', message: `${path} does not exist` }) as const;

async function onPath(name: string, dir: string, machine: Machine): Promise<boolean> {
  // Never from a folder of the project, where an agent could have put it.
  for (const folder of searchFolders(machine.env('PATH') ?? '', dir)) {
    if (await isExecutable(join(folder, name))) return true;
  }
  return false;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => isFile(path),
    () => false,
  );
}
