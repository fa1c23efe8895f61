/**
 * Finds secrets in a text and takes them out: one table of rules, one engine, for everything that is written down or shown.
 * Pure, total, and linear in the text, whatever the text.
 */

import { type Ranked, Scan } from './detectors.ts';
import { findPersonalInto } from './personal-data.ts';
import type { Found } from './rule.ts';
import { secretTable } from './table.ts';

export type { Found } from './rule.ts';

export interface Redaction {
  readonly text: string;
  /** In the order of the text; they never overlap. */
  readonly found: readonly Found[];
}

export interface FindOptions {
  /** Numbers that name a person as well: cards, bank accounts, national numbers. */
  readonly personal?: boolean;
  /** Called for each place that is looked at closely, with how much has been found; may throw. */
  readonly pay?: (found: number) => void;
}

export interface RedactTextOptions extends FindOptions {
  /** What stands in place of a secret; `[redacted]` by default. */
  readonly mark?: (rule: string) => string;
}

export const REDACTED = '[redacted]';

/** Shorter texts hold nothing a rule could find. */
const SHORTEST = 8;

export function findSecrets(text: string, { personal = false, pay }: FindOptions = {}): readonly Found[] {
  const found: Ranked[] = [];
  findInto(text, found, pay);
  if (personal) findPersonalInto(text, found, pay);
  return found.length === 0 ? [] : merged(found);
}

/** All that the rules of the table find, overlapping and in no order. */
export function findInto(text: string, found: Ranked[], pay?: (found: number) => void): void {
  if (text.length < SHORTEST) return;
  const scan = new Scan(text, found);
  const { index, look } = secretTable();
  index.scan(text, (keyword, at) => {
    pay?.(found.length);
    look(scan, keyword, at);
  });
}

export function redactSecrets(
  text: string,
  { mark = () => REDACTED, ...options }: RedactTextOptions = {},
): Redaction {
  const found = findSecrets(text, options);
  return { text: withMarks(text, found, mark), found };
}

/** What overlaps becomes one; the rule that says most gives its name. */
export function merged(found: readonly Ranked[]): Found[] {
  const ordered = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const whole: Ranked[] = [];
  for (const next of ordered) {
    const last = whole.at(-1);
    if (last === undefined || next.start >= last.end) {
      whole.push(next);
    } else {
      const { rule, rank } = next.rank < last.rank ? next : last;
      whole[whole.length - 1] = { rule, rank, start: last.start, end: Math.max(last.end, next.end) };
    }
  }
  return whole.map(({ rule, start, end }) => ({ rule, start, end }));
}

export function withMarks(text: string, found: readonly Found[], mark: (rule: string) => string): string {
  if (found.length === 0) return text;
  let shown = '';
  let at = 0;
  for (const { rule, start, end } of found) {
    shown += text.slice(at, start) + mark(rule);
    at = end;
  }
  return shown + text.slice(at);
}
