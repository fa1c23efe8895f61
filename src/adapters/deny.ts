/** The answer of an agent's dialect for an event that nobody could decide: a block where the agent honours one. */
import type { Adapter, Answer, EventRow } from './adapter.ts';
import { degrade } from './degrade.ts';
import { blockOf } from './verdict.ts';

const QUIET = { action: 'allow', context: null, message: null } as const;

/** Silence at events that cannot be blocked: nothing that is said there would hold. */
export function denyAnswer(adapter: Adapter, row: EventRow, reason: string): Answer {
  const { verdict } = degrade(blockOf(reason), row);
  return adapter.answer(row, null, verdict.action === 'block' ? verdict : QUIET);
}
