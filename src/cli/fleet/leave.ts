/** `harness fleet leave`: ends the membership of this machine, and with it the policy of the fleet. A person at a terminal says so. */
import { leaveFleet, markedPlaces } from '../../fleet/index.ts';
import { isRoot, machineHost } from '../../machine/index.ts';
import { demandPerson, type Run } from '../../terminal/index.ts';

export const run: Run = (args, output) => {
  demandPerson('fleet leave');
  const { hub, machine } = leaveFleet(machineHost, markedPlaces(machineHost, isRoot()));
  const id = machine ?? 'ID (its id was not readable here; `harness hub machines` lists it)';
  if (args.has('json')) output.line(JSON.stringify({ hub, machine }));
  else if (hub === null) output.line('This machine belonged to no hub.');
  else output.line(`This machine left ${hub}. There: harness hub machines --revoke ${id}`);
  return 0;
};
