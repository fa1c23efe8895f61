/**
 * Takes known secrets out of a record before it leaves the process. Works on the texts inside the record, keys included,
 * so that what is written stays JSON whatever a secret looks like.
 */
import type { Json } from '../../base/json.ts';
import type { HookCall } from '../../hooks/hook.ts';

export const REDACTED = '[redacted]';

/** Shorter values are parts of ordinary words: taking them out would say more than it hides. */
const SHORTEST = 4;

/** More names, separated by commas, whose values are secrets. */
export const SECRET_NAMES_LIST = 'HARNESS_REDACT_ENV';

/** Variables that hold a secret wherever they are set. */
export const SECRET_VARIABLES: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AZURE_OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GITLAB_TOKEN',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'HF_TOKEN',
  'MISTRAL_API_KEY',
  'NPM_TOKEN',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'SLACK_BOT_TOKEN',
  'STRIPE_SECRET_KEY',
];

/** What the host calls a secret, and the values of the variables that hold one. */
export function secretsOf({ host, run }: Pick<HookCall, 'host' | 'run'>): string[] {
  const listed = (host.env(SECRET_NAMES_LIST) ?? '').split(',').map((name) => name.trim());
  const values = [...SECRET_VARIABLES, ...listed.filter((name) => name !== '')].map((name) => host.env(name));
  return [...run.services.secrets(), ...values.filter((value) => value !== undefined)];
}

/** JSON text of `value` without the secrets. */
export function redactedJson(value: Json, secrets: readonly string[]): string {
  const hidden = spellings(secrets);
  if (hidden.length === 0) return JSON.stringify(value);
  const clean = (text: string) => hidden.reduce((left, secret) => left.replaceAll(secret, REDACTED), text);
  return JSON.stringify(value, (_key, held: unknown) => {
    if (typeof held === 'string') return clean(held);
    if (typeof held === 'number') return hidden.includes(String(held)) ? REDACTED : held;
    if (typeof held !== 'object' || held === null || Array.isArray(held)) return held;
    const keys = Object.keys(held);
    if (keys.every((key) => clean(key) === key)) return held;
    return Object.fromEntries(Object.entries(held).map(([key, inner]) => [clean(key), inner]));
  });
}

/**
 * Each secret as it is, and as it reads inside JSON text that is itself a value, once and twice over. Longest first: a
 * secret may be part of another.
 */
function spellings(secrets: readonly string[]): string[] {
  const found = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    const once = escaped(secret);
    for (const spelling of [secret, once, escaped(once)]) found.add(spelling);
  }
  return [...found].sort((a, b) => b.length - a.length);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
