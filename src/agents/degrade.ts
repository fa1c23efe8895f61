/**
 * What an agent cannot carry becomes the nearest answer that is not weaker: ask and modify become a block that says what
 * would have been done. What cannot be carried at all is said, never dropped in silence.
 */
import { isJsonObject, type Json, type JsonObject, sameJson } from '../base/index.ts';
import { STAYS_OPEN } from '../engine/index.ts';
import type { EventRow, NativeCall, Verdict } from './adapter.ts';
import { notBlocked } from './verdict.ts';

export interface Degraded {
  readonly verdict: Verdict;
  /** What became of what, in words; empty if the agent carries the verdict as it is. */
  readonly notes: readonly string[];
  /** A block, an ask or a rewrite that this agent ignores at this event: a guard that does not hold. */
  readonly lost: boolean;
  /** Why the run has to end at a later event, if what is lost here is made good there. */
  readonly later?: string;
  /** Context that the model is given at a later event, since this one takes none. */
  readonly contextLater?: string;
}

/** `call` for the words of a rewrite that is refused; null if there is none. */
export function degrade(verdict: Verdict, row: EventRow, call: NativeCall | null = null): Degraded {
  const { honours } = row;
  switch (verdict.action) {
    case 'block':
      return honours.block ? carried(verdict, row) : lost(verdict.reason, row, 'block');
    case 'ask':
      if (honours.ask && (verdict.payloads === undefined || honours.modify)) return carried(verdict, row);
      if (!honours.block) return lost(verdict.reason, row, 'ask');
      return {
        ...carried(
          { action: 'block', reason: `${verdict.reason} (${unanswered(verdict)})`, message: verdict.message },
          row,
        ),
        notes: [`${row.native} cannot ask: blocked instead`],
      };
    case 'modify': {
      if (honours.modify) return carried(verdict, row);
      const reason = insteadOf(row.event, verdict.payloads, call?.payloads ?? []);
      if (!honours.block) return lost(reason, row, 'modify');
      return {
        ...carried({ action: 'block', reason, message: verdict.message ?? reason }, row),
        notes: [
          `${row.native} cannot be rewritten: blocked instead, with the corrected content in the reason`,
        ],
      };
    }
    default:
      return carried(verdict, row);
  }
}

function unanswered({ open = false }: Verdict & { readonly action: 'ask' }): string {
  return open ? STAYS_OPEN : 'no person can be asked here';
}

/** What becomes of an action at an event, for `validate --target` and the page on agents: null if it is carried. */
export function degradation(
  action: 'block' | 'ask' | 'modify' | 'context',
  { honours, madeGoodAt, contextAt }: EventRow,
): string | null {
  if (honours[action]) return null;
  if (action === 'context')
    return contextAt === undefined ? 'not shown to the model' : `is read at ${contextAt}`;
  if (madeGoodAt !== undefined && !honours.block) return `ends the run at ${madeGoodAt}`;
  if (action === 'block' || !honours.block) return 'ignored by the agent';
  return action === 'ask' ? 'becomes a block' : 'becomes a block that says what was wanted';
}

function carried(verdict: Verdict, { native, honours, contextAt }: EventRow): Degraded {
  const message = honours.message ? verdict.message : null;
  if (verdict.action === 'block' || verdict.action === 'ask') {
    return { verdict: { ...verdict, message }, notes: [], lost: false };
  }
  const { context } = verdict;
  if (context === null || honours.context)
    return { verdict: { ...verdict, message }, notes: [], lost: false };
  const rest = { verdict: { ...verdict, context: null, message }, lost: false };
  return contextAt === undefined
    ? { ...rest, notes: [`${native} takes no context for the model`] }
    : { ...rest, notes: [], contextLater: context };
}

function lost(reason: string, row: EventRow, action: string): Degraded {
  const { native, honours, madeGoodAt } = row;
  const message = honours.message ? reason : null;
  if (madeGoodAt !== undefined) {
    const note = `${native} does not honour ${action}: the run ends at ${madeGoodAt}`;
    return {
      verdict: { action: 'allow', context: null, message },
      notes: [note],
      lost: false,
      later: reason,
    };
  }
  const said = notBlocked(reason);
  const context = honours.context ? said : null;
  const note = `${native} does not honour ${action}: ${reason}`;
  return { verdict: { action: 'allow', context, message: message && said }, notes: [note], lost: true };
}

/** So much of a corrected text stands in a reason. */
const MOST_SHOWN = 4_000;

type Payload = JsonObject | string;

function insteadOf(event: string, after: readonly Payload[], before: readonly Payload[]): string {
  const texts = after.flatMap((payload, i) => (sameJson(payload, before[i]) ? [] : [corrected(payload)]));
  const text = texts.join('\n');
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const lead =
    event === 'tool.post'
      ? 'The policy replaced this result by'
      : 'The policy wants this changed, which cannot be done here. Use instead';
  return `${lead}:\n${shown}`;
}

/** The part that a rewrite is about: arguments of a call, content of a result. */
function corrected(payload: Payload): string {
  if (!isJsonObject(payload)) return payload;
  const part: Json | undefined = payload.args ?? payload.content ?? payload;
  return typeof part === 'string' ? part : JSON.stringify(part);
}
