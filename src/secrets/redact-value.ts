/**
 * Takes secrets out of structured data: whatever stands under a name that says so, and what the redactor finds in texts,
 * keys included, and in texts that are themselves JSON. What holds no secret comes back as the very same value.
 */

import { BoundedMap } from '../base/index.ts';
import { RULE_OF_KIND } from './detectors.ts';
import { isSecretValue } from './judge-value.ts';
import { isAlwaysSecret, kindOfName, type NameKind } from './names.ts';
import type { Redactor } from './redactor.ts';
import { wordSet } from './word-set.ts';

/** What takes the place of secrets. */
export interface Replacement {
  /** Of a value that is a secret as a whole. */
  readonly value: (rule: string, value: unknown) => unknown;
  /** Of a text that holds secrets; `shown` is the text with marks. */
  readonly text: (rule: string, text: string, shown: string) => unknown;
  /** Of a secret inside a text or a key. */
  readonly mark: (rule: string) => string;
  /** Of an object that must not be there as it is; undefined if it may. */
  readonly object?: (object: object) => unknown;
  /** Of what lies deeper than anything should. It may throw. */
  readonly tooDeep: () => unknown;
}

export interface RedactValueOptions {
  readonly redactor: Redactor;
  readonly replacement: Replacement;
  /** Names of an operator, looked at before the usual ones: the rule for a name, or null. */
  readonly nameRule?: (name: string) => string | null;
  /** False: no name is secret but those of `nameRule`. */
  readonly usual?: boolean;
}

export interface ValueRedactor {
  readonly value: (value: unknown) => unknown;
  /** A value that was asked for by this name. */
  readonly under: (name: string, value: unknown) => unknown;
}

/** What is under a name of which the value is always a secret. */
export const CREDENTIAL = 'credential';

/** Less than canonical JSON allows. */
const MAX_DEPTH = 950;

/** Values in one record. What comes after them is taken out unread: a record must not be a way around the reading. */
const MOST_VALUES = 2_000_000;

/** Names come again and again, and may be data too (paths, ids): so many are remembered. */
const MOST_NAMES = 2000;

export function createValueRedactor(options: RedactValueOptions): ValueRedactor {
  const names = new BoundedMap<string, NameVerdict>(MOST_NAMES);
  return {
    value: (value) => new Walk(options, names).value(value, 0),
    under: (name, value) => new Walk(options, names).called(name, value),
  };
}

interface NameVerdict {
  /** The rule by which the whole value is a secret, or null. */
  readonly rule: string | null;
  /** What a text under it must look like to be one, or null. */
  readonly kind: NameKind | null;
  /** The name itself, without secrets. */
  readonly shown: string;
}

class Walk {
  private readonly options: RedactValueOptions;
  private readonly names: Map<string, NameVerdict>;
  private left = MOST_VALUES;

  constructor(options: RedactValueOptions, names: Map<string, NameVerdict>) {
    this.options = options;
    this.names = names;
  }

