/**
 * What the model is told beside the conversation: the reminders of a session, whether the program keeps them in a store or
 * in an injector with templates of its own.
 */
import { applyEffects, type Outcome, ReminderStore } from '../../engine/index.ts';
import { addModelReminders, ReminderInjector } from '../../frontends/index.ts';

/** With an injector the model also hears of every veto, as its `hook.blocked` template says it. */
export type ReminderSource = ReminderStore | ReminderInjector;

export interface ModelReminders {
  readonly store: ReminderStore;
  /** Takes over what an outcome leaves for the model. */
  readonly take: (outcome: Outcome, turn: number) => void;
  /** The fragments for the next request. */
  readonly drain: (turn: number) => readonly string[];
  /** The conversation was shortened: only reminders that asked to survive that do. */
  readonly compacted: (turn: number, tokensBefore: number, tokensAfter: number) => void;
}

export function modelReminders(source: ReminderSource): ModelReminders {
  if (source instanceof ReminderInjector) {
    return {
      store: source.store,
      take: (outcome, turn) => addModelReminders(outcome, source, turn),
      drain: (turn) => source.drain({ turnIndex: turn }),
      compacted: (turn, preTokens, postTokens) => {
        source.store.compact(turn);
        source.emit({ type: 'compaction.done', preTokens, postTokens });
      },
    };
  }
  return {
    store: source,
    take: (outcome, turn) => {
      applyEffects(outcome, source, turn);
    },
    drain: (turn) => source.drain(turn),
    compacted: (turn) => source.compact(turn),
  };
}

/** A runtime's own injector where the session is given none: what its hooks say must not go where nobody looks. */
export function remindersFrom(
  given: ReminderSource | undefined,
  runtimes: ReminderSource | undefined,
  agentId: string,
): ModelReminders {
  return modelReminders(given ?? runtimes ?? new ReminderStore({ agentId }));
}
