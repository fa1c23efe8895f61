/**
 * Reads "name, operator, value" around a place in a text, in whatever notation: environment files, JSON and YAML, headers,
 * flags, queries, XML, code of many languages, and any of these inside a JSON string. It does not know the language; it
 * looks at a bounded stretch and says what would be the value.
 */
import { endsEscape, isAlphanumeric } from './boundaries.ts';
import type { Setting } from './judge-value.ts';
import { kindOfName } from './names.ts';

export interface Name {
  /** With the words before it that belong to it: `Secret Access Key`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Candidate {
  readonly start: number;
  /** Not further than `READ` beyond the start; `extend` finds the real end. */
  readonly end: number;
  readonly setting: Setting;
  /** It may be prose or an argument of some function: only a value that is clearly no word counts. */
  readonly doubtful: boolean;
  /** What ends it, for `extend`. */
  readonly close: string | null;
}

const NAME_LENGTH = 64;
/** How much of a value is read before it is judged. */
const READ = 300;
/** How long a value can be. */
const LONGEST = 20_000;
const MOST_SPACES = 40;

export function nameAt(text: string, at: number): Name {
  let start = at;
  while (start > 0 && at - start < NAME_LENGTH && isNameCode(text.charCodeAt(start - 1))) start--;
  if (start > 0 && text[start - 1] === '\\' && start < at && 'nrt'.includes(text[start]!)) start++;
  let end = at;
  while (end < text.length && end - at < NAME_LENGTH && isNameCode(text.charCodeAt(end))) end++;
  while (end > at && '.-$'.includes(text[end - 1]!)) end--;
  return { text: spacedHead(text, start) + text.slice(start, end), start, end };
}

function isNameCode(code: number): boolean {
  // _ $ . - beside letters and digits
  return isAlphanumeric(code) || code === 0x5f || code === 0x24 || code === 0x2e || code === 0x2d;
}

/** `Secret Access Key`: the words before belong to the name if one space parts each from the next. */
function spacedHead(text: string, start: number): string {
  if (text[start - 1] !== ' ') return '';
  return /(?:[A-Za-z]{1,12} ){1,2}$/.exec(text.slice(Math.max(0, start - 26), start))?.[0] ?? '';
}

/** The values that the name may have been given, the likeliest first. Empty if nothing is assigned here. */
export function candidatesFor(text: string, name: Name): readonly Candidate[] {
  const closed = skipClosers(text, name.end);
  const typed = typedValue(text, name.end);
  if (typed !== -1) return valuesAt(text, typed, '=', false);
  const paired = pairedValue(text, name.start, closed.at);
  if (paired !== -1) return valuesAt(text, paired, ':', false);
  const operator = operatorAt(text, name, closed.at, closed.quoted);
  if (operator === null) return [];
  const literal = operator.kind === '=' && !operator.spaced && onlyLiteralsAt(text, name);
  // `password "x"` may be prose, `PASSWORD "x"` and `storePassword "x"` are not.
  const kind =
    operator.kind === ' "' && !/^[A-Z]?[a-z]+$/.test(text.slice(name.start, name.end)) ? ':' : operator.kind;
  return valuesAt(text, operator.end, kind, literal);
}

/** The end of a value of which `READ` characters were judged. */
export function extend(text: string, { start, end, close }: Candidate): number {
  if (end - start < READ) return end;
  const limit = Math.min(text.length, start + LONGEST);
  let at = end;
  if (close === null) while (at < limit && !isValueEnd(text.charCodeAt(at))) at++;
  else {
    const found = text.slice(at, limit).indexOf(close);
    at = found === -1 ? limit : at + found;
  }
  return at;
}

const QUOTES = '"\'`';

/** What closes a name: `"token"`, `["token"]`, `('token')`, `\"token\"`. */
function skipClosers(text: string, end: number): { at: number; quoted: boolean } {
  let at = end;
  let quoted = false;
  for (; at < end + 6; at++) {
    const char = text[at];
    if (char === undefined) break;
    if (QUOTES.includes(char)) quoted = true;
    else if (
      char === '\\' ? !QUOTES.includes(text[at + 1] ?? ' ') && text[at + 1] !== '\\' : !'])'.includes(char)
    )
      break;
  }
  return { at, quoted };
}

