/**
 * Tables that are fetched, as `harness.md` states them under `data.tables`. Plain data: where one is, for how long an answer
 * counts, and what it means that there is none. One that cannot be understood is still a table, with what is wrong with it.
 */

import { readDuration } from '../../base/index.ts';
import { judgeSecureUrl } from '../../machine/index.ts';
import { formOf, type TableForm } from './table-text.ts';

export const TABLE_NAME = /^[a-z_][a-z0-9_]*$/;

/** Fields of an actor that a table may be kept by. */
export const TABLE_KEYS = ['id', 'email', 'tenant', 'tier'] as const;
export type TableKey = (typeof TABLE_KEYS)[number];

/** A number: so many milliseconds longer than `ttl` the last answer counts; after that it is `block`. */
export type Unavailable = 'block' | 'allow' | number;

export interface RemoteTable {
  readonly name: string;
  /** `{key}` in it stands for what the actor has under `key`. */
  readonly url: string;
  readonly ttlMs: number;
  /** Fetched, kept and unavailable for each value of this field apart; null: one table for all. */
  readonly key: TableKey | null;
  /** How it is written. */
  readonly form: TableForm;
  /** The variable whose value is sent as a bearer token; null: nobody is told who asks. */
  readonly tokenEnv: string | null;
  /** By the value of `key`; `*` for every other, and for a table without one. Empty: not said. */
  readonly unavailable: Readonly<Record<string, Unavailable>>;
  readonly file: string;
  readonly line: number;
  /** Why it is never fetched. */
  readonly problem?: string;
}

export interface WrittenTable {
  readonly url: string;
  readonly ttl?: string;
  readonly key?: TableKey;
  readonly format?: TableForm;
  readonly token_env?: string;
  readonly unavailable?: string | Readonly<Record<string, string>>;
}

const TTL_MS = 60_000;
const VARIABLE = /^[A-Za-z_]\w*$/;
const EXAMPLE = 'https://directory.example.com/people.json';

export function remoteTable(
  name: string,
  { url, ttl, key, unavailable, format, token_env }: WrittenTable,
  at: Pick<RemoteTable, 'file' | 'line'>,
): RemoteTable {
  const problems: string[] = [];
  const tokenEnv = token_env ?? null;
  if (!TABLE_NAME.test(name)) problems.push('want a name of lower-case letters, digits and _');
  const ttlMs = ttl === undefined ? TTL_MS : readDuration(ttl);
  if (ttlMs === null) problems.push(`ttl: want a time such as "1m", got ${JSON.stringify(ttl)}`);
  const addresses = ['a', 'b'].map((value) => judgeSecureUrl(addressFor(url, value), EXAMPLE));
  const [one, other] = addresses;
  if (!one!.ok) problems.push(`url: ${one!.message}`);
  else if (other!.ok && other!.url.origin !== one!.url.origin)
    problems.push('url: {key} may stand in the path or the query, not in the host');
  if (url.includes('{key}') && key === undefined)
    problems.push('url: {key} wants a key, such as key: tenant');
  if (tokenEnv !== null && !VARIABLE.test(tokenEnv))
    problems.push(`token_env: want the name of a variable, got ${JSON.stringify(tokenEnv)}`);
  const words = wordsOf(unavailable);
  if (typeof words === 'string') problems.push(`unavailable: ${words}`);
  else if (key === undefined && Object.keys(words).some((each) => each !== '*'))
    problems.push('unavailable: words for several keys want a key, such as key: tenant');
  return {
    name,
    url,
    ttlMs: ttlMs ?? TTL_MS,
    key: key ?? null,
    form: format ?? (one!.ok ? formOf(one!.url.pathname) : null) ?? 'json',
    tokenEnv,
    unavailable: typeof words === 'string' ? {} : words,
    ...at,
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
}

export function addressFor(url: string, key: string): string {
  return url.replaceAll('{key}', encodeURIComponent(key));
}

/** What was said for this key; null if nothing was. */
export function wordFor({ unavailable }: RemoteTable, key: string | null): Unavailable | null {
  if (key !== null && Object.hasOwn(unavailable, key)) return unavailable[key]!;
  return Object.hasOwn(unavailable, '*') ? unavailable['*']! : null;
}

function wordsOf(written: WrittenTable['unavailable']): RemoteTable['unavailable'] | string {
  if (written === undefined) return {};
  const given = typeof written === 'string' ? { '*': written } : written;
  const words: [string, Unavailable][] = [];
  for (const [key, text] of Object.entries(given)) {
    const word = wordOf(text.trim());
    if (word === null) return `want block, allow or a time such as "stale 10m", got ${JSON.stringify(text)}`;
    words.push([key, word]);
  }
  return Object.fromEntries(words);
}

function wordOf(text: string): Unavailable | null {
  if (text === 'block' || text === 'allow') return text;
  return text.startsWith('stale ') ? readDuration(text.slice('stale '.length)) : null;
}
