/**
 * Builtins that change what follows: folders, variables, arguments, code that is run at once or later. Each gets the command
 * as it was named and returns what it prints, or null if it is to be looked at as a program.
 */

import { LONGEST_FOLDER, MOST_ALTERNATIVES } from '../bounds.ts';
import type { ShellCommand } from '../command.ts';
import { checkValue } from '../known/arithmetic.ts';
import { printedBy } from '../known/printed.ts';
import {
  type Alt,
  certain,
  type Field,
  known,
  knownField,
  number,
  UNTAINTED,
  unknown,
} from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import { scanOptions, specOf } from '../programs/options.ts';
import { mergeChanges } from './functions.ts';
import { isUncertain } from './interpret.ts';
import { runSubstitutions, runTexts, SH } from './nested.ts';
import { EXITS, type Frame, type Result, type Run, SILENT, UNKNOWN, WORKED } from './run.ts';
import { noteAssigned, runCarried, setVariable } from './simple.ts';
import { printed, type Started } from './start.ts';
import { type State, variable } from './state.ts';
import { joinWords } from './unwrap.ts';

type Builtin = (run: Run, started: Started, command: ShellCommand) => Result | null;

const scopeOf = (run: Run, { state, frame }: Started) => ({ run, state, frame });

/** Ends what would follow: what is printed after it is not sure. */
const leaves: Builtin = () => EXITS;

/** What follows may be skipped, up to the end of the loop or function. */
function jump(state: State, boundary: State | null): Result {
  state.jump(boundary);
  return EXITS;
}

/** A builtin that runs or loads something in a way that is not followed. */
const opaque =
  (what: string, when: RegExp): Builtin =>
  (run, started) => {
    const words = started.words.slice(1);
    if (!words.some((word) => !word.known || when.test(word.text))) return UNKNOWN;
    run.error('code', what, started.start);
    runCommandWords(run, started, words);
    return UNKNOWN;
  };

