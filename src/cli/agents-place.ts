/**
 * What `install`, `uninstall`, `status` and `doctor` share: which agents were named, where they are to be looked for, and what
 * is registered with them. Names that are not known are wrong usage, with the nearest one.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Adapter } from '../adapters/adapter.ts';
import { INSTALLERS, OTHER_NAMES } from '../adapters/install/agents.ts';
import type { Installer, Place, ReadText } from '../adapters/install/installer.ts';
import type { Launcher } from '../adapters/install/registrations.ts';
import { loadAdapter } from '../adapters/load-adapter.ts';
import { machineHost } from '../base/host.ts';
import { didYouMean } from '../base/spelling.ts';
import { layerPlaces } from '../policy/layers.ts';
import { stateFolder } from '../policy/state-folder.ts';
import { type Arguments, UsageError } from './command.ts';
import { quote } from './options.ts';

export interface NamedAgent {
  readonly adapter: Adapter;
  readonly installer: Installer;
}

export async function namedAgents(names: readonly string[]): Promise<NamedAgent[]> {
  const known = [...INSTALLERS.keys()];
  const spellings = [...known, ...Object.keys(OTHER_NAMES)];
  const canonical = names.map((name) => (Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name]! : name));
  return Promise.all(
    [...new Set(canonical)].map(async (name) => {
      const installer = INSTALLERS.get(name);
      const adapter = installer === undefined ? null : await loadAdapter(name);
      if (installer === undefined || adapter === null) {
        throw new UsageError(
          `unknown agent ${quote(name)}${didYouMean(name, spellings)}\nKnown are ${known.join(', ')}`,
        );
      }
      return { adapter, installer };
    }),
  );
}

/** The commands that write lines for a shell: there is none on Windows that could run them. */
export function refuseWindows(): void {
  if (process.platform === 'win32') {
    throw new UsageError(
      'agents cannot be guarded on Windows: the registered line is written for a POSIX shell. Use WSL',
    );
  }
}

/** `--dir DIR` or `--user`; here by default. */
export function placeOf(args: Arguments): Place {
  if (args.has('dir') && args.has('user')) throw new UsageError('want --dir or --user, got both');
  return args.has('user') ? userPlace() : dirPlace(args.value('dir') ?? '.');
}

export function userPlace(): Place {
  const user = layerPlaces(machineHost).user;
  if (user === null) throw new UsageError('--user wants HOME or XDG_CONFIG_HOME to be set');
  return { scope: { user }, home: homeFolder(), env: machineHost.env };
}

export function dirPlace(dir: string): Place {
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
export function ownerOf(agent: string, { scope }: Place): string {
  return 'dir' in scope ? `${agent} --dir ${scope.dir}` : `${agent} --user`;
}

export function stateAt(): string {
  const folder = stateFolder(machineHost);
  if (folder === null) throw new UsageError('want HOME or XDG_STATE_HOME to be set');
  return folder;
}

/** Node as it runs now, and the launcher beside this command. */
export function launcher(): Launcher {
  const command = realpathSync(process.argv[1] ?? '.');
  const entry = join(dirname(command), 'hook.cjs');
  if (!existsSync(entry)) throw new UsageError(`the launcher is missing: want ${entry}`);
  const starter = join(dirname(command), 'start.sh');
  return { node: process.execPath, entry, ...(existsSync(starter) && { starter }) };
}

/** A file as it stands; null if it is not there or cannot be read. */
export const textOnDisk: ReadText = (file) => {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
};
