/**
 * `harness mcp lock` and `harness mcp diff`: what a server offers now, pinned or compared with what was pinned, and what of it the
 * policy does not let be offered.
 */

import { isJsonObject } from '../base/index.ts';
import type { Policy } from '../policy/index.ts';
import { GovernedSession } from '../session/index.ts';
import { type Arguments, type Output, openPolicyAt } from '../terminal/index.ts';
import { lockOf, replacePins } from './lock-file.ts';
import { nameIn, offerLabel, offerOf, TOOLS } from './offers.ts';
import { lockChanges, pinsIn, pinsOf } from './pins.ts';
import { type Offers, readServerOffers } from './server-offers.ts';
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
  const offers = await readServerOffers(inside).finally(close);
  if (typeof offers === 'string') {
    output.note(`${output.paintNote('red', 'error')}: ${offers}`);
    return 1;
  }
  const now = new Map(
    [...offers].filter(([kind]) => kind.isPinned).map(([kind, items]) => [kind, pinsOf(kind, items)]),
  );
  const flagged = await flaggedBy(policy, name, offers);
  const lock = lockOf(policy);
  const isPinned = pinsIn(lock, name, TOOLS) !== null;
  // A kind that a pinned server never listed is agreed to at its first list, so it has no changes.
  const changes = [...now].flatMap(([kind, pins]) => {
    const before = pinsIn(lock, name, kind) ?? (isPinned ? pins : {});
    return lockChanges(kind, before, pins);
  });
  const tools = Object.keys(now.get(TOOLS) ?? {});
  if (what === 'lock') replacePins(policy, name, now);
  if (args.has('json'))
    output.line(
      JSON.stringify({
        server: name,
        pinned: isPinned,
        tools,
        changes,
        flagged,
      }),
    );
  else if (changes.length === 0) output.line(`${tools.length} tools, as pinned`);
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
async function flaggedBy(policy: Policy, server: string, offers: Offers): Promise<Flagged[]> {
  const session = new GovernedSession({ policy, openTape: null, approvals: null, approvalMs: 0 });
  const flagged: Flagged[] = [];
  for (const [kind, items] of offers)
    for (const item of items.filter(isJsonObject)) {
      const objection = await session.offer(offerOf(server, kind, item));
      if (objection === null) continue;
      const [tool, hidden] = [offerLabel(kind, nameIn(kind, item)), objection.hides || !kind.isCalled];
      flagged.push({ tool, hidden, reason: objection.reason });
    }
  return flagged;
}
