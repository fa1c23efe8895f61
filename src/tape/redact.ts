/**
 * Takes secrets out of a record before it is written. What stands in their place names the kind of secret and carries a keyed
 * digest, so that a reader sees that two were the same, and replay can say why a decision cannot be replayed.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { canonicalJson } from '../base/canonical-json.ts';
import { HarnessError } from '../base/errors.ts';
import { compileGlob } from '../match/glob.ts';
import { compileRegex } from '../match/regex.ts';
import type { Reading, Redacted, TapeRecord } from './entry.ts';
import { TOKEN_SHAPES } from './token-shapes.ts';

export type RedactionRule =
  /** Whatever stands under a key of this name; `*` and `?` are wild; case, `-` and `_` do not count. */
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
  '*password',
  '*passwd',
  '*passphrase',
  '*authorization',
  '*cookie',
  '*api_key',
  '*secret_key',
  '*private_key',
  '*client_secret',
  '*access_token',
  '*refresh_token',
  '*id_token',
  '*auth_token',
];

/** Shorter values are parts of ordinary words: taking them out would say more than it hides. */
const SHORTEST_SECRET = 6;

/** Deeper data throws, as it does in canonical JSON; the writer then records what of it can be recorded. */
const MAX_DEPTH = 950;

/** Of the fields of a record, those whose values come from outside; the others hold the record together. */
const DATA_FIELDS: ReadonlySet<string> = new Set([
  'payload',
  'request',
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

interface KeyLook {
  /** What is a secret about the value under it. */
  readonly kind: string | null;
  /** The key itself, without secrets. */
  readonly shown: string;
}

class Redactor {
  private readonly keys: readonly { readonly kind: string; readonly matches: (key: string) => boolean }[];
  private readonly finders: readonly Finder[];
  private readonly digestKey: Uint8Array;
  /** Names of keys come again and again: each is held against the globs once. */
  private readonly known = new Map<string, KeyLook>();

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
      const clean = field === 'readings' ? this.readings(value) : this.value(value, 0);
      if (clean === value) continue;
      changed ??= { ...record };
      changed[field] = clean;
    }
    return changed === null ? record : (changed as unknown as TapeRecord);
  }

  /** What a hook asked for by name is a secret where that name is one. */
  private readings(readings: readonly Reading[]): unknown {
    return this.list(readings, (reading) => {
      const kind = typeof reading.key === 'string' ? this.lookAtKey(reading.key).kind : null;
      if (kind === null || isEmpty(reading.value)) return this.value(reading, 0);
      return { ...reading, value: this.placeholder(kind, reading.value) };
    });
  }

  /** The value itself where nothing in it is a secret. */
  private value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value, depth);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) throw new TypeError('nested too deep, or a cycle');
    if (Array.isArray(value)) return this.list(value, (item) => this.value(item, depth + 1));
    if (!('toJSON' in value && typeof value.toJSON === 'function')) {
      return this.object(value as Readonly<Record<string, unknown>>, depth);
    }
    const shown: unknown = value.toJSON();
    const cleaned = this.value(shown, depth + 1);
    return cleaned === shown ? value : cleaned;
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

  private object(object: Readonly<Record<string, unknown>>, depth: number): unknown {
    // A placeholder that is not ours could pretend that something was hidden.
    if (Object.hasOwn(object, '$redacted')) return this.placeholder('reserved', object);
    const keys = Object.keys(object);
    let changed: [string, unknown][] | null = null;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const value = object[key];
      const { kind, shown } = this.lookAtKey(key);
      const cleaned =
        kind === null || isEmpty(value) ? this.value(value, depth + 1) : this.placeholder(kind, value);
      if (changed === null) {
        if (cleaned === value && shown === key) continue;
        changed = keys.slice(0, i).map((before) => [before, object[before]]);
      }
      changed.push([shown, cleaned]);
    }
    return changed === null ? object : Object.fromEntries(changed);
  }

  private text(text: string, depth: number): string | Redacted {
    const first = text.charCodeAt(0);
    if (first === 0x7b || first === 0x5b) {
      const embedded = this.embedded(text, depth);
      if (embedded !== null) return embedded;
    }
    for (const finder of this.finders) {
      if (finder.replace(text) === text) continue;
      const shown = this.hidden(text);
      const placeholder = this.placeholder(finder.kind, text);
      return shown === `[${finder.kind}]` ? placeholder : { ...placeholder, text: shown };
    }
    return text;
  }

  /** Text that is itself JSON, as the arguments of a call are, hides its secrets under keys as well. */
  private embedded(text: string, depth: number): Redacted | null {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return null;
    }
    const cleaned = this.value(value, depth + 1);
    return cleaned === value
      ? null
      : { ...this.placeholder('embedded', text), text: JSON.stringify(cleaned) };
  }

  /** The text without anything that any rule finds. */
  private hidden(text: string): string {
    let shown = text;
    for (const finder of this.finders) shown = finder.replace(shown);
    return shown;
  }

  private placeholder(kind: string, value: unknown): Redacted {
    const text = typeof value === 'string' ? value : canonicalJson(value);
    return { $redacted: kind, digest: createHmac('sha256', this.digestKey).update(text).digest('hex') };
  }

  private lookAtKey(key: string): KeyLook {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const name = folded(key);
    const kind = this.keys.find(({ matches }) => matches(name))?.kind ?? null;
    const look = { kind, shown: this.hidden(key) };
    // Keys may be data too (paths, ids): the memory is kept small.
    if (this.known.size > 2000) this.known.clear();
    this.known.set(key, look);
    return look;
  }
}

/** `api-key`, `apiKey` and `API_KEY` are one name. */
function folded(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}

/** Nothing to hide, and whether there was something is worth knowing. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || typeof value === 'boolean';
}

/** Also as they read inside JSON text that is itself a value. The longest first: a secret may be part of another. */
function valueFinders(secrets: readonly { readonly kind: string; readonly value: string }[]): Finder[] {
  return secrets
    .flatMap(({ kind, value }) => {
      const escaped = JSON.stringify(value).slice(1, -1);
      return escaped === value
        ? [{ kind, value }]
        : [
            { kind, value },
            { kind, value: escaped },
          ];
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
