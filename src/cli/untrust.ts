/**
 * `harness untrust`: takes back what was agreed to for a folder. Its capabilities do not hold from the next command on.
 */
import { machineHost } from '../machine/index.ts';
import { layerPlaces, removeRecord, trustFolderOf } from '../policy/index.ts';
import type { Run } from '../terminal/index.ts';

export const run: Run = (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const removed = removeRecord(trustFolderOf(layerPlaces(machineHost)), dir);
  if (args.has('json')) output.line(JSON.stringify({ dir, removed }));
  else output.line(removed ? `${dir} is no longer trusted` : `${dir} was not trusted`);
  return 0;
};