  value(value: unknown, depth: number): unknown {
    if (--this.left < 0) return this.options.replacement.value('unread', null);
    if (typeof value === 'string') return this.text(value, depth);
    if (typeof value === 'number') return this.number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) return this.options.replacement.tooDeep();
    if (Array.isArray(value)) return this.list(value, depth);
    if (!('toJSON' in value && typeof value.toJSON === 'function')) {
      return this.object(value as Readonly<Record<string, unknown>>, depth);
    }
    const shown: unknown = value.toJSON();
    const cleaned = this.value(shown, depth + 1);
    return cleaned === shown ? value : cleaned;
  }

  called(name: string, value: unknown): unknown {
    return this.under(this.lookAt(name), value, 0);
  }

  private list(items: readonly unknown[], depth: number): unknown {
    let changed: unknown[] | null = null;
    for (let at = 0; at < items.length; at++) {
      const cleaned = this.value(items[at], depth + 1);
      if (cleaned === items[at]) continue;
      changed ??= [...items];
      changed[at] = cleaned;
    }
    return changed ?? items;
  }

  private object(object: Readonly<Record<string, unknown>>, depth: number): unknown {
    const instead = this.options.replacement.object?.(object);
    if (instead !== undefined) return instead;
    const keys = Object.keys(object);
    const called = nameIn(object);
    let changed: [string, unknown][] | null = null;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!;
      const value = object[key];
      const look = this.lookAt(key);
      const named = called !== null && key === 'value' ? this.lookAt(called) : look;
      const cleaned = this.under(named, value, depth + 1);
      if (changed === null) {
        if (cleaned === value && look.shown === key) continue;
        changed = keys.slice(0, at).map((before) => [before, object[before]]);
      }
      changed.push([look.shown, cleaned]);
    }
    return changed === null ? object : Object.fromEntries(changed);
  }

  /** A value and what its name says of it. */
  private under({ rule, kind }: NameVerdict, value: unknown, depth: number): unknown {
    const { replacement } = this.options;
    if (rule !== null && !isEmpty(value) && !(rule === CREDENTIAL && describesValues(value))) {
      return replacement.value(rule, value);
    }
    // A `key` or a `session` of structured data is mostly an id, and an id that is hidden cannot be replayed.
    if (
      rule === null &&
      kind !== null &&
      kind !== 'weak' &&
      typeof value === 'string' &&
      isSecretValue(kind, value, 'quoted')
    ) {
      return replacement.value(RULE_OF_KIND[kind], value);
    }
    return this.value(value, depth);
  }

  private text(text: string, depth: number): unknown {
    const first = text.charCodeAt(0);
    if (first === 0x7b || first === 0x5b) {
      const embedded = this.embedded(text, depth);
      if (embedded !== null) return embedded;
    }
    const { redactor, replacement } = this.options;
    const { found, text: shown } = redactor.redact(text, replacement);
    if (found.length === 0) return text;
    const [{ rule, start, end }] = found as readonly [(typeof found)[0]];
    if (end - start === text.length) return replacement.value(rule, text);
    return replacement.text(rule, text, shown);
  }

  /** Text that is itself JSON, as the arguments of a call are, holds secrets under names as well. */
  private embedded(text: string, depth: number): unknown {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return null;
    }
    const cleaned = this.value(value, depth + 1);
    if (cleaned === value) return null;
    return this.options.replacement.text('embedded', text, JSON.stringify(cleaned));
  }

  /** A number is a secret only if it is one that is known. */
  private number(value: number): unknown {
    const name = this.options.redactor.nameOf(String(value));
    return name === null ? value : this.options.replacement.value(name, value);
  }

  private lookAt(name: string): NameVerdict {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    const { redactor, replacement, nameRule, usual = true } = this.options;
    const own = nameRule?.(name) ?? null;
    const look = {
      rule: own ?? (usual && isAlwaysSecret(name) ? CREDENTIAL : null),
      kind: usual ? kindOfName(name) : null,
      shown: redactor.redact(name, replacement).text,
    };
    this.names.set(name, look);
    return look;
  }
}

/** `{"name": "API_KEY", "value": …}`, as lists of variables and headers are written. */
function nameIn(object: Readonly<Record<string, unknown>>): string | null {
  if (!Object.hasOwn(object, 'value')) return null;
  const called = object.name ?? object.key;
  return typeof called === 'string' ? called : null;
}

/** Nothing to hide, and whether there was something is worth knowing. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || typeof value === 'boolean';
}

const SCHEMA_WORDS = wordSet(
  `type description title format minLength maxLength pattern nullable deprecated writeOnly readOnly $ref anyOf oneOf allOf
   minimum maximum items additionalProperties required optional`,
);

/** The schema of a field is no value of it: tools have parameters called `password`. */
function describesValues(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => SCHEMA_WORDS.has(key));
}
