/**
 * A redactor for one session: the table of rules, known values, and patterns of an operator. It remembers long texts it has
 * looked at, since the same text passes several records of a session.
 */
import { BoundedMap, compileRegex, HarnessError } from '../base/index.ts';
import { RANK, type Ranked } from './detectors.ts';
import { indexValues, type KnownValue, type ValueIndex } from './known-values.ts';
import { findPersonalInto } from './personal-data.ts';
import type { Found } from './rule.ts';
import { findInto, merged, REDACTED, type Redaction, type RedactTextOptions, withMarks } from './secrets.ts';

/** What an RE2 pattern finds inside a text. */
export interface PatternRule {
  readonly id: string;
  readonly pattern: string;
}

export interface RedactorOptions {
  readonly values?: readonly KnownValue[];
  readonly rules?: readonly PatternRule[];
  /** False: without the table, only `values` and `rules`. */
  readonly usual?: boolean;
  /** Numbers that name a person as well: cards, bank accounts, national numbers. */
  readonly personal?: boolean;
}

export interface Redactor {
  readonly find: (text: string) => readonly Found[];
  readonly redact: (text: string, options?: Pick<RedactTextOptions, 'mark'>) => Redaction;
  /** The name of a text that is a known value, or null. */
  readonly nameOf: (text: string) => string | null;
}

type FindInto = (text: string, found: Ranked[]) => void;

/** Shorter texts are looked at faster than looked up. */
const REMEMBERED_FROM = 300;
/** Characters of all remembered texts together. */
const REMEMBERED = 4_000_000;

/** Throws PATTERN_INVALID for a pattern RE2 does not know: a rule must not silently be gone. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { values = [], rules = [], usual = true, personal = false } = options;
  const index = indexValues(values);
  const finders: FindInto[] = [];
  if (index !== null) finders.push((text, found) => findValues(index, text, found));
  finders.push(...rules.map(patternFinder));
  if (usual) finders.push(findInto);
  if (personal) finders.push(findPersonalInto);
  const look = (text: string): readonly Found[] => {
    const found: Ranked[] = [];
    for (const finder of finders) finder(text, found);
    return found.length === 0 ? NOTHING_FOUND : merged(found);
  };
  const find = remembering(look);
  return {
    find,
    nameOf: (text) => index?.nameOf(text) ?? null,
    redact: (text, { mark = () => REDACTED } = {}) => {
      const found = find(text);
      return { found, text: withMarks(text, found, mark) };
    },
  };
}

const NOTHING_FOUND: readonly Found[] = [];

function findValues(index: ValueIndex, text: string, found: Ranked[]): void {
  index.scan(text, (rule, start, end) => found.push({ rule, start, end, rank: RANK.value }));
}

function patternFinder({ id, pattern }: PatternRule): FindInto {
  const compiled = compileRegex(pattern);
  if (!compiled.ok)
    throw new HarnessError('PATTERN_INVALID', `redaction pattern for ${id}: ${compiled.message}`);
  return (text, found) => {
    for (const [start, end] of compiled.spans(text)) found.push({ rule: id, start, end, rank: RANK.value });
  };
}

function remembering(look: (text: string) => readonly Found[]): (text: string) => readonly Found[] {
  const known = new BoundedMap<string, readonly Found[]>(REMEMBERED, {
    weigh: (_found, text) => text.length,
  });
  return (text) => {
    if (text.length < REMEMBERED_FROM || text.length > REMEMBERED) return look(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = look(text);
    known.set(text, found);
    return found;
  };
}
