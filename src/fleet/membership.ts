/**
 * The marks that a fleet leaves on a machine, and their removal. A machine with a mark must have a policy, so a mark without an enrolment
 * blocks every call until a person leaves the fleet.
 */
import { rmSync } from 'node:fs';
import { isAbsent } from '../files/index.ts';
import type { Host } from '../machine/index.ts';
import { type FleetPlace, fleetFolder, layerPlaces } from '../policy/index.ts';
import type { PolicyRoot } from './client.ts';
import { type Enrolment, findEnrolled } from './enrolment.ts';
import { readMarker } from './signed/install-policy.ts';

/** Where this account may have put a policy: root also for every user. */
export function markedPlaces(host: Pick<Host, 'env'>, root: boolean): FleetPlace[] {
  const { managed = null, user = null } = layerPlaces(host).fleet ?? {};
  return [root ? managed : null, user].filter((place) => place !== null);
}

/** The first mark that would stay without an agent once this machine joined with that root; null if there is none. */
export function orphanedMark(places: readonly FleetPlace[], policy: PolicyRoot | null): FleetPlace | null {
  const served = policy === null ? undefined : places.at(policy.managed ? 0 : -1);
  const goesOn = (place: FleetPlace) =>
    place === served && [policy!.root, undefined].includes(readMarker(place)?.root);
  return places.find((place) => !isAbsent(place.marker) && !goesOn(place)) ?? null;
}

export interface LeftFleet {
  /** Null: neither an enrolment nor a mark was there. */
  readonly hub: string | null;
  /** Null: the enrolment was missing or damaged. */
  readonly machine: string | null;
}

/** Removes the marks, the policies and the enrolment. A folder that is damaged or gone keeps nobody from leaving. */
export function leaveFleet(host: Pick<Host, 'env'>, places: readonly FleetPlace[]): LeftFleet {
  const enrolment = readableEnrolment(host);
  const hubs = places.map((place) => (isAbsent(place.marker) ? null : (readMarker(place)?.hub ?? 'its hub')));
  for (const { marker, folder } of places) {
    rmSync(marker, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
  const folder = fleetFolder(host);
  const damaged = enrolment === null && folder !== null && !isAbsent(folder);
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
  const hub = enrolment?.hub ?? hubs.find((each) => each !== null) ?? (damaged ? 'its hub' : null);
  return { hub, machine: enrolment?.machine ?? null };
}

function readableEnrolment(host: Pick<Host, 'env'>): Enrolment | null {
  try {
    return findEnrolled(host)?.enrolment ?? null;
  } catch {
    return null;
  }
}
