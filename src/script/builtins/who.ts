/**
 * `actor` and `caller`: who is behind the event, as the host says. The same in scripts and conditions, on every event, also
 * where the payload is one text.
 */
import { Live, type Thread, type Value, wrapJson } from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';

export const ACTOR = new Live('actor', (thread) => actorOf(thread));
export const CALLER = new Live('caller', (thread) => wrapJson(scriptCallOf(thread).who.caller, thread));

/** None if the host has not said whom the agent works for. */
function actorOf(thread: Thread): Value {
  return wrapJson(scriptCallOf(thread).who.actor, thread);
}
