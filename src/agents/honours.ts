/** What the tables of events share: the beginning of every row, and which rows are registered. */
import type { Adapter, EventRow, Honours } from './adapter.ts';

/** Nothing is honoured, until it was seen. */
export const ADVISORY: Honours = { block: false, ask: false, modify: false, context: false, message: false };

/** Events that are not registered for one reason, and at which nothing can be answered that a policy says. */
export function unregisteredEvents(why: string, ...natives: readonly string[]): EventRow[] {
  return natives.map((native) => ({
    native,
    event: `native.${native
      .replace(/(?!^)[A-Z]/g, '_$&')
      .replaceAll('.', '_')
      .toLowerCase()}`,
    honours: ADVISORY,
    leftOut: why,
  }));
}

/** Of an event that is registered on demand. */
export const NOTIFIES = 'It tells the user something; what it is about has an event of its own.';

/** The two views of an agent's one table that its adapter has. */
export function eventTable(allEvents: readonly EventRow[]): Pick<Adapter, 'events' | 'allEvents'> {
  return { allEvents, events: allEvents.filter(({ leftOut }) => leftOut === undefined) };
}
