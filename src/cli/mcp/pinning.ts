/**
 * `harness mcp lock` and `harness mcp diff`: what a server offers now, pinned or compared with what was pinned, and what of it the
 * policy does not let be offered.
 */
import { openJudge } from '../../adapters/judge.ts';
import { offerOf } from '../../adapters/mcp/gates.ts';
import { lockChanges, pinsOf } from '../../adapters/mcp/pins.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Arguments } from '../command.ts';
import type { Output } from '../output.ts';
import { openPolicyAt } from '../project-dir.ts';
import { lockOf, savePins } from './lock-file.ts';
import { readServerTools } from './server-tools.ts';
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
  const tools = await readServerTools(inside).finally(close);
  if (typeof tools === 'string') {
    output.note(`${output.paintNote('red', 'error')}: ${tools}`);
    return 1;
  }
  const now = pinsOf(tools);
  const flagged = await flaggedBy(policy, name, tools);
  const before = lockOf(policy).servers[name];
  const changes = lockChanges(before ?? {}, now);
  if (what === 'lock') savePins(policy, name, now, () => {});
  if (args.has('json'))
    output.line(
      JSON.stringify({
        server: name,
        pinned: before !== undefined,
        tools: Object.keys(now),
        changes,
        flagged,
      }),
    );
  else if (changes.length === 0) output.line(`${Object.keys(now).length} tools, as pinned`);
  for (const { tool, change, before: was, after } of args.has('json') ? [] : changes) {
    output.line(`${output.paint(change === 'new' ? 'yellow' : 'red', change.padEnd(7))}  ${tool}`);
    if (was !== null) output.line(output.paint('red', `  - ${was}`));
    if (after !== null) output.line(output.paint('green', `  + ${after}`));
  }
  for (const { tool, hidden, reason } of args.has('json') ? [] : flagged) {
    const becomes = hidden ? 'not offered' : 'asked about';
    output.line(`${output.paint('red', 'flagged')}  ${tool}, ${becomes}: ${reason}`);
  }
  return what === 'diff' && changes.length > 0 ? 1 : 0;
}

interface Flagged {
  readonly tool: string;
  /** Not listed; otherwise each call of it is asked about. */
  readonly hidden: boolean;
  readonly reason: string;
}

/** What the proxy would hide or ask about, whether or not it is pinned. */
async function flaggedBy(policy: Policy, server: string, tools: readonly Json[]): Promise<Flagged[]> {
  const judge = openJudge({ policy, openTape: null, approvals: null, windowMs: 0 });
  const flagged: Flagged[] = [];
  for (const tool of tools.filter(isJsonObject)) {
    const objection = await judge.offer(offerOf(server, tool));
    if (objection !== null)
      flagged.push({ tool: String(tool.name), hidden: objection.hides, reason: objection.reason });
  }
  return flagged;
}
