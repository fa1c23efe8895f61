/**
 * What a tool call does, as far as its name and arguments tell: the commands it would run and the paths it would read, write or
 * delete. Every guard asks here, so that no two of them see different calls. A tool whose name does not say that it only
 * reads is taken to write.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import {
  type Command,
  type CommandReading,
  patchNames,
  type ReadOptions,
  readCached,
} from '../shell/index.ts';

export type PathAccess = 'read' | 'write' | 'delete';

/** A command of a call, as text or as words. */
export type CommandArgument = string | readonly string[];

/** Arguments that are commands, whatever the tool; in small letters, without `_` and `-`. */
const COMMAND_KEYS: ReadonlySet<string> = new Set(
  'command cmd commands cmds commandline commandlines argv script shell bash shellcommand'.split(' '),
);
const PATH_KEY =
  /path|file|dir(?!ection)|folder|target|source|dest|uri$|location|document|^(?:from|to|glob|cwd|root|src|dst|out|output)$/i;
/** `file_text` is no path, nor is the `new_source` of a notebook's cell. */
const CONTENT_KEY =
  /(?:text|content|contents|data|body|type|format|encoding|mode|string|description|(?:new|old)_source)$/i;
const DEEPEST = 12;

export function isCommandKey(key: string): boolean {
  return COMMAND_KEYS.has(key.toLowerCase().replace(/[_-]/g, ''));
}

const SHELLS = words('bash sh zsh shell terminal command cmd exec execute console');

/** Tools that run code or queries: by a word of their name, or by the `language` of the call, the program that would run it. */
const RUNNERS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    'python python3 ipython jupyter notebook interpreter repl': ['python3', '-c'],
    'node javascript js typescript ts deno bun': ['node', '-e'],
    ruby: ['ruby', '-e'],
    perl: ['perl', '-e'],
    php: ['php', '-r'],
    'bash sh shell zsh': ['bash', '-c'],
    'sql postgres postgresql psql mysql mariadb sqlite duckdb database db bigquery snowflake clickhouse redshift':
      ['psql', '-c'],
    'mongo mongodb': ['mongosh', '--eval'],
  }).flatMap(([names, words]) => names.split(' ').map((name) => [name, words] as const)),
);
const RUNNING = words('run exec execute eval evaluate');
const CODE_KEY = /^(?:code|source|source_?code|snippet|cell|cell_?source|expression)$/i;
const QUERY_KEY = /^(?:query|queries|sql|statement|statements)$/i;

/**
 * The arguments of a call with what it runs under a key that all look at. A tool that takes one text has it as `input`: for one
 * that is a shell by its name, that is a command. Code and queries become the command of the program that would run them.
 */
export function asCommand(tool: string, args: Json | undefined): Json | undefined {
  if (!isJsonObject(args)) return args;
  const keys = Object.keys(args);
  if (typeof args.input === 'string' && keys.length === 1)
    return partsOfName(tool).some((part) => SHELLS.has(part)) ? { command: args.input } : args;
  const run: (string | string[])[] = keys.flatMap((key) => runBy(tool, key, args));
  run.push(...typed(tool, args));
  return run.length === 0 || args.commands !== undefined ? args : { ...args, commands: run };
}

/** Tools that type into a shell that is open: what they type is a command, as far as anybody can see. */
const TYPING = words('stdin type typed keys keystrokes paste terminal tty pty tmux');
const TYPED_KEY = /^(?:chars|characters|input|keys|text|data|content|string|line)$/i;

function typed(tool: string, args: JsonObject): string[] {
  const parts = tool
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z]+/);
  if (!parts.some((part) => TYPING.has(part))) return [];
  return Object.entries(args).flatMap(([key, value]) => {
    const texts = Array.isArray(value) ? value.filter((each) => typeof each === 'string').join('') : value;
    return TYPED_KEY.test(key) && typeof texts === 'string' && /\S\s+\S/.test(texts) ? [texts] : [];
  });
}

function runBy(tool: string, key: string, args: JsonObject): string[][] {
  const query = QUERY_KEY.test(key);
  if (!query && !CODE_KEY.test(key)) return [];
  // The server of a tool says what it is a query for: `mcp__postgres__query`.
  const parts = tool
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const language = typeof args.language === 'string' ? args.language.toLowerCase() : undefined;
  const named = [...(language === undefined ? [] : [language]), ...parts].find((part) => RUNNERS.has(part));
  const program = RUNNERS.get(
    named ??
      (query
        ? key.toLowerCase() === 'sql'
          ? 'sql'
          : ''
        : parts.some((part) => RUNNING.has(part))
          ? 'python'
          : ''),
  );
  if (program === undefined) return [];
  const value = args[key];
  const texts = Array.isArray(value) ? value : [value];
  return texts.filter((text) => typeof text === 'string').map((text) => [...program, text]);
}

