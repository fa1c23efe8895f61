/**
 * `annotate(**facts)`: facts for the record, about the event at hand. Nothing follows from them: no decision, no rewrite.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import { builtin, encodeJson, fail, toJson } from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';

/** Of all facts of one call, as JSON: they stand on the tape with every event. */
const MOST_CHARACTERS = 4000;

export const ANNOTATE = builtin(
  'annotate',
  '**facts',
  (thread, facts) => {
    const call = scriptCallOf(thread);
    const entries = [...(facts as ReadonlyMap<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1));
    const data = Object.fromEntries(
      entries.map(([name, value]) => [name, toJson(value as never, thread) as Json]),
    ) as JsonObject;
    // Piece by piece and charged: JSON.stringify writes all of it before it can be measured.
    for (const value of facts.values()) encodeJson(thread, 'annotate', value as never);
    const size = JSON.stringify(data).length;
    if (size > MOST_CHARACTERS)
      fail(`annotate: want at most ${MOST_CHARACTERS} characters of facts, got ${size}`);
    call.effect({ kind: 'annotate', hook: call.hook.name, facts: data });
    return null;
  },
  { pure: false },
);
