/** `harness fleet leave`: ends the membership of this machine, and with it the policy of the fleet. A person at a terminal says so. */
import { rmSync } from 'node:fs';
import { findEnrolled, policyPlace } from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { fleetFolder, layerPlaces } from '../../policy/index.ts';
import { demandPerson, type Run } from '../../terminal/index.ts';

export const run: Run = (args, output) => {
  demandPerson('fleet leave');
  const enrolled = findEnrolled(machineHost);
  // A folder that is damaged or gone must not keep anybody from leaving.
  const place = enrolled === null ? layerPlaces(machineHost).fleet?.user : policyPlace(enrolled, machineHost);
  if (place) {
    rmSync(place.marker, { force: true });
    rmSync(place.folder, { recursive: true, force: true });
  }
  const folder = fleetFolder(machineHost);
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
  const hub = enrolled?.enrolment.hub ?? null;
  if (args.has('json')) output.line(JSON.stringify({ hub }));
  else if (hub === null) output.line('This machine belonged to no hub.');
  else
    output.line(
      `This machine left ${hub}. There: harness hub machines --revoke ${enrolled!.enrolment.machine}`,
    );
  return 0;
};
