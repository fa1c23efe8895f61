/**
 * What the agent may not change: the policy folders of every layer, the files they were read from, tapes and transcripts, what
 * Harness keeps for the user, and the files in which agents are told to ask Harness. One list, as data, and one question:
 * does this path lead there? It is answered by what the file system says, not by names alone: links, hard links, mounts,
 * moved folders and other spellings lead to the same files.
 */

import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { partMatches, partsOf } from '../base/index.ts';
import { POLICY_FOLDER } from '../frontends/index.ts';
import {
  foldedPath,
  foldsCase,
  type Host,
  homeFolder,
  isWithin,
  realPathOrNull,
  userFolder,
} from '../machine/index.ts';
import { asRemotePath } from '../shell/index.ts';
import type { LayerKind, LayerPlaces } from './layers.ts';
import { stateFolder } from './state-folder.ts';
import { ALL_SYSTEM_FOLDERS } from './system-folders.ts';

/** The folder of the built bundle; sources that run as modules have none. */
declare const __dirname: string | undefined;

export interface GuardedPaths {
  /** Absolute. Everything in them is guarded, also what is not there yet. */
  readonly folders: readonly string[];
  /** Absolute. */
  readonly files: readonly string[];
  /**
   * Folders whose contents are guarded, but which may go with a folder above them: the package of Harness goes with `node_modules`,
   * and comes back with the next installation. Guards then run the user's copy.
   */
  readonly replaceable?: readonly string[];
}

/** A layer, as far as this looks at it. */
export interface GuardedLayer {
  readonly kind: LayerKind;
  readonly dir: string;
  readonly project: { readonly files: readonly string[] };
}

/** Files of a project folder that are policy as soon as they are there. */
export const POLICY_FILES = ['harness.md', 'agent.json', 'harn.toml'];

/** Where agents keep their hooks, from the project and from the home folder. Guarded once they name Harness. */
export const AGENT_HOOK_FILES: readonly string[] = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/hooks.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  '.qwen/settings.json',
  '.cursor/hooks.json',
  '.copilot/settings.json',
  '.copilot/config.json',
  '.factory/hooks.json',
  '.github/copilot/settings.json',
  '.agents/plugins/harness/plugin.json',
  'opencode.json',
  'opencode.jsonc',
];
/** Where clients keep the servers they start: one that loses its proxy is a server that nobody judges. Guarded once they name it. */
export const CLIENT_FILES: readonly string[] = [
  '.mcp.json',
  '.claude.json',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
  '.config/Code/User/mcp.json',
  '.config/Claude/claude_desktop_config.json',
  'Library/Application Support/Code/User/mcp.json',
  'Library/Application Support/Claude/claude_desktop_config.json',
];
/** Where agents keep their hooks, of those that read every file of a folder. */
export const AGENT_HOOK_FOLDERS: readonly string[] = [
  '.github/hooks',
  '.copilot/hooks',
  '.kiro/hooks',
  '.cline/hooks',
  '.clinerules/hooks',
  'Documents/Cline/Hooks',
  '.opencode/plugin',
  '.config/opencode/plugin',
  '.pi/extensions',
  '.pi/agent/extensions',
  '.agents/plugins/harness/hooks',
  '.harness-guard',
];

/** Settings in which agents are told what they may do, or which programs of theirs to run. */
const AGENT_SETTINGS: readonly string[] = [
  ...ALL_SYSTEM_FOLDERS.map((folder) => `${asRemotePath(folder)}/**`),
  '~/.claude.json',
  '.claude/hooks/**',
  '.codex/hooks/**',
  '.cursor/{hooks/**,cli.json,permissions.json}',
  '.windsurf/hooks.json',
  '.opencode/plugins/**',
  '.config/opencode/**',
  '.factory/{settings.json,hooks/**}',
  '.augment/settings.json',
  '.kiro/{settings,agents}/**',
  '.copilot/config.json/**',
  '.agents/plugins/harness/**',
  '.goose/**',
];
const KEPT_FOLDERS = ['/etc', '~/.config', '~/.local/state', '~/.local/share', '~/.cache'];

