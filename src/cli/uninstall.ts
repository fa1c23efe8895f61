/**
 * `harness uninstall`: takes out what `install` put in. A file that was not edited since is as it was before, to the byte; in
 * another one only what is ours goes.
 */
import { planChanges } from '../adapters/install/change-files.ts';
import { isUser } from '../adapters/install/installer.ts';
import { recordsFolder } from '../adapters/install/records.ts';
import { namedAgents, ownerOf, placeOf, refuseWindows, stateAt, textOnDisk } from './agents-place.ts';
import type { Run } from './command.ts';
import { commitUnlessPrinted, report, withRecords } from './install.ts';

export const run: Run = async (args, output) => {
  refuseWindows();
  const place = placeOf(args);
  const [first, ...clients] = args.positionals;
  if (first === 'mcp') return (await import('./install-mcp.ts')).unwrapServers(clients, place, args, output);
  const agents = await namedAgents(args.positionals);
  const results = withRecords(args, () =>
    agents.map(({ adapter, installer }) => {
      const plan = planChanges({
        agent: adapter.agent,
        owner: ownerOf(adapter.agent, place),
        files: installer.files(place, [], textOnDisk),
        install: false,
        followOut: isUser(place),
        records: recordsFolder(stateAt()),
      });
      return commitUnlessPrinted(plan, adapter.agent, args);
    }),
  );
  report(results, 'uninstalled', args, output);
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1;
};
