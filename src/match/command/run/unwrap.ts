/**
 * Takes wrappers off: finds the command that `sudo`, `timeout`, `ssh`, `find -exec` and the others start, and starts it.
 */

import type { ShellCommand } from '../command.ts';
import type { Field } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import { type Option, type Scan, scanOptions, specOf } from '../programs/options.ts';
import { WRAPPERS, type Wrapper } from '../programs/wrappers.ts';
import type { CommandAssign } from '../reading.ts';
import { inQuotes } from '../text.ts';
import { runCarriers } from './carried.ts';
import { runStdin } from './interpret.ts';
import { runTexts, SH } from './nested.ts';
import { GRAMMARS } from './own-grammars.ts';
import { type Frame, type Result, type Run, UNKNOWN } from './run.ts';
import { noteAssigned, runCarried } from './simple.ts';
import { inside, type Started, start } from './start.ts';
import { State, variable } from './state.ts';

export interface FoundWrapper {
  readonly row: Wrapper;
  /** The first word behind the name and its sub-commands. */
  readonly from: number;
}

/** Programs that are wrappers only with some sub-commands. */
const WITH_SUBS: ReadonlySet<string> = new Set(
  [...WRAPPERS.keys()].filter((key) => key.includes(' ')).map((key) => key.slice(0, key.indexOf(' '))),
);

export function wrapperOf(command: ShellCommand): FoundWrapper | null {
  const { program, words } = command;
  if (GRAMMARS.has(program)) return { row: OWN, from: 1 };
  // Without `-u` it is another name of su.
  const asSu = program === 'runuser' && !words.some(({ text }) => /^(?:-\w*u|--user)/.test(text));
  const own = asSu ? SU : WRAPPERS.get(program);
  if (own !== undefined) return { row: own, from: 1 };
  if (!WITH_SUBS.has(program)) return null;
  const { operands } = command.layout;
  let key = program;
  let found: FoundWrapper | null = null;
  for (const at of operands.slice(0, 3)) {
    key += ` ${words[at]!.text}`;
    const row = WRAPPERS.get(key);
    if (row !== undefined) found = { row, from: at + 1 };
  }
  return found;
}

const OWN: Wrapper = { options: '' };
const SU = WRAPPERS.get('su')!;

export function unwrap(
  run: Run,
  started: Started,
  command: ShellCommand,
  { row, from }: FoundWrapper,
): Result {
  const { program } = command;
  if (!run.mayDescend(started.frame, started.start)) return UNKNOWN;
  const grammar = GRAMMARS.get(program);
  if (grammar !== undefined) return grammar(run, started, command);
  const { words } = started;
  if (words[from]?.known === true && HELP.has(words[from].text)) return UNKNOWN;
  runCarriers(run, started, command);
  const first = row.numbers === true ? skipNumbers(words, from) : from;
  const found = findCommand(row, words, first);
  if (found.strange !== null) {
    const message = `which word of ${program} is the program is not certain: ${inQuotes(found.strange)}`;
    run.error('program', message, started.start);
    startElsewhere(run, started, program, words, found.at);
  }
  const given = (names: readonly string[] | undefined) =>
    names === undefined ? undefined : found.options.find(({ name }) => names.includes(name));
  if (given(row.quiet) !== undefined) return UNKNOWN;
  const frame = frameInside(started, program, row, found);
  const env = stateInside(run, started, row, given(row.folder));
  const scripts = found.options.filter(({ name, value }) => value !== null && row.script?.includes(name));
  const next = { ...inside(started, [], frame, row.shell ?? 'none'), env, state: env };
  for (const { value } of scripts) {
    command.wrapper = true;
    if (program === 'env') return splitString(run, next, value!, words.slice(found.at));
    runTexts(run, [value!], SH, env, frame);
  }
  if (scripts.length > 0) return UNKNOWN;
  return startRest(
    run,
    { ...next, ...assignsInside(run, next, row, words, found.at) },
    command,
    row,
    words,
    found,
  );
}

/** As the first word they start nothing, whatever else stands there. */
const HELP: ReadonlySet<string> = new Set(['--help', '--version']);

/** Behind an option nobody knows, each of the next words may be the program: one too many does no harm. */
function startElsewhere(
  run: Run,
  started: Started,
  program: string,
  words: readonly Field[],
  found: number,
): void {
  const frame = { ...started.frame, level: started.frame.level + 1, via: [...started.frame.via, program] };
  for (let at = 2; at < Math.min(words.length, 8); at++) {
    const { text, known } = words[at]!;
    if (at === found || !known || !/^[a-z/][\w./+-]*$/i.test(text) || !run.mayTry()) continue;
    start(run, {
      ...inside(started, words.slice(at), { ...frame, capture: false }),
      env: started.env.fork(true),
    });
  }
}

interface FoundCommand extends Scan<Field> {
  /** Where the command begins. */
  readonly at: number;
}

function foundAt({ options, operands, strange }: Scan<Field>, at: number): FoundCommand {
  return { options, operands, strange, at };
}

