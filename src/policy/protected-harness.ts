/**
 * Whether a command line runs a program of Harness that only a person may run: under its name or another, as the script of an
 * interpreter or a runner, in a terminal that is driven. One function decides it, over what the table of programs says is started.
 */
import { basename, dirname, join, resolve, sep } from 'node:path';
import { partMatches } from '../base/index.ts';
import { realPathOrNull } from '../machine/index.ts';
import {
  type Command,
  type CommandReading,
  programsStarted,
  type StartedProgram,
  startedInText,
} from '../shell/index.ts';
import type { Protected } from './protected.ts';
import { atHome, type JudgedCall, notForAgent } from './protected-words.ts';

/** What only a person may say to Harness, and why. */
const FOR_PEOPLE: ReadonlyMap<string, string> = new Map([
  ['hook', 'what an agent did'],
  ['mcp lock', 'which tools of a server are known'],
  ['tape repair', 'what the record holds'],
  ['tape prune', 'which tapes are kept'],
  ['fleet join', 'which hub gets the tapes'],
  ['fleet leave', 'whether the policy is in force'],
  ['fleet publish', 'which policy machines get'],
  ['fleet rollout', 'which policy machines get'],
  ['hub root', 'who may sign policy'],
  ['hub token', 'which machines may join'],
  ['hub machines', 'which machines are trusted'],
  ['hub prune', 'which tapes the hub has'],
  ['trust', 'which capabilities a folder has'],
  ['untrust', 'which capabilities a folder has'],
  ['approvals', 'what was asked'],
  ['accept', 'which policy a session has'],
  ['ui', 'what is on record'],
  ['pause', 'whether the policy is in force'],
  ['resume', 'whether the policy is in force'],
  ['uninstall', 'whether the policy is in force'],
  ['install', 'whether the policy is in force'],
]);
/** They write policy folders. */
const WRITERS: ReadonlySet<string> = new Set(['init', 'new', 'fmt', 'import', 'suggest']);
/** Words of no other program's command line: enough where it is not certain which word names a program. */
const LOOSENING: ReadonlySet<string> = new Set(
  'pause trust untrust approvals accept uninstall daemon'.split(' '),
);
const SWITCHES = /^HARNESS_(?:TRUST|DISABLE_HOOKS|PAUSE)/;

/** Names among the words of a command that may set variables; words that are only printed set none, unless they go to a file. */
export function exported({ program, args, redirects }: Command): string[] {
  if (/^(?:export|declare|typeset|env|readonly)$/.test(program)) return args.map((arg) => arg.split('=')[0]!);
  if (
    /^(?:echo|printf|grep|rg|git|gh|sed|awk)$/.test(program) &&
    !redirects.some(({ target }) => START_FILE.test(target))
  )
    return [];
  return args.flatMap((arg) => SET_IN_TEXT.exec(arg)?.[1] ?? []);
}

const START_FILE = /(?:^|\/)(?:\.\w*(?:rc|profile|login|env)|environment\.d\/[^/]+)$/;
const SET_IN_TEXT = /^\s*(?:export\s+|set\s+-\w+\s+)?(HARNESS_\w+)[= ]/;

/** Why a command must not set a variable of Harness, or null. */
export function refusedSwitch(command: Command): string | null {
  const switched = [...command.assigns.map(({ name }) => name), ...exported(command)].find((name) =>
    SWITCHES.test(name),
  );
  return switched === undefined ? null : `${switched} is not the agent's to set`;
}

/** Whether there is anything to look up: a word of ours, or one that is only known when it runs. Touches no file. */
export function mayRunHarness({ program, path, args, code, assigns }: Command): boolean {
  const words = [path, ...args];
  return (
    OWN_PROGRAMS.test(program) ||
    words.some((word) => LAUNCHER.test(word) || (word.includes(' ') && OUR_NAME.test(word))) ||
    assigns.some(({ value }) => OUR_NAME.test(value)) ||
    args.some((arg) => FIRST_WORDS.has(arg)) ||
    (code !== null && OUR_NAME.test(code.text))
  );
}

/** Whether a command is one of ours: what it does to its paths is known. */
export function namesHarness({ program, args }: Command): boolean {
  return OWN_PROGRAMS.test(program) || args.slice(0, 3).some((arg) => OWN_PROGRAMS.test(nameOf(arg)));
}

const OWN_OUTPUT = /^(?:-o|--(?:out|lcov|html|junit|tape|record|resume|checkpoint))(?:=(.+))?$/s;

/** Files that a command of ours writes where its options say, and the folder of golden files that `--update` writes. */
export function ownOutputs({ args }: Command): readonly string[] {
  return args.flatMap((arg, i) => {
    const option = OWN_OUTPUT.exec(arg);
    if (option !== null) return [option[1] ?? args[i + 1] ?? ''].filter((path) => path !== '');
    if (arg === 'keygen') return args.slice(i + 1);
    return arg === '--update' || arg === '-u' ? ['.harness'] : [];
  });
}

