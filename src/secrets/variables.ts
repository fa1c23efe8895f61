/**
 * Which variables of an environment hold secrets: those everybody knows, those an operator lists, those whose names say so,
 * and the passwords in addresses.
 */
import type { KnownValue } from './known-values.ts';
import { kindOfName } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import { findSecrets } from './secrets.ts';

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

export interface Environment {
  env(name: string): string | undefined;
  /** All of it, to find names that nobody listed. */
  variables(): Readonly<Record<string, string | undefined>>;
}

/** Each as `env:NAME`. A variable may give two values: an address, and the password in it. */
export function secretVariables(environment: Environment): KnownValue[] {
  const listed = (environment.env(SECRET_NAMES_LIST) ?? '').split(',').map((name) => name.trim());
  const named = [...SECRET_VARIABLES, ...listed.filter((name) => name !== '')];
  const found = new Map<string, string>();
  for (const name of named) {
    const value = environment.env(name);
    if (value !== undefined) found.set(value, `env:${name}`);
  }
  for (const [name, value] of Object.entries(environment.variables())) {
    for (const secret of secretsIn(name, value ?? ''))
      if (!found.has(secret)) found.set(secret, `env:${name}`);
  }
  return Array.from(found, ([value, name]) => ({ name, value }));
}

function secretsIn(name: string, value: string): readonly string[] {
  const inside = value.includes('://')
    ? findSecrets(value).map(({ start, end }) => value.slice(start, end))
    : [];
  return saysSecret(name, value) ? [value, ...inside] : inside;
}

/** Names of accounts and services that are passwords only on the machine of a developer. */
const COMMON =
  /^(?:postgres|mysql|mariadb|redis|mongo|mongodb|rabbitmq|docker|vagrant|ubuntu|development|production|staging)$/i;

/** A word that is in every second line would say more when taken out than when left. */
function saysSecret(name: string, value: string): boolean {
  const kind = kindOfName(name);
  if (kind === null || value.length < 6 || isPlaceholder(value) || COMMON.test(value)) return false;
  if (/^(?:[-+.\d]+|\.{0,2}\/.*|~.*|[A-Za-z]:\\.*|[a-z][a-z0-9+.-]*:\/\/[^@]*)$/.test(value)) return false;
  if (kind !== 'weak') return true;
  return value.length >= 8 && /[A-Za-z]/.test(value) && /\d/.test(value) && !/\s/.test(value);
}