/** Words that hold a command, or are one behind their options: nobody says when it runs. */
function runCommandWords(run: Run, started: Started, words: readonly Field[]): void {
  const frame = { ...here(started, started.words[0]!.text), capture: false };
  const plain = words.filter(({ text }) => !text.startsWith('-'));
  // `-W`: words to choose from, in which only substitutions run.
  if (words.some(({ text }) => /^-[a-zA-Z]*W/.test(text))) {
    for (const { text } of plain)
      if (/[$`]/.test(text)) runSubstitutions({ run, state: started.state, frame }, text, started.start);
    return;
  }
  const texts = plain.length > 1 ? [joinWords(plain).text] : [];
  for (const { text } of plain) if (/\s/.test(text)) texts.push(text.replace(/^"[^"]*":\s*/, ''));
  for (const text of texts) {
    if (run.mayDescend(frame, started.start))
      runTexts(run, [{ text, known: false }], SH, started.env.fork(), frame);
  }
}

export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['cd', (run, started) => changeFolder(run, started)],
  ['pushd', (run, started) => changeFolder(run, started)],
  ['chdir', (run, started) => changeFolder(run, started)],
  [
    'popd',
    (run, { state }) => {
      state.enter(null, false);
      run.version++;
      return UNKNOWN;
    },
  ],
  ['eval', (run, started, command) => evaluate(run, started, command)],
  ['.', (run, started, command) => source(run, started, command)],
  ['source', (run, started, command) => source(run, started, command)],
  [
    'exec',
    (run, { words }) => {
      if (words.length > 1) return null;
      // Every later command has other files for input and output.
      run.unsteady = true;
      return UNKNOWN;
    },
  ],
  ['export', (run, started) => declare(run, started, true)],
  ['readonly', (run, started) => declare(run, started, false)],
  ['declare', (run, started) => declare(run, started, false)],
  ['typeset', (run, started) => declare(run, started, false)],
  ['local', (run, started) => declare(run, started, false)],
  ['integer', (run, started) => declare(run, started, false)],
  ['float', (run, started) => declare(run, started, false)],
  ['unset', (run, started) => unset(run, started)],
  ['read', (run, started) => readInto(run, started)],
  ['mapfile', (run, started) => readInto(run, started)],
  ['readarray', (run, started) => readInto(run, started)],
  ['getopts', (run, started) => readInto(run, started)],
  ['vared', (run, started) => readInto(run, started)],
  [
    'let',
    (run, started) => {
      for (const word of started.words.slice(1)) checkWord(run, started, word);
      return SILENT;
    },
  ],
  [
    'printf',
    (run, started) => {
      if (started.words[1]?.text !== '-v') return null;
      formatInto(run, started);
      return WORKED;
    },
  ],
  ['set', (run, started) => setOptions(run, started)],
  ['shift', (run, started) => shift(run, started)],
  ['trap', (run, started) => trap(run, started)],
  ['alias', (run, started) => alias(run, started)],
  ['test', (run, started) => test(run, started)],
  ['[', (run, started) => test(run, started)],
  [
    'shopt',
    (run, { start }) => {
      run.error('shell', 'shopt changes how the rest is read', start);
      run.unsteady = true;
      return SILENT;
    },
  ],
  ['setopt', opaque('setopt changes how the rest is read', /./)],
  ['unsetopt', opaque('unsetopt changes how the rest is read', /./)],
  ['emulate', opaque('emulate changes how the rest is read', /./)],
  ['zmodload', opaque('zmodload loads code', /./)],
  ['autoload', opaque('autoload loads code', /./)],
  ['hash', (run, started, command) => hash(run, started, command)],
  ['enable', opaque('enable loads code', /^-[a-z]*[fn]/)],
  ['disable', opaque('disable takes builtins away', /./)],
  ['complete', opaque('complete runs code later', /^-[a-zA-Z]*[CFW]/)],
  ['compgen', opaque('compgen runs code', /^-[a-zA-Z]*[CFW]/)],
  ['bind', opaque('bind runs code later', /^-[a-z]*x/)],
  ['fc', opaque('fc runs code', /./)],
  ['jobs', opaque('jobs -x runs a command', /^-[a-z]*x/)],
  ['exit', leaves],
  ['return', (_run, { state, frame }) => jump(state, frame.call)],
  ['break', (_run, { words, state, frame }) => jump(state, words.length > 1 ? frame.call : frame.loop)],
  ['continue', (_run, { words, state, frame }) => jump(state, words.length > 1 ? frame.call : frame.loop)],
  ['logout', leaves],
  ['wait', leaves],
]);

function changeFolder(run: Run, started: Started): Result {
  const { words, state, frame } = started;
  const { options, operands } = scanOptions(words, 1, specOf('LPe@n'));
  void options;
  const target = operands.length === 0 ? null : words[operands[0]!]!;
  run.version++;
  // It may fail, and then the folder is the old one; a CDPATH of this text leads elsewhere.
  const folder = state.get('CDPATH') === undefined ? folderAfterCd(run, started, target) : null;
  const isTooLong = folder !== null && folder.length > LONGEST_FOLDER;
  if (isTooLong)
    run.error('limit', `a folder has at most ${LONGEST_FOLDER} characters in its path`, started.start);
  state.enter(isTooLong ? null : folder, false);
  return frame.capture ? UNKNOWN : SILENT;
}

function folderAfterCd(run: Run, { state }: Started, target: Field | null): string | null {
  if (target === null) return state.get('HOME') === undefined ? (run.home ?? '~') : null;
  if (target.text === '') return state.cwd;
  if (target.text === '-' || /^[+-]\d+$/.test(target.text) || (target.many && !target.glob)) return null;
  // With its unknown pieces in it, as far as that says anything.
  return resolvePath(state.cwd, target);
}

/** The frame for code that runs in this shell. */
function here(started: Started, name: string): Frame {
  const { frame } = started;
  return {
    ...frame,
    via: [...frame.via, name],
    place: { start: started.start, end: started.end },
    input: started.input,
  };
}

function evaluate(run: Run, started: Started, command: ShellCommand): Result {
  const words = started.words.slice(started.words[1]?.text === '--' ? 2 : 1);
  if (words.length === 0) return WORKED;
  command.wrapper = true;
  const { dialect } = started.frame;
  const result = runTexts(
    run,
    [joinWords(words)],
    { dialect, other: null, posixOnly: false },
    started.env,
    here(started, 'eval'),
  );
  mergeChanges(
    started.state,
    started.env,
    started.assigns.map((assign) => assign.name),
  );
  return started.redirects.length === 0 ? result : { ...result, status: -1 };
}

function source(run: Run, started: Started, command: ShellCommand): Result {
  const [, file, ...args] = started.words;
  if (file === undefined) return UNKNOWN;
  if (isUncertain(file)) {
    if (run.files.any(run.commands)) {
      run.error('code', 'a file that is run may be one of this text', started.start);
    }
    started.state.forget();
    return UNKNOWN;
  }
  const path = resolvePath(started.state.cwd, file);
  const input = /^\/(?:dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/.test(path) ? started.input : null;
  const written =
    input === null
      ? run.written(path, started.frame)
      : { alts: input.alts ?? [{ text: '', known: false }], at: 0, from: input.from };
  const { dialect } = started.frame;
  // Whatever stands in the file may set variables.
  if (written === undefined) {
    if (/^\/(?:dev\/fd|proc)\//.test(path)) run.error('code', 'a descriptor is run', started.start);
    started.state.forget();
    return UNKNOWN;
  }
  command.runs = written.from;
  const before = started.env.args;
  // dash leaves the arguments of the script as they are.
  if (args.length > 0) run.differs = true;
  const own = args.length > 0 && dialect.name !== 'dash';
  if (own) started.env.args = args;
  const result = runTexts(
    run,
    written.alts,
    { dialect, other: null, posixOnly: false },
    started.env,
    here(started, '.'),
  );
  if (own) started.env.args = before;
  mergeChanges(
    started.state,
    started.env,
    started.assigns.map((assign) => assign.name),
  );
  return result;
}

/** Attributes that change what a later assignment means. */
const CHANGING = /^[-+][a-zA-Z]*[nilucEFZLR]/;
const PRINTS = /^-[a-zA-Z]*[fFp]/;
const EMPTY = known('');

function declare(run: Run, started: Started, exports: boolean): Result {
  const { words, frame, state } = started;
  const scope = scopeOf(run, started);
  const flags = words.slice(1).filter((word) => /^[-+]/.test(word.text));
  const program = words[0]!.text;
  const typed = program !== 'export' && program !== 'readonly';
  if (typed && flags.some((word) => CHANGING.test(word.text) && !PRINTS.test(word.text))) {
    run.error('code', `${program} changes what later assignments mean`, started.start);
  }
  const exported = exports || flags.some((word) => /^-[a-zA-Z]*x/.test(word.text));
  const frozen = program === 'readonly' || flags.some((word) => /^-[a-zA-Z]*r/.test(word.text));
  for (const word of words.slice(1)) {
    if (/^[-+]/.test(word.text)) continue;
    const found = /^([A-Za-z_]\w*)(?:(\+)?=([\s\S]*))?$/.exec(word.text);
    if (found === null || (!word.known && found[2] === undefined && found[3] === undefined)) {
      checkName(run, started, word);
      continue;
    }
    const [, name = '', append, text] = found;
    if (text !== undefined) noteAssigned(scope, name, started.start);
    const before = state.get(name);
    const own =
      typed &&
      frame.locals !== null &&
      !frame.locals.has(name) &&
      !flags.some((each) => /^-[a-zA-Z]*g/.test(each.text));
    if (own) frame.locals.set(name, before);
    if (text === undefined) {
      // Only dash gives a new variable of a function the value that it has outside.
      if (own && before !== undefined && frame.dialect.name !== 'dash') {
        run.differs = true;
        const set = before.frozen ? null : frame.dialect.name === 'zsh';
        setVariable(scope, name, { ...variable(EMPTY), exported, frozen, set });
      } else if (before !== undefined)
        state.set(name, {
          ...before,
          exported: exported || before.exported,
          frozen: frozen || before.frozen,
        });
      else if (typed) state.set(name, { ...variable(unknown(`\${${name}}`)), set: false });
      else if (frozen) state.set(name, { ...variable(unknown(`\${${name}}`)), frozen: true });
      continue;
    }
    // Behind `-n` stands a name, not a value.
    const refers = typed && flags.some((each) => /^-[a-zA-Z]*n/.test(each.text));
    const known = word.known && !word.many && append === undefined;
    const value =
      !refers && (known || append === undefined)
        ? { alts: [{ text, known: known }], numeric: false, from: word.from }
        : unknown(`\${${name}}`, word.from);
    setVariable(scope, name, {
      ...variable(value, before),
      exported: exported || (before?.exported ?? false),
      frozen: frozen || (before?.frozen ?? false),
    });
    runCarried(scope, name, value, started.start);
    // The value of a number is worked out, and subscripts in it run.
    if (typed && /[$`]/.test(text) && flags.some((each) => /^-[a-zA-Z]*i/.test(each.text)))
      checkName(run, started, word);
  }
  return frame.capture ? (words.length > 1 && flags.length === 0 ? WORKED : UNKNOWN) : WORKED;
}

