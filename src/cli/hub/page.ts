/** `harness hub page`: a link that opens the page of the running hub, once and within a minute. */
import { openAdmin } from '../../hub/index.ts';
import { demandNoAgent, type Run, UsageError } from '../../terminal/index.ts';
import { hubPlace } from './place.ts';

export const run: Run = async (args, output) => {
  // It shows the tapes of every machine: a model must not read it.
  demandNoAgent('hub page');
  const place = hubPlace(args);
  if ('db' in place)
    throw new UsageError(
      'with --db each hub prints the link of its own page when it starts: harness hub serve',
    );
  const admin = await openAdmin(place);
  try {
    const link = await admin.pageLink();
    if (link === null)
      throw new UsageError(`no hub runs in ${place.dir}. Start it: harness hub serve --dir ${place.dir}`);
    output.line(args.has('json') ? JSON.stringify({ link }) : link);
    output.note('Good for one minute and one browser of this machine. From elsewhere: ssh -L with its port.');
  } finally {
    await admin.close();
  }
  return 0;
};
