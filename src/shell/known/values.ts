/**
 * What is known of values: every text a variable or word may have, each either known or with unknown pieces in it. An unknown
 * piece is spelt `${NAME}`, `$()`, `$(())` or `<()`, which read again as shell text is again an unknown piece.
 */
import { MOST_ALTERNATIVES, MOST_VALUE } from '../bounds.ts';

/** Commands of the run, from and up to an index: whose output something is. */
export type Ranges = readonly (readonly [from: number, to: number])[];

export const UNTAINTED: Ranges = [];

export interface Alt {
  readonly text: string;
  readonly known: boolean;
}

export interface Value {
  /** At least one. */
  readonly alts: readonly Alt[];
  /** An unknown one is a number all the same. */
  readonly numeric: boolean;
  readonly from: Ranges;
}

/** One word as a program gets it. */
export interface Field extends Alt {
  readonly glob: boolean;
  /** May be several words, or none. */
  readonly many: boolean;
  /** Begins with a home folder and not with the character `~`. */
  readonly tilde: boolean;
  readonly from: Ranges;
}

export function known(text: string): Value {
  return { alts: [{ text, known: true }], numeric: false, from: UNTAINTED };
}

export function unknown(label: string, from: Ranges = UNTAINTED): Value {
  return { alts: [{ text: label, known: false }], numeric: false, from };
}

export function number(label = '$(())'): Value {
  return { alts: [{ text: label, known: false }], numeric: true, from: UNTAINTED };
}

export function knownField(text: string): Field {
  return { text, known: true, glob: false, many: false, tilde: false, from: UNTAINTED };
}

export function unknownField(label: string, many: boolean, from: Ranges = UNTAINTED): Field {
  return { text: label, known: false, glob: false, many, tilde: false, from };
}

/** The one text it has for sure, or null. */
export function certain(value: Value): string | null {
  const [first, second] = value.alts;
  return second === undefined && first!.known ? first!.text : null;
}

/** Any of the values, each once; with too many of them, an unknown one. */
export function anyOf(values: readonly Value[], label: string): Value {
  const first = values[0]!;
  if (values.every((value) => value === first)) return first;
  const alts: Alt[] = [];
  const seen = new Set<string>();
  let numeric = true;
  for (const value of values) {
    numeric &&= value.numeric || value.alts.every((alt) => alt.known && /^-?\d+$/.test(alt.text));
    for (const alt of value.alts) {
      const key = `${alt.known ? 1 : 0}${alt.text}`;
      if (seen.has(key)) continue;
      seen.add(key);
      alts.push(alt);
    }
  }
  const from = values.flatMap((value) => value.from).slice(0, MOST_ALTERNATIVES);
  if (alts.length > MOST_ALTERNATIVES) return unknown(label, from);
  return { alts, numeric, from };
}

export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.alts.length !== b.alts.length) return false;
  return a.alts.every((alt, i) => alt.text === b.alts[i]!.text && alt.known === b.alts[i]!.known);
}

export function joinRanges(a: Ranges, b: Ranges): Ranges {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return a.length + b.length > MOST_ALTERNATIVES ? a : [...a, ...b];
}

/** A piece added to a text that has become too long says so by being unknown. */
export function tooLong(text: string): boolean {
  return text.length > MOST_VALUE;
}
