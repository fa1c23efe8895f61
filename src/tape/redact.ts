/**
 * Takes secrets out of a record before it is written. What stands in their place names the kind of secret and carries a keyed
 * digest, so that a reader sees that two were the same, and replay can say why a decision cannot be replayed.
 */

import { canonicalJson, compileGlob, lateCrypto, sha256Hex } from '../base/index.ts';
import {
  createRedactor as createTextRedactor,
  createValueRedactor,
  type KnownValue,
  type ValueRedactor,
} from '../secrets/index.ts';
import type { Reading, Redacted } from './entry.ts';

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
  /** False: only `rules` and `values`. */
  readonly usual?: boolean;
  /** Known secrets, with what stands in their place. */
  readonly values?: readonly KnownValue[];
  /** For the digests. By default a new one for each run: then nobody can try values until one fits. */
  readonly digestKey?: Uint8Array;
}

/** Gives a record, or a part of one, without its secrets: the same object if it holds none. */
export type Redact = <R extends object>(record: R) => R;

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

/** Throws PATTERN_INVALID for a pattern RE2 does not know. */
export function createRedactor(options: RedactOptions = {}): Redact {
  const redactor = valueRedactor(options);
  return (record) => {
    let changed: Record<string, unknown> | null = null;
    for (const [field, value] of Object.entries(record)) {
      if (!DATA_FIELDS.has(field)) continue;
      const clean = field === 'readings' ? cleanReadings(value, redactor) : redactor.value(value);
      if (clean === value) continue;
      changed ??= { ...record } as Record<string, unknown>;
      changed[field] = clean;
    }
    return changed === null ? record : (changed as typeof record);
  };
}

/** Fields that hold what passed through; reasons, failures and effects are the words of hooks and stay, without secrets. */
const PASSED_THROUGH = ['payload', 'request', 'raw', 'data'] as const;

/**
 * Nothing that passed through is kept, only its SHA-256 over canonical JSON: a person who has the payload can show that it was this
 * one. Of a payload that is short or easily guessed the digest says what it was.
 */
export function digestsOnly(redact: Redact): Redact {
  const digest = (value: unknown): Redacted => ({
    $redacted: 'payload',
    digest: sha256Hex(canonicalJson(value)),
  });
  return (record) => {
    const cleaned = { ...redact(record) } as Record<string, unknown>;
    const given = record as unknown as Readonly<Record<string, unknown>>;
    for (const field of PASSED_THROUGH) {
      if (given[field] !== undefined && given[field] !== null) cleaned[field] = digest(given[field]);
    }
    if (Array.isArray(given.readings)) {
      cleaned.readings = (given.readings as readonly Reading[]).map((reading, i) => ({
        ...(cleaned.readings as readonly Reading[])[i],
        ...(reading.value !== undefined && { value: digest(reading.value) }),
      }));
    }
    return cleaned as typeof record;
  };
}

/** What a hook asked for by name is a secret if that name is one. */
function cleanReadings(readings: readonly Reading[], redactor: ValueRedactor): unknown {
  const cleaned = readings.map((reading) => {
    const whole = redactor.value(reading) as Reading;
    if (typeof reading.key !== 'string' || reading.value === undefined) return whole;
    const value = redactor.under(reading.key, reading.value);
    return value === reading.value ? whole : ({ ...whole, value } as Reading);
  });
  return cleaned.every((reading, at) => reading === readings[at]) ? readings : cleaned;
}

function valueRedactor({ rules = [], usual = true, values = [], digestKey }: RedactOptions): ValueRedactor {
  let key = digestKey;
  const placeholder = (kind: string, value: unknown): Redacted => {
    const text = typeof value === 'string' ? value : canonicalJson(value);
    const crypto = lateCrypto();
    key ??= crypto.randomBytes(32);
    return { $redacted: kind, digest: crypto.createHmac('sha256', key).update(text).digest('hex') };
  };
  const names = rules.flatMap((rule) =>
    'key' in rule ? [{ kind: rule.kind, matches: compileGlob(folded(rule.key)) }] : [],
  );
  return createValueRedactor({
    usual,
    nameRule: (name) => names.find(({ matches }) => matches(folded(name)))?.kind ?? null,
    redactor: createTextRedactor({
      usual,
      values: [
        ...rules.flatMap((rule) => ('value' in rule ? [{ name: rule.kind, value: rule.value }] : [])),
        ...values,
      ],
      rules: rules.flatMap((rule) => ('pattern' in rule ? [{ id: rule.kind, pattern: rule.pattern }] : [])),
    }),
    replacement: {
      value: placeholder,
      text: (kind, text, shown) => ({ ...placeholder(kind, text), text: shown }),
      mark: (kind) => `[${kind}]`,
      // A placeholder that is not ours could pretend that something was hidden.
      object: (object) => (Object.hasOwn(object, '$redacted') ? placeholder('reserved', object) : undefined),
      // As canonical JSON does; the writer then records what of it can be recorded.
      tooDeep: () => {
        throw new TypeError('nested too deep, or a cycle');
      },
    },
  });
}

/** `api-key`, `apiKey` and `API_KEY` are one name. */
function folded(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}
