/**
 * `harness untrust`: takes back what was agreed to for a folder. Its powers do not hold from the next command on.
 */
import { machineHost } from '../base/host.ts';
import { layerPlaces } from '../policy/layers.ts';
import { removeRecord } from '../policy/trust/records.ts';
import type { Run } from './command.ts';

export const run: Run = (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const removed = removeRecord(layerPlaces(machineHost).user, dir);
  if (args.has('json')) output.line(JSON.stringify({ dir, removed }));
  else output.line(removed ? `${dir} is no longer trusted` : `${dir} was not trusted`);
  return 0;
};
