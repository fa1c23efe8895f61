/**
 * What `harness init --from SYSTEM` takes over from a project of another system: which files go where, and what somebody still
 * has to look at. Nothing is run and nothing is changed here; the plan is data.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { FOREIGN_EVENTS, FOREIGN_TYPES, SETTINGS_EVENTS } from '../../frontends/index.ts';
import { entryFor, harnHandlers, skeletonFor } from './from-harn.ts';

export interface ConvertedSystem {
  /** By the path in the project that is written, with forward slashes. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** What works differently, or has to be done by hand. */
  readonly notes: readonly string[];
}

export type UnconvertedEntry = { readonly problem: string };

export const SYSTEMS = ['ai-harness', 'claude-code', 'framework', 'harn', 'loom'] as const;
export type System = (typeof SYSTEMS)[number];

/** `source` is a folder that exists. */
export function convertSystem(system: System, source: string): ConvertedSystem | UnconvertedEntry {
  return READERS[system](source);
}

const READERS: Readonly<Record<System, (source: string) => ConvertedSystem | UnconvertedEntry>> = {
  'ai-harness': fromAiHarness,
  'claude-code': (source) => fromSettings(source, CLAUDE_SETTINGS, ['.claude/hooks']),
  framework: (source) => fromSettings(source, ['settings.json', '.harness/settings.json'], []),
  harn: fromHarn,
  loom: fromLoom,
};

const SETTINGS = '.harness/settings.json';
const CLAUDE_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json', 'settings.json'];

function fromAiHarness(source: string): ConvertedSystem | UnconvertedEntry {
  const files = new Map<string, string | Buffer>(filesBelow(source, '.harness', /\.md$/));
  const notes: string[] = [];
  const root = ['harness.md', 'harness.yaml', 'harness.yml'].find((name) => existsSync(join(source, name)));
  if (root === undefined && files.size === 0)
    return { problem: `no harness.md and no .harness/ in ${source}` };
  if (root !== undefined) {
    const text = readFileSync(join(source, root), 'utf8');
    files.set('harness.md', root === 'harness.md' ? text : `---\n${text.trimEnd()}\n---\n`);
    if (root !== 'harness.md') notes.push(`${root} became the front matter of harness.md`);
  }
  const evals = filesBelow(source, 'evals/testdata', /\.ya?ml$/);
  for (const [name, content] of evals) files.set(name, content);
  if ([...evals].length > 0)
    notes.push(
      'evals/testdata/ is run by harness test, without a model: say under completions what it answers, or what needs it is skipped.',
    );
  notes.push(
    'A hook that fails blocks here where its event can be blocked (`on_error: allow` gives the old way back).',
    'Hooks have no exec and no fs; one that used them is an error at load: let a named tool do it, with meta.call_tool.',
  );
  return { files, notes };
}

/** `settings.json` in either form. Of several files the hooks are put together, event by event. */
function fromSettings(
  source: string,
  names: readonly string[],
  folders: readonly string[],
): ConvertedSystem | UnconvertedEntry {
  const found = names.filter((name) => existsSync(join(source, name)));
  if (found.length === 0) return { problem: `no ${names.join(', ')} in ${source}` };
  const hooks: Record<string, Json[]> = {};
  const notes: string[] = [];
  for (const name of found) {
    const read = readObject(join(source, name));
    if (typeof read === 'string') return { problem: `${name}: ${read}` };
    const given = isJsonObject(read.hooks) ? read.hooks : {};
    for (const [event, entries] of Object.entries(given)) {
      if (Array.isArray(entries)) (hooks[event] ??= []).push(...(entries as Json[]));
      notes.push(...notesOn(event, entries));
    }
  }
  const files = new Map<string, string | Buffer>();
  files.set(SETTINGS, `${JSON.stringify({ hooks }, null, 2)}\n`);
  for (const [name, content] of scriptsOf(source, hooks)) files.set(name, content);
  for (const folder of folders)
    for (const [name, content] of filesBelow(source, folder)) files.set(name, content);
  notes.push(
    'A hook that fails or times out lets the operation go on, as these files say; `strict: true` in harness.md makes it a block.',
  );
  return { files, notes: [...new Set(notes)] };
}

function notesOn(event: string, entries: Json | undefined): string[] {
  const notes: string[] = [];
  const known = SETTINGS_EVENTS.some(({ name }) => name === event);
  if (FOREIGN_EVENTS.includes(event)) notes.push(`${event}: nothing here fires it; its hooks never run`);
  else if (!known) notes.push(`${event}: not an event of settings.json here`);
  for (const entry of Array.isArray(entries) ? (entries as readonly Json[]) : []) {
    const handlers =
      isJsonObject(entry) && Array.isArray(entry.hooks) ? (entry.hooks as readonly Json[]) : [];
    for (const handler of handlers) {
      const type = isJsonObject(handler) ? handler.type : undefined;
      if (typeof type === 'string' && FOREIGN_TYPES.includes(type))
        notes.push(`${event}: a hook of type ${type} is not run here and fails when its turn comes`);
    }
  }
  return notes;
}