/** What is guarded in every project, as patterns, for who sees a path only as text: the set `@policy` of the packs. */
export const GUARDED_PATTERNS: readonly string[] = [
  ...[POLICY_FOLDER, ...KEPT_FOLDERS.map((folder) => `${folder}/harness`), ...AGENT_HOOK_FOLDERS].flatMap(
    (folder) => [folder, `${folder}/**`],
  ),
  ...POLICY_FILES,
  ...AGENT_HOOK_FILES,
  ...AGENT_SETTINGS,
];

export interface GuardedSource {
  readonly dir: string;
  readonly layers: readonly GuardedLayer[];
  readonly places: LayerPlaces;
  readonly host: Pick<Host, 'env'>;
}

/** What of a policy is guarded. */
export function guardedPaths({ dir, layers, places, host }: GuardedSource): GuardedPaths {
  const folders = new Set<string>();
  const files = new Set<string>();
  const fleet = places.fleet?.managed?.folder ?? null;
  for (const place of [places.managed, places.user, fleet, ...stateFoldersOf(host)])
    if (place !== null) folders.add(resolve(place));
  for (const layer of layers) {
    const at = resolve(layer.dir);
    if (layer.kind !== 'project') folders.add(at);
    else {
      folders.add(join(at, POLICY_FOLDER));
      for (const name of POLICY_FILES) files.add(join(at, name));
    }
    for (const file of layer.project.files) files.add(resolve(at, file));
  }
  for (const folder of ALL_SYSTEM_FOLDERS) if (existsAt(folder)) folders.add(resolve(folder));
  // Tapes and transcripts of a session stand here, also if there is no policy.
  folders.add(resolve(dir, POLICY_FOLDER));
  const home = homeFolder(host);
  const roots = new Set([
    resolve(dir),
    ...layers.map((layer) => resolve(layer.dir)),
    ...(home === null ? [] : [home]),
  ]);
  const naming = agentFiles(roots, host);
  for (const { path } of naming) files.add(path);
  // An agent that asks Harness in one place can be told not to in another, also in a file that is not there yet.
  const asking = new Set(naming.filter(({ hooks }) => hooks).map(({ agent }) => agent));
  for (const { name, path } of placed(AGENT_HOOK_FILES, roots, host))
    if (asking.has(agentOf(name))) files.add(path);
  const replaceable = [...roots].map((root) => join(root, PACKAGE_FOLDER));
  const own = runningPackage();
  return {
    folders: [...folders],
    files: [...files],
    replaceable: [...new Set([...replaceable, ...(own === null ? [] : [own])])],
  };
}

/** Where a project has the package of Harness. */
export const PACKAGE_FOLDER = join('node_modules', 'harness-hooks');

/** The package that this code belongs to, if it is installed: in a project, for all of a machine, in a cache. */
function runningPackage(): string | null {
  const here = typeof __dirname === 'string' ? __dirname : '';
  const at = here.lastIndexOf(`${sep}${PACKAGE_FOLDER}${sep}`);
  return at === -1 ? null : here.slice(0, at + PACKAGE_FOLDER.length + 1);
}

/** What answers in a person's place: the queue of questions, the daemon's token, the machine's key, keys of answers and tapes. */
export function secretPaths(
  keys: readonly (string | null | undefined)[],
  host: Pick<Host, 'env'>,
): GuardedPaths {
  const state = stateFolder(host);
  const folders = state === null ? [] : ['approvals', 'daemon', 'fleet'].map((name) => join(state, name));
  return { folders, files: keys.filter((key): key is string => typeof key === 'string') };
}

/** Trust, approvals, run state, caches: all that Harness keeps for a user. */
function stateFoldersOf(host: Pick<Host, 'env'>): (string | null)[] {
  return (['state', 'data', 'cache'] as const).map((kind) => userFolder(host, kind));
}

interface AgentFile {
  readonly path: string;
  readonly agent: string;
  /** It names Harness in its hooks; otherwise in the servers it starts. */
  readonly hooks: boolean;
}