/** Why a command line must not run Harness so, or null. */
export function refusedHarness(
  { commands }: CommandReading,
  call: JudgedCall,
  guarded: Protected,
): string | null {
  if (!commands.some(mayRunHarness)) return null;
  const copies = copiesIn(commands, call);
  const types = commands.some(drivesTerminal);
  for (const command of commands) {
    const cwd = command.cwd === null ? call.cwd : resolve(call.cwd, atHome(command.cwd, call.home));
    const at: Looked = { cwd, home: call.home, copies, sources: command.sources };
    const typed = types ? textsOf(command).flatMap(startedInText) : [];
    for (const started of [...programsStarted(command), ...typed]) {
      const words = wordsFor(started, at);
      const said = words === null || started.isScript ? words : fromVerb(words);
      const refused = said === null ? null : refusedWords(said, started.certain, call, cwd, guarded);
      if (refused !== null) return refused;
    }
    const fed = command.code?.language !== 'sh' && readsOwnScript(command, at);
    const told = fed ? command.args.find((word) => LOOSENING.has(word)) : undefined;
    if (told !== undefined) return forPerson(told, FOR_PEOPLE.get(told) ?? 'whether it runs');
    const texts = [command.code?.text ?? '', ...command.assigns.map(({ value }) => value)];
    const loads = texts.some((text) => OUR_FILES.test(text));
    const verb = loads ? command.text.split(/\W+/).find((word) => LOOSENING.has(word)) : undefined;
    if (verb !== undefined) return forPerson(verb, FOR_PEOPLE.get(verb) ?? 'whether it runs');
  }
  return null;
}

/** An interpreter that is given a program of ours to read: `node - pause < harness.cjs`, `cat harness.cjs | node - pause`. */
function readsOwnScript({ redirects, sources }: Command, at: Looked): boolean {
  const given = [
    ...redirects.filter(({ op }) => op === '<').map(({ target }) => target),
    ...sources.flatMap(({ reads }) => reads),
  ];
  return given.some((path) => isOurs(path, at));
}

const DRIVERS =
  /^(?:tmux|byobu|screen|zellij|wezterm|kitty|kitten|xdotool|ydotool|wtype|dotool|expect|unbuffer|dtach|abduco|reptyr|ttyecho|osascript|dbus-send|gdbus|qdbus)$/;
const TERMINAL = /^\/dev\/(?:pts\/|tty|console|vcs)/;

/** What a line says anywhere may be typed where something types into a terminal: through a buffer, a file, a device. */
function drivesTerminal({ program, writes, unsure }: Command): boolean {
  return DRIVERS.test(program) || [...writes, ...unsure].some((path) => TERMINAL.test(path));
}

function textsOf({ args, stdin }: Command): readonly string[] {
  return [...args.filter((arg) => /\s/.test(arg)), ...(stdin.text === null ? [] : stdin.text.split('\n'))];
}

/** Behind a program that takes a script among its options, or types words into a terminal, other words may stand before ours. */
function fromVerb(words: readonly string[]): readonly string[] {
  const at = FIRST_WORDS.has(words[0] ?? '') ? 0 : words.findIndex((word) => LOOSENING.has(word));
  return at === -1 ? words : words.slice(at);
}

function forPerson(first: string, about: string): string {
  return `harness ${first}: ${about} is for a person to say, not for the agent`;
}

function refusedWords(
  [first = '', ...more]: readonly string[],
  certain: boolean,
  call: JudgedCall,
  cwd: string,
  guarded: Protected,
): string | null {
  if (!certain && !LOOSENING.has(first)) return null;
  // The value of an option stands among the words: whichever of them is the second, it counts.
  const about =
    FOR_PEOPLE.get(first) ??
    more.map((word) => FOR_PEOPLE.get(`${first} ${word}`)).find((text) => text !== undefined) ??
    (first === 'daemon' && more.join() !== 'status' ? 'whether it runs' : undefined);
  if (about !== undefined) return forPerson(first, about);
  if (!WRITERS.has(first)) return null;
  for (const dir of [...more, '.'].map((word) => atHome(word, call.home))) {
    if (guarded.reach(dir, cwd) !== null) return notForAgent(dir);
    if (guarded.below(resolve(cwd, dir, '.harness'), cwd) !== null) return notForAgent(join(dir, '.harness'));
  }
  return null;
}

