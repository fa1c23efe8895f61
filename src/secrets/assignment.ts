/**
 * Reads "name, operator, value" around a place in a text, in whatever notation: environment files, JSON and YAML, headers,
 * flags, queries, XML, code of many languages, and any of these inside a JSON string. It does not know the language; it
 * looks at a bounded stretch and says what would be the value.
 */
import { bareValue, type Candidate, elementValue, QUOTES, quotedValue } from './assigned-value.ts';
import { endsEscape, isAlphanumeric } from './boundaries.ts';
import { kindOfName } from './names.ts';

const NAME_LENGTH = 64;
const MOST_SPACES = 40;

export function nameStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < NAME_LENGTH && isNameCode(text.charCodeAt(start - 1))) start--;
  return start > 0 && start < at && text[start - 1] === '\\' && 'nrt'.includes(text[start]!)
    ? start + 1
    : start;
}

export function nameEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && end - at < NAME_LENGTH && isNameCode(text.charCodeAt(end))) end++;
  while (end > at + 1 && '.-$'.includes(text[end - 1]!)) end--;
  return end;
}

/** With the words before it that belong to it: `Secret Access Key`. */
export function nameText(text: string, start: number, end: number): string {
  const name = text.slice(start, end);
  if (text[start - 1] !== ' ') return name;
  const head = SPACED_HEAD.exec(text.slice(Math.max(0, start - 26), start))?.[0] ?? '';
  return head + name;
}

/** One space parts each word from the next. What declares a variable is no part of its name. */
const SPACED_HEAD =
  /(?:\b(?!(?:const|let|var|val|def|final|static|export|set|the|string|char|auto|echo|is|no)\b)[A-Za-z]{1,12} ){1,2}$/i;

function isNameCode(code: number): boolean {
  // _ $ . - beside letters and digits
  return isAlphanumeric(code) || code === 0x5f || code === 0x24 || code === 0x2e || code === 0x2d;
}

const NONE: readonly Candidate[] = [];

/** The value that the name may have been given. Empty if nothing is assigned here, as nearly everywhere. */
export function candidatesFor(text: string, start: number, end: number): readonly Candidate[] {
  const closed = skipClosers(text, end);
  const next = text.charCodeAt(closed);
  if (!canFollow(next)) return NONE;
  const typed = typedValue(text, end);
  if (typed !== -1) return listed(quotedValue(text, typed, false));
  const paired = pairedValue(text, start, closed);
  if (paired !== -1) return valueAt(text, start, end, { kind: ':', end: paired, spaced: true });
  const operator = operatorAt(text, start, end, closed);
  return operator === null ? NONE : valueAt(text, start, end, operator);
}

/** White space, an operator, a comma, a bracket. Most names are followed by something else, and that is soon known. */
function canFollow(code: number): boolean {
  return code < 128 && FOLLOWERS[code] === 1;
}

const FOLLOWERS = new Uint8Array(128);
for (const char of ' \t\r\n:=?+.|^*!<>-,(') FOLLOWERS[char.charCodeAt(0)] = 1;

function listed(candidate: Candidate | null): readonly Candidate[] {
  return candidate === null ? NONE : [candidate];
}