/** `password: string = "…"`, `password string = "…"`, `token: Option<String> = "…"`. */
const TYPED =
  /\s{0,3}:?\s{0,3}&?[A-Za-z_][\w.]{0,40}(?:<[^<>\n]{0,40}>)?(?:\[\])?\??\s{0,4}=\s{0,4}(?=["'`])/y;

function typedValue(text: string, end: number): number {
  const next = text.charCodeAt(end);
  if (next !== 0x3a && next !== 0x20) return -1;
  TYPED.lastIndex = end;
  return TYPED.test(text) ? TYPED.lastIndex : -1;
}

/** `{"name": "API_KEY", "value": "…"}` and the same as YAML, HTML and Terraform write it. */
const CALLED =
  /\b(?:name|key|variable|param|parameter|field|id|property)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?$/i;
const VALUE = /[\s,]{0,40}\\{0,3}["']?(?:value|content|val|stringValue)\\{0,3}["']?\s{0,4}[:=]\s{0,4}/iy;

function pairedValue(text: string, start: number, closed: number): number {
  const next = text[closed];
  if (next === undefined || !' ,\n\r\t'.includes(next)) return -1;
  VALUE.lastIndex = closed;
  if (!VALUE.test(text)) return -1;
  const end = VALUE.lastIndex;
  return isCalled(text, start) ? end : -1;
}

function isCalled(text: string, start: number): boolean {
  return CALLED.test(text.slice(Math.max(0, start - 30), start));
}

interface Operator {
  readonly kind: '=' | ':' | ',' | '(' | '>' | 'is' | ' ' | ' "';
  readonly end: number;
  readonly spaced: boolean;
}

/** Spelled out, since `=` has many forms: `:=`, `=>`, `==`, `!=`, `?=`, `+=`, `.=`, `||=`, `??=`, `<-`, `->`, `:-`. */
const OPERATOR = /:{0,2}=[=>~]{0,2}|[?+.|^*]=|(?:\|\||\?\?)=|!={1,2}|<-|->|:-|:(?!:)/y;

function operatorAt(text: string, name: Name, from: number, quoted: boolean): Operator | null {
  let at = from;
  while (at - from < MOST_SPACES && (text[at] === ' ' || text[at] === '\t')) at++;
  const spaced = at > from;
  const char = text[at];
  if (char === undefined) return null;
  OPERATOR.lastIndex = at;
  if (OPERATOR.test(text)) {
    const end = OPERATOR.lastIndex;
    const kind = char === ':' && text[end - 1] !== '=' ? ':' : '=';
    return { kind, end, spaced: spaced || text[end] === ' ' || text[end] === '\t' };
  }
  if (char === ',' && quoted && isFirstArgument(text, name.start)) return { kind: ',', end: at + 1, spaced };
  if (char === '(' && !spaced && endsInSecret(name)) return { kind: '(', end: at + 1, spaced };
  if (char === '>' && (text[name.start - 1] === '<' || (quoted && isCalled(text, name.start))))
    return { kind: '>', end: at + 1, spaced };
  if (!spaced) return null;
  if (text.startsWith('is ', at) || text.startsWith('- ', at))
    return { kind: 'is', end: text.indexOf(' ', at) + 1, spaced };
  if (/^for /i.test(text.slice(at, at + 4))) return saidFor(text, at);
  if (text[name.start] === '-' || isFlagPrefix(text, name.start)) return { kind: ' ', end: at, spaced };
  if (isDirective(text, name)) return { kind: ' ', end: at, spaced };
  return QUOTES.includes(char) ? { kind: ' "', end: at, spaced } : null;
}

/** `password for the user elastic is: …` */
const SAID = /for [^\n:=]{1,60}?(?: is:?|:| =)\s{1,4}/iy;

function saidFor(text: string, at: number): Operator | null {
  SAID.lastIndex = at;
  return SAID.test(text) ? { kind: 'is', end: SAID.lastIndex, spaced: true } : null;
}

/** `setPassword("…")`, `builder.token("…")`, but not `token.endsWith("…")`. */
function endsInSecret({ text }: Name): boolean {
  return kindOfName(text.slice(text.lastIndexOf('.') + 1)) !== null;
}

/** `define("SECRET", "…")`; elsewhere a comma only parts the items of a list. */
function isFirstArgument(text: string, start: number): boolean {
  return /\(\s?\\{0,3}["'`]$/.test(text.slice(Math.max(0, start - 6), start));
}

/** Lines of a word and its value: `ENV API_TOKEN …` of a Dockerfile, `requirepass …` of Redis, `bindpw …` of LDAP. */
function isDirective(text: string, { start, end }: Name): boolean {
  const before = text.slice(Math.max(0, start - 5), start);
  if (/(?:^|\n)$|\\n$/.test(before))
    return /^(?:requirepass|masterauth|bindpw|rootpw)$/i.test(text.slice(start, end));
  return /(?:ENV|setx) $/.test(before);
}

function isFlagPrefix(text: string, start: number): boolean {
  return text[start - 1] === '-' || (text[start - 1] === '/' && /\s/.test(text[start - 2] ?? ''));
}

/**
 * Whether only a literal can stand behind `name=`: in an environment file or a shell, in a query, in a connection string, in
 * a flag. Elsewhere it may be an argument of a call, `password=password`.
 */
function onlyLiteralsAt(text: string, { start, end }: Name): boolean {
  const before = text[start - 1];
  if (before === undefined || ';&?"\'`|+-='.includes(before) || text[start] === '-') return true;
  if (!/[\s]/.test(before) && !endsEscape(text, start)) return false;
  return (
    /^[A-Z][A-Z0-9_]*$/.test(text.slice(start, end)) ||
    before === '\n' ||
    text.startsWith('export ', start - 7)
  );
}

function valuesAt(
  text: string,
  from: number,
  kind: Operator['kind'],
  literal: boolean,
): readonly Candidate[] {
  if (kind === '>') return elementAt(text, from);
  const at = skipSpace(text, from, kind);
  const doubtful = kind === 'is' || kind === '(' || kind === ' "';
  const quoted = quotedAt(text, at, doubtful);
  if (quoted !== null) return [quoted];
  if (kind === '(' || kind === ',' || kind === ' "') return [];
  const bare = bareAt(text, at, literal ? 'assigned' : 'bare', kind === 'is');
  // Behind a flag stands its value, or the next word of a sentence.
  if (kind === ' ' && /\d/.test(text.slice(bare.start, bare.end))) return [{ ...bare, setting: 'assigned' }];
  return literal ? [bare] : [bare, ...stringInstead(text, at)];
}

/** A value in quotes may stand on the next line. */
function skipSpace(text: string, from: number, kind: Operator['kind']): number {
  let at = from;
  while (at - from < MOST_SPACES && (text[at] === ' ' || text[at] === '\t')) at++;
  if (text[at] !== '\n' && text[at] !== '\r') return at;
  if (kind === ' ' || kind === 'is') return at;
  let next = at;
  while (next - at < MOST_SPACES && /\s/.test(text[next] ?? 'x')) next++;
  return QUOTES.includes(text[next] ?? 'x') ? next : at;
}

/** A mark of the language before the quote, or one call around it: `b"…"`, `SecretStr("…")`. */
const OPENING = /(?:[bBrRuULfF@$]{1,2}(?=["']))?(\\{0,7})(["'`])/y;
const CALL = /(?:new )?[\w.:]{1,40}\(\s{0,4}(?=\\{0,7}["'])/y;

function quotedAt(text: string, from: number, doubtful: boolean): Candidate | null {
  CALL.lastIndex = from;
  const inCall = isCallStart(text.charCodeAt(from)) && CALL.test(text);
  OPENING.lastIndex = inCall ? CALL.lastIndex : from;
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

function isCallStart(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f;
}

/** Where the string ends; the end of the line or of what is read if it is not closed. */
function closingAt(text: string, start: number, close: string): number {
  const limit = Math.min(text.length, start + READ);
  const quote = close.at(-1)!;
  let escapes = 0;
  for (let at = start; at < limit; at++) {
    const char = text[at]!;
    if (char === '\\') {
      escapes++;
      continue;
    }
    // Inside a JSON string the quote that closes has as many backslashes as the one that opened; outside an even number.
    if (char === quote && (close.length === 1 ? escapes % 2 === 0 : escapes === close.length - 1)) {
      return at - (close.length - 1);
    }
    if (char === '\n' && quote !== '`') return at;
    escapes = 0;
  }
  return limit;
}

function bareAt(text: string, start: number, setting: Setting, doubtful: boolean): Candidate {
  const limit = Math.min(text.length, start + READ);
  let end = start;
  while (end < limit && !isValueEnd(text.charCodeAt(end))) end++;
  // The end of a sentence is no part of it.
  if (setting === 'bare' && end < limit) while (end > start && '.:!?'.includes(text[end - 1]!)) end--;
  return { start, end, setting, doubtful, close: null };
}

/** White space, quotes, brackets that close, and what parts one value from the next. */
function isValueEnd(code: number): boolean {
  if (code <= 32 || code > 126) return true;
  return VALUE_ENDS.includes(String.fromCharCode(code));
}

const VALUE_ENDS = '"\'`<>,;)}]|&\\';

/** Up to its closing tag; without one it is no element. */
function elementAt(text: string, from: number): readonly Candidate[] {
  let start = from;
  while (start - from < MOST_SPACES && /\s/.test(text[start] ?? 'x')) start++;
  const limit = Math.min(text.length, start + READ);
  const close = text.slice(start, limit).indexOf('</');
  if (close === -1) return [];
  let end = start + close;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  return [{ start, end, setting: 'quoted', doubtful: false, close: null }];
}

/** What stands before the value to use if there is no other: `process.env.TOKEN || "…"`, `getenv("TOKEN", "…")`. */
const INSTEAD =
  /(?:\|\||\?\?|\?:|\bor|(?:env|get|fetch|default|getOrDefault)\(\s?["'][^"'\n]{1,60}["']\s?,)\s{0,3}["'`]/;

function stringInstead(text: string, from: number): Candidate[] {
  const stretch = text.slice(from, from + 120);
  const found = INSTEAD.exec(stretch);
  if (found === null || stretch.lastIndexOf('\n', found.index) !== -1) return [];
  const start = from + found.index + found[0].length;
  const close = text[start - 1]!;
  return [{ start, end: closingAt(text, start, close), setting: 'quoted', doubtful: true, close }];
}
