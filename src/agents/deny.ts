/** The answers of an agent's dialect for an event that nobody could decide. */
import { requireEvent } from '../engine/index.ts';
import type { Adapter, Answer, EventRow, NativeCall } from './adapter.ts';
import { blockOf, notBlocked } from './verdict.ts';

/**
 * Events that go on if nobody can decide them, since a block would never come to an end. An agent that is sent back to work by a
 * broken launcher can do nothing there, with every call denied. A change of settings that is refused once Harness is gone would
 * keep the lines of an uninstalled Harness in force.
 */
function deniesAt({ honours, event }: EventRow): boolean {
  return honours.block && requireEvent(event).sendsBack !== true && event !== 'native.config_change';
}

/** The exit code of a line whose answer cannot be printed: silence and 0 would mean that nothing stands against the call. */
export function unprintedExit(row: EventRow): number | null {
  return deniesAt(row) ? 2 : null;
}

/** A block where the agent honours one; elsewhere the person is told, if the agent can tell them. `call` if it was read. */
export function denyAnswer(
  adapter: Adapter,
  row: EventRow,
  reason: string,
  call: NativeCall | null = null,
): Answer {
  if (!deniesAt(row)) return goOnAnswer(adapter, row, notBlocked(reason));
  const verdict = blockOf(reason);
  return adapter.answer(row, call, row.honours.message ? verdict : { ...verdict, message: null });
}

/** The agent goes on without a guard, and the person is told, if the agent can tell them. */
export function goOnAnswer(adapter: Adapter, row: EventRow, message: string): Answer {
  const shown = row.honours.message ? message : null;
  return adapter.answer(row, null, { action: 'allow', context: null, message: shown });
}
