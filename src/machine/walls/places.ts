/**
 * From a sandbox as it was written to a plan for this machine: which paths are there, what lies inside of what, what may be
 * seen and what is made read-only again. A path that cannot be held is a problem, never left out in silence.
 */

import { accessSync, constants, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { realPathOrNull, realPathOrSame } from '../real-path.ts';
import {
  type Mount,
  type PlannedNetwork,
  type SandboxPlan,
  SYSTEM_FOLDERS,
  SYSTEM_SECRETS,
  TAKEN_VARIABLES,
} from './plan.ts';
import { covers, type Sandbox } from './sandbox.ts';

export interface SandboxPlaces {
  /** Absolute. */
  readonly workspace: string;
  readonly home: string | null;
  /** What is never written to, wherever it stands; see policy/protected.ts. */
  readonly guarded: { readonly folders: readonly string[]; readonly files: readonly string[] };
  /** What the program cannot be started without: seen, and not written to. */
  readonly needed: readonly string[];
  /** What stands inside in the place of something else; seen, and not written to. */
  readonly placed?: readonly { readonly path: string; readonly from: string }[];
  readonly cwd: string;
  readonly terminal?: boolean;
}

export type Planned = SandboxPlan | { readonly problem: string };

export function planFor(sandbox: Sandbox, places: SandboxPlaces, network: PlannedNetwork): Planned {
  const { workspace, home, cwd } = places;
  const at = (written: string) => placeOf(written, workspace, home);
  const asked = [
    ...sandbox.readable.map((path) => rootAt(at(path), 'read-only')),
    rootAt(workspace, sandbox.workspace === 'writable' ? 'writable' : 'read-only'),
    ...sandbox.writable.map((path) => rootAt(at(path), 'writable')),
  ].filter((root) => root !== null);
  const away = asked.find((root) => leadsOut(root, asked));
  if (away !== undefined) return { problem: `${away.path} leads to ${away.from}, out of what it stands in` };
  // What a program has beside it is found by where its name leads: a link stays one.
  const needed = places.needed
    .map((path) => rootAt(realPathOrSame(path), 'read-only'))
    .filter((root) => root !== null);
  const roots = [...needed, ...asked];
  const place = roots.find(({ path }) => path === workspace);
  if (place === undefined) return { problem: `the workspace ${workspace} is not there` };
  const wide = tooWide(place.from, home);
  if (wide !== null) return { problem: wide };
  const guarded = guardedMounts(roots, places.guarded);
  if ('problem' in guarded) return guarded;
  const homes = home === null || home === '/' ? [] : [{ kind: 'scratch', path: home } as const];
  return {
    mounts: [
      ...SYSTEM_FOLDERS.flatMap(systemMount),
      ...SYSTEM_SECRETS.filter(isReadable).flatMap(hiddenMount),
      { kind: 'scratch', path: '/tmp' },
      { kind: 'scratch', path: '/var/tmp' },
      ...homes,
      // A folder lies under what stands inside of it, and of two words for one path the stricter counts.
      ...roots.toSorted((a, b) => depth(a.path) - depth(b.path) || (a.kind < b.kind ? 1 : -1)),
      ...places.needed.flatMap((path) => linkMount(path, roots)),
      ...(network.kind === 'open' ? resolverMounts() : []),
      ...guarded.mounts,
      ...sandbox.hidden.map(at).flatMap(hiddenMount),
      ...(places.placed ?? []).map((each) => ({ kind: 'read-only' as const, ...each })),
    ],
    cwd,
    network,
    limits: sandbox.limits,
    env: environmentFor(network),
    terminal: places.terminal ?? false,
  };
}

type Root = { readonly kind: 'writable' | 'read-only'; readonly path: string; readonly from: string };

function rootAt(path: string, kind: Root['kind']): Root | null {
  const from = realPathOrNull(path);
  return from === null ? null : { kind, path, from };
}

/** By its name it stands in another, and by a link in there it is elsewhere: who can put a link there would say where. */
function leadsOut({ path, from }: Root, roots: readonly Root[]): boolean {
  return roots.some((outer) => covers(outer.path, path) && !covers(outer.from, from));
}

/** A workspace that holds the home folder would show all that is to be hidden. */
function tooWide(workspace: string, home: string | null): string | null {
  if (workspace === '/') return 'the workspace is the whole machine: want a folder of a project';
  const real = home === null ? null : realPathOrSame(home);
  if (real === null || !covers(workspace, real)) return null;
  return `the workspace ${workspace} holds the home folder: want a folder of a project`;
}

/**
 * What of the policy stands in what may be written is read-only there. A name that is a link cannot be held: the link could be
 * put elsewhere. A file that is not there yet is held by the folder around it, unless that has to be written to.
 */
function guardedMounts(
  roots: readonly Root[],
  { folders, files }: SandboxPlaces['guarded'],
): { readonly mounts: readonly Mount[] } | { readonly problem: string } {
  const held = new Map<string, Mount>();
  for (const path of [...folders, ...files]) {
    const around = realPathOrNull(dirname(path));
    if (around === null) continue;
    const name = relative(dirname(path), path);
    const there = kindOf(path);
    for (const root of roots) {
      if (root.kind !== 'writable') continue;
      // Part of the policy listed as writable: it is not.
      if (there === 'folder' && covers(join(around, name), root.from)) {
        held.set(root.path, { kind: 'read-only', path: root.path, from: root.from });
        continue;
      }
      const itself = root.from === join(around, name);
      if (!itself && !covers(root.from, around)) continue;
      if (there === 'link') {
        return {
          problem: `${path} is a link, which nothing can keep from being put elsewhere: want the file itself`,
        };
      }
      const from = there === null ? around : join(around, name);
      if (there === null && from === root.from) continue;
      const target = join(root.path, relative(root.from, from));
      held.set(target, { kind: 'read-only', path: target, from });
    }
  }
  return { mounts: [...held.values()].toSorted((a, b) => depth(a.path) - depth(b.path)) };
}

function systemMount(path: string): Mount[] {
  const kind = kindOf(path);
  if (kind === 'link') return [{ kind: 'link', path, to: readlinkSync(path) }];
  return kind === null ? [] : [{ kind: 'read-only', path }];
}

/** Unless it is there already, in what it stands in. */
function linkMount(path: string, roots: readonly Root[]): Mount[] {
  const to = realPathOrNull(path);
  const around = [...SYSTEM_FOLDERS, ...roots.map((root) => root.path)];
  return to === null || to === path || around.some((folder) => covers(folder, path))
    ? []
    : [{ kind: 'link', path, to }];
}

function hiddenMount(path: string): Mount[] {
  // What a link leads to is hidden where it stands: nothing can lie over a link.
  const real = kindOf(path) === 'link' ? realPathOrNull(path) : path;
  const kind = real === null ? null : kindOf(real);
  return real === null || kind === null ? [] : [{ kind: 'hidden', path: real, isFolder: kind === 'folder' }];
}

/** What this user cannot open, no program of theirs inside can: to hide it would only cost a mount. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Names are looked up by way of files that often stand elsewhere. */
function resolverMounts(): Mount[] {
  const from = realPathOrNull('/etc/resolv.conf');
  return from === null || from.startsWith('/etc/') ? [] : [{ kind: 'read-only', path: from }];
}

function environmentFor({ kind }: PlannedNetwork): Readonly<Record<string, string | null>> {
  const taken = TAKEN_VARIABLES.filter((name) => kind !== 'open' || !/proxy$/i.test(name));
  return {
    ...Object.fromEntries(taken.map((name) => [name, null])),
    TMPDIR: '/tmp',
    TMP: null,
    TEMP: null,
  };
}

function placeOf(written: string, workspace: string, home: string | null): string {
  if (written === '~') return home ?? '/nonexistent';
  if (written.startsWith('~/')) return join(home ?? '/nonexistent', written.slice(2));
  return resolve(workspace, written);
}

function kindOf(path: string): 'folder' | 'file' | 'link' | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'file';
}

function depth(path: string): number {
  return path.split('/').length;
}

/** What of Node has to be seen for it to run, and what came with it; nothing of what stands beside it. */
export function nodePlaces(execPath: string): string[] {
  if (SYSTEM_FOLDERS.some((folder) => covers(folder, execPath))) return [];
  const prefix = dirname(dirname(execPath));
  return [execPath, join(prefix, 'bin'), join(prefix, 'lib', 'node_modules')].filter(pathExists);
}

/** Shared libraries that a program of a package manager in a home folder may want are beside it. */
function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
