/**
 * From what a chain said to what the model is told: reminders, context and output of an outcome go into the store.
 */
import { HarnessError } from '../../base/index.ts';
import type { Outcome } from '../decision.ts';
import { contextText, outputText } from './render.ts';
import type { ReminderStore, RemovedReminder } from './store.ts';

/** Returns how many were left. One the store refuses is dropped with a record, since the chain has already decided. */
export function applyEffects(outcome: Pick<Outcome, 'effects'>, store: ReminderStore, turn: number): number {
  let left = 0;
  for (const effect of outcome.effects) {
    const leaving = { hook: effect.hook, turn };
    if (effect.kind === 'reminder') left += leave(store, effect.reminder, leaving);
    else if (effect.kind === 'context')
      left += leaveText(store, contextText(effect.hook, effect.text), leaving);
    else if (effect.kind === 'output')
      left += leaveText(store, outputText(effect.hook, effect.text), leaving);
  }
  return left;
}

/** Not history, so shortening the history is no reason to lose it. */
function leaveText(store: ReminderStore, body: string, leaving: RemovedReminder): number {
  return body === '' ? 0 : leave(store, { body, preserve_on_compact: true }, leaving);
}

function leave(store: ReminderStore, spec: unknown, leaving: RemovedReminder): number {
  try {
    return store.add(spec, leaving).reminder === null ? 0 : 1;
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    store.refuse(leaving, thrown.message);
    return 0;
  }
}
