/**
 * `harness uninstall`: takes out what `install` put in. A file that was not edited since is as it was before, to the byte; in
 * another one only what is ours goes.
 */

import {
  ALL_AGENTS,
  isManaged,
  isUser,
  namedAgents,
  ownerOf,
  placeOf,
  planChanges,
  recordsFolder,
  refuseWindows,
  stateAt,
  textOnDisk,
} from '../agents/index.ts';
import type { Run } from '../terminal/index.ts';
import { commitUnlessPrinted, mergePlans, planGuard, report, withRecords } from './install.ts';
import { demandRoot, removeEngine } from './install-managed.ts';

export const run: Run = async (args, output) => {
  refuseWindows();
  const place = placeOf(args);
  if (isManaged(place)) demandRoot();
  const [first, ...clients] = args.positionals;
  if (first === 'mcp') return (await import('./install-mcp.ts')).unwrapServers(clients, place, args, output);
  const agents = namedAgents(args.positionals);
  const names = agents.map(({ installer }) => installer.agent);
  const isNeeded = ALL_AGENTS.some(
    ({ installer: { agent, registered, hasSystemPlace } }) =>
      !names.includes(agent) &&
      (!isManaged(place) || hasSystemPlace === true) &&
      registered(place, textOnDisk).length > 0,
  );
  const results = withRecords(args, () =>
    agents.map(({ adapter: { agent }, installer }) => {
      const plan = planChanges({
        agent,
        owner: ownerOf(agent, place),
        files: installer.files(place, [], textOnDisk),
        install: false,
        followOut: isUser(place),
        records: recordsFolder(stateAt()),
      });
      const isLast = agent === names.at(-1) && !isNeeded;
      return commitUnlessPrinted(isLast ? mergePlans(plan, planGuard(place, null)) : plan, agent, args);
    }),
  );
  if (isManaged(place) && !isNeeded && !args.has('print')) removeEngine(place);
  report(results, 'uninstalled', args, output);
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1;
};
