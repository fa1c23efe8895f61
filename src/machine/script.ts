/**
 * From the path of a script to the command line that runs it on this machine. A script that cannot be run is a value with
 * a code, found without starting anything.
 */
import { constants, existsSync } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ErrorCode } from '../base/index.ts';
import { searchFolders } from './program-environment.ts';

export type ScriptPlan =
  | { readonly ok: true; readonly argv: readonly string[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

export interface Machine {
  readonly env: (name: string) => string | undefined;
  /** The Node that runs us, which also runs scripts. */
  readonly node: { readonly path: string; readonly version: string };
}

export function thisMachine(env: Machine['env']): Machine {
  return { env, node: { path: process.execPath, version: process.versions.node } };
}

/** The beginning of a command line, or null if the machine does not have it. */
type Runner = (machine: Machine, project: string, script: string) => Promise<readonly string[] | null>;

const node: Runner = async (machine) => [machine.node.path];
const scriptNamed =
  (name: string): Runner =>
  async (machine, project) => {
    const found = await find(name, machine, project);
    return found === null ? null : [found];
  };

/**
 * Node runs TypeScript itself since 22.6, behind a flag that later versions still accept. Only a script that stands alone: of
 * relative imports it wants the ending, and of the language what can be blanked out.
 */
const nodeTypes: Runner = async ({ node: { path, version } }, _project, script) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const able = major > 22 || (major === 22 && minor >= 6);
  if (!able || NEEDS_MORE.test(await textOf(script))) return null;
  return [path, '--experimental-strip-types', '--no-warnings'];
};

const NEEDS_MORE =
  /\b(?:from|import|require)\b\s*\(?\s*['"]\.|\b(?:enum|namespace)\s+\w|^\s*@\w|constructor\s*\([^)]*\b(?:private|public|protected|readonly)\b|\brequire\s*\(|\bimport\.meta\.(?:dir|path|main)\b|\b__(?:dir|file)name\b/m;

/** Any Node we run on, with types taken out as the modules are loaded: see typescript/hooks.ts. */
const strippedTypes: Runner = async ({ node: { path } }) => {
  const preload = typeScriptRunner('register.mjs');
  return preload === null ? null : [path, '--import', pathToFileURL(preload).href];
};

const TYPESCRIPT: readonly Runner[] = [scriptNamed('bun'), nodeTypes, scriptNamed('tsx'), strippedTypes];
/** Of a script whose first line asks for Node. */
const TYPESCRIPT_ON_NODE: readonly Runner[] = [
  nodeTypes,
  strippedTypes,
  scriptNamed('tsx'),
  scriptNamed('bun'),
];

/** Tried in order. */
const RUNNERS: Readonly<Record<string, readonly Runner[]>> = {
  '.ts': TYPESCRIPT,
  '.mts': TYPESCRIPT,
  '.cts': TYPESCRIPT,
  '.js': [node],
  '.mjs': [node],
  '.cjs': [node],
  '.py': [scriptNamed('python3'), scriptNamed('python')],
  '.sh': [scriptNamed('sh')],
};

/** `shown` is the path as its owner wrote it, relative to `dir` or absolute. */
export async function planScript(dir: string, shown: string, machine: Machine): Promise<ScriptPlan> {
  const path = resolve(dir, shown);
  const script = await identifyScript(path);
  if (typeof script === 'string') return refuse('COMMAND_MISSING', `script ${shown} ${script}`);
  const runners = RUNNERS[extname(path).toLowerCase()];
  if (!script.executable && runners === undefined) {
    return refuse('COMMAND_NOT_EXECUTABLE', `script ${shown} is not executable: chmod +x ${shown}`);
  }
  if (runners === TYPESCRIPT) return planTypeScript({ dir, path, shown }, script, machine);
  if (script.shebang !== null) {
    const interpreter = await interpreterOf(script.shebang, machine, dir);
    if (interpreter !== null) return run(script.executable ? [] : interpreter, path);
    const wanted = script.shebang.join(' ');
    return refuse('COMMAND_NO_INTERPRETER', `script ${shown} wants ${wanted}, which is not on this machine`);
  }
  if (runners === undefined) return run([], path);
  for (const runner of runners) {
    const prefix = await runner(machine, dir, path);
    if (prefix !== null) return run(prefix, path);
  }
  return refuse('COMMAND_NO_INTERPRETER', `nothing on this machine runs ${shown}`);
}

/** Other scripts depend on what their first line names. TypeScript runs with whatever there is that can. */
async function planTypeScript(
  { dir, path, shown }: { readonly dir: string; readonly path: string; readonly shown: string },
  script: Script,
  machine: Machine,
): Promise<ScriptPlan> {
  const named = script.shebang === null ? null : await interpreterOf(script.shebang, machine, dir);
  const forNode = script.shebang?.some((word) => /(?:^|\/)node$/.test(word)) === true;
  if (named !== null && !forNode) return run(script.executable ? [] : named, path);
  const needsBun = OF_BUN.test(await textOf(path));
  for (const runner of forNode ? TYPESCRIPT_ON_NODE : TYPESCRIPT) {
    const prefix = await runner(machine, dir, path);
    if (prefix === null) continue;
    if (!needsBun || basename(prefix[0]!) === 'bun') return run(prefix, path);
  }
  const why = needsBun ? 'uses what only bun has, and bun is not' : 'is TypeScript, and what runs it is not';
  return refuse('COMMAND_NO_TS_RUNNER', `script ${shown} ${why} on this machine`);
}

/** Its own modules, and its global where it is not asked for first. */
const OF_BUN = /\bfrom\s*['"]bun(?::\w+)?['"]|\b(?:import|require)\s*\(\s*['"]bun\b|\bBun\.\w+/;
const LONGEST_LOOK = 256 * 1024;

/** The beginning of a script; empty if it cannot be read, which then shows when it runs. */
async function textOf(path: string): Promise<string> {
  try {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST_LOOK), 0, LONGEST_LOOK, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}

/**
 * A file of the build that runs TypeScript, or null: `register.mjs` to be loaded first, `hooks.mjs` with the module hooks.
 * It stands beside this file, or, seen from a bundle or from the sources, in the same package.
 */
export function typeScriptRunner(file: 'register.mjs' | 'hooks.mjs'): string | null {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const places = ['typescript', '../machine/typescript', '../../dist/machine/typescript'];
  return places.map((place) => join(here, place, file)).find((path) => existsSync(path)) ?? null;
}

interface Script {
  readonly executable: boolean;
  /** The words after `#!`, or null. */
  readonly shebang: readonly string[] | null;
}

const SHEBANG_BYTES = 256;

/** The script, or what is wrong with it. */
async function identifyScript(path: string): Promise<Script | string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'is a folder';
    if (!found.isFile()) return 'is not a regular file';
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`;
  }
  return { executable: await isExecutable(path), shebang: await readShebang(path) };
}

async function readShebang(path: string): Promise<readonly string[] | null> {
  try {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(SHEBANG_BYTES), 0, SHEBANG_BYTES, 0);
      const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
      const words = line.slice(2).trim().split(/\s+/);
      return line.startsWith('#!') && words[0] !== '' ? words : null;
    } finally {
      await handle.close();
    }
  } catch {
    // A program may be executable without being readable.
    return null;
  }
}

/** What the first line of a script asks for, or null if that is not there. */
async function interpreterOf(
  shebang: readonly string[],
  machine: Machine,
  project: string,
): Promise<readonly string[] | null> {
  const [program = '', ...rest] = shebang;
  if (basename(program) !== 'env') {
    return (await isExecutable(program)) ? shebang : null;
  }
  const at = rest.findIndex((word) => !word.startsWith('-') && !word.includes('='));
  if (at === -1) return null;
  const found = await find(rest[at]!, machine, project);
  return found === null ? null : [found, ...rest.slice(at + 1)];
}

/** A program by name, on the path: never from a folder of the project, where an agent could have put it. */
async function find(name: string, machine: Machine, project: string): Promise<string | null> {
  for (const folder of searchFolders(machine.env('PATH') ?? '', project)) {
    const candidate = join(folder, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function run(prefix: readonly string[], path: string): ScriptPlan {
  return { ok: true, argv: [...prefix, path] };
}

function refuse(code: ErrorCode, message: string): ScriptPlan {
  return { ok: false, code, message };
}
