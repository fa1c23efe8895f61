/**
 * Takes secrets out of a record before it is written. What stands in their place names the kind of secret and carries a keyed
 * digest, so that a reader sees that two were the same, and replay can say why a decision cannot be replayed.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { HarnessError } from '../base/errors.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { compileGlob } from '../match/glob.ts';
import { compileRegex } from '../match/regex.ts';
import type { Reading, Redacted, TapeRecord } from './entry.ts';
import { TOKEN_SHAPES } from './token-shapes.ts';

export type RedactionRule =
  /** Whatever stands under a key of this name; `*` and `?` are wild, case does not count. */
  | { readonly kind: string; readonly key: string }
  /** What an RE2 pattern finds inside a text. */
  | { readonly kind: string; readonly pattern: string }
  /** A known secret, wherever it stands. */
  | { readonly kind: string; readonly value: string };

export interface RedactOptions {
  /** Beside the usual ones. */
  readonly rules?: readonly RedactionRule[];
  /** False: only `rules`. */
  readonly usual?: boolean;
  /** Names of variables whose values are secrets, and how to read them. */
  readonly env?: { readonly names: readonly string[]; readonly get: (name: string) => string | undefined };
  /** For the digests. A new one for each run unless told: then nobody can try values until one fits. */
  readonly digestKey?: Uint8Array;
}

export type Redact = (record: TapeRecord) => TapeRecord;

/** Keys under which nobody keeps anything else. */
const USUAL_KEYS: readonly string[] = [
  'password',
  'passwd',
  'passphrase',
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'api_key',
  'apikey',
  'secret_key',
  'client_secret',
  'private_key',
  'access_token',
  'refresh_token',
  'id_token',
  '*_password',
  '*_api_key',
  '*_secret_key',
];

/** Shorter values are parts of ordinary words: taking them out would say more than it hides. */
const SHORTEST_SECRET = 6;

/** Of the fields of a record, those whose values come from outside; the others hold the record together. */
const DATA_FIELDS: ReadonlySet<string> = new Set([
  'payload',
  'raw',
  'readings',
  'effects',
  'reason',
  'failure',
  'warnings',
  'data',
]);

export function createRedactor(options: RedactOptions = {}): Redact {
  const redactor = new Redactor(options);
  return (record) => redactor.record(record);
}

interface Finder {
  readonly kind: string;
  /** The text with what it found replaced by `[kind]`; the same text where there was nothing. */
  readonly replace: (text: string) => string;
}

class Redactor {
  private readonly keys: readonly { readonly kind: string; readonly matches: (key: string) => boolean }[];
  private readonly finders: readonly Finder[];
  private readonly digestKey: Uint8Array;
  /** Names of keys come again and again: each is held against the globs once. */
  private readonly known = new Map<string, string | null>();

  constructor({ rules = [], usual = true, env, digestKey = randomBytes(32) }: RedactOptions) {
    const usualRules = usual ? USUAL_KEYS.map((key) => ({ kind: 'credential', key })) : [];
    const all = [...rules, ...usualRules];
    this.digestKey = digestKey;
    this.keys = all.flatMap((rule) =>
      'key' in rule ? [{ kind: rule.kind, matches: compileGlob(folded(rule.key)) }] : [],
    );
    const secrets = [
      ...all.flatMap((rule) => ('value' in rule ? [{ kind: rule.kind, value: rule.value }] : [])),
      ...(env?.names ?? []).map((name) => ({ kind: `env:${name}`, value: env!.get(name) ?? '' })),
    ].filter(({ value }) => value.length >= SHORTEST_SECRET);
    this.finders = [
      ...valueFinders(secrets),
      ...all.flatMap((rule) => ('pattern' in rule ? [patternFinder(rule.kind, rule.pattern)] : [])),
      ...(usual ? [SHAPES] : []),
    ];
  }

  record(record: TapeRecord): TapeRecord {
    let changed: Record<string, unknown> | null = null;
    for (const [field, value] of Object.entries(record)) {
      if (!DATA_FIELDS.has(field)) continue;
      const clean = field === 'readings' ? this.readings(value) : this.value(value);
      if (clean === value) continue;
      changed ??= { ...record };
      changed[field] = clean;
    }
    return changed === null ? record : (changed as unknown as TapeRecord);
  }