/** The commands of a call, wherever in its arguments they stand. */
export function commandArguments(args: Json | undefined): readonly CommandArgument[] {
  const given: CommandArgument[] = [];
  const walk = (value: Json | undefined, key: string, depth: number): void => {
    if (depth > DEEPEST) return;
    if (typeof value === 'string') {
      if (isCommandKey(key)) given.push(value);
    } else if (Array.isArray(value)) {
      if (isCommandKey(key)) given.push(...listed(value));
      for (const item of value) if (typeof item === 'object') walk(item, key, depth + 1);
    } else if (isJsonObject(value)) {
      const entries = Object.entries(value);
      const named = namesShell(value);
      for (const [inner, part] of entries) if (inner !== 'shell' || !named) walk(part, inner, depth + 1);
      given.push(...apart(value));
    }
  };
  walk(args, '', 0);
  return given;
}

/** Beside a command, `shell` says which one reads it. */
export function namesShell(args: JsonObject): boolean {
  return (
    typeof args.shell === 'string' && Object.keys(args).some((key) => key !== 'shell' && isCommandKey(key))
  );
}

/** A list may be the words of one command, or commands: each is looked at both ways. */
function listed(value: readonly Json[]): CommandArgument[] {
  const wordSet = value.filter((word): word is string => typeof word === 'string');
  return wordSet.length === 0 ? [] : [wordSet, ...wordSet.filter((word) => /\s/.test(word))];
}

/** A program and its arguments may come under two keys. */
function apart(args: JsonObject): CommandArgument[] {
  const more = args.args ?? args.arguments;
  if (!Array.isArray(more) || !more.every((word) => typeof word === 'string')) return [];
  const program = Object.entries(args).find(([key, value]) => isProgramKey(key) && typeof value === 'string');
  return program === undefined ? [] : [[String(program[1]), ...(more as string[])]];
}

function isProgramKey(key: string): boolean {
  return isCommandKey(key) || /^(?:program|executable|exe|file|name)$/i.test(key);
}

export interface ReadCommandArgument {
  readonly given: CommandArgument;
  readonly reading: CommandReading;
}

export function commandReadings(
  args: Json | undefined,
  options: ReadOptions = {},
): readonly ReadCommandArgument[] {
  const shell = isJsonObject(args) && namesShell(args) ? String(args.shell) : undefined;
  const all = shell === undefined ? options : { ...options, shell };
  return commandArguments(args).map((given) => ({ given, reading: readCached(given, all) }));
}

/** The paths that are arguments of a call, wherever they stand; not those of its commands. Addresses of files are paths. */
export function pathArguments(args: Json | undefined): readonly string[] {
  const paths: string[] = [];
  const walk = (value: Json | undefined, key: string, depth: number): void => {
    if (depth > DEEPEST) return;
    if (typeof value === 'string') {
      if (FILE_ADDRESS.test(value)) paths.push(pathOfAddress(value));
      else if (PATH_KEY.test(key) && !CONTENT_KEY.test(key) && !isCommandKey(key)) paths.push(value);
      else if (PATCH_KEY.test(key) && PATCH.test(value)) paths.push(...pathsOfPatch(value));
    } else if (Array.isArray(value)) {
      for (const item of value) walk(item, key, depth + 1);
    } else if (isJsonObject(value)) {
      const names = Object.keys(value);
      // What has a name and a content is a file.
      if (typeof value.name === 'string' && names.some((each) => CONTENT_KEY.test(each)))
        paths.push(value.name);
      for (const [inner, part] of Object.entries(value)) {
        // `{files: {"src/a.ts": "…"}}`: the name of a file may be the key.
        if (depth > 0 && /[/.]/.test(inner)) paths.push(inner);
        walk(part, inner, depth + 1);
      }
    }
  };
  walk(args, '', 0);
  return paths;
}

const FILE_ADDRESS = /^\s*file:\/{1,3}/i;

