/**
 * What becomes of a hook in one agent: where it fires there, and which of its answers the agent carries, degrades or ignores.
 * From the tables alone, so that it can be known before anything is installed.
 */
import type { Adapter, EventRow } from './adapter.ts';
import { degradation } from './degrade.ts';

export type Action = 'block' | 'ask' | 'modify' | 'context';

export interface TargetedHook {
  readonly event: string;
  /** What its script says somewhere; empty if it only watches. */
  readonly actions: readonly Action[];
}

export interface TargetSupport {
  /** Events of the agent at which it fires. */
  readonly natives: readonly string[];
  /** What degrades, in words: nothing is weaker than what the hook says. */
  readonly degrades: readonly string[];
  /** What does not hold, in words: the hook says it and the agent goes on. */
  readonly lost: readonly string[];
}

/** Events that are fired beside others: a call of `delegate` is a delegation, an ask is put to hooks first. */
const BESIDE: Readonly<Record<string, { readonly event: string; readonly tool?: string }>> = {
  'delegation.pre': { event: 'tool.pre', tool: 'delegate' },
  'delegation.post': { event: 'tool.post', tool: 'delegate' },
  'permission.asked': { event: 'tool.pre' },
  'permission.replied': { event: 'tool.pre' },
};

export function targetSupport(adapter: Adapter, { event, actions }: TargetedHook): TargetSupport {
  const rows = rowsFor(adapter, event);
  if (rows.length === 0) return { natives: [], degrades: [], lost: [`${event} does not fire here`] };
  const said = rows.flatMap((row) =>
    actions.flatMap((action) => {
      const became = fate(action, event, row);
      const where = rows.length > 1 ? `${row.native}: ` : '';
      return became === null ? [] : [{ text: `${where}${action} ${became.text}`, lost: became.lost }];
    }),
  );
  const texts = (lost: boolean) => said.filter((each) => each.lost === lost).map(({ text }) => text);
  return { natives: rows.map(({ native }) => native), degrades: texts(false), lost: texts(true) };
}

function rowsFor({ events, tools }: Adapter, event: string): readonly EventRow[] {
  const own = events.filter((row) => row.event === event);
  const beside = Object.hasOwn(BESIDE, event) ? BESIDE[event]! : null;
  if (own.length > 0 || beside === null) return own;
  if (beside.tool !== undefined && !tools.some(({ name }) => name === beside.tool)) return [];
  return events.filter((row) => row.event === beside.event);
}

/** Null if the agent carries it as it is. */
function fate(action: Action, event: string, row: EventRow): { text: string; lost: boolean } | null {
  // What is fired beside a call can stop it, but not rewrite it.
  if (event !== row.event && action === 'modify') {
    return row.honours.block ? { text: 'becomes a block', lost: false } : { text: 'is ignored', lost: true };
  }
  const text = degradation(action, row);
  if (text === null) return null;
  if (action === 'context')
    return row.contextAt === undefined ? { text: `is ${text}`, lost: true } : { text, lost: false };
  // What is made good at a later event holds.
  const lost = !row.honours.block && row.madeGoodAt === undefined;
  return { text: lost ? `is ${text}` : text, lost };
}
