/**
 * `harness mcp lock` and `harness mcp diff`: what a server offers now, pinned or compared with what was pinned.
 */
import { lockChanges } from '../../adapters/mcp/pins.ts';
import type { Arguments } from '../command.ts';
import type { Output } from '../output.ts';
import { openPolicyAt } from '../project-dir.ts';
import { lockOf, savePins } from './lock-file.ts';
import { readServerPins } from './server-pins.ts';
import { nameOf, type Target, walled } from './target.ts';

/** `harness mcp lock` pins what the server offers now; `diff` shows what has changed since it was pinned. */
export async function pinning(
  what: 'lock' | 'diff',
  target: Target,
  args: Arguments,
  output: Output,
): Promise<number> {
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  const name = nameOf(target, args);
  const { target: inside, close } = await walled(policy, target);
  const now = await readServerPins(inside).finally(close);
  if (typeof now === 'string') {
    output.note(`${output.paintNote('red', 'error')}: ${now}`);
    return 1;
  }
  const before = lockOf(policy).servers[name];
  const changes = lockChanges(before ?? {}, now);
  if (what === 'lock') savePins(policy, name, now, () => {});
  if (args.has('json'))
    output.line(
      JSON.stringify({ server: name, pinned: before !== undefined, tools: Object.keys(now), changes }),
    );
  else if (changes.length === 0) output.line(`${Object.keys(now).length} tools, as pinned`);
  for (const { tool, change, before: was, after } of args.has('json') ? [] : changes) {
    output.line(`${output.paint(change === 'new' ? 'yellow' : 'red', change.padEnd(7))}  ${tool}`);
    if (was !== null) output.line(output.paint('red', `  - ${was}`));
    if (after !== null) output.line(output.paint('green', `  + ${after}`));
  }
  return what === 'diff' && changes.length > 0 ? 1 : 0;
}
