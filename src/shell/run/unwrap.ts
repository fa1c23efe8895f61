/**
 * Takes wrappers off: finds the command that `sudo`, `timeout`, `ssh`, `find -exec` and the others start, and starts it.
 */

import type { ShellCommand } from '../command.ts';
import { type Field, knownField } from '../known/values.ts';
import { hostPath, type Mounts, mountIn, NO_MOUNTS, onHost } from '../mounts.ts';
import { resolvePath } from '../paths.ts';
import { type Option, type Scan, scanOptions } from '../programs/options.ts';
import { type Program, programNamed, type Starts, subNamed } from '../programs/table.ts';
import type { CommandAssign } from '../reading.ts';
import { inQuotes } from '../text.ts';
import { runHelpers } from './carried.ts';
import { runStdin } from './interpret.ts';
import { runTexts, SH } from './nested.ts';
import { GRAMMARS } from './own-grammars.ts';
import { type Frame, type Result, type Run, UNKNOWN } from './run.ts';
import { noteAssigned, runCarried } from './simple.ts';
import { type Started, start, startedBy } from './start.ts';
import { State, variable } from './state.ts';

export interface FoundStarter {
  readonly program: Program;
  readonly starts: Starts;
  /** The first word behind the name and its sub-commands. */
  readonly from: number;
}

/** The row by which a command starts another one, if it does. */
export function starterOf(command: ShellCommand): FoundStarter | null {
  const { program: name, words } = command;
  if (GRAMMARS.has(name)) return { ...OWN, from: 1 };
  // Without `-u` it is another name of su.
  const asSu = name === 'runuser' && !words.some(({ text }) => /^(?:-\w*u|--user)/.test(text));
  const program = programNamed(asSu ? 'su' : name);
  if (program === undefined) return null;
  if (program.starts !== null) return { program, starts: program.starts, from: 1 };
  if (program.subs.size === 0) return null;
  const { operands } = command.layout;
  const first = operands.slice(0, 3).map((at) => words[at]!.text);
  const sub = subNamed(program, first, ({ starts }) => starts !== null);
  return sub === null
    ? null
    : { program: sub.program, starts: sub.program.starts!, from: operands[sub.depth - 1]! + 1 };
}

const ENV = programNamed('env')!;
const OWN = { program: ENV, starts: ENV.starts! };

export function unwrap(run: Run, started: Started, command: ShellCommand, starter: FoundStarter): Result {
  const { program: row, from } = starter;
  const { program } = command;
  if (!run.mayDescend(started.frame, started.start)) return UNKNOWN;
  const grammar = GRAMMARS.get(program);
  if (grammar !== undefined) return grammar(run, started, command);
  const { words } = started;
  if (words[from]?.known === true && HELP.has(words[from].text)) return UNKNOWN;
  runHelpers(run, started, command);
  const first = row.row.numbers === true ? skipNumbers(words, from) : from;
  const found = findCommand(starter, words, first);
  if (found.strange !== null) {
    const message = `which word of ${program} is the program is not certain: ${inQuotes(found.strange)}`;
    run.error('program', message, started.start);
    startElsewhere(run, started, program, words, found.at);
  }
  if (found.options.some(({ name }) => row.quiet.includes(name))) return UNKNOWN;
  const frame = frameInside(started, program, starter, found);
  const folder = found.options.find(({ name }) => row.values.get(name) === 'folder');
  const env = stateInside(run, started, row, folder, frame.mounts);
  const scripts = found.options.filter(
    ({ name, value }) => value !== null && row.values.get(name) === 'shell',
  );
  const next = { ...startedBy(started, [], frame, row.row.lookup ?? 'none'), env, state: env };
  for (const { value } of scripts) {
    command.wrapper = true;
    if (program === 'env') return splitString(run, next, value!, words.slice(found.at));
    runTexts(run, [value!], SH, env, frame);
  }
  if (scripts.length > 0) return UNKNOWN;
  return startRest(
    run,
    { ...next, ...assignsInside(run, next, starter.starts, enteredBy(row, words, found), 0) },
    command,
    starter,
    words,
    found,
  );
}

