/**
 * What in a text can name somebody or something: addresses, links, hosts, paths, accounts, identifiers and words. Upper and lower case,
 * Unicode forms and characters without width make no difference. One pass over the text.
 */
import { fromBase64 } from '../base/index.ts';

const PLAIN = /^[\n\r\t\u0020-\u007e]*$/;
const WITHOUT_WIDTH =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is a character of its own here
  /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e01ef}]/gu;

export function normalised(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFKC').replace(WITHOUT_WIDTH, '').toLowerCase();
}

// Classes of ASCII characters; everything beyond is a letter.
const BREAK = 0;
const LETTER = 1;
const DIGIT = 2;
const MARK = 3;
const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[a-z]/i.test(char)) CLASSES[code] = LETTER;
  else if (/\d/.test(char)) CLASSES[code] = DIGIT;
  else if ('@.:/_-#%+~&=?$\\'.includes(char)) CLASSES[code] = MARK;
}
const LONGEST = 2048;
const ENDS = /[.:?&=#+-]/;

/** Calls `take` for each token until it says false. `strong`: it names something by itself, unlike a plain word. */
export function eachToken(text: string, take: (from: number, to: number, strong: boolean) => boolean): void {
  const { length } = text;
  let at = 0;
  while (at < length) {
    let code = text.charCodeAt(at);
    let kind = code < 128 ? CLASSES[code]! : code < 0x3000 || code > 0x303f ? LETTER : BREAK;
    if (kind === BREAK) {
      at++;
      continue;
    }
    const from = at;
    let digits = false;
    let marks = false;
    let letters = false;
    while (kind !== BREAK) {
      if (kind === DIGIT) digits = true;
      else if (kind === MARK) marks = true;
      else letters = true;
      if (++at >= length || at - from >= LONGEST) break;
      code = text.charCodeAt(at);
      kind = code < 128 ? CLASSES[code]! : code < 0x3000 || code > 0x303f ? LETTER : BREAK;
    }
    let to = at;
    if (marks) while (to > from && ENDS.test(text[to - 1]!)) to--;
    if (to === from || !(letters || digits)) continue;
    if (!take(from, to, marks || digits)) return;
  }
}

const LINK = /^[a-z][a-z0-9+.-]*:\/\//;
const MAIL = /^(?:mailto:)?[^@\s/:]+@[^@\s/]+\.[^@\s/]+$/;
/** What stands for a host without a scheme: endings of files (`.md`, `.sh`, `.py`) are not among them. */
const HOST =
  /^(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|ai|co|info|biz|xyz|me|cloud|site|online|top|test|example|invalid|edu|gov|uk|de|fr|eu|cn|ru|in|jp|ch|at|nl|se|it|es|ca|au|us)(?::\d+)?(?=$|[/?#])/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?=$|\/)/;
const IBAN = /^[a-z]{2}\d{2}[a-z0-9]{10,30}$/;
const NUMBER = /^\+?[\d-]{8,}$/;
const COIN = /^(?:0x[0-9a-f]{40}|(?:bc1|[13])[a-z0-9]{25,60})$/;

/** Whether a token is an address, a link or an account: what a reader could act on. */
export function isReachable(token: string): boolean {
  return (
    LINK.test(token) ||
    MAIL.test(token) ||
    HOST.test(token) ||
    IPV4.test(token) ||
    IBAN.test(token) ||
    COIN.test(token) ||
    (NUMBER.test(token) && token.replace(/\D/g, '').length >= 8)
  );
}

/** Whether a text has an address, a link or an account in it. */
export function namesReachable(text: string): boolean {
  const read = normalised(text);
  let found = false;
  eachToken(read, (from, to, strong) => {
    found = strong && isReachable(read.slice(from, to));
    return !found;
  });
  return found || groupedIn(read).length > 0;
}

export function isLink(token: string): boolean {
  return token.includes('://') && LINK.test(token);
}

const LONG_PIECE = 8;

/** What of a link can carry data: `open` if it has a query or a fragment; else the pieces of its path that are no plain words. */
export function cargoOf(link: string): { readonly open: boolean; readonly pieces: readonly string[] } {
  const [path = ''] = link.replace(LINK, '').split(/[?#]/, 1);
  const pieces = path.split('/').slice(1);
  return {
    open: /[?#]/.test(link),
    pieces: pieces.filter((piece) => piece.length >= LONG_PIECE && /\d/.test(piece)),
  };
}

const SCHEMES = ['https://', 'http://', 'mailto:'];

/** One form for all that name the same: with and without `https://`, `mailto:` and a slash at the end. */
export function sameName(token: string): string {
  let [from, to] = [0, token.length];
  for (const scheme of SCHEMES) if (token.startsWith(scheme)) from = scheme.length;
  while (to > from + 1 && token[to - 1] === '/') to--;
  return token.slice(from, to);
}

/** What a strong token also names. */
export function partsOf(token: string): string[] {
  const parts: string[] = [];
  const bare = token.startsWith('mailto:') ? token.slice(7) : token;
  if (bare !== token) parts.push(bare);
  if (isLink(bare)) {
    const query = bare.search(/[?#]/);
    let end = query === -1 ? bare.length : query;
    while (bare[end - 1] === '/') end--;
    const plain = bare.slice(0, end);
    parts.push(plain, ...hostOf(bare), plain.slice(plain.lastIndexOf('/') + 1));
  } else if (bare.includes('@') && !bare.startsWith('@')) parts.push(bare.slice(bare.indexOf('@') + 1));
  else if (bare.startsWith('@') || bare.startsWith('#')) parts.push(bare.slice(1));
  else if (bare.includes('/')) {
    parts.push(
      bare.slice(bare.lastIndexOf('/') + 1),
      ...(HOST.test(bare) ? [bare.slice(0, bare.indexOf('/'))] : []),
    );
  }
  const sign = bare.search(/[=:](?!\/\/|\d+(?:\/|$))/);
  if (sign > 0 && sign < bare.length - 1) parts.push(bare.slice(0, sign), bare.slice(sign + 1));
  if (bare[0]! <= '9') {
    if (bare.includes('-') && /^[\d-]+$/.test(bare)) parts.push(bare.replaceAll('-', ''));
    // 12.50 is the number 12.5.
    if (bare.endsWith('0') && /^\d+\.\d*$/.test(bare)) parts.push(bare.replace(/\.?0+$/, ''));
  }
  return parts.filter((part) => part !== '' && part !== token);
}

/** Of a link, as one or no text. */
export function hostOf(link: string): string[] {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:]+)/.exec(link)?.[1];
  return host === undefined ? [] : [host];
}

/** Groups with a digit in each, as accounts and telephone numbers are written: `US13 3000 0012`. */
const GROUPED = /\+?\b[a-z]{0,4}\d[a-z0-9]{0,4}(?:[ -](?=[a-z]{0,4}\d)[a-z0-9]{1,5}){2,9}\b/g;

/** Without the signs between the groups; also from each later group on, since another number may stand before. */
export function groupedIn(text: string): string[] {
  const found: string[] = [];
  for (const [run] of text.matchAll(GROUPED)) {
    const groups = run.split(/[ -]/);
    for (let first = 0; first + 2 < groups.length; first++) found.push(groups.slice(first).join(''));
  }
  return found;
}

const [SHORTEST_CODE, LONGEST_CODE] = [16, 4096];
const CODES = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(code))),
);
const READABLE = /^[\t\n\r\u0020-\u007e\u00a0-\uffff]{4,}$/;
const MOST_CODES = 64;

/** What percent signs and base64 hide, one level deep. */
export function decodedIn(text: string): string[] {
  const found: string[] = [];
  if (/%[0-9a-f]{2}/i.test(text)) {
    const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    });
    if (decoded !== text) found.push(decoded);
  }
  let count = 0;
  for (const code of codesIn(text)) {
    if (++count > MOST_CODES) break;
    if (!/\d|[A-Z].*[a-z]|[a-z].*[A-Z]/.test(code)) continue;
    const decoded = fromCode(code);
    if (decoded !== null) found.push(decoded);
  }
  return found;
}

/** Runs of characters of base64; a regular expression would try a short run again from each of its characters. */
function* codesIn(text: string): Generator<string> {
  for (let from = 0, at = 0; at <= text.length; at++) {
    if (at - from < LONGEST_CODE && CODES[text.charCodeAt(at)] === 1) continue;
    if (at - from >= SHORTEST_CODE) yield text.slice(from, at);
    from = CODES[text.charCodeAt(at)] === 1 ? at : at + 1;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function fromCode(code: string): string | null {
  try {
    const text = UTF8.decode(fromBase64(code));
    return READABLE.test(text) ? text : null;
  } catch {
    return null;
  }
}
