/**
 * The policy that a fleet put on this machine, as its agent left it in files. A marker stands apart from the folder: on a machine with a
 * marker the policy must be there, so that removing the folder blocks instead of loosening.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../base/index.ts';
import { type Host, MANAGED_FOLDER } from '../machine/index.ts';
import { fleetFolder } from './fleet-folder.ts';

/** Where the policy of a fleet stands, and the file that says that this machine must have one. */
export interface FleetPlace {
  readonly marker: string;
  readonly folder: string;
}

export interface FleetPlaces {
  /** Root's, for every user of the machine. No environment variable changes it. */
  readonly managed: FleetPlace | null;
  readonly user: FleetPlace | null;
}

export const FLEET_MARKER = 'fleet.json';
export const NO_FLEET: FleetPlaces = { managed: null, user: null };

export function fleetPlaces(host: Pick<Host, 'env'>, userFolder: string | null): FleetPlaces {
  const fleet = fleetFolder(host);
  return {
    managed: { marker: join(MANAGED_FOLDER, FLEET_MARKER), folder: '/var/lib/harness/fleet' },
    user:
      fleet === null || userFolder === null
        ? null
        : { marker: join(userFolder, FLEET_MARKER), folder: join(fleet, 'policy') },
  };
}

/** What a machine does once nobody has confirmed its policy for `maxAgeMs`. */
export const WHEN_STALE = ['keep', 'ask', 'block'] as const;
export type WhenStale = (typeof WHEN_STALE)[number];

/** The policy in force, as the agent wrote it when it had verified and opened it. */
export interface FleetPolicy {
  readonly version: number;
  /** SHA-256 of the archive. */
  readonly digest: string;
  /** The name of the folder in which it is unpacked. */
  readonly unpacked: string;
  /** Since when it is in force here. */
  readonly since: number;
  readonly whenStale: WhenStale;
  /** Null: it is never stale. */
  readonly maxAgeMs: number | null;
  /** What the hub is asked with, and the snapshot that it must confirm. */
  readonly etag: string;
  readonly snapshot: string;
}

const CURRENT = 'current.json';
const CHECKED = 'checked.json';

/** When the hub last confirmed the policy, and why the last answer was not taken. */
export interface FleetCheck {
  readonly at: number;
  readonly problem: string | null;
  /** Since when answers are not taken. */
  readonly problemSince: number | null;
}

export function currentFile({ folder }: FleetPlace): string {
  return join(folder, CURRENT);
}

export function checkedFile({ folder }: FleetPlace): string {
  return join(folder, CHECKED);
}

/** Null if there is none, or none that can be read. */
export function readFleetPolicy(place: FleetPlace): FleetPolicy | null {
  const found = readJson(currentFile(place));
  if (!isJsonObject(found) || !/^[0-9a-f]{16,64}$/.test(String(found.unpacked))) return null;
  const { version, whenStale, maxAgeMs } = found;
  const sound =
    Number.isSafeInteger(version) &&
    WHEN_STALE.some((each) => each === whenStale) &&
    (maxAgeMs === null || typeof maxAgeMs === 'number');
  return sound ? (found as unknown as FleetPolicy) : null;
}

export function readFleetCheck(place: FleetPlace): FleetCheck | null {
  const found = readJson(checkedFile(place));
  return isJsonObject(found) && typeof found.at === 'number' ? (found as unknown as FleetCheck) : null;
}

/** Since when the policy is stale, or null. */
export function staleSince(place: FleetPlace, now: number): number | null {
  const policy = readFleetPolicy(place);
  if (policy === null || policy.maxAgeMs === null) return null;
  const end = (readFleetCheck(place)?.at ?? policy.since) + policy.maxAgeMs;
  return now > end ? end : null;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