/** `file:///a%20b`, `file://localhost/a` and `file:/a` are one way to write a path. */
function pathOfAddress(address: string): string {
  const path = address.trim().replace(/^file:(?:\/\/(?:localhost(?=\/))?)?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The two forms in which agents hand patches to a tool. Elsewhere a patch is text that is written. */
const PATCH_KEY = /^(?:input|patch|diff|patch_?text|unified_?diff)$/i;
const PATCH = /^(?:\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )|diff --git |--- \S.*\n\+\+\+ )/m;

function pathsOfPatch(text: string): Iterable<string> {
  return patchNames(text, { strip: null, loose: false }).paths;
}

const READING_VERBS = words(
  'read view cat open get list ls dir glob grep search find stat show head tail fetch load notebookread',
);
const WRITING = words(
  `write edit append create patch update save put insert replace set copy make touch apply modify notebook add new store upload
   download dump export import sync restore reset extract unzip install clone checkout commit overwrite rewrite truncate link
   symlink chmod chown init generate build run exec execute sub substitute format fix mkdir rewind undo redo post send push`,
);
const DELETING = words(
  'delete remove rm unlink rmdir trash erase purge move rename mv clear clean empty wipe drop destroy prune',
);

/** The server of an MCP tool says nothing about what the tool does. */
const SERVER = /^mcp__.*?__(?=.)/;

/** What a tool does to its paths, by its name. */
export function accessOfTool(tool: string): PathAccess {
  const parts = partsOfName(tool);
  const has = (set: ReadonlySet<string>) => parts.some((part) => set.has(part));
  if (has(DELETING)) return 'delete';
  return has(READING_VERBS) && !has(WRITING) ? 'read' : 'write';
}

function partsOfName(tool: string): string[] {
  return tool
    .replace(SERVER, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z]+/);
}

export interface AccessedPath {
  readonly path: string;
  readonly use: PathAccess;
  /** Not the folder itself but something below it, which a search picks out. */
  readonly some?: true;
}

/** The paths of one command: what its row says, what a search feeds it, and what stands in code that it runs. */
export function pathsOfCommand(command: Command): readonly AccessedPath[] {
  const picked = command.program === 'find' && narrows(command) ? SOME : NOTHING;
  return [
    ...command.reads.map((path): AccessedPath => ({ path, use: 'read' })),
    ...command.writes.map((path): AccessedPath => ({ path, use: 'write' })),
    ...command.deletes.map((path): AccessedPath => ({ path, use: 'delete', ...picked })),
    ...pathsFed(command),
    ...pathsInCode(command),
  ];
}

const SOME = { some: true } as const;
const NOTHING = {};

/** Tests of `find` that leave most files alone. A type, a depth or a name that everything has is none. */
const NARROWS =
  /^-(?:i?l?name|i?path|i?wholename|i?regex|newer\w*|[acm](?:time|min)|size|empty|user|uid|group|gid|perm|inum|samefile|nouser|nogroup|links)$/;

/** Whether a search picks out some of the files it meets. */
export function narrows({ args }: Command): boolean {
  return args.some((arg, i) => NARROWS.test(arg) && !/^\*+$/.test(args[i + 1] ?? ''));
}

/** `{}` of `find -exec`, and what `xargs` puts at the end. */
const FED = /\{\}|\$\(\)$/;

/** What a search found and gives to the command: it stands below where the search began. */
function pathsFed(command: Command): AccessedPath[] {
  const use: PathAccess | null = command.deletes.some(hasPipedInput)
    ? 'delete'
    : command.writes.some(hasPipedInput)
      ? 'write'
      : null;
  if (use === null) return [];
  return command.sources
    .filter(({ program }) => program === 'find' || program === 'fd' || program === 'ls')
    .flatMap((source) =>
      source.reads.map((path): AccessedPath => ({ path, use, ...(narrows(source) ? SOME : NOTHING) })),
    );
}

export function hasPipedInput(path: string): boolean {
  return FED.test(path);
}

const CODE_DELETES = /remove|unlink|rmtree|rmdir|rmsync|rename|replace|move|delete|\brm\b/i;
const CODE_WRITES =
  /write|truncate|append|copy|touch|chmod|mkdir|symlink|\blink|save|>|["'](?:[wax]\+?b?|r\+b?)["']/i;
const LITERAL = /"([^"\\\n]{1,400})"|'([^'\\\n]{1,400})'/g;
/** Between two literals that are one path: `'src/' + 'a.ts'`. */
const JOINED = /(["'])\s{0,8}(?:\+|\.\.?)\s{0,8}\1/g;
const MOST_LITERALS = 200;

/** Strings in code of another language that may be paths; what is done to them is told from the whole of the code. */
function pathsInCode({ code, cwd }: Command): AccessedPath[] {
  if (code === null || code.language === 'sh' || code.language === 'sql') return [];
  const use: PathAccess = CODE_DELETES.test(code.text)
    ? 'delete'
    : CODE_WRITES.test(code.text)
      ? 'write'
      : 'read';
  const found: AccessedPath[] = [];
  for (const [, double, single] of code.text.replace(JOINED, '').matchAll(LITERAL)) {
    const text = double ?? single ?? '';
    if (/\s/.test(text) || !/[a-zA-Z]/.test(text)) continue;
    const relative = cwd !== null && cwd !== '' && !/^[/~]/.test(text);
    found.push({ path: relative ? `${cwd}/${text}` : text, use });
    if (found.length === MOST_LITERALS) break;
  }
  return found;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