/** The command; the entry point of an image stands before it. What begins with an option is for that of the image itself. */
function enteredBy(
  { values }: Program,
  words: readonly Field[],
  { at, options }: FoundCommand,
): readonly Field[] {
  const rest = words.slice(at);
  const entry = options.find(({ name }) => values.get(name) === 'entry')?.value;
  if (entry != null && entry.text !== '') return [entry, ...rest];
  const image = rest[0]?.text.startsWith('-')
    ? /([^/:@]+)(?:[:@][^/]*)?$/.exec(words[at - 1]!.text)?.[1]
    : undefined;
  return image === undefined || ![...values.values()].includes('entry') ? rest : [knownField(image), ...rest];
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
      ...startedBy(started, words.slice(at), { ...frame, capture: false }),
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

function findCommand(
  { program: { spec, row, values }, starts }: FoundStarter,
  words: readonly Field[],
  from: number,
): FoundCommand {
  const single = row.single === true;
  const opens = (name: string) => values.get(name) === 'command+';
  const byOption = [...values.values()].includes('command+');
  if (!byOption && (starts.form === 'none' || starts.form === 'each')) {
    return foundAt(scanOptions(words, from, spec, { single, mixed: true }), words.length);
  }
  const dashes = starts.dashes ? words.findIndex((word, i) => i >= from && word.text === '--') : -1;
  if (dashes !== -1) {
    return foundAt(scanOptions(words.slice(0, dashes), from, spec, { single, mixed: true }), dashes + 1);
  }
  const before = scanOptions(words, from, spec, { single });
  const opening = before.options.find(({ name }) => opens(name));
  if (opening !== undefined) return foundAt(before, opening.at + 1);
  if (byOption) return foundAt(before, words.length);
  const operand = before.operands[0] ?? words.length;
  const at = Math.min(operand + starts.skip, words.length);
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

function frameInside(started: Started, name: string, starter: FoundStarter, found: FoundCommand): Frame {
  const { program } = starter;
  const { frame } = started;
  return {
    ...frame,
    level: frame.level + 1,
    via: [...frame.via, name],
    elevated: frame.elevated || (program.elevates && isRoot(starter, started.words, found)),
    remote: frame.remote || program.row.remote === true,
    mounts: mountsInside(started, starter, found),
    input: started.input,
    place: { start: started.start, end: started.end },
  };
}

/** A container sees what it mounts, and nothing of what the command around it sees. */
function mountsInside(
  { frame, state, words }: Started,
  { program }: FoundStarter,
  found: FoundCommand,
): Mounts {
  const roots = program.roles[0] === 'root' ? found.operands.slice(0, 1) : [];
  const mounted = found.options.filter(({ name }) => program.values.get(name) === 'mount');
  if (roots.length === 0 && mounted.length === 0)
    return program.row.remote === true ? NO_MOUNTS : frame.mounts;
  return [
    ...roots.map((at) => ({ host: onHost(hostPath(words[at]!.text, state.cwd), frame.mounts)[0]!, at: '/' })),
    ...mounted.flatMap(({ value }) => (value === null ? [] : (mountIn(value, state.cwd) ?? []))),
  ];
}

/** No other user is named. */
function isRoot({ program, starts }: FoundStarter, words: readonly Field[], found: FoundCommand): boolean {
  const option = found.options.find(({ name }) => program.values.get(name) === 'user');
  if (option !== undefined) return option.value !== null && isRootName(option.value);
  if (!starts.named) return starts.skip !== 1 || isRootName(words[found.at - 1]!);
  const named =
    starts.form === 'none'
      ? found.operands.map((at) => words[at]!).find((word) => word.text !== '-')
      : words[found.at - 1];
  return named === undefined || isRootName(named);
}

function isRootName({ text, known }: Field): boolean {
  return !known || /^(?:root|#?0|0?:.*|root:.*)$/.test(text);
}

function stateInside(
  run: Run,
  started: Started,
  { row, roles }: Program,
  folder: Option<Field> | undefined,
  { length: mounted }: Mounts,
): State {
  // Of a container without anything of this machine, paths stay as they are written.
  const inside = mounted > 0 && folder?.value?.known === true ? folder.value.text : null;
  if (row.remote === true) return new State(null, true, inside, false);
  const state = row.lookup === undefined ? started.env.fork(true) : started.state;
  if (roles[0] === 'root') state.cwd = '/';
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
  starts: Starts,
  words: readonly Field[],
  from: number,
): { assigns: readonly CommandAssign[]; words: readonly Field[] } {
  let at = from;
  const assigns: CommandAssign[] = [...started.assigns];
  for (; starts.assigns && at < words.length; at++) {
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
  { program: { row }, starts }: FoundStarter,
  words: readonly Field[],
  found: FoundCommand,
): Result {
  if (starts.form === 'each') {
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
    starts.form === 'joined' && !found.options.some(({ name }) => name === '-x' || name === '--exec');
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
