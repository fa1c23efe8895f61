/**
 * Tells a text that was drawn at random from one that a person named something. Names are made of words and counters,
 * secrets are not: letters, digits and cases change places often, and neighbouring letters do not go together as they do in words.
 */

/** Bits a character, from the text itself: 0 for one character repeated, 4 at most for hexadecimal digits. */
export function entropyOf(text: string): number {
  COUNTS.fill(0);
  for (let at = 0; at < text.length; at++) COUNTS[text.charCodeAt(at) & 0xff]!++;
  let sum = 0;
  for (const count of COUNTS) if (count > 1) sum += count * Math.log2(count);
  return Math.log2(text.length) - sum / text.length;
}

/** By the low byte of each character: what is judged is nearly always ASCII. */
const COUNTS = new Uint32Array(256);

/** Longer texts are judged by their beginning: what is random there is no name. */
const JUDGED = 200;

export function looksRandom(whole: string): boolean {
  const text = whole.slice(0, JUDGED);
  if (text.length < 8 || entropyOf(text) < leastEntropy(text.length)) return false;
  const { letters, digits, changes, caseChanges } = mixOf(text);
  if (letters === 0 || isJoinedName(text)) return false;
  const inWords = lettersInWords(text) / (letters + digits);
  if (digits > 0 && changes >= Math.max(2, text.length / 12)) return inWords <= 0.45;
  // Few changes, but nothing that reads like a word and a number beside it.
  if (digits >= 4 && text.length >= 16 && inWords <= 0.2 && entropyOf(text) >= 3.3) return true;
  if (text.length >= 16 && caseChanges >= text.length / 8) return inWords <= 0.45;
  if (text.length >= 10 && caseChanges >= text.length / 4) return inWords <= 0.3;
  return text.length >= 20 && digits < text.length / 2 && inWords <= 0.3;
}

/** `id-hmac-sha-2012-256`: words, numbers and short parts, each by itself. */
function isJoinedName(text: string): boolean {
  const parts = text.split(/[-_./:@ ]/);
  return parts.length > 2 && parts.every((part) => part.length <= 4 || /^\d+$/.test(part) || isWord(part));
}

function isWord(part: string): boolean {
  return /^[A-Za-z]+\d{0,2}$/.test(part) && lettersInWords(part) >= part.length * 0.7;
}

/** What half as many different characters would give is what a counter or a repeated part gives. */
function leastEntropy(length: number): number {
  if (length < 12) return 2.4;
  return length < 20 ? 2.55 : 3;
}

interface Mix {
  readonly letters: number;
  readonly digits: number;
  /** Places where a letter stands beside a digit. */
  readonly changes: number;
  /** Places where the case changes, other than after a capital. */
  readonly caseChanges: number;
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;

function mixOf(text: string): Mix {
  let [letters, digits, changes, caseChanges] = [0, 0, 0, 0];
  let before: number = OTHER;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === DIGIT) digits++;
    else if (kind !== OTHER) letters++;
    if (kind !== before && kind !== OTHER && before !== OTHER) {
      if (kind === DIGIT || before === DIGIT) changes++;
      else caseChanges++;
    }
    before = kind;
  }
  return { letters, digits, changes, caseChanges };
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : OTHER;
}

const WORD_RUNS = /[A-Z]?[a-z]{2,}|[A-Z]{3,}/g;

/** How many letters stand in runs that read like a word. */
export function lettersInWords(text: string): number {
  let count = 0;
  for (const [run] of text.matchAll(WORD_RUNS)) if (readsLikeWord(run.toLowerCase())) count += run.length;
  return count;
}

/** The letters that often follow each letter in English and in names of programs: 97 % of all pairs, 40 % of random ones. */
const FOLLOWERS: Readonly<Record<string, string>> = {
  a: 'bcdfgiklmnprstuvxy',
  b: 'aeijlorsuy',
  c: 'acehiklorstu',
  d: 'adeilorsu',
  e: 'abcdefgilmnpqrstvwxy',
  f: 'aefilortuy',
  g: 'aehilnorsu',
  h: 'aeiort',
  i: 'abcdefgklmnoprstvxz',
  j: 'aeosu',
  k: 'eis',
  l: 'adefilostuy',
  m: 'abeimopsu',
  n: 'acdefgiklnopstuvy',
  o: 'abcdefgiklmnoprstuvw',
  p: 'aehiloprstuy',
  q: 'u',
  r: 'acdefgiklmnoprstuvy',
  s: 'acehiklmnopqstuwy',
  t: 'acefhiloprstuwy',
  u: 'abcdefgilmnprst',
  v: 'aeio',
  w: 'aehinors',
  x: 'aceipt',
  y: 'ceilmnopst',
  z: 'aeioz',
};

function readsLikeWord(run: string): boolean {
  if (run.length < 3 || !/[aeiouy]/.test(run)) return false;
  let common = 0;
  for (let at = 0; at + 1 < run.length; at++) if (FOLLOWERS[run[at]!]!.includes(run[at + 1]!)) common++;
  return common >= (run.length - 1) * 0.8;
}