function agentFiles(roots: Iterable<string>, host: Pick<Host, 'env'>): AgentFile[] {
  const listed = placed(AGENT_HOOK_FOLDERS, roots, host).flatMap(({ name, path }) => {
    try {
      return readdirSync(path).map((file) => ({ name, path: join(path, file) }));
    } catch {
      return [];
    }
  });
  return [...placed([...AGENT_HOOK_FILES, ...CLIENT_FILES], roots, host), ...listed]
    .map(({ name, path }) => ({ path, agent: agentOf(name), hooks: !CLIENT_FILES.includes(name) }))
    .filter(({ path }) => namesHarness(path));
}

interface Placed {
  /** As the lists above have it. */
  readonly name: string;
  readonly path: string;
}

function placed(names: readonly string[], roots: Iterable<string>, host: Pick<Host, 'env'>): Placed[] {
  const usual = [...roots].flatMap((root) => names.map((name) => ({ name, path: join(root, name) })));
  return [...usual, ...movedFiles(names, host)];
}

/** Folders in a home that a user may have elsewhere, by the variables that say where. */
const FOLDER_VARIABLES: Readonly<Record<string, string>> = {
  CLAUDE_CONFIG_DIR: '.claude/',
  CODEX_HOME: '.codex/',
  COPILOT_HOME: '.copilot/',
  PI_CODING_AGENT_DIR: '.pi/agent/',
  XDG_CONFIG_HOME: '.config/',
};

/** Those of the names that the environment puts elsewhere, and where. */
export function movedFiles(names: readonly string[], host: Pick<Host, 'env'>): Placed[] {
  return Object.entries(FOLDER_VARIABLES).flatMap(([variable, usual]) => {
    const folder = host.env(variable) ?? '';
    if (!isAbsolute(folder)) return [];
    return names
      .filter((name) => name.startsWith(usual))
      .map((name) => ({ name, path: join(folder, name.slice(usual.length)) }));
  });
}

/** By the folder it keeps its files in, which for some agents are several. */
function agentOf(file: string): string {
  if (/^(?:opencode\.|\.harness-guard|\.opencode\/|\.config\/opencode\/)/.test(file)) return 'opencode';
  return file.startsWith('.github/') ? '.copilot' : file.split('/')[0]!;
}

const LARGEST = 1_000_000;

function namesHarness(path: string): boolean {
  try {
    const found = statSync(path);
    if (!found.isFile()) return false;
    // What is too long to look into may name it.
    return found.size > LARGEST || readFileSync(path, 'utf8').includes('harness');
  } catch {
    return false;
  }
}

/** What a file is, whatever it is called. */
interface FileId {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly nlink: bigint;
}

const MOST_LINKS = 40;
const MOST_LISTED = 20_000;
const MOST_FOLDERS = 500;
const MOST_FOLDED = 2000;

/** The list at work. What stood there when it was made stays guarded wherever it is moved. */
export class Protected {
  /** Null until the first question, if that is soon enough. */
  private known: GuardedPaths | null = null;
  private readonly find: () => GuardedPaths;
  private readonly ids = new Set<string>();
  /** What stands above guarded places, by what it is: to take that away is to take them away. */
  private above = new Map<string, string>();
  /** The guarded places as a volume has them that does not tell letters apart. */
  private readonly folds = new Map<string, string>();

  /** `late`: by a process that decides for one call and ends, which often asks nothing. */
  constructor(find: () => GuardedPaths, { late = false } = {}) {
    this.find = find;
    if (!late) this.begin();
  }

  get paths(): GuardedPaths {
    return this.list;
  }

  private get list(): GuardedPaths {
    return this.known ?? this.begin();
  }

  private begin(): GuardedPaths {
    this.known = this.find();
    this.remember();
    for (const folder of this.known.folders) this.rememberBelow(folder);
    return this.known;
  }

  /** More of a run: a tape elsewhere, a transcript. */
  add(more: Partial<GuardedPaths>): void {
    const { folders = [], files = [], replaceable = [] } = more;
    const both = (before: readonly string[], added: readonly string[]) => [
      ...new Set([...before, ...added.map((path) => resolve(path))]),
    ];
    this.known = {
      folders: both(this.list.folders, folders),
      files: both(this.list.files, files),
      replaceable: both(this.list.replaceable ?? [], replaceable),
    };
    this.remember();
  }

