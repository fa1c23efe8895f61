/**
 * A group of processes with limits of its own, of either version of the kernel's control groups: it counts processes and
 * memory of all of them together, also of root, whom no other limit stops. Only where we may make one.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxLimits } from './sandbox.ts';

/** Folders under which a group can be made; null for what cannot be counted. Often both are the same. */
export interface ControlGroups {
  readonly pids: string | null;
  readonly memory: string | null;
}

const ROOT = '/sys/fs/cgroup';
/** Of the name of every group. */
export const GROUP_PREFIX = 'harness-';
const MB = 1024 * 1024;
/** Sensible for a number of processes and for a size: a page or so would be refused, as would millions of processes. */
const TRIED = String(MB);

/** Tried, not guessed: a group is made and taken away again. */
export function findControlGroups(name: string): ControlGroups {
  const own = ownGroups();
  const unified = statSync(join(ROOT, 'cgroup.controllers'), { throwIfNoEntry: false }) !== undefined;
  // A group of version 2 that has processes has no groups below it that count: it gets a sibling.
  const beside = (path: string) => join(ROOT, path === '/' ? '' : dirname(path));
  const place = (controller: 'pids' | 'memory') =>
    unified ? beside(own.get('') ?? '/') : join(ROOT, controller, own.get(controller) ?? '');
  const usable = (controller: 'pids' | 'memory') => {
    const folder = place(controller);
    return tried(join(folder, name), LIMIT_FILES[controller]) ? folder : null;
  };
  return { pids: usable('pids'), memory: usable('memory') };
}

/** By the name each version has for it. */
const LIMIT_FILES = {
  pids: ['pids.max'],
  memory: ['memory.max', 'memory.limit_in_bytes'],
} as const;

function tried(folder: string, files: readonly string[]): boolean {
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  try {
    return files.some((file) => write(join(folder, file), TRIED));
  } finally {
    remove(folder);
  }
}

/** The group this process is in, by controller; of version 2 under the empty name. */
function ownGroups(): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  try {
    for (const line of readFileSync('/proc/self/cgroup', 'latin1').trim().split('\n')) {
      const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      for (const controller of controllers.split(',')) groups.set(controller, path);
    }
  } catch {
    // A system without any.
  }
  return groups;
}

export interface Group {
  /** One for each controller. */
  readonly folders: readonly string[];
  close(): void;
}

/** Null if there is nothing to limit or no place for it. */
export function openGroup(
  { pids, memory }: ControlGroups,
  { processes, memory_mb }: SandboxLimits,
  name: string,
): Group | { readonly problem: string } | null {
  const made: string[] = [];
  const close = () => {
    for (const folder of made) remove(folder);
  };
  const limit = (parent: string, files: readonly string[], value: number): boolean => {
    const folder = join(parent, name);
    try {
      if (!made.includes(folder)) mkdirSync(folder);
    } catch {
      return false;
    }
    if (!made.includes(folder)) made.push(folder);
    return files.some((file) => write(join(folder, file), String(value)));
  };
  const wanted = [
    // The wall itself is two processes of the group.
    ...(pids !== null && processes > 0 ? [() => limit(pids, LIMIT_FILES.pids, processes + 3)] : []),
    ...(memory !== null && memory_mb > 0 ? [() => limit(memory, LIMIT_FILES.memory, memory_mb * MB)] : []),
  ];
  if (wanted.length === 0) return null;
  if (!wanted.every((set) => set())) {
    close();
    return { problem: 'a control group for its limits cannot be made' };
  }
  for (const folder of made) removeForsaken(folder);
  return { folders: made, close: () => removeLater(close, made) };
}

/**
 * A shell that is given their number and the folders enters them. One thread that moves itself waits for nobody (`tasks`, version 1); a whole
 * process waits until every processor has been idle.
 */
export const ENTER_LINES =
  'left=$1; shift; while [ "$left" -gt 0 ]; do { [ -e "$1/tasks" ] && echo 0 > "$1/tasks"; } || echo 0 > "$1/cgroup.procs" || exit 125; shift; left=$((left - 1)); done';

const TRIES = 40;
const PAUSE_MS = 25;

/** The last processes of a group may need a moment to be gone. */
function removeLater(close: () => void, folders: readonly string[], tries = TRIES): void {
  close();
  const left = folders.some((folder) => statSync(folder, { throwIfNoEntry: false }) !== undefined);
  // This process stays for it: a group that nobody takes away is there until the machine is started anew.
  if (left && tries > 0) setTimeout(() => removeLater(close, folders, tries - 1), PAUSE_MS);
}

/** Long enough for the process that made a group to have put its program in. */
const FORSAKEN_MS = 60_000;

/** Groups beside a new one, of those who were killed before they could take them away. One that has processes cannot be removed. */
function removeForsaken(fresh: string): void {
  const parent = dirname(fresh);
  const madeAt = (folder: string) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  const before = madeAt(fresh) - FORSAKEN_MS;
  for (const name of readdirSync(parent)) {
    if (name.startsWith(GROUP_PREFIX) && madeAt(join(parent, name)) < before) remove(join(parent, name));
  }
}

function write(file: string, value: string): boolean {
  try {
    writeFileSync(file, value, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Gone, or not empty yet.
  }
}
