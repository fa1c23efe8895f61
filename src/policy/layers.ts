/**
 * Where policy stands: the managed folder, the user's, and every policy folder from the working folder upwards, each with
 * its rank. Outer folders rank above inner ones, so that a nested folder can only tighten. Folders that somebody else could
 * have written are named and not read.
 */

import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Problem } from '../base/index.ts';
import { POLICY_FOLDER, PROJECT_READERS } from '../frontends/index.ts';
import { type Host, MANAGED_FOLDER, ownedByMeOrRoot, realPathOrSame, userFolder } from '../machine/index.ts';
import {
  currentFile,
  FLEET_MARKER,
  type FleetPlace,
  type FleetPlaces,
  fleetPlaces,
  NO_FLEET,
  readFleetPolicy,
} from './fleet-policy.ts';
import { TRUST_FOLDER } from './trust/records.ts';

export type LayerKind = 'managed' | 'fleet' | 'user' | 'project';

export interface PolicyLayer {
  readonly kind: LayerKind;
  /** `managed`, `managed:fleet`, `fleet`, `user`, `project`, `project:packages/app` for a folder inside another. */
  readonly name: string;
  readonly rank: number;
  readonly dir: string;
  /** What stands for `.harness`; two if both forms are there. Empty if the folder cannot be opened. */
  readonly insides: readonly string[];
  /** Why the folder cannot be opened: then it blocks whatever it might guard. */
  readonly broken?: string;
}

export interface FoundLayers {
  /** From the highest authority to the lowest; without the built-in layer. */
  readonly layers: readonly PolicyLayer[];
  readonly problems: readonly Problem[];
}

export interface LayerPlaces {
  /** No environment variable changes this one. */
  readonly managed: string | null;
  readonly user: string | null;
  /** Absent: no fleet. */
  readonly fleet?: FleetPlaces;
}

/** A fleet stands below what root wrote on this machine, and above the user. The ranks of the others stand on recorded tapes. */
const RANKS = { managed: 1, managedFleet: 1.2, fleet: 1.5, user: 2, project: 3 } as const;

export function layerPlaces(host: Pick<Host, 'env'>): LayerPlaces {
  const user = userFolder(host, 'config');
  return { managed: MANAGED_FOLDER, user, fleet: fleetPlaces(host, user) };
}

export function findLayers(dir: string, { managed, user, fleet = NO_FLEET }: LayerPlaces): FoundLayers {
  const problems: Problem[] = [];
  const layers: PolicyLayer[] = [];
  const seen = new Set<string>();
  const add = (
    kind: LayerKind,
    folder: string,
    name: string,
    rank: number,
    found = inspectLayer(kind, folder),
  ) => {
    if (found === null) return false;
    const real = realPathOrSame(folder);
    if (seen.has(real)) return false;
    seen.add(real);
    if ('problem' in found) {
      problems.push(found.problem);
      if (!found.blocks) return false;
    }
    const broken = 'problem' in found ? { broken: found.problem.message } : {};
    layers.push({ kind, name, rank, dir: folder, insides: found.insides, ...broken });
    return true;
  };
  const addFleet = (place: FleetPlace | null, owner: LayerKind, name: string, rank: number) => {
    const found = place === null ? null : inspectFleet(place, owner);
    if (found !== null) add('fleet', found.dir, name, rank, found.look);
  };
  if (managed !== null) add('managed', managed, 'managed', RANKS.managed);
  addFleet(fleet.managed, 'managed', 'managed:fleet', RANKS.managedFleet);
  addFleet(fleet.user, 'user', 'fleet', RANKS.fleet);
  if (user !== null) add('user', user, 'user', RANKS.user);
  const top: { dir: string | null } = { dir: null };
  // By policy folder, not by depth: the digest names ranks, and a project is the same wherever it stands.
  let rank: number = RANKS.project;
  for (const folder of foldersUpTo(dir)) {
    const name = top.dir === null ? 'project' : `project:${relative(top.dir, folder).split(sep).join('/')}`;
    if (!add('project', folder, name, rank)) continue;
    top.dir ??= folder;
    rank++;
  }
  return { layers, problems };
}

/** Every folder that is looked at for policy, from the highest layer down. */
export function layerFolders(dir: string, { managed, user }: LayerPlaces): string[] {
  return [managed, user, ...foldersUpTo(dir)].filter((folder) => folder !== null);
}

/** Files that say which policy of a fleet is in force. */
export function fleetFiles({ fleet = NO_FLEET }: LayerPlaces): string[] {
  return [fleet.managed, fleet.user].flatMap((place) =>
    place === null ? [] : [place.marker, currentFile(place)],
  );
}

/** The folder and those around it, the outermost first. */
function foldersUpTo(dir: string): string[] {
  const folders: string[] = [];
  for (let folder = resolve(dir); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) return folders;
  }
}

type LayerFolder =
  | { readonly insides: readonly string[] }
  | { readonly insides: readonly string[]; readonly problem: Problem; readonly blocks: boolean }
  | null;

