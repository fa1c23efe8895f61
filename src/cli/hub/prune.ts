/** `harness hub prune`: removes what was received before a day. Without --yes it only shows what would go. */
import { dayOf, openAdmin, type Removal } from '../../hub/index.ts';
import { sinceOf } from '../../project/index.ts';
import { type Run, thousands, UsageError } from '../../terminal/index.ts';
import { hubPlace } from './place.ts';

export const run: Run = async (args, output) => {
  if (args.value('older') === undefined) throw new UsageError('want --older TIME, such as 90d or 2026-01-31');
  const day = dayOf(sinceOf(args, 'older'));
  const dry = !args.has('yes');
  const admin = await openAdmin(hubPlace(args));
  try {
    const removal = await admin.prune(day, dry);
    if (args.has('json')) output.line(JSON.stringify({ dry, removal }));
    else if (removal === null) output.line('Nothing was received before that day.');
    else {
      output.line(`${dry ? 'Would remove' : 'Removed'} ${removalLine(removal)}`);
      if (dry) output.note('Nothing was removed: give --yes to remove it.');
    }
  } finally {
    await admin.close();
  }
  return 0;
};

export function removalLine({ before, tapes, entries, decisions, rawBytes }: Removal): string {
  const counts = `${thousands(entries)} entries and ${thousands(decisions)} decisions of ${thousands(tapes)} tapes`;
  return `${counts}, received before ${before}, ${thousands(rawBytes)} bytes`;
}