/** A name with a subscript is evaluated, and that can run commands; of what it changes nothing is known afterwards. */
function checkName(run: Run, started: Started, word: Field): void {
  const name = /^([A-Za-z_]\w*)\[/.exec(word.text)?.[1];
  if (name !== undefined)
    setVariable(scopeOf(run, started), name, variable(unknown(`\${${name}}`), started.state.get(name)));
  if (!word.known) run.error('code', 'the name of a variable is only known when it runs', started.start);
  else if (/[$`]/.test(word.text)) {
    run.error('code', 'a subscript that runs commands', started.start);
    const frame = here(started, started.words[0]!.text);
    if (run.mayDescend(frame, started.start))
      runSubstitutions({ run, state: started.state, frame }, word.text, started.start);
  }
}

function checkWord(run: Run, started: Started, word: Field): void {
  checkValue(scopeOf(run, started), { alts: [word], numeric: false, from: UNTAINTED }, started.start);
}

function assignUnknown(run: Run, started: Started, word: Field): void {
  const { text } = word;
  if (!isName(word)) {
    checkName(run, started, word);
    return;
  }
  setVariable(
    scopeOf(run, started),
    text,
    variable(unknown(`\${${text}}`, started.input.from), started.state.get(text)),
  );
}

/** `printf -v name format …`; dash has none. */
function formatInto(run: Run, started: Started): void {
  const [, , name, ...args] = started.words;
  if (name === undefined) return;
  run.differs = true;
  const { dialect } = started.frame;
  const one = dialect.name !== 'dash' && args.every((word) => !word.many);
  const file = () => null;
  const text = one
    ? printedBy('printf', { dialect, args: args.map((word) => word.text), input: null, file, differs: file })
    : null;
  if (text === null || !isName(name)) assignUnknown(run, started, name);
  else assignKnown(run, started, name.text, [{ text, known: args.every((word) => word.known) }]);
}

function isName({ text, known }: Field): boolean {
  return known && /^[A-Za-z_]\w*$/.test(text);
}

function assignKnown(run: Run, started: Started, name: string, alts: readonly Alt[]): void {
  const from = started.words.flatMap((word) => word.from);
  const value = { alts, numeric: false, from: [...started.input.from, ...from] };
  noteAssigned(scopeOf(run, started), name, started.start);
  setVariable(scopeOf(run, started), name, variable(value, started.state.get(name)));
}

interface Lines {
  readonly lines: readonly string[];
  readonly known: boolean;
}

/** The lines of the input, as `read` takes them one by one; null if there are too many or nobody knows. */
function linesOf({ input }: Started): Lines | null {
  const [only, other] = input.alts ?? [];
  if (only === undefined || other !== undefined) return null;
  const lines = only.text.replace(/\n$/, '').split('\n');
  if (lines.length > MOST_ALTERNATIVES || only.text.includes('\\')) return null;
  return { lines, known: only.known };
}

/** `read -r name`, `read a b`: any line of the input, divided at blanks or at the one sign that IFS is. */
function readLines(run: Run, started: Started): boolean {
  const { operands, options, strange } = scanOptions(started.words, 1, specOf('r d:'));
  const names = operands.map((at) => started.words[at]!);
  const found = strange === null && names.every(isName) ? linesOf(started) : null;
  const own = started.env.get('IFS');
  const ifs = own === undefined ? null : certain(own.value);
  const dividing = own === undefined || (ifs !== null && ifs.length < 2);
  if (found === null || names.length === 0 || !dividing) return false;
  // `-d ''`: all of it.
  const until = options.find(({ name }) => name === '-d')?.value?.text;
  if (until !== undefined && until !== '') return false;
  const lines = until === undefined ? found.lines : [found.lines.join('\n')];
  const plain = own === undefined && until === undefined;
  names.forEach(({ text: name }, at) => {
    const last = at === names.length - 1;
    const values = lines.map((line) => {
      if (ifs === '' || until !== undefined) return at === 0 ? line : '';
      const words = plain ? line.trim().split(/[ \t]+/) : line.split(ifs!);
      return last ? words.slice(at).join(plain ? ' ' : ifs!) : (words[at] ?? '');
    });
    // What stood between words is not kept here.
    const exact = ifs === '' || (plain && (!last || !lines.some((line) => /[ \t]{2}|\t/.test(line.trim()))));
    const alts = [...new Set(values)].map((text) => ({ text, known: exact && found.known }));
    assignKnown(run, started, name, alts);
  });
  return true;
}

/** `mapfile -t name`: an array of the lines; only bash has it. */
function mapLines(run: Run, started: Started): boolean {
  const [, flag, name, ...rest] = started.words;
  const found = flag?.text === '-t' && rest.length === 0 ? linesOf(started) : null;
  if (found === null || name === undefined || !isName(name) || started.frame.dialect.name === 'dash')
    return false;
  run.differs = true;
  noteAssigned(scopeOf(run, started), name.text, started.start);
  const list = found.lines.map((line) => ({
    ...knownField(line),
    known: found.known,
    from: started.input.from,
  }));
  const before = started.state.get(name.text);
  setVariable(scopeOf(run, started), name.text, { ...variable(unknown(`\${${name.text}}`), before), list });
  return true;
}

function unset(run: Run, started: Started): Result {
  const { words, state } = started;
  const functions = words.some((word) => word.text === '-f');
  for (const word of words.slice(1)) {
    if (word.text.startsWith('-')) continue;
    if (!word.known || !/^[A-Za-z_]\w*$/.test(word.text)) {
      checkName(run, started, word);
      continue;
    }
    run.version++;
    if (functions) state.define(word.text, { nodes: [], sure: false });
    else {
      const before = state.get(word.text);
      setVariable(scopeOf(run, started), word.text, {
        ...variable(EMPTY, before),
        exported: false,
        set: before?.frozen === true,
      });
      // Without -f or -v a function of that name may go instead.
      const bodies = state.bodies(word.text);
      if (bodies !== undefined) state.define(word.text, { ...bodies, sure: false });
    }
  }
  return WORKED;
}

function readInto(run: Run, started: Started): Result {
  const { words } = started;
  if (words.some((word) => /^-[a-zA-Z]*C/.test(word.text)) && words[0]!.text !== 'read') {
    run.error('code', 'a command is run for each line', started.start);
    runCommandWords(run, started, words.slice(1));
  }
  const known = words[0]!.text === 'read' ? readLines : words[0]!.text === 'getopts' ? null : mapLines;
  if (known?.(run, started) === true) return SILENT;
  for (const word of words.slice(1)) {
    if (word.text.startsWith('-') && word.known) continue;
    if (word.known && !/^[A-Za-z_]\w*$/.test(word.text) && !/[$`[]/.test(word.text)) continue;
    assignUnknown(run, started, word);
  }
  return SILENT;
}

function setOptions(run: Run, started: Started): Result {
  const { words, state, start } = started;
  let at = 1;
  for (; at < words.length && /^[-+]/.test(words[at]!.text); at++) {
    const { text } = words[at]!;
    run.unsteady = true;
    if (text === '--' || text === '-') {
      at++;
      break;
    }
    // Not an option: shells stop here, or take nothing.
    if (!/^[-+][a-zA-Z]+$/.test(text)) {
      state.give(null);
      return UNKNOWN;
    }
    if (/^[-+][a-zA-Z]*[kn]/.test(text)) run.error('shell', 'set changes how the rest is read', start);
    if (/o$/.test(text)) {
      if (/^(?:posix|keyword|noexec)$/.test(words[at + 1]?.text ?? '')) {
        run.error('shell', 'set changes how the rest is read', start);
      }
      at++;
    }
  }
  const dashes = words.some((word) => word.text === '--');
  if (at < words.length || dashes) state.give(words.slice(at));
  else if (words.length > 1 && words.some((word) => !word.known)) state.give(null);
  run.version++;
  return words.length === 1 ? UNKNOWN : SILENT;
}

function shift(run: Run, { words, state }: Started): Result {
  const count = words[1] === undefined ? 1 : Number(words[1].text);
  run.version++;
  const { args } = state;
  const plain = args !== null && words[1]?.known !== false && Number.isInteger(count) && count >= 0;
  // With fewer arguments than that it fails, and nothing moves.
  if (!plain || count > args.length || args.slice(0, count).some((field) => field.many)) state.give(null);
  else state.give(args.slice(count));
  return SILENT;
}

function trap(run: Run, started: Started): Result {
  const words = started.words.slice(started.words[1]?.text === '--' ? 2 : 1);
  const [code] = words;
  if (words.length < 2 || code === undefined || /^-[lp]?$/.test(code.text) || code.text === '') return SILENT;
  run.unsteady = true;
  const frame = here(started, 'trap');
  if (!code.known || code.many)
    run.error('code', 'text that is run is only known when it runs', started.start);
  const atExit = words.slice(1).every((word) => /^(?:EXIT|0)$/i.test(word.text));
  run.deferred ??= [];
  run.deferred.push({
    text: code.text,
    atExit,
    frame: { ...frame, capture: false, locals: null, calls: [] },
    ever: started.state.ever,
    offset: started.start,
  });
  return SILENT;
}

/** Which lines an alias holds for depends on the shell, so what is read with one is never certain. */
function alias(run: Run, started: Started): Result {
  const { words } = started;
  for (const word of words.slice(1)) {
    const found = /^([^=]+)=([\s\S]*)$/.exec(word.text);
    if (found === null) continue;
    run.aliases ??= new Map();
    run.aliases.set(found[1]!, found[2]!);
  }
  if (words.length > 1) run.error('shell', 'an alias may change how the rest is read', started.start);
  return UNKNOWN;
}

/** `hash -p program name`: from here on the name stands for that program, as with an alias. */
function hash(run: Run, started: Started, command: ShellCommand): Result | null {
  const { options, operands } = scanOptions(started.words, 1, specOf('dlrtfvm p:'));
  const program = options.find(({ name }) => name === '-p')?.value;
  if (program != null) {
    run.aliases ??= new Map();
    for (const at of operands) run.aliases.set(started.words[at]!.text, program.text);
  }
  return HASH(run, started, command);
}

const HASH = opaque('hash -p gives a name to another program', /^-[a-z]*p|=/);

/** `test -v 'x[$(…)]'` evaluates the subscript. */
function test(run: Run, started: Started): Result | null {
  const { words } = started;
  words.forEach((word, i) => {
    if (/^-[vR]$/.test(word.text) && words[i + 1] !== undefined) checkName(run, started, words[i + 1]!);
  });
  return started.frame.capture ? SILENT : printed(run, started, 'test');
}

export { number };
