/**
 * What a reminder may say, checked strictly: a key that is misspelt or a value of another type is refused with a code, so
 * that no reminder silently means something else than was written.
 */
import {
  check,
  describeValue,
  didYouMean,
  type ErrorCode,
  expectationOf,
  type Fault,
  flag,
  hintFor,
  integer,
  type Json,
  list,
  oneOf,
  optional,
  pathText,
  quote,
  strictMap,
  type TypeOf,
  text,
  withoutUnknownKeys,
} from '../../base/index.ts';
import type { ReminderSpec } from '../decision.ts';

export type CheckedReminder =
  | { readonly ok: true; readonly reminder: ReminderSpec; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Strongest first: the order they are shown in, and who wins where two have the same `dedupe_key`. */
export const AUTHORITIES = ['contract', 'corrective', 'advisory'] as const;
export const PROPAGATIONS = ['all', 'session', 'none'] as const;
export const ROLE_HINTS = ['system', 'developer', 'user_block', 'ephemeral_cache'] as const;

const nonBlankText = text('', { blank: false, wanted: 'a text that is not blank' });

const REMINDER = strictMap('', {
  body: nonBlankText,
  tags: optional(list('', nonBlankText)),
  dedupe_key: optional(text('')),
  ttl_turns: optional(
    integer('', { above: 0, max: Number.MAX_SAFE_INTEGER, wanted: 'a whole number above 0' }),
  ),
  preserve_on_compact: optional(flag('')),
  propagate: optional(oneOf('', PROPAGATIONS)),
  role_hint: optional(oneOf('', ROLE_HINTS)),
  authority: optional(oneOf('', AUTHORITIES)),
});

/** A field that is null is as good as absent. */
export function checkReminder(given: unknown): CheckedReminder {
  const faults = check(REMINDER, given, { emptyIsAbsent: true });
  const worst =
    faults.find(({ kind }) => kind === 'unknown') ?? faults.find(({ path }) => path[0] === 'body');
  const fault = worst ?? faults[0];
  if (fault !== undefined) return { ok: false, ...refusal(fault) };
  const { body, tags, dedupe_key, ...rest } = withoutUnknownKeys(REMINDER, given as Json) as TypeOf<
    typeof REMINDER
  >;
  const key = dedupe_key?.trim();
  const reminder: ReminderSpec = {
    body: body.trim(),
    ...(tags !== undefined && { tags: [...new Set(tags.map((tag) => tag.trim()))] }),
    ...(key !== undefined && key !== '' && { dedupe_key: key }),
    ...rest,
  };
  return { ok: true, reminder, warnings: lint(reminder) };
}

/** Saying that compaction may take it suggests that it was meant to stay otherwise, which without a lifetime it does not. */
function lint({ preserve_on_compact, ttl_turns }: ReminderSpec): string[] {
  if (preserve_on_compact !== false || ttl_turns !== undefined) return [];
  return ['preserve_on_compact: false means little without ttl_turns: the reminder is shown once'];
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  body: 'REMINDER_BODY',
  propagate: 'REMINDER_PROPAGATE',
};

function refusal({ kind, path, field, value }: Fault): { code: ErrorCode; message: string } {
  const key = String(path[0] ?? '');
  if (kind === 'unknown') {
    const hint = didYouMean(key, Object.keys(REMINDER.fields ?? {}));
    return { code: 'REMINDER_KEY', message: `a reminder has no key ${quote(key)}${hint}` };
  }
  const what = path.length === 0 ? 'a reminder' : `the ${pathText(path)} of a reminder`;
  const message = `${what} wants ${expectationOf(field, value)}, got ${describeValue(value)}${hintFor(field, value)}`;
  return { code: CODES[key] ?? 'REMINDER_FIELD', message };
}
