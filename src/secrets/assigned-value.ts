/**
 * Reads the value behind an operator: a string in the quotes of some language, the content of an element, or whatever stands
 * there up to the next separator. Reads a bounded stretch; the real end of a long value is found once it counts.
 */
import { isAlphanumeric } from './boundaries.ts';
import type { Setting } from './judge-value.ts';

export interface Candidate {
  readonly start: number;
  /** Not further than `READ` beyond the start; `extend` finds the real end. */
  readonly end: number;
  readonly setting: Setting;
  /** It may be prose or an argument of some function: only a value that is clearly no word counts. */
  readonly doubtful: boolean;
  /** The quote that ends it, or null. */
  readonly close: string | null;
}

/** How much of a value is read before it is judged. */
const READ = 300;
/** How long a value can be. */
const LONGEST = 20_000;
const MOST_SPACES = 40;

export const QUOTES = '"\'`';

/** A mark of the language before the quote, or one call around it: `b"…"`, `SecretStr("…")`. */
const OPENING = /(?:[bBrRuULfF@$]{1,2}(?=["']))?(\\{0,7})(["'`])/y;
const CALL = /(?:new )?[\w.:]{1,40}\(\s{0,4}(?=\\{0,7}["'])/y;

/** A string that begins here, or on the next line; null if there is none. */
export function quotedValue(text: string, from: number, doubtful: boolean): Candidate | null {
  const at = skipLine(text, from);
  const code = text.charCodeAt(at);
  CALL.lastIndex = at;
  const inCall = (isAlphanumeric(code) || code === 0x5f) && CALL.test(text);
  OPENING.lastIndex = inCall ? CALL.lastIndex : at;
  const opening = OPENING.exec(text);
  if (opening === null) return null;
  const [, escapes, quote] = opening;
  let start = OPENING.lastIndex;
  // Three quotes of Python, or an empty string.
  if (escapes === '' && text.startsWith(quote! + quote!, start)) start += 2;
  const close = escapes! + quote!;
  const end = closingAt(text, start, close);
  return { start, end, setting: 'quoted', doubtful: doubtful || inCall, close };
}

/** To the next line, if a quote is the first thing there. */
function skipLine(text: string, at: number): number {
  if (text[at] !== '\n' && text[at] !== '\r') return at;
  let next = at;
  while (next - at < MOST_SPACES && /\s/.test(text[next] ?? 'x')) next++;
  // Three quotes there are the description of a function.
  return QUOTES.includes(text[next] ?? 'x') && !text.startsWith('"""', next) ? next : at;
}

/** Where the string ends; the end of the line or of what is read if it is not closed. */
function closingAt(text: string, start: number, close: string): number {
  const limit = Math.min(text.length, start + READ);
  const quote = close.charCodeAt(close.length - 1);
  let escapes = 0;
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) {
      escapes++;
      continue;
    }
    // Inside a JSON string the quote that closes has as many backslashes as the one that opened; outside an even number.
    if (code === quote && (close.length === 1 ? escapes % 2 === 0 : escapes === close.length - 1)) {
      return at - (close.length - 1);
    }
    if (code === 10 && quote !== 0x60) return at;
    escapes = 0;
  }
  return limit;
}

/** Without quotes. `whole`: it stands alone on its line, so that only white space and quotes end it. */
export function bareValue(text: string, start: number, setting: Setting, whole: boolean): Candidate {
  const limit = Math.min(text.length, start + READ);
  let end = start;
  while (end < limit && !endsValue(text.charCodeAt(end), whole)) end++;
  // The end of a sentence or of a statement is no part of it.
  const trailing = whole ? ';,)}]|&' : setting === 'bare' ? '.:!?' : '';
  if (end < limit || limit === text.length) while (end > start && trailing.includes(text[end - 1]!)) end--;
  return { start, end, setting, doubtful: false, close: null };
}

const LINE_ENDS = endings('"\'`\\');
const VALUE_ENDS = endings('"\'`\\<>,;)}]|&');

/** For each of the first 128 characters whether it ends a value: white space always does. */
function endings(characters: string): Uint8Array {
  const ends = new Uint8Array(128).fill(1, 0, 33);
  ends[127] = 1;
  for (const char of characters) ends[char.charCodeAt(0)] = 1;
  return ends;
}

function endsValue(code: number, whole: boolean): boolean {
  return code > 127 || (whole ? LINE_ENDS : VALUE_ENDS)[code] === 1;
}

/** The content of an element, up to its closing tag; null if it has none. */
export function elementValue(text: string, from: number): Candidate | null {
  let start = from;
  while (start - from < MOST_SPACES && /\s/.test(text[start] ?? 'x')) start++;
  const close = text.slice(start, start + READ).indexOf('</');
  if (close === -1 || text[start] === '<') return null;
  let end = start + close;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  return { start, end, setting: 'quoted', doubtful: false, close: null };
}

/** What stands before the value to use if there is no other: `process.env.TOKEN || "…"`, `getenv("TOKEN", "…")`. */
const INSTEAD =
  /(?:\|\||\?\?|\?:|\bor|(?:env|get|fetch|default|getOrDefault)\(\s?["'][^"'\n]{1,60}["']\s?,)\s{0,3}["'`]/;

/** The string that an expression falls back to, or null. */
export function fallbackValue(text: string, { start: from, setting }: Candidate): Candidate | null {
  if (setting !== 'bare') return null;
  const [line] = text.slice(from, from + 120).split('\n', 1);
  const found = INSTEAD.exec(line!);
  if (found === null) return null;
  const start = from + found.index + found[0].length;
  const close = text[start - 1]!;
  return { start, end: closingAt(text, start, close), setting: 'quoted', doubtful: true, close };
}

/** The end of a value of which `READ` characters were judged. */
export function extend(text: string, { start, end, close }: Candidate): number {
  if (end - start < READ) return end;
  const limit = Math.min(text.length, start + LONGEST);
  if (close !== null) {
    const found = text.slice(end, limit).indexOf(close);
    return found === -1 ? limit : end + found;
  }
  let at = end;
  while (at < limit && !endsValue(text.charCodeAt(at), false)) at++;
  return at;
}
