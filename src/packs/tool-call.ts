/**
 * A tool call as rules look at it: every command it carries, read once for all packs, and every path it names, read or
 * written as the name of the tool says. Made once for each state of a payload and shared by all hooks.
 */
import { BoundedMap, isJsonObject, type Json, type JsonObject, normalForm } from '../base/index.ts';
import {
  accessOfTool,
  asCommand,
  FOLDER_ARGUMENTS,
  isCommandKey,
  namesShell,
  ownFolder,
  relativeTo,
  type ValueOrigins,
} from '../engine/index.ts';
import { type Command, type CommandReading, NO_COMMAND, readCached } from '../shell/index.ts';
import {
  matchesOf,
  offeredSubject,
  type Pack,
  type RuleMatch,
  type SharedNames,
  subjectsOf,
} from './pack.ts';
import { HOME_MARK } from './path-sets.ts';
import { Subject, unreadOf } from './subject.ts';

/** Of many tools these name what is looked at: they count as the folder of a call only if they are absolute. */
const OBJECT_FOLDERS = ['directory', 'dir'];
const PATH_KEY = /path|file|dir|folder|target|source|dest|^(?:from|to|glob|uri)$/i;
/** `file_text` is no path. */
const CONTENT_KEY =
  /(?:text|content|contents|data|body|type|format|encoding|mode|size|count|line|lines|limit)$/i;
const DEEPEST = 12;
const MOST_OFFERED = 50_000;
/** The events that rules look at. */
export const [CALL, OFFER] = ['tool.pre', 'meta.register_tool'] as const;

export interface CarriedCommand {
  readonly text: string;
  readonly reading: CommandReading;
}

/** Where the paths of a call stand in a command. */
const ACCESS_FIELDS = { read: 'reads', write: 'writes', delete: 'deletes' } as const;

export class ToolCall {
  readonly name: string;
  /** Absolute, or null if nobody knows where it runs. */
  readonly cwd: string | null;
  /** The same as the host says it, without the call. What a call says of itself can make it stricter, and never excepts it. */
  readonly sessionCwd: string | null;
  private readonly args: Json;
  private readonly roots: readonly string[];
  readonly shared: SharedNames;
  private knownCommands: readonly CarriedCommand[] | null = null;
  private knownSubjects: readonly Subject[] | null = null;
  private knownCommandSubjects: readonly Subject[] | null = null;
  private readonly found = new WeakMap<Pack, readonly RuleMatch[]>();

  constructor(
    name: string,
    args: Json,
    cwd: string | null,
    shared: SharedNames,
    roots: readonly string[] = [],
  ) {
    this.name = name;
    this.args = asCommand(name, args) ?? null;
    this.cwd = folderOf(args, cwd);
    this.sessionCwd = cwd;
    this.roots = roots;
    this.shared = shared;
  }

  get commands(): readonly CarriedCommand[] {
    this.knownCommands ??= commandsIn(this.args, SHELL_NAMED.exec(this.name)?.[0].toLowerCase());
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

  /** The rules over sinks that match, by the ledger of the session. */
  flows(pack: Pack, origins: ValueOrigins | null): readonly RuleMatch[] {
    if (!pack.index.looksAt.flow) return [];
    // A guard that knows nothing must not read as one that found nothing.
    if (origins === null) throw new Error('this session has no flow ledger, which rules over sources need');
    // Without an untrusted or confidential source nothing comes from where it may not.
    if (origins.labels().length === 0) return [];
    return matchesOf(pack.index, this.flowSubjects(origins));
  }

  /** The call as a whole, with the paths it names, and each command it carries. */
  flowSubjects(origins: ValueOrigins): readonly Subject[] {
    const { name, args, cwd } = this;
    const flow = { name, args, cwd, origins, carriesCommands: this.commands.length > 0 };
    const commands = this.commandSubjects.map(
      ({ command, around }) => new Subject(command, { ...around, flow }),
    );
    const { command, around } = this.pathSubject(pathsIn(args));
    return [new Subject({ ...command, text: name }, { ...around, flow, isWholeCall: true }), ...commands];
  }

  /** The rules of a pack that match, in the order of the commands. */
  matches(pack: Pack): readonly RuleMatch[] {
    const before = this.found.get(pack);
    if (before !== undefined) return before;
    const found = matchesOf(pack.index, this.subjects);
    this.found.set(pack, found);
    return found;
  }

  protected look(): readonly Subject[] {
    const paths = pathsIn(this.args);
    return paths.length === 0 ? this.commandSubjects : [...this.commandSubjects, this.pathSubject(paths)];
  }

  private get commandSubjects(): readonly Subject[] {
    const { sets } = this.shared;
    this.knownCommandSubjects ??= this.commands.flatMap(({ text, reading }) =>
      subjectsOf(reading, text, sets, this.cwd, this.roots),
    );
    return this.knownCommandSubjects;
  }

  private pathSubject(paths: readonly string[]): Subject {
    const { name, cwd, roots } = this;
    const reading: CommandReading = { commands: [], errors: [], complete: true, dynamic: false };
    const text = `${name} ${paths.join(' ')}`;
    const command: Command = { ...NO_COMMAND, [ACCESS_FIELDS[accessOfTool(name)]]: paths, text };
    return new Subject(command, { sets: this.shared.sets, cwd, roots, reading, text });
  }
}

/** A tool that is offered, by a server or by the agent itself: everything its definition says to a model. */
class OfferedTool extends ToolCall {
  private readonly definition: Json;