  /** Looks again at what stands in the guarded places; once for each call that is judged. */
  remember(): void {
    if (this.known === null) return void this.begin();
    this.above = new Map();
    const seen = new Set<string>();
    for (const path of this.all()) {
      const found = statOf(path);
      if (found === null) continue;
      this.ids.add(idOf(found));
      for (const folder of [path, ...ancestorsOf(path)]) {
        if (seen.has(folder)) break;
        seen.add(folder);
        const there = folder === path ? found : statOf(folder);
        if (there !== null) this.above.set(idOf(there), path);
      }
    }
    for (const path of this.replaceable()) {
      const found = statOf(path);
      if (found !== null) this.ids.add(idOf(found));
    }
  }

  /** Folders in guarded ones by what they are: one that is mounted elsewhere has no guarded folder above it. */
  private rememberBelow(top: string): void {
    let left = MOST_FOLDERS;
    const queue = [top];
    for (let folder = queue.pop(); folder !== undefined && left > 0; folder = queue.pop()) {
      for (const entry of entriesOf(folder)) {
        if (!entry.isDirectory() || left-- <= 0) continue;
        const path = join(folder, entry.name);
        const found = statOf(path);
        if (found !== null) this.ids.add(idOf(found));
        queue.push(path);
      }
    }
  }

  /** The guarded place that a path leads to, or null. `cwd` is what it is relative to; both may be spelt in any way. */
  reach(path: string, cwd: string): string | null {
    const raw = absolute(path, cwd);
    return this.byName(resolve(raw)) ?? this.byIdentity(raw, 0) ?? this.byIdentity(resolve(raw), 0);
  }

  /** The same for the name itself, its own link not followed: for what removes or replaces names. */
  reachName(path: string, cwd: string): string | null {
    const raw = absolute(path, cwd);
    const named = this.byName(resolve(raw));
    if (named !== null) return named;
    const isLink = !/[/\\]$/.test(raw) && lstatOf(raw)?.isSymbolicLink() === true;
    return isLink ? this.reach(dirname(raw), cwd) : this.reach(path, cwd);
  }

  /** A guarded place that stands in a folder or is it, by its real place; null if there is none. */
  below(path: string, cwd: string): string | null {
    const full = resolve(absolute(path, cwd));
    // A link is removed without what it leads to.
    const isLink = !/[/\\]$/.test(path) && lstatOf(full)?.isSymbolicLink() === true;
    const found = isLink ? null : statOf(full);
    // By what it is too: a link on the way changes nothing.
    const known = found === null ? undefined : this.above.get(idOf(found));
    return known ?? this.all().find((place) => this.isWithin(place, full, place) && existsAt(place)) ?? null;
  }

