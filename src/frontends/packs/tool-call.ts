/**
 * A tool call as rules look at it: every command it carries, read once for all packs, and every path it names, read or
 * written as the name of the tool says. Made once for each state of a payload and shared by all hooks.
 */
import { isJsonObject, type Json } from '../../base/json.ts';
import { type Command, type CommandReading, readArgv, readCommand } from '../../match/command/index.ts';
import { EMPTY, matchesOf, type Pack, type RuleMatch, type SharedNames, subjectsOf } from './pack.ts';
import { HOME_MARK } from './path-sets.ts';
import { withPatterns } from './patterns.ts';
import { Subject, unreadOf } from './subject.ts';

/** Arguments that are commands, whatever the tool. */
const COMMAND_KEYS: ReadonlySet<string> = new Set([
  'command',
  'cmd',
  'commands',
  'argv',
  'script',
  'shell_command',
]);
const FOLDER_KEYS = ['cwd', 'workdir', 'working_dir', 'working_directory', 'directory', 'dir'];
const PATH_KEY = /path|file|dir|folder|target|source|dest|^(?:from|to|glob|uri)$/i;
/** `file_text` is no path. */
const CONTENT_KEY =
  /(?:text|content|contents|data|body|type|format|encoding|mode|size|count|line|lines|limit)$/i;
const DEEPEST = 6;
const MOST_FOUND = 200;

const READING = words(
  'read view cat open get list ls dir glob grep search find stat show head tail fetch load notebookread',
);
const DELETING = words('delete remove rm unlink rmdir trash erase purge move rename mv');

export interface CarriedCommand {
  readonly text: string;
  readonly reading: CommandReading;
}

/** What a person calls what the call does with the paths it names. */
type Use = 'reads' | 'writes' | 'deletes';

export class ToolCall {
  readonly name: string;
  /** Absolute, or null if nobody knows where it runs. */
  readonly cwd: string | null;
  private readonly args: Json;
  private readonly shared: SharedNames;
  private knownCommands: readonly CarriedCommand[] | null = null;
  private knownSubjects: readonly Subject[] | null = null;
  private readonly found = new Map<Pack, readonly RuleMatch[]>();

  constructor(name: string, args: Json, cwd: string | null, shared: SharedNames) {
    this.name = name;
    this.args = args;
    this.cwd = folderIn(args) ?? cwd;
    this.shared = shared;
  }

  get commands(): readonly CarriedCommand[] {
    this.knownCommands ??= commandsIn(this.args);
    return this.knownCommands;
  }

  get subjects(): readonly Subject[] {
    this.knownSubjects ??= this.look();
    return this.knownSubjects;
  }

  /** What of its commands could not be read for sure, each kind once. */
  get unread(): readonly string[] {
    return [...new Set(this.commands.flatMap(({ reading }) => (reading.complete ? [] : unreadOf(reading))))];
  }

  /** The rules of a pack that hold, in the order of the commands. Waits only if patterns are not loaded yet. */
  matches(pack: Pack): readonly RuleMatch[] | Promise<readonly RuleMatch[]> {
    const before = this.found.get(pack);
    if (before !== undefined) return before;
    return withPatterns(() => this.judged(pack));
  }

  private judged(pack: Pack): readonly RuleMatch[] {
    const found = matchesOf(pack.index, this.subjects);
    this.found.set(pack, found);
    return found;
  }

  private look(): readonly Subject[] {
    const { sets } = this.shared;
    const subjects = this.commands.flatMap(({ text, reading }) => subjectsOf(reading, text, sets, this.cwd));
    const paths = pathsIn(this.args);
    if (paths.length === 0) return subjects;
    const reading: CommandReading = { commands: [], errors: [], complete: true, dynamic: false };
    const command: Command = { ...EMPTY, [useOf(this.name)]: paths, text: `${this.name} ${paths.join(' ')}` };
    return [...subjects, new Subject(command, { sets, cwd: this.cwd, reading, text: command.text })];
  }
}

/** What is read for packs, everywhere the same. */
export function readForPacks(text: string, shell?: string): CommandReading {
  return readCommand(text, { home: HOME_MARK, ...(shell !== undefined && { shell }) });
}

function commandsIn(args: Json): CarriedCommand[] {
  const found: CarriedCommand[] = [];
  const add = (text: string, reading: CommandReading) => {
    if (found.length < MOST_FOUND) found.push({ text, reading });
  };
  const walk = (value: Json | undefined, shell: string | undefined, depth: number): void => {
    if (depth > DEEPEST) return;
    if (Array.isArray(value)) for (const each of value) walk(each, shell, depth + 1);
    if (!isJsonObject(value)) return;
    const own = typeof value.shell === 'string' ? value.shell : shell;
    for (const [key, held] of Object.entries(value)) {
      if (!COMMAND_KEYS.has(key)) walk(held, own, depth + 1);
      else if (typeof held === 'string') take(held, isWords(value.args) ? value.args : null, own, add);
      else if (key === 'commands' && Array.isArray(held)) {
        for (const each of held) {
          if (typeof each === 'string') take(each, null, own, add);
          else if (isWords(each)) add(each.join(' '), readArgv(each, { home: HOME_MARK }));
          else walk(each, own, depth + 1);
        }
      } else if (isWords(held)) add(held.join(' '), readArgv(held, { home: HOME_MARK }));
      else walk(held, own, depth + 1);
    }
  };
  walk(args, undefined, 0);
  return found;
}

/** `command: rm` beside `args: [-rf, x]` is one program and its words. */
function take(
  text: string,
  rest: readonly string[] | null,
  shell: string | undefined,
  add: (text: string, reading: CommandReading) => void,
): void {
  if (rest === null) add(text, readForPacks(text, shell));
  else add([text, ...rest].join(' '), readArgv([text, ...rest], { home: HOME_MARK }));
}

function isWords(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}

/** Texts under keys that name paths, however deep; an extra `output_path` counts like any other. */
function pathsIn(args: Json): string[] {
  const found: string[] = [];
  const walk = (value: Json | undefined, key: string, depth: number): void => {
    if (depth > DEEPEST || found.length >= MOST_FOUND) return;
    if (typeof value === 'string') {
      if (isPathKey(key) && value !== '' && !value.includes('\n')) found.push(value);
    } else if (Array.isArray(value)) {
      for (const each of value) walk(each, key, depth + 1);
    } else if (isJsonObject(value)) {
      for (const [name, held] of Object.entries(value))
        if (!COMMAND_KEYS.has(name)) walk(held, name, depth + 1);
    }
  };
  walk(args, '', 0);
  return found;
}

function isPathKey(key: string): boolean {
  return PATH_KEY.test(key) && !CONTENT_KEY.test(key) && !FOLDER_KEYS.includes(key);
}

function folderIn(args: Json): string | null {
  if (!isJsonObject(args)) return null;
  for (const key of FOLDER_KEYS) {
    const value = args[key];
    if (typeof value === 'string' && value.startsWith('/')) return value.replace(/(?<=.)\/+$/, '');
  }
  return null;
}

/** A tool whose name does not say that it only reads is taken to write. */
function useOf(name: string): Use {
  const parts = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  if (parts.some((part) => DELETING.has(part))) return 'deletes';
  return parts.some((part) => READING.has(part)) ? 'reads' : 'writes';
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
