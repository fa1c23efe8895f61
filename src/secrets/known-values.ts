/**
 * Secrets whose values are known, such as those of the environment: found wherever they stand and in whatever form, see
 * value-forms.ts, also with line breaks inside of base64 and anything between the bytes of hexadecimal. One pass over the text,
 * whatever their number.
 */
import { type Form, formsOf, SHORTEST_VALUE } from './value-forms.ts';

export { SHORTEST_VALUE };

export interface KnownValue {
  /** What stands in the place of the value: `env:NAME`. */
  readonly name: string;
  readonly value: string;
}

export interface ValueIndex {
  /** Calls `onFound` for every value, in whatever form it stands. */
  readonly scan: (text: string, onFound: (name: string, start: number, end: number) => void) => void;
  /** The name of a text that is a value, or null. */
  readonly nameOf: (text: string) => string | null;
}

/** Four characters by which a form is found, and where in it they stand. */
interface Entry {
  readonly form: Form;
  readonly at: number;
}

const WINDOW = 4;

export function indexValues(values: readonly KnownValue[]): ValueIndex | null {
  const known = values.filter(({ value }) => value.length >= SHORTEST_VALUE);
  if (known.length === 0) return null;
  const entries = new Map<number, Entry[]>();
  const filter = new Uint8Array(1 << 16);
  for (const form of known.flatMap(formsOf)) {
    for (const [at, text] of windowsOf(form)) {
      const hash = windowHash(text);
      filter[slotOf(hash)] = 1;
      const same = entries.get(hash);
      if (same === undefined) entries.set(hash, [{ form, at }]);
      else same.push({ form, at });
    }
  }
  // The longest first: a secret may be part of another.
  for (const same of entries.values()) same.sort((a, b) => b.form.text.length - a.form.text.length);
  const names = new Map(known.map(({ name, value }) => [value, name]));
  return {
    nameOf: (text) => names.get(text) ?? null,
    scan: (text, onFound) => {
      let hash = 0;
      for (let at = 0; at < text.length; at++) {
        hash = (hash << 8) ^ text.charCodeAt(at);
        if (filter[slotOf(hash)] === 0 || at < WINDOW - 1) continue;
        const start = at - WINDOW + 1;
        for (const entry of entries.get(hash) ?? []) {
          const span = spanOf(entry, text, start);
          if (span === null) continue;
          onFound(entry.form.name, ...span);
          break;
        }
      }
    },
  };
}

/** What stands between bytes that are written one by one. */
const SEPARATORS = ['', ' ', ':', '-', ',', ', ', ' 0x', ',0x', ', 0x', '\n'];

/** A break may fall into the first characters: then those behind are found. */
function windowsOf({ text, between }: Form): (readonly [at: number, text: string])[] {
  const first = [0, text.slice(0, WINDOW)] as const;
  if (between === undefined || text.length < 2 * WINDOW) return [first];
  if (between === 'lines') return [first, [WINDOW, text.slice(WINDOW, 2 * WINDOW)]];
  const [one, two, three] = [text.slice(0, 2), text.slice(2, 4), text.slice(4, 6)];
  return [
    ...SEPARATORS.map((separator) => [0, `${one}${separator}${two}`.slice(0, WINDOW)] as const),
    [2, two + three],
    [2, `${two} ${three[0]}`],
  ];
}

/** Hangs on the last four characters alone. */
function windowHash(text: string): number {
  let hash = 0;
  for (let at = 0; at < WINDOW; at++) hash = (hash << 8) ^ text.charCodeAt(at);
  return hash;
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 16;
}

/** The line of a dump ends in its letters, and the next one begins with a number. */
const BETWEEN = {
  lines: /(?:\\r)?\\n|\r?\n[ \t>|]{0,80}/y,
  bytes: / {0,60} {2}[^\n]{1,20}\r?\n[0-9a-fA-F]{7,8}:? {1,2}|(?:\\n|[\s:,-]){1,4}(?:0x)?/y,
};
/** How any of it begins. */
const BREAK = /[\s\\:,-]/;
const LONGEST_BREAK = 9;

function spanOf({ form, at }: Entry, text: string, found: number): [start: number, end: number] | null {
  const { text: wanted, whole, around, between } = form;
  let [start, end] = [found, found];
  if (at === 0 && text.startsWith(wanted, found)) end += wanted.length;
  else if (between === undefined) return null;
  else {
    end = endOf(text, found, wanted, at, BETWEEN[between]);
    if (end === -1) return null;
    start = beginningOf(text, found, wanted, at);
  }
  if (whole !== undefined) while (end - found < whole.length && text[end] === whole[end - found]) end++;
  if (around === undefined) return [start, end];
  const [before, behind] = around;
  const last = end;
  for (let count = 0; count < before && isBase64(text[start - 1]); count++) start--;
  for (let count = 0; count < behind && isBase64(text[end]); count++) end++;
  while (text[end] === '=' && end - last < behind + 2) end++;
  return [start, end];
}

/** Where the form ends whose character `next` stands here, whatever stands between; -1 if it is not here. */
function endOf(text: string, from: number, wanted: string, next: number, between: RegExp): number {
  let [at, dump] = [from, false];
  for (let i = next; i < wanted.length; i++, at++) {
    if (text[at] === wanted[i]) continue;
    if (i === next || !BREAK.test(text[at] ?? 'x')) return -1;
    between.lastIndex = at;
    if (!between.test(text) || text[between.lastIndex] !== wanted[i]) return -1;
    dump ||= between.lastIndex - at > LONGEST_BREAK;
    at = between.lastIndex;
  }
  // The letters of the last line of a dump stand behind it.
  const line = dump ? text.indexOf('\n', at) : at;
  return line === -1 ? text.length : line;
}

/** Where it begins, as far as its first characters stand before a break; a few that do not give nothing away. */
function beginningOf(text: string, found: number, wanted: string, at: number): number {
  let start = found;
  for (let i = at - 1, left = LONGEST_BREAK; i >= 0 && start > 0 && left >= 0; ) {
    let before = start - 1;
    while (left > 0 && text[before] !== wanted[i] && BREAK.test(text[before] ?? 'x')) {
      before--;
      left--;
    }
    if (text[before] !== wanted[i]) break;
    start = before;
    i--;
  }
  return start;
}

function isBase64(char: string | undefined): boolean {
  return char !== undefined && /[A-Za-z0-9+/_-]/.test(char);
}
