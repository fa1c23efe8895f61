/**
 * What `install`, `uninstall`, `status` and `doctor` share: which agents were named, where they are to be looked for, and what
 * is registered with them. Names that are not known are wrong usage, with the nearest one.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { didYouMean } from '../base/index.ts';
import { MANAGED_FOLDER, machineHost } from '../machine/index.ts';
import { layerPlaces, stateFolder } from '../policy/index.ts';
import { type Arguments, quote, UsageError } from '../terminal/index.ts';
import { AGENTS, ALL_AGENTS, agentNamed } from './all-agents.ts';
import type { CodingAgent } from './coding-agent.ts';
import type { InstallTarget, ReadText } from './install/installer.ts';

export function namedAgents(names: readonly string[]): CodingAgent[] {
  const found = names.map((name) => {
    const agent = agentNamed(name);
    if (agent !== undefined) return agent;
    const known = [...AGENTS.keys()];
    const spellings = [...known, ...ALL_AGENTS.flatMap(({ otherNames }) => otherNames)];
    throw new UsageError(
      `unknown agent ${quote(name)}${didYouMean(name, spellings)}\nKnown: ${known.join(', ')}`,
    );
  });
  return [...new Set(found)];
}

/** The commands that write lines for a shell: there is none on Windows that could run them. */
export function refuseWindows(): void {
  if (process.platform === 'win32') {
    throw new UsageError(
      'agents cannot be guarded on Windows: the registered line is written for a POSIX shell. Use WSL',
    );
  }
}

/** `--dir DIR`, `--user` or `--managed`; here by default. */
export function placeOf(args: Arguments): InstallTarget {
  if (args.has('managed')) {
    if (args.has('dir') || args.has('user'))
      throw new UsageError('want --managed, --dir or --user: one of them');
    return managedPlace(args.value('out') ?? '/');
  }
  if (args.has('out')) throw new UsageError('--out goes with --managed');
  if (args.has('dir') && args.has('user')) throw new UsageError('want --dir or --user, got both');
  return args.has('user') ? userPlace() : dirPlace(args.value('dir') ?? '.');
}

export function userPlace(): InstallTarget {
  const user = layerPlaces(machineHost).user;
  if (user === null) throw new UsageError('--user wants HOME or XDG_CONFIG_HOME to be set');
  return { scope: { user }, home: homeFolder(), env: machineHost.env };
}

/** Everybody on a machine; `root` is where its files are written. */
export function managedPlace(root = '/'): InstallTarget {
  const managed = resolve(root);
  return {
    scope: { user: join(managed, MANAGED_FOLDER) },
    managed,
    home: homeFolder(),
    env: machineHost.env,
  };
}

export function dirPlace(dir: string): InstallTarget {
  let real: string;
  try {
    real = realpathSync(dir);
  } catch {
    throw new UsageError(`no such folder: ${quote(dir)}`);
  }
  const userFolder = layerPlaces(machineHost).user;
  return {
    scope: { dir: real },
    ...(userFolder !== null && { userFolder }),
    home: homeFolder(),
    env: machineHost.env,
  };
}

function homeFolder(): string {
  const home = machineHost.env('HOME');
  if (!home?.startsWith('/'))
    throw new UsageError(`want HOME to be an absolute path, got ${quote(home ?? '')}`);
  return existsSync(home) ? realpathSync(home) : home;
}

/** `claude-code --dir /home/me/project`: one installation, and how to name it on the command line. */
export function ownerOf(agent: string, { scope, managed }: InstallTarget): string {
  if (managed !== undefined) return `${agent} --managed`;
  return 'dir' in scope ? `${agent} --dir ${scope.dir}` : `${agent} --user`;
}

export function stateAt(): string {
  const folder = stateFolder(machineHost);
  if (folder === null) throw new UsageError('want HOME or XDG_STATE_HOME to be set');
  return folder;
}

export interface Launcher {
  readonly node: string;
  readonly entry: string;
}

/** Node as it runs now, and the launcher beside this command. */
export function ownLauncher(): Launcher {
  const command = realpathSync(process.argv[1] ?? '.');
  const entry = join(dirname(command), 'hook.cjs');
  if (!existsSync(entry)) throw new UsageError(`the launcher is missing: want ${entry}`);
  return { node: process.execPath, entry };
}

/** In the user's state folder: copies of the engine, and a link to the one in use. */
export const USER_COPY = join('engine', 'current');

/** The launcher that guards run: that of the user's copy, if it is of the same build as this command. */
export function launcher(): Launcher {
  const own = ownLauncher();
  const state = stateFolder(machineHost);
  const copied = state === null ? null : join(state, USER_COPY, 'dist', 'cli', 'hook.cjs');
  const same = copied !== null && buildOf(copied) !== null && buildOf(copied) === buildOf(own.entry);
  return same ? { ...own, entry: realpathSync(copied) } : own;
}

/** The second line of an entry names its build. */
function buildOf(entry: string): string | null {
  return /^\/\/ build (\w+)$/m.exec((textOnDisk(entry) ?? '').slice(0, 200))?.[1] ?? null;
}

/** A file as it stands; null if it is not there or cannot be read. */
export const textOnDisk: ReadText = (file) => {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
};
