/**
 * `remind`: a note that the model reads with its next request, beside whatever the hook decides. The keys are those of every
 * reminder; one that is wrong raises, so that no note silently means something else.
 */
import type { Json } from '../../base/index.ts';
import { checkReminder } from '../../engine/index.ts';
import { builtin, fail, toJson } from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';

const KEYS = [
  'tags',
  'dedupe_key',
  'ttl_turns',
  'preserve_on_compact',
  'propagate',
  'role_hint',
  'authority',
] as const;

export const REMIND = builtin(
  'remind',
  'body, *, tags=None, dedupe_key=None, ttl_turns=None, preserve_on_compact=None, propagate=None, role_hint=None, authority=None',
  (thread, body, ...rest) => {
    const call = scriptCallOf(thread);
    const given: Record<string, Json> = { body: toJson(body, thread) as Json };
    for (const [place, key] of KEYS.entries()) {
      const value = rest[place] ?? null;
      if (value !== null) given[key] = toJson(value, thread) as Json;
    }
    const checked = checkReminder(given);
    if (!checked.ok) return fail(`remind: ${checked.message}`);
    call.effect({ kind: 'reminder', hook: call.hook.name, reminder: checked.reminder });
    return null;
  },
  { pure: false },
);