  /** What a hook asked for by name is a secret where that name is one. */
  private readings(readings: readonly Reading[]): unknown {
    return this.list(readings, (reading) => {
      const kind = typeof reading.key === 'string' ? this.kindOfKey(reading.key) : null;
      if (kind === null) return this.value(reading as unknown as Json);
      return { ...reading, value: this.placeholder(kind, reading.value) };
    });
  }

  /** The value itself where nothing in it is a secret. */
  private value(value: Json): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.list(value, (item) => this.value(item as Json));
    return isJsonObject(value) ? this.object(value) : value;
  }

  private list<T>(items: readonly T[], clean: (item: T) => unknown): unknown {
    let changed: unknown[] | null = null;
    for (let i = 0; i < items.length; i++) {
      const cleaned = clean(items[i]!);
      if (cleaned === items[i]) continue;
      changed ??= [...items];
      changed[i] = cleaned;
    }
    return changed ?? items;
  }

  private object(object: { readonly [key: string]: Json }): unknown {
    let changed: Map<string, unknown> | null = null;
    for (const key of Object.keys(object)) {
      // A placeholder that is not ours could pretend that something was hidden.
      if (key === '$redacted') return this.placeholder('reserved', object);
      const kind = this.kindOfKey(key);
      const value = object[key]!;
      const cleaned = kind === null || isEmpty(value) ? this.value(value) : this.placeholder(kind, value);
      const cleanKey = this.finders.length === 0 ? key : this.hidden(key);
      if (cleaned === value && cleanKey === key) continue;
      changed ??= new Map(Object.entries(object));
      changed.delete(key === cleanKey ? '' : key);
      changed.set(cleanKey, cleaned);
    }
    return changed === null ? object : Object.fromEntries(changed);
  }

  private text(text: string): string | Redacted {
    for (const finder of this.finders) {
      if (finder.replace(text) === text) continue;
      const shown = this.hidden(text);
      const placeholder = this.placeholder(finder.kind, text);
      return shown === `[${finder.kind}]` ? placeholder : { ...placeholder, text: shown };
    }
    return text;
  }

  /** The text without anything that any rule finds. */
  private hidden(text: string): string {
    let shown = text;
    for (const finder of this.finders) shown = finder.replace(shown);
    return shown;
  }

  private placeholder(kind: string, value: Json): Redacted {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { $redacted: kind, digest: createHmac('sha256', this.digestKey).update(text).digest('hex') };
  }

  private kindOfKey(key: string): string | null {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const name = folded(key);
    const kind = this.keys.find(({ matches }) => matches(name))?.kind ?? null;
    // Keys may be data too (paths, ids): the memory is kept small.
    if (this.known.size > 2000) this.known.clear();
    this.known.set(key, kind);
    return kind;
  }
}

function folded(key: string): string {
  return key.toLowerCase().replaceAll('-', '_');
}

/** Nothing to hide, and whether there was something is worth knowing. */
function isEmpty(value: Json): boolean {
  return value === null || value === '' || typeof value === 'boolean';
}

/** Also as they read inside JSON text that is itself a value. The longest first: a secret may be part of another. */
function valueFinders(secrets: readonly { readonly kind: string; readonly value: string }[]): Finder[] {
  return secrets
    .flatMap(({ kind, value }) => {
      const escaped = JSON.stringify(value).slice(1, -1);
      return escaped === value ? [{ kind, value }] : [{ kind, value }, { kind, value: escaped }];
    })
    .sort((a, b) => b.value.length - a.value.length)
    .map(({ kind, value }) => ({
      kind,
      replace: (text) => (text.includes(value) ? text.replaceAll(value, `[${kind}]`) : text),
    }));
}

function patternFinder(kind: string, pattern: string): Finder {
  const compiled = compileRegex(pattern);
  if (!compiled.ok) {
    throw new HarnessError('PATTERN_INVALID', `redaction pattern for ${kind}: ${compiled.message}`);
  }
  return { kind, replace: (text) => (compiled.test(text) ? compiled.replace(text, `[${kind}]`) : text) };
}

const SHAPES: Finder = { kind: 'token', replace: (text) => text.replace(TOKEN_SHAPES, '[token]') };
