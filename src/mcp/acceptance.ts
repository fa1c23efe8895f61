/**
 * What a server offers that is not as it was pinned, as a question in the user's queue of approvals. A person's yes pins it anew
 * while the proxy runs; all proxies of the server in the folder wait for the same answer.
 */
import { resolve } from 'node:path';
import type { JsonObject } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import { openQueue, type Policy } from '../policy/index.ts';
import { policyName } from './gates.ts';
import { type OfferKind, offerLabel } from './offers.ts';

export interface ChangedOffer {
  readonly name: string;
  /** What the server says of it now. */
  readonly item: JsonObject;
  /** What the pinned description was; null: it was not offered then. */
  readonly before: string | null;
}

/** True: pinned from now on. Null: nobody answered in time, and it may be asked again. */
export type AskToAccept = (kind: OfferKind, changed: readonly ChangedOffer[]) => Promise<boolean | null>;

/** An answer that several proxies of one server hear of counts for each of them. */
const CALL = 'definitions';
/** Rank of the project, whose file the pins are. */
const PROJECT_RANK = 3;

export function askInQueue(
  policy: Policy,
  server: string,
  signal: AbortSignal,
  note: (text: string) => void,
): AskToAccept {
  return async (kind, changed) => {
    const queue = openQueue(machineHost);
    if (queue === null) return null;
    const names = changed.map(({ name }) => policyName(server, offerLabel(kind, name)));
    const reason = `the server ${server} changed since it was pinned: ${names.join(', ')}`;
    const lock = {
      hook: 'mcp.lock',
      layer: 'project',
      rank: PROJECT_RANK,
      reason,
      source: '.harness/mcp.lock',
    };
    const asked = queue.ask({
      host: `harness mcp ${server}`,
      session: `mcp ${server}`,
      folder: resolve(policy.root),
      tool: 'meta.register_tool',
      args: {
        server,
        [kind.kind]: Object.fromEntries(
          changed.map(({ name, item, before }) => [name, { before, now: kind.definition(item) }]),
        ),
      },
      asks: [lock],
      reason,
      call: CALL,
    });
    if ('known' in asked) return asked.known.approved;
    if ('problem' in asked) {
      note(`no person can be asked about it: ${asked.problem}`);
      return null;
    }
    note(`${reason}. To accept it: harness approvals allow ${asked.question.id}`);
    const left = AbortSignal.timeout(Math.max(0, asked.question.deadline - machineHost.now()));
    const answer = await queue.wait(asked.question, AbortSignal.any([signal, left]), CALL);
    if (answer?.approved === false) note(`a person refused ${names.join(', ')}`);
    return answer?.approved ?? null;
  };
}
