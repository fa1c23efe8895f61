/**
 * What a session does beside its hooks, for its tape: messages, tools, reminders, retries, the end. Events and decisions are
 * there already, since the engine records them itself.
 */
import type { Json } from '../../base/json.ts';
import type { SessionEvent } from '../session-event.ts';

/** `ms` is how long it took, kept apart because no two runs agree on it. */
export type Note = (kind: string, data: Json, ms?: number) => void;

/** For the `onEvent` of a session. */
export function recordSession(note: Note): (event: SessionEvent) => void {
  return (event) => {
    const found = innermost(event, {});
    if (found === null) return;
    const { kind, data, ms } = found;
    note(kind, data, ms);
  };
}

interface Noted {
  readonly kind: string;
  readonly data: Json;
  readonly ms?: number;
}

/** Pieces of text are left out, since the message they make up follows; what a sub-agent does says whose it is. */
function innermost(event: SessionEvent, agent: Readonly<Record<string, Json>>): Noted | null {
  switch (event.type) {
    case 'hook':
    case 'text':
      return null;
    case 'agent':
      return innermost(event.event, { agent: event.agent, agent_id: event.id, depth: event.depth });
    case 'tool.end': {
      const { type, ms, ...data } = event;
      return { kind: type, data: { ...data, ...agent }, ms };
    }
    default: {
      const { type, ...data } = event;
      return { kind: type, data: { ...(data as unknown as Record<string, Json>), ...agent } };
    }
  }
}