  /** The guarded place that a pattern may stand for, or that stands in what it stands for if `above` counts. */
  meets(pattern: string, cwd: string, above: boolean, folds = false): string | null {
    const given = partsOf(isAbsolute(pattern) ? pattern : join(cwd, pattern));
    const open = given.findIndex((part) => /[*?[{$]/.test(part));
    if (open > 0) {
      const fixed = this.reach(`/${given.slice(0, open).join('/')}`, cwd);
      if (fixed !== null) return fixed;
    }
    return (
      // What is deleted by a pattern goes with the folder around it.
      [...this.all(), ...(above ? [] : this.replaceable())].find((place) => {
        const parts = partsOf(place);
        const shared = Math.min(given.length, parts.length);
        if (!above && given.length < parts.length) return false;
        const meetsAs = (as: (part: string) => string) => {
          for (let i = 0; i < shared; i++) if (!partMatches(as(given[i]!), as(parts[i]!))) return false;
          return true;
        };
        const isMet =
          meetsAs((part) => part) || (meetsAs(foldedPath) && (folds || foldsCase(dirname(place))));
        return isMet && existsAt(place);
      }) ?? null
    );
  }

  /** Of an open file: hard links have no other name for what they are. */
  holds(found: FileId): boolean {
    this.remember();
    return this.ids.has(idOf(found)) || (found.nlink > 1n && this.linked(found));
  }

  private all(): readonly string[] {
    return [...this.list.folders, ...this.list.files];
  }

  private replaceable(): readonly string[] {
    return this.list.replaceable ?? [];
  }

  private byName(full: string): string | null {
    return (
      [...this.list.folders, ...this.replaceable()].find((folder) => this.isWithin(full, folder, folder)) ??
      this.list.files.find(
        (file) => file === full || (this.fold(file) === this.fold(full) && foldsCase(dirname(file))),
      ) ??
      null
    );
  }

  /** Written in other letters too, where the volume of the guarded place takes them for the same. */
  private isWithin(path: string, folder: string, place: string): boolean {
    if (isWithin(path, folder)) return true;
    return isWithin(this.fold(path), this.fold(folder)) && foldsCase(dirname(place));
  }

  private fold(path: string): string {
    let folded = this.folds.get(path);
    if (folded === undefined) {
      if (this.folds.size > MOST_FOLDED) this.folds.clear();
      this.folds.set(path, (folded = foldedPath(path)));
    }
    return folded;
  }

  /** Each folder on the way by what it is: the file system has followed links and spellings. */
  private byIdentity(raw: string, links: number): string | null {
    const first = statOf(raw);
    if (first?.isFile() && first.nlink > 1n && this.linked(first)) return raw;
    // A link to something that is not there yet: what is written comes to stand where it leads.
    const target = first === null ? linkTarget(raw) : null;
    if (target !== null && links < MOST_LINKS)
      return this.byName(resolve(target)) ?? this.byIdentity(target, links + 1);
    const way = [raw, ...ancestorsOf(raw)];
    for (const path of way.slice(first === null ? firstExisting(way) : 0)) {
      const real = realPathOrNull(path);
      if (real === null) continue;
      const guarded = [real, ...ancestorsOf(real)].find((each) => this.isOne(each));
      return guarded === undefined ? null : path;
    }
    return null;
  }

  private isOne(path: string): boolean {
    const found = statOf(path);
    return found !== null && this.ids.has(idOf(found));
  }

  /** Whether a file with several names has one of them in a guarded folder. */
  private linked(file: FileId): boolean {
    let left = MOST_LISTED;
    const queue = [...this.list.folders];
    for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
      for (const entry of entriesOf(folder)) {
        // More than anybody keeps there: then it is better not to write to a file with two names.
        if (left-- === 0) return true;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) queue.push(path);
        else if (sameFile(lstatOf(path), file)) return true;
      }
    }
    return this.list.files.some((path) => sameFile(statOf(path), file));
  }
}

/** As it is written: the last part taken off, one after the other. */
function ancestorsOf(path: string): string[] {
  const found: string[] = [];
  for (let at = dirname(path); found.at(-1) !== at; at = dirname(at)) found.push(at);
  return found;
}

/** Which of a path and those above it is the first that is there: halved, since what stands above that is there too. */
function firstExisting(way: readonly string[]): number {
  let [missing, there] = [0, way.length - 1];
  while (there - missing > 1) {
    const middle = (missing + there) >> 1;
    if (statOf(way[middle]!) === null) missing = middle;
    else there = middle;
  }
  return there;
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function lstatOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function linkTarget(path: string): string | null {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return null;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function existsAt(path: string): boolean {
  return lstatOf(path) !== null;
}

function idOf({ dev, ino }: FileId): string {
  return `${dev}:${ino}`;
}

function sameFile(a: FileId | null, b: FileId | null): boolean {
  return a !== null && b !== null && a.ino === b.ino && a.dev === b.dev;
}

/** Without taking `..` away: what stands before it may be a link. What is the folder of the program that gets it is not that of this one. */
function absolute(path: string, cwd: string): string {
  const own = /^\/proc\/(?:self|thread-self)\/cwd(?=\/|$)/.exec(path)?.[0];
  if (own !== undefined) return cwd + path.slice(own.length);
  return isAbsolute(path) ? path : `${cwd}${sep}${path}`;
}