function findCommand(row: Wrapper, words: readonly Field[], from: number): FoundCommand {
  const spec = specOf(row.options);
  const single = row.single === true;
  if (row.run === 'none' || row.run === 'each') {
    return foundAt(scanOptions(words, from, spec, { single, mixed: true }), words.length);
  }
  const dashes = row.dashes === true ? words.findIndex((word, i) => i >= from && word.text === '--') : -1;
  if (dashes !== -1) {
    return foundAt(scanOptions(words.slice(0, dashes), from, spec, { single, mixed: true }), dashes + 1);
  }
  const before = scanOptions(words, from, spec, { single });
  const behind = before.options.find(({ name }) => row.behind?.includes(name));
  if (behind !== undefined) return foundAt(before, behind.at + 1);
  if (row.behind !== undefined) return foundAt(before, words.length);
  const operand = before.operands[0] ?? words.length;
  const at = Math.min(operand + (row.skip ?? (row.dashes === true ? 1 : 0)), words.length);
  if (row.mixed !== true) return foundAt(before, at);
  const after = scanOptions(words, at, spec, { single });
  return {
    options: [...before.options, ...after.options],
    operands: before.operands,
    strange: before.strange ?? after.strange,
    at: after.operands[0] ?? words.length,
  };
}

/** `nice -5`. */
function skipNumbers(words: readonly Field[], from: number): number {
  let at = from;
  while (/^-\d+$/.test(words[at]?.text ?? '')) at++;
  return at;
}

function frameInside(started: Started, program: string, row: Wrapper, found: FoundCommand): Frame {
  const { frame } = started;
  return {
    ...frame,
    level: frame.level + 1,
    via: [...frame.via, program],
    elevated: frame.elevated || (row.elevates === true && isRoot(row, started.words, found)),
    remote: frame.remote || row.remote === true,
    input: started.input,
    place: { start: started.start, end: started.end },
  };
}

/** Nobody else is named. */
function isRoot(row: Wrapper, words: readonly Field[], found: FoundCommand): boolean {
  const option = found.options.find(({ name }) => row.user?.includes(name));
  if (option !== undefined) return option.value !== null && isRootName(option.value);
  const named =
    row === SU ? found.operands.map((at) => words[at]!).find((word) => word.text !== '-') : undefined;
  const skipped = row.skip === 1 ? words[found.at - 1] : named;
  return skipped === undefined || isRootName(skipped);
}

function isRootName({ text, known }: Field): boolean {
  return !known || /^(?:root|#?0|0?:.*|root:.*)$/.test(text);
}

function stateInside(run: Run, started: Started, row: Wrapper, folder: Option<Field> | undefined): State {
  if (row.remote === true) return new State(null, true, null, false);
  const state = row.shell === undefined ? started.env.fork(true) : started.state;
  if (folder?.value != null) {
    state.cwd = folder.value.known ? resolvePath(state.cwd, folder.value) : null;
    run.version++;
  }
  return state;
}

/** Every word with a `=` in it. */
const ASSIGNMENT = /^([^=]*)=([\s\S]*)$/;

/** `env A=b program`. */
function assignsInside(
  run: Run,
  started: Started,
  row: Wrapper,
  words: readonly Field[],
  from: number,
): { assigns: readonly CommandAssign[]; words: readonly Field[] } {
  let at = from;
  const assigns: CommandAssign[] = [...started.assigns];
  for (; row.assigns === true && at < words.length; at++) {
    const { text, known, from: ranges } = words[at]!;
    const found = ASSIGNMENT.exec(text);
    if (found === null) break;
    const [, name = '', value = ''] = found;
    assigns.push({ name, value, known });
    noteAssigned({ run, state: started.env, frame: started.frame }, name, started.start);
    const held = { alts: [{ text: value, known }], numeric: false, from: ranges };
    started.env.set(name, { ...variable(held), exported: true });
    runCarried({ run, state: started.env, frame: started.frame }, name, held, started.start);
  }
  return { assigns, words: words.slice(at) };
}

function startRest(
  run: Run,
  next: Started,
  command: ShellCommand,
  row: Wrapper,
  words: readonly Field[],
  found: FoundCommand,
): Result {
  if (row.run === 'each') {
    for (const at of found.operands) runTexts(run, [words[at]!], SH, next.env.fork(), next.frame);
    command.wrapper = true;
    return UNKNOWN;
  }
  const shellOption = found.options.some(({ name }) => /^(?:-[is]|--login|--shell)$/.test(name));
  const alone =
    row.shellAlone === true || (shellOption && /^(?:sudo|doas|runuser|systemd-run)$/.test(command.program));
  if (next.words.length === 0) {
    // It is the shell that reads: nothing stands between.
    const frame = { ...next.frame, via: next.frame.via.slice(0, -1) };
    if (alone) runStdin(run, { ...next, input: frame.input, frame }, command, SH);
    return UNKNOWN;
  }
  command.wrapper = true;
  const joined =
    row.run === 'joined' && !found.options.some(({ name }) => name === '-x' || name === '--exec');
  if (!joined) return start(run, next);
  return runTexts(run, [joinWords(next.words)], SH, next.env, next.frame);
}

/** The words with blanks between, as `eval` and `ssh` join them. */
export function joinWords(words: readonly Field[]): { text: string; known: boolean } {
  return {
    text: words.map((word) => word.text).join(' '),
    known: words.every((word) => word.known && !word.many),
  };
}

/** `env -S "a b"` has quotes like a shell, and nothing else of one. */
function splitString(run: Run, next: Started, value: Field, rest: readonly Field[]): Result {
  if (/[;&|<>()`$*?[{~#\\]/.test(value.text)) {
    run.error('syntax', 'a string for env -S that is not plain', next.start);
  }
  const joined = joinWords([
    value,
    ...rest.map((word) => (/\s/.test(word.text) ? { ...word, known: false } : word)),
  ]);
  return runTexts(run, [joined], SH, next.env, next.frame);
}
