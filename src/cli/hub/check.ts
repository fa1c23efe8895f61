/** `harness hub check`: proves the whole record. Exits 1 if something is wrong with it. */
import { openAdmin } from '../../hub/index.ts';
import { progressOf } from '../../project/index.ts';
import { countOf, type Run, thousands } from '../../terminal/index.ts';
import { hubPlace } from './place.ts';
import { removalLine } from './prune.ts';

export const run: Run = async (args, output) => {
  const admin = await openAdmin(hubPlace(args));
  try {
    const found = await admin.check(progressOf('checking', output));
    if (args.has('json')) {
      output.line(JSON.stringify(found));
      return found.ok ? 0 : 1;
    }
    for (const problem of found.problems) output.line(`${output.paint('red', 'wrong')}  ${problem}`);
    for (const words of found.attention) output.line(`${output.paint('yellow', 'look')}  ${words}`);
    for (const removal of found.removals)
      output.line(`${output.paint('dim', 'removed')}  ${removalLine(removal)}`);
    const [entries, decisions] = [thousands(found.entries), thousands(found.decisions)];
    const word = found.ok
      ? output.paint('green', 'ok')
      : output.paint('red', countOf(found.problems.length, 'problem'));
    output.line(
      `${word}  ${countOf(found.tapes, 'tape')}, ${entries} entries, ${decisions} decisions with their facts`,
    );
    return found.ok ? 0 : 1;
  } finally {
    await admin.close();
  }
};