const OWN_PROGRAMS = /^(?:harness|harness-hooks|(?:harness|boot)\.(?:m?js|cjs|cmd|ps1))$/;
const OUR_NAMES = ['harness', 'harness-hooks', 'harness.cjs', 'boot.cjs', 'hook.cjs'];
const OUR_NAME = /harness|\bboot\.cjs|\bhook\.cjs/;
/** Files of the package, in code that loads them. */
const OUR_FILES = /harness-hooks\b|\bcli\/(?:harness|boot|hook)\.cjs|\.bin\/harness\b/;
/** What the registered line runs in the place of `harness hook`. */
const LAUNCHER = /^(?:\S*\/cli\/)?hook\.cjs$|^(?:\S*\/)?(?:\.?harness\/guard|harness-client)$/;
const FIRST_WORDS: ReadonlySet<string> = new Set(
  [...FOR_PEOPLE.keys(), ...WRITERS, 'daemon'].map((words) => words.split(' ')[0]!),
);

interface Looked {
  readonly cwd: string;
  readonly home: string | null;
  /** Paths under which this text makes a program of ours known. */
  readonly copies: ReadonlySet<string>;
  /** Commands whose output is among the words. */
  readonly sources: readonly Command[];
}

/** The words behind a program of ours; null for any other program. */
function wordsFor({ file, args, certain }: StartedProgram, at: Looked): readonly string[] | null {
  const words = args.filter((arg) => !/^(?:-|:::)/.test(arg));
  if (certain && (LAUNCHER.test(file) || LAUNCHER.test(realPathOf(file, at)))) return ['hook'];
  // A file is looked up only where the next word is one of ours.
  if (!OWN_PROGRAMS.test(nameOf(file)) && !FIRST_WORDS.has(words[0] ?? '')) return null;
  return isOurs(file, at) ? words : null;
}

/** Without a folder and a version: `harness-hooks@latest`, `npm:harness-hooks`. */
function nameOf(file: string): string {
  return basename(file.replace(/(?<=.)@[^/@]*$/, '').replace(/^npm:/, '')).toLowerCase();
}

function isOurs(file: string, at: Looked): boolean {
  if (OWN_PROGRAMS.test(nameOf(file)) || /(?:^|\/)harness-hooks\//.test(file)) return true;
  if (isUnknown(file))
    return [file, ...at.sources.flatMap(({ words }) => words.map(({ text }) => text))].some(namesOurs);
  const path = resolve(at.cwd, atHome(file, at.home));
  if (at.copies.has(path) || at.copies.has(file)) return true;
  const real = realPathOf(file, at);
  return (
    real !== '' &&
    (OWN_PROGRAMS.test(basename(real)) || `${real}${sep}`.includes(`${sep}harness-hooks${sep}`))
  );
}

/** A word that is a pattern, or that holds what is only known when it runs. */
function isUnknown(file: string): boolean {
  return /[*?[]|\$[({]|\{\}/.test(file);
}

/** Whether a word of a search, or a pattern, may stand for a program of ours. */
function namesOurs(word: string): boolean {
  const name = nameOf(word);
  return (
    OWN_PROGRAMS.test(name) ||
    (/[*?[]/.test(name) && /\w/.test(name) && OUR_NAMES.some((own) => partMatches(name, own)))
  );
}

/** Empty if it is a bare name, or not there. */
function realPathOf(file: string, { cwd, home }: Looked): string {
  if (file.includes('\0') || file === '') return '';
  return realPathOrNull(resolve(cwd, atHome(file, home))) ?? '';
}

const COPIERS: ReadonlySet<string> = new Set('ln cp mv install rsync'.split(' '));
const PRINTS = /^(?:\d*>{1,2}\|?|&>{1,2})$/;

/** Where commands of this text put a copy of a program of ours, or a link to it. */
function copiesIn(commands: readonly Command[], call: JudgedCall): ReadonlySet<string> {
  const found = new Set<string>();
  for (const command of commands) {
    const at: Looked = {
      ...{ cwd: resolve(call.cwd, command.cwd ?? ''), home: call.home },
      ...{ copies: found, sources: command.sources },
    };
    const { operands } = command;
    const copies = COPIERS.has(command.program);
    const sources = (copies ? operands.slice(0, -1) : command.args).filter(
      (operand) => !operand.startsWith('-') && (isOurs(operand, at) || LAUNCHER.test(operand)),
    );
    if (sources.length === 0) continue;
    // What another program makes of a file of ours, and writes, may be a copy as well.
    const printed = command.redirects.filter(({ op }) => PRINTS.test(op)).map(({ target }) => target);
    for (const target of copies ? operands.slice(-1) : [...printed, ...command.writes]) {
      const path = resolve(at.cwd, atHome(target, call.home));
      // Into a folder, under its own name; a bare name is found on the PATH.
      for (const each of [path, basename(path), ...sources.map((source) => join(path, basename(source)))])
        found.add(each);
      if (dirname(path) === at.cwd) found.add(`./${basename(path)}`);
    }
  }
  return found;
}
