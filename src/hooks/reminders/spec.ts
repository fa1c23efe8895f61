/**
 * What a reminder may say, checked strictly: a key that is misspelt or a value of another type is refused with a code, so
 * that no reminder silently means something else than was written.
 */
import type { ErrorCode } from '../../base/errors.ts';
import { didYouMean } from '../../base/spelling.ts';
import type { ReminderSpec } from '../../events/decision.ts';

export type CheckedReminder =
  | { readonly ok: true; readonly reminder: ReminderSpec; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Strongest first: the order they are shown in, and who wins where two have the same `dedupe_key`. */
export const AUTHORITIES = ['contract', 'corrective', 'advisory'] as const;
export const PROPAGATIONS = ['all', 'session', 'none'] as const;
export const ROLE_HINTS = ['system', 'developer', 'user_block', 'ephemeral_cache'] as const;

/** `null` where a field is as good as absent. */
type Field = (value: unknown) => { readonly value: unknown } | { readonly wanted: string } | null;

const FIELDS: { readonly [K in Exclude<keyof ReminderSpec, 'body'>]-?: Field } = {
  tags: (value) => {
    if (!Array.isArray(value) || !value.every(isText))
      return { wanted: 'a list of texts that are not blank' };
    return { value: [...new Set(value.map((tag) => tag.trim()))] };
  },
  dedupe_key: (value) => {
    if (typeof value !== 'string') return { wanted: 'a text' };
    return value.trim() === '' ? null : { value: value.trim() };
  },
  ttl_turns: (value) =>
    Number.isSafeInteger(value) && (value as number) > 0 ? { value } : { wanted: 'a whole number above 0' },
  preserve_on_compact: (value) => (typeof value === 'boolean' ? { value } : { wanted: 'true or false' }),
  propagate: choice(PROPAGATIONS),
  role_hint: choice(ROLE_HINTS),
  authority: choice(AUTHORITIES),
};

const KEYS = ['body', ...Object.keys(FIELDS)];

export function checkReminder(given: unknown): CheckedReminder {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return refuse('REMINDER_FIELD', `a reminder wants an object, got ${shown(given)}`);
  }
  const spec = given as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(spec).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    return refuse('REMINDER_KEY', `a reminder has no key ${shown(unknown)}${didYouMean(unknown, KEYS)}`);
  }
  if (!isText(spec.body)) {
    return refuse(
      'REMINDER_BODY',
      `the body of a reminder wants a text that is not blank, got ${shown(spec.body)}`,
    );
  }
  const reminder: Record<string, unknown> = { body: spec.body.trim() };
  for (const [key, field] of Object.entries(FIELDS)) {
    const value = spec[key];
    if (value === undefined || value === null) continue;
    const checked = field(value);
    if (checked === null) continue;
    if ('wanted' in checked) {
      const code = key === 'propagate' ? 'REMINDER_PROPAGATE' : 'REMINDER_FIELD';
      return refuse(code, `the ${key} of a reminder wants ${checked.wanted}, got ${shown(value)}`);
    }
    reminder[key] = checked.value;
  }
  return { ok: true, reminder: reminder as unknown as ReminderSpec, warnings: lint(reminder) };
}

/** Saying that compaction may take it suggests that it was meant to stay otherwise, which without a lifetime it does not. */
function lint(reminder: Readonly<Record<string, unknown>>): string[] {
  if (reminder.preserve_on_compact !== false || reminder.ttl_turns !== undefined) return [];
  return ['preserve_on_compact: false means little without ttl_turns: the reminder is shown once'];
}

function choice(values: readonly string[]): Field {
  return (value) => {
    if (values.includes(value as string)) return { value };
    const hint = typeof value === 'string' ? didYouMean(value, values) : '';
    return { wanted: `${values.join(', ')}${hint}` };
  };
}

function refuse(code: ErrorCode, message: string): CheckedReminder {
  return { ok: false, code, message };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function shown(value: unknown): string {
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  try {
    const text = JSON.stringify(value) ?? 'nothing';
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
  } catch {
    return `a ${typeof value}`;
  }
}
