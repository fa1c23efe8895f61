/**
 * Tells this machine from others, and its present start from earlier ones. Linux names both. Elsewhere a machine has a random id in the
 * user's state folder, and a start is known by the time the machine had been running.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../base/index.ts';
import { machineHost, uptimeMs } from './host.ts';
import { createFile, makeFolder } from './own-file.ts';
import { userFolder } from './places.ts';
import { randomHex } from './random.ts';

/** What the system says. Tests put other answers in their place. */
export const system = {
  now: () => machineHost.now(),
  uptimeMs,
  hostname,
  /** Empty on systems that do not name their starts: all but Linux. */
  bootId: readOnce('/proc/sys/kernel/random/boot_id'),
  /** Empty on systems without the file: all but Linux, and many containers. */
  machineId: readOnce('/etc/machine-id'),
};

/** Tells one start of this machine from another; empty on systems that do not name them. */
export function bootId(): string {
  return system.bootId();
}

/** The present start of this machine, for `isOfEarlierStart` of a later process. */
export function bootMark(): string {
  return system.bootId() || `${system.now()} ${system.uptimeMs()}`;
}

/** No machine is off for a shorter time; a clock that was set by less since is no restart. */
const OFF_MS = 10_000;

/** Whether this machine was started again since the mark was made. False if that cannot be told. */
export function isOfEarlierBoot(mark: string): boolean {
  const current = system.bootId();
  if (current !== '') return mark !== current;
  const [at = Number.NaN, uptime = Number.NaN] = mark.split(' ').map(Number.parseFloat);
  return system.uptimeMs() < uptime || at < system.now() - system.uptimeMs() - OFF_MS;
}

/** A machine, as a lock names it. */
export interface MachineName {
  readonly host: string;
  /** Of the system (`system:…`) or of the state folder (`user:…`); empty or absent where there is neither. */
  readonly machine?: string;
}

export function thisMachine(): MachineName {
  return { host: system.hostname(), machine: idOfSystem() || idOfUser(true) };
}

/** The id comes first: a host name may change, and two machines may have one name. */
export function isThisMachine({ host, machine = '' }: MachineName): boolean {
  const own = idOfSystem();
  if (own !== '' && machine.startsWith(OF_SYSTEM)) return machine === own;
  return host === system.hostname() || (machine !== '' && machine === idOfUser(false));
}

const OF_SYSTEM = 'system:';

/** Not the id itself: systemd asks for it to stay on the machine. */
function idOfSystem(): string {
  const id = system.machineId();
  return id === '' ? '' : `${OF_SYSTEM}${sha256Hex(`harness ${id}`).slice(0, 32)}`;
}

/** Made once, if `make`. Empty without a state folder that can be written to: then the host name decides. */
function idOfUser(make: boolean): string {
  const folder = userFolder(machineHost, 'state');
  if (folder === null) return '';
  const file = join(folder, 'machine-id');
  const known = readOrEmpty(file);
  if (known !== '' || !make) return known;
  try {
    makeFolder(folder, 0o700);
    createFile(file, `user:${randomHex(16)}\n`);
  } catch {
    return '';
  }
  return readOrEmpty(file);
}

/** Neither changes while a process lives. */
function readOnce(path: string): () => string {
  let text: string | null = null;
  return () => {
    text ??= readOrEmpty(path);
    return text;
  };
}

/** Empty if it cannot be read. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