/** The scripts that entries name, with what stands beside them: a script may import it. */
function scriptsOf(source: string, hooks: Hooks): [string, Buffer][] {
  return [...pathsIn(hooks)].flatMap((path) => {
    const folder = posix.dirname(path);
    const alone = read(source, path);
    if (folder !== '.') return filesBelow(source, folder);
    return alone === null ? [] : [[path, alone]];
  });
}

type Hooks = Readonly<Record<string, readonly Json[]>>;

/** Scripts inside the project that the entries name. */
function pathsIn(hooks: Hooks): Set<string> {
  const paths = new Set<string>();
  const note = (word: string) => {
    const path = posix.normalize(word.replace(/^"?\$\{?\w+\}?"?\//, '').replaceAll('"', ''));
    if (!path.startsWith('/') && !path.startsWith('..') && /\.\w+$/.test(path)) paths.add(path);
  };
  for (const entry of Object.values(hooks).flat()) {
    if (!isJsonObject(entry)) continue;
    if (typeof entry.path === 'string') note(entry.path);
    const nested = Array.isArray(entry.hooks) ? (entry.hooks as readonly Json[]) : [];
    for (const handler of [entry, ...nested]) {
      const command = isJsonObject(handler) ? handler.command : undefined;
      if (typeof command !== 'string') continue;
      for (const word of command.split(/\s+/)) if (word.includes('/')) note(word);
    }
  }
  return paths;
}

function fromLoom(source: string): ConvertedSystem | UnconvertedEntry {
  const name = ['agent.json', '.harness/agent.json'].find((each) => existsSync(join(source, each)));
  if (name === undefined) return { problem: `no agent.json in ${source}` };
  const profile = readObject(join(source, name));
  if (typeof profile === 'string') return { problem: `${name}: ${profile}` };
  const buckets = Object.entries(isJsonObject(profile.hooks) ? profile.hooks : {});
  const hooks = Object.fromEntries(
    buckets.map(([event, actions]) => [event, Array.isArray(actions) ? actions : []]),
  );
  return {
    files: new Map<string, string | Buffer>([
      ['agent.json', readFileSync(join(source, name), 'utf8')],
      ...scriptsOf(source, hooks as Hooks),
    ]),
    notes: [
      'Code with HookRegistry, HookRuntime and ReminderInjector: import them from harness-hooks, or install that as @ownware/loom and change nothing.',
    ],
  };
}

function fromHarn(source: string): ConvertedSystem | UnconvertedEntry {
  const manifest = read(source, 'harn.toml');
  if (manifest === null) return { problem: `no harn.toml in ${source}` };
  const files = new Map<string, string | Buffer>([['harn.toml', manifest]]);
  const folders = modulesIn(manifest.toString()).map((module) => posix.dirname(module));
  for (const [name, content] of filesBelow(source, '.', /\.(?:star|ts|js|mjs)$/)) {
    const folder = posix.dirname(name);
    if (folder === '.' || folders.includes(folder)) files.set(name, content);
  }
  const notes: string[] = [];
  const add = (path: string, text: string) => files.set(path, (files.get(path)?.toString() ?? '') + text);
  for (const handler of harnHandlers(source)) {
    const target = `${handler.module}.star`;
    const verb = handler.body === undefined ? 'translate' : 'translated';
    notes.push(`${verb} ${handler.where}: ${handler.event} → ${target} def ${handler.name}(event)`);
    if (existsSync(join(source, target))) continue;
    add(target, skeletonFor(handler));
    if (!handler.declared) add('harn.toml', entryFor(handler));
  }
  notes.push('Harn code is not run here: until a skeleton is filled in, its hook fails and says so.');
  return { files, notes };
}

/** The modules that the handlers of a manifest are in, without their ending. */
function modulesIn(manifest: string): string[] {
  return [...manifest.matchAll(/handler\s*=\s*["']([^"':]+)::/g)].map(([, module]) => module!);
}

function readObject(path: string): JsonObject | string {
  try {
    const data = JSON.parse(readFileSync(path, 'utf8')) as Json;
    return isJsonObject(data) ? data : 'want an object';
  } catch (error) {
    return (error as Error).message;
  }
}

function read(source: string, path: string): Buffer | null {
  const file = join(source, path);
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file) : null;
}

const MOST_FILES = 1000;
const NOT_TAKEN = /(?:^|\/)(?:node_modules|\.git|runs|transcripts)(?:\/|$)/;

function filesBelow(source: string, folder: string, wanted = /./): [string, Buffer][] {
  if (!existsSync(join(source, folder))) return [];
  return readdirSync(join(source, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      posix.normalize(
        join(entry.parentPath, entry.name)
          .slice(source.length)
          .replace(/^[\\/]+/, ''),
      ),
    )
    .filter((path) => wanted.test(path) && !NOT_TAKEN.test(path))
    .sort()
    .slice(0, MOST_FILES)
    .map((path) => [path, readFileSync(join(source, path))]);
}
