/**
 * From the path of a script to the command line that runs it on this machine. A script that cannot be run is a value with
 * a code, found without starting anything.
 */
import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import type { ErrorCode } from './errors.ts';
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

/** The beginning of a command line, or null where the machine does not have it. */
type Runner = (machine: Machine, project: string) => Promise<readonly string[] | null>;

const node: Runner = async (machine) => [machine.node.path];
const named =
  (name: string): Runner =>
  async (machine, project) => {
    const found = await find(name, machine, project);
    return found === null ? null : [found];
  };

/** Node runs TypeScript itself since 22.6, behind a flag that later versions still accept. */
const nodeTypes: Runner = async ({ node: { path, version } }) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const able = major > 22 || (major === 22 && minor >= 6);
  return able ? [path, '--experimental-strip-types', '--no-warnings'] : null;
};

const TYPESCRIPT: readonly Runner[] = [named('bun'), nodeTypes, named('tsx')];

/** Tried in order. */
const RUNNERS: Readonly<Record<string, readonly Runner[]>> = {
  '.ts': TYPESCRIPT,
  '.mts': TYPESCRIPT,
  '.cts': TYPESCRIPT,
  '.js': [node],
  '.mjs': [node],
  '.cjs': [node],
  '.py': [named('python3'), named('python')],
  '.sh': [named('sh')],
};

/** `shown` is the path as its owner wrote it, relative to `dir` or absolute. */
export async function planScript(dir: string, shown: string, machine: Machine): Promise<ScriptPlan> {
  const path = resolve(dir, shown);
  const script = await look(path);
  if (typeof script === 'string') return refuse('COMMAND_MISSING', `script ${shown} ${script}`);
  const runners = RUNNERS[extname(path).toLowerCase()];
  if (!script.executable && runners === undefined) {
    return refuse('COMMAND_NOT_EXECUTABLE', `script ${shown} is not executable: chmod +x ${shown}`);
  }
  if (script.shebang !== null) {
    const interpreter = await interpreterOf(script.shebang, machine, dir);
    if (interpreter !== null) return run(script.executable ? [] : interpreter, path);
    // Other scripts depend on what they name; TypeScript runs with whatever there is.
    if (runners !== TYPESCRIPT) {
      const wanted = script.shebang.join(' ');
      return refuse(
        'COMMAND_NO_INTERPRETER',
        `script ${shown} wants ${wanted}, which is not on this machine`,
      );
    }
  }
  if (runners === undefined) return run([], path);
  for (const runner of runners) {
    const prefix = await runner(machine, dir);
    if (prefix !== null) return run(prefix, path);
  }
  if (runners === TYPESCRIPT) {
    const message = `script ${shown} is TypeScript and nothing here runs it: install bun or tsx on the machine (not in the project), or use Node 22.6 or newer`;
    return refuse('COMMAND_NO_TS_RUNNER', message);
  }
  return refuse('COMMAND_NO_INTERPRETER', `nothing on this machine runs ${shown}`);
}

interface Script {
  readonly executable: boolean;
  /** The words after `#!`, or null. */
  readonly shebang: readonly string[] | null;
}

const SHEBANG_BYTES = 256;

/** The script, or what is wrong with it. */
async function look(path: string): Promise<Script | string> {
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

/** What the first line of a script asks for, or null where that is not there. */
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