/** What closes a name: `"token"`, `["token"]`, `('token')`, `\"token\"`. */
function skipClosers(text: string, end: number): number {
  let at = end;
  while (at < end + 6) {
    const char = text[at];
    if (char === undefined) break;
    const isEscape = char === '\\' && (text[at + 1] === '\\' || QUOTES.includes(text[at + 1] ?? ' '));
    if (!isEscape && !QUOTES.includes(char) && char !== ']' && char !== ')') break;
    at++;
  }
  return at;
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
const VALUE = /[\s,]{1,40}\\{0,3}["']?(?:value|content|val|stringValue)\\{0,3}["']?\s{0,4}[:=]\s{0,4}/iy;

function pairedValue(text: string, start: number, closed: number): number {
  if (!isCalled(text, start)) return -1;
  VALUE.lastIndex = closed;
  return VALUE.test(text) ? VALUE.lastIndex : -1;
}

/** Whether `name=` or `key:` stands before the name. */
function isCalled(text: string, start: number): boolean {
  let at = start - 1;
  while (start - at < 8 && ' "\'\\'.includes(text[at] ?? 'x')) at--;
  if (text[at] !== ':' && text[at] !== '=') return false;
  return CALLED.test(text.slice(Math.max(0, start - 30), start));
}

interface Operator {
  readonly kind: '=' | ':' | ',' | '(' | '>' | 'is' | ' ' | ' "';
  readonly end: number;
  readonly spaced: boolean;
}

/** Spelled out, since `=` has many forms: `:=`, `=>`, `==`, `!=`, `?=`, `+=`, `.=`, `||=`, `??=`, `<-`, `->`, `:-`. */
const OPERATOR = /:{0,2}=[=>~]{0,2}|[?+.|^*]=|(?:\|\||\?\?)=|!={1,2}|<-|->|:-|:(?!:)/y;

function operatorAt(text: string, start: number, end: number, from: number): Operator | null {
  const at = skipBlanks(text, from);
  const spaced = at > from;
  const char = text[at];
  if (char === undefined) return null;
  OPERATOR.lastIndex = at;
  if (OPERATOR.test(text)) {
    const behind = OPERATOR.lastIndex;
    const kind = char === ':' && text[behind - 1] !== '=' ? ':' : '=';
    return { kind, end: behind, spaced: spaced || text[behind] === ' ' || text[behind] === '\t' };
  }
  if (spaced) return proseOperatorAt(text, start, end, at);
  const quoted = from > end;
  if (char === ',' && quoted && isFirstArgument(text, start)) return { kind: ',', end: at + 1, spaced };
  if (char === '(' && endsInSecret(text.slice(start, end))) return { kind: '(', end: at + 1, spaced };
  if (char === '>' && (text[start - 1] === '<' || (quoted && isCalled(text, start))))
    return { kind: '>', end: at + 1, spaced };
  return null;
}

/** Without a sign between name and value: prose, flags, lines of a word and its value, SQL. */
function proseOperatorAt(text: string, start: number, end: number, at: number): Operator | null {
  PROSE_OPERATOR.lastIndex = at;
  if (PROSE_OPERATOR.test(text)) return { kind: 'is', end: PROSE_OPERATOR.lastIndex, spaced: true };
  if (isFlag(text, start) || isDirective(text, start, end)) return { kind: ' ', end: at, spaced: true };
  return QUOTES.includes(text[at]!) ? { kind: ' "', end: at, spaced: true } : null;
}

/** `password is …`, `token - …`, `env.TOKEN || …`, `password for the user elastic is: …` */
const PROSE_OPERATOR = /(?:is|-|\|\||\?\?) |or (?=["'])|for [^\n:=]{1,60}?(?: is:?|:| =)\s{1,4}/iy;

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at - from < MOST_SPACES && (text[at] === ' ' || text[at] === '\t')) at++;
  return at;
}

/** `setPassword("…")`, `builder.token("…")`, but not `token.endsWith("…")`. */
function endsInSecret(name: string): boolean {
  return kindOfName(name.slice(name.lastIndexOf('.') + 1)) !== null;
}

/** `define("SECRET", "…")`; elsewhere a comma only parts the items of a list. */
function isFirstArgument(text: string, start: number): boolean {
  return /\(\s?\\{0,3}["'`]$/.test(text.slice(Math.max(0, start - 6), start));
}

/** Lines of a word and its value: `ENV API_TOKEN …` of a Dockerfile, `requirepass …` of Redis, `bindpw …` of LDAP. */
function isDirective(text: string, start: number, end: number): boolean {
  if (beginsLine(text, start))
    return /^(?:requirepass|masterauth|bindpw|rootpw)$/i.test(text.slice(start, end));
  return text.startsWith('ENV ', start - 4) || text.startsWith('setx ', start - 5);
}

function beginsLine(text: string, start: number): boolean {
  return start === 0 || text[start - 1] === '\n' || (text[start - 1] === 'n' && text[start - 2] === '\\');
}

function isFlag(text: string, start: number): boolean {
  const before = text[start - 1];
  return text[start] === '-' || before === '-' || (before === '/' && /\s/.test(text[start - 2] ?? ''));
}

function valueAt(text: string, start: number, end: number, operator: Operator): readonly Candidate[] {
  const { kind } = operator;
  if (kind === '>') return listed(elementValue(text, operator.end));
  const at = skipBlanks(text, operator.end);
  // `password "x"` may be prose, `PASSWORD "x"` and `storePassword "x"` are not.
  const isProse = kind === ' "' && /^[A-Z]?[a-z]+$/.test(text.slice(start, end));
  const doubtful = kind === 'is' || kind === '(' || isProse;
  const quoted = quotedValue(text, at, doubtful);
  if (quoted !== null) return [quoted];
  if (kind === '(' || kind === ',' || kind === ' "') return NONE;
  const literal = kind === '=' && !operator.spaced && onlyLiteralsAt(text, start, end);
  const bare = bareValue(text, at, literal ? 'assigned' : 'bare', literal && ownsLine(text, start, end));
  // Behind a flag stands its value, or the next word of a sentence.
  if (kind === ' ' && /\d/.test(text.slice(bare.start, bare.end))) return [{ ...bare, setting: 'assigned' }];
  return [kind === 'is' ? { ...bare, doubtful: true } : bare];
}

/**
 * Whether only a literal can stand behind `name=`: in an environment file or a shell, in a query, in a connection string, in
 * a flag. Elsewhere it may be an argument of a call, `password=password`.
 */
function onlyLiteralsAt(text: string, start: number, end: number): boolean {
  const before = text[start - 1];
  if (before === undefined || ';&?"\'`|+-='.includes(before) || text[start] === '-') return true;
  if (!/\s/.test(before) && !endsEscape(text, start)) return false;
  return before === '\n' || isVariable(text, start, end) || text.startsWith('export ', start - 7);
}

function isVariable(text: string, start: number, end: number): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(text.slice(start, end));
}

/** A line of an environment file, where a value may hold what separates elsewhere. */
function ownsLine(text: string, start: number, end: number): boolean {
  if (!isVariable(text, start, end)) return false;
  return beginsLine(text, start) || (text.startsWith('export ', start - 7) && beginsLine(text, start - 7));
}