/** What makes a folder a policy folder: the paths some front end reads, and `.harness` itself. */
const MARKS = [
  ...new Set(PROJECT_READERS.flatMap((reader) => reader.watches.map((path) => path.split('/')[0]!))),
];
/** In a folder that is all policy, the same without `.harness` around them. */
const INNER_MARKS = [
  'hooks',
  'plugins',
  'builtins',
  'overrides',
  'settings.json',
  'patterns.yaml',
  'data',
  'lib',
];

function inspectLayer(kind: LayerKind, folder: string): LayerFolder {
  if (kind !== 'project') return inspectInside(kind, folder);
  const marks = MARKS.filter((name) => mayExist(join(folder, name)));
  if (marks.length === 0) return null;
  const policy = join(folder, POLICY_FOLDER);
  if (marks.includes(POLICY_FOLDER)) {
    const fault = faultOf(policy);
    if (fault !== null) return broken(policy, fault);
  }
  return foreign(folder, kind) ?? foreignWithin(policy, kind) ?? { insides: [POLICY_FOLDER] };
}

/** What is kept beside the user's policy. A folder that holds nothing else holds no policy. */
export const STATE_NAMES: readonly string[] = [TRUST_FOLDER, FLEET_MARKER];

function holdsOnlyState(folder: string): boolean {
  try {
    const names = readdirSync(folder);
    return names.length > 0 && names.every((name) => STATE_NAMES.includes(name));
  } catch {
    return false;
  }
}

function inspectInside(kind: LayerKind, folder: string): LayerFolder {
  if (!mayExist(folder) || holdsOnlyState(folder)) return null;
  const fault = faultOf(folder);
  if (fault !== null) return broken(folder, fault);
  const other = foreignWithin(folder, kind) ?? foreignWithin(join(folder, POLICY_FOLDER), kind);
  if (other !== null) return other;
  const inner = INNER_MARKS.some((name) => mayExist(join(folder, name)));
  const nested = mayExist(join(folder, POLICY_FOLDER));
  return { insides: nested ? [POLICY_FOLDER, ...(inner ? ['.'] : [])] : ['.'] };
}

/** Null on a machine without the marker. With it, a policy that is missing or that others can write blocks. */
function inspectFleet(
  place: FleetPlace,
  owner: LayerKind,
): { readonly dir: string; readonly look: LayerFolder } | null {
  if (!mayExist(place.marker)) return null;
  const policy = readFleetPolicy(place);
  const dir = policy === null ? place.folder : join(place.folder, policy.unpacked);
  const fault = policy === null ? 'it is missing or damaged' : faultOf(dir);
  const look = fault === null ? (blocking(foreign(place.folder, owner)) ?? inspectInside(owner, dir)) : null;
  const repair = 'Run: harness fleet agent --once; a person leaves the fleet with: harness fleet leave';
  return {
    dir,
    look: look ?? broken(dir, `this machine belongs to a fleet, and ${fault ?? 'it is empty'}. ${repair}`),
  };
}

function blocking(found: LayerFolder): LayerFolder {
  return found !== null && 'problem' in found ? { ...found, blocks: true } : found;
}

/** Also for a link to nowhere, and if nobody lets us look: somebody meant something to be there, or may have. */
function mayExist(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

function faultOf(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'it is not a folder';
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'ELOOP' ? 'its links go in a circle' : `it cannot be opened (${code})`;
  }
}

function broken(path: string, why: string): LayerFolder {
  const message = `the policy folder ${path} is not in force: ${why}`;
  const problem: Problem = { severity: 'error', code: 'LAYER_BROKEN', message, position: null };
  return { insides: [], problem, blocks: true };
}

/** The same of a policy folder and of what hooks are read from in it: who can write there writes policy. */
function foreignWithin(folder: string, kind: LayerKind): LayerFolder {
  for (const path of [folder, ...INNER_MARKS.map((name) => join(folder, name))]) {
    const found = foreign(path, kind);
    if (found !== null) return found;
  }
  return null;
}

/** Why the folder may be somebody else's word, or null. The managed one must be root's. */
function foreign(path: string, kind: LayerKind): LayerFolder {
  const stats = statsOf(path);
  if (stats === null || process.getuid === undefined) return null;
  const why = (kind === 'managed' ? stats.uid === 0 : ownedByMeOrRoot(stats))
    ? othersWrite(stats)
      ? 'others can write to it'
      : null
    : `it belongs to user ${stats.uid}`;
  if (why === null) return null;
  const message = `the policy folder ${path} is not read: ${why}`;
  const problem: Problem = { severity: 'error', code: 'LAYER_REFUSED', message, position: null };
  // The managed folder is policy for this machine: if it cannot be relied on, nothing else may stand in for it.
  return { insides: [], problem, blocks: kind === 'managed' };
}

function othersWrite({ mode, gid }: Stats): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.() && gid !== 0);
}

function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