  constructor(name: string, definition: Json, cwd: string | null, shared: SharedNames) {
    super(name, null, cwd, shared);
    this.definition = definition;
  }

  protected override look(): readonly Subject[] {
    const text = textsIn(this.definition).join('\n');
    // What is not looked at to its end is not known: the failure of a guard, which blocks.
    if (text.length > MOST_OFFERED)
      throw new Error(`the definition has ${text.length} characters, and ${MOST_OFFERED} are looked at`);
    return [offeredSubject(this.name, text, this.shared.sets)];
  }
}

/** Values and names: both are read. */
function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, held]) => [key, ...textsIn(held)]) : [];
}

/** What rules look at in an event; null if there is nothing for them. */
export function viewToolCall(
  event: string,
  payload: Json,
  cwd: string | null,
  shared: SharedNames,
  roots: readonly string[] = [],
): ToolCall | null {
  if (event !== OFFER && event !== CALL) return null;
  const { name, args, ...rest } = isJsonObject(payload) ? payload : ({} as JsonObject);
  return event === OFFER
    ? new OfferedTool(String(name ?? ''), { ...rest, name: name ?? '', args: args ?? null }, cwd, shared)
    : cachedCall(String(name ?? ''), args ?? null, cwd, shared, roots);
}

const MOST_CALLS = 200;
const LONGEST_CALL = 2000;
const calls = new BoundedMap<string, ToolCall>(MOST_CALLS);

/** What rules find in a call follows from the call and its folders alone, and agents repeat themselves. */
function cachedCall(
  name: string,
  args: Json,
  cwd: string | null,
  shared: SharedNames,
  roots: readonly string[],
): ToolCall {
  const key = JSON.stringify([name, args, cwd, roots]);
  const known = calls.get(key);
  if (known?.shared === shared) return known;
  const call = new ToolCall(name, args, cwd, shared, roots);
  if (key.length <= LONGEST_CALL) calls.set(key, call);
  return call;
}

/** What is read for packs, everywhere the same. */
export function readForPacks(text: string, shell?: string): CommandReading {
  return readCached(text, { home: HOME_MARK, ...(shell !== undefined && { shell }) });
}

/** A tool of a server that is a shell of this name. */
const SHELL_NAMED = /powershell|pwsh/i;

function commandsIn(args: Json, tool: string | undefined): CarriedCommand[] {
  const found: CarriedCommand[] = [];
  const add = (text: string, reading: CommandReading) => found.push({ text, reading });
  const walk = (value: Json | undefined, shell: string | undefined, depth: number): void => {
    if (depth > DEEPEST) return;
    if (Array.isArray(value)) for (const each of value) walk(each, shell, depth + 1);
    if (!isJsonObject(value)) return;
    const own = typeof value.shell === 'string' ? value.shell : shell;
    const named = namesShell(value);
    for (const [key, held] of Object.entries(value)) {
      if (key === 'shell' && named) continue;
      if (!isCommandKey(key)) walk(held, own, depth + 1);
      else if (typeof held === 'string') take(held, isWords(value.args) ? value.args : null, own, add);
      else if (isPlural(key) && Array.isArray(held)) {
        for (const each of held) {
          if (typeof each === 'string') take(each, null, own, add);
          else if (isWords(each)) add(each.join(' '), readCached(each, { home: HOME_MARK }));
          else walk(each, own, depth + 1);
        }
      } else if (isWords(held)) add(held.join(' '), readCached(held, { home: HOME_MARK }));
      else walk(held, own, depth + 1);
    }
  };
  walk(args, tool, 0);
  return found;
}

/** `command: rm` beside `args: [-rf, x]` is one program and its words. */
function take(
  text: string,
  rest: readonly string[] | null,
  shell: string | undefined,
  add: (text: string, reading: CommandReading) => unknown,
): void {
  if (rest === null) add(text, readForPacks(text, shell));
  else add([text, ...rest].join(' '), readCached([text, ...rest], { home: HOME_MARK }));
}

function isWords(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}

/** A list under such a key is several commands; under any other, the words of one. */
function isPlural(key: string): boolean {
  return /s$/i.test(key);
}

/** Texts under keys that name paths, however deep; an extra `output_path` counts like any other. */
function pathsIn(args: Json): string[] {
  const found: string[] = [];
  const walk = (value: Json | undefined, key: string, depth: number): void => {
    if (depth > DEEPEST) return;
    if (typeof value === 'string') {
      if (isPathKey(key) && value !== '' && !value.includes('\n')) found.push(value);
    } else if (Array.isArray(value)) {
      for (const each of value) walk(each, key, depth + 1);
    } else if (isJsonObject(value)) {
      for (const [name, held] of Object.entries(value)) if (!isCommandKey(name)) walk(held, name, depth + 1);
    }
  };
  walk(args, '', 0);
  return found;
}

function isPathKey(key: string): boolean {
  const isFolder = FOLDER_ARGUMENTS.includes(key) || OBJECT_FOLDERS.includes(key);
  return PATH_KEY.test(key) && !CONTENT_KEY.test(key) && !isFolder;
}

/** Where a call runs: the folder that it names, seen from the one that the host says. */
function folderOf(args: Json, cwd: string | null): string | null {
  if (!isJsonObject(args)) return cwd;
  const named = OBJECT_FOLDERS.map((key) => args[key]).find(isAbsolute);
  const folder = relativeTo(cwd ?? '', ownFolder(args) ?? named);
  return isAbsolute(folder) ? normalForm(folder) : cwd;
}

function isAbsolute(value: Json | undefined): value is string {
  return typeof value === 'string' && value.startsWith('/');
}
