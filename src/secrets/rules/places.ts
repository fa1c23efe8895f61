/**
 * Secrets told by what stands around them: credentials in addresses, headers, cookies, calls and statements. Each looks at a
 * bounded stretch.
 */
import { isCredentialPair } from '../credential-pair.ts';
import { isSecretValue } from '../judge-value.ts';
import { lastGroup } from '../pattern-look.ts';
import { isPlaceholder } from '../placeholders.ts';
import { looksRandom } from '../randomness.ts';
import { NOTHING, type PlaceRule, type Span } from '../rule.ts';

const SECURE_STRING =
  /securestring\s{1,4}(?:-string\s{1,4}|-asplaintext\s{1,4}|-force\s{1,4}){0,3}(["'])([^"'\n]{4,200})(?=\1)/iy;
const OPENSSL = /-pass(?:in|out)?\s{1,4}["']?pass:([^\s"']{3,200})/iy;

export const PLACE_RULES: readonly PlaceRule[] = [
  {
    id: 'url-credentials',
    what: 'Password or token in an address',
    keywords: ['://'],
    look: urlCredentials,
  },
  {
    id: 'authorization',
    what: 'Value of an authorization header',
    keywords: ['authorization'],
    look: authorization,
  },
  { id: 'bearer-token', what: 'Bearer token', keywords: ['bearer '], look: bearer },
  { id: 'cookie', what: 'Value of a cookie', keywords: ['cookie:'], look: cookies },
  {
    id: 'credential-pair',
    what: 'Password behind a user name, as arguments of a call',
    keywords: [
      'auth(',
      'auth=(',
      'credential(',
      'credentials(',
      'mysqli(',
      'mysql_connect(',
      'mysqli_connect(',
      'pymysql.connect(',
    ],
    look: credentialPair,
  },
  {
    id: 'sql-password',
    what: 'Password in SQL',
    keywords: ['identified by', 'identified with'],
    look: sqlPassword,
  },
  {
    id: 'secure-string',
    what: 'Password in PowerShell',
    keywords: ['securestring'],
    look: lastGroup(SECURE_STRING),
  },
  {
    id: 'openssl-password',
    what: 'Password given to openssl',
    keywords: ['-passin', '-passout', '-pass '],
    look: lastGroup(OPENSSL),
  },
];

/** How far an address is read for its `@`. */
const AUTHORITY = 300;

function urlCredentials(text: string, at: number): readonly Span[] {
  const start = at + 3;
  const limit = Math.min(text.length, start + AUTHORITY);
  let colon = -1;
  let sign = -1;
  for (let place = start; place < limit; place++) {
    const code = text.charCodeAt(place);
    // Ends of an authority: / white space " ' < > ` \ and what is not ASCII.
    if (code <= 32 || code > 126 || '/"\'<>`\\?#'.includes(text[place]!)) {
      // A password may hold ? and #, though it should not; a slash never.
      if ((code !== 0x3f && code !== 0x23) || colon === -1) break;
    }
    if (code === 0x3a && colon === -1) colon = place;
    if (code === 0x40) sign = place;
  }
  if (sign === -1) return NOTHING;
  if (colon === -1 || colon > sign)
    return PUBLIC_DSN.test(text.slice(sign, sign + 12)) ? NOTHING : tokenAsUser(text, start, sign);
  const user = text.slice(start, colon);
  const password = text.slice(colon + 1, sign);
  if (password === '' || password === 'x-oauth-basic') return tokenAsUser(text, start, colon);
  return isUrlPassword(user, password) ? [[colon + 1, sign]] : NOTHING;
}

/** Behind it stands the address of an error tracker, whose keys are meant to be seen. */
const PUBLIC_DSN = /^@(?:o\d+\.|sentry)/;

/** What people write who mean no one's password: the user's name again, or a word for what stands there. */
function isUrlPassword(user: string, password: string): boolean {
  if (password.length < 4 || password.toLowerCase() === user.toLowerCase() || isPlaceholder(password))
    return false;
  return (
    !/^(?:pass(?:word|wd)?\W?.{0,8}|pw|pwd|secret|token|p|passwort)$/i.test(password) &&
    !/[{}<>$]\w*[}>]?$/.test(password.slice(0, 1))
  );
}

/** `https://TOKEN@host`. */
function tokenAsUser(text: string, start: number, end: number): readonly Span[] {
  const user = text.slice(start, end);
  return user.length >= 20 && !isPlaceholder(user) && looksRandom(user) ? [[start, end]] : NOTHING;
}

const AUTHORIZATION =
  /authorization\\{0,3}["'`\]]{0,2}\s{0,4}[:=,(>]{1,2}\s{0,4}(?:[bf](?=["']))?\\{0,3}["'`]?\s{0,4}(?:(bearer|basic|token|apikey|api-key|key|digest|negotiate|bot|splunk|ssws|oauth|signature|hmac|aws4-hmac-sha256)[ :=]{1,3}(?:token=|apikey=)?["']?)?([^\s"'`\\,;<>]{4,400})/iy;

function authorization(text: string, at: number): readonly Span[] {
  AUTHORIZATION.lastIndex = at;
  const found = AUTHORIZATION.exec(text);
  if (found === null) return NOTHING;
  const [, scheme = '', value] = found;
  const end = AUTHORIZATION.lastIndex;
  const start = end - value!.length;
  if (/^aws4/i.test(scheme)) return signatureAfter(text, start);
  return isHeaderValue(scheme.toLowerCase(), value!) ? [[start, tokenEnd(text, end)]] : NOTHING;
}

function isHeaderValue(scheme: string, value: string): boolean {
  if (isPlaceholder(value) || /[({[]/.test(value[0]!)) return false;
  if (scheme === 'basic') return isCredentialPair(value) ?? looksRandom(value);
  if (scheme === '') return value.length >= 16 && isSecretValue('secret', value, 'bare');
  return value.length >= 8 && isSecretValue('secret', value, 'assigned');
}

const SIGNATURE = /Signature=([0-9a-f]{64})/;

function signatureAfter(text: string, from: number): readonly Span[] {
  const found = SIGNATURE.exec(text.slice(from, from + 600));
  return found === null ? NOTHING : [[from + found.index + 10, from + found.index + 74]];
}

const BEARER = /bearer\s{1,3}\\?["']?([A-Za-z0-9._~+/=|:-]{12,400})/iy;

function bearer(text: string, at: number): readonly Span[] {
  BEARER.lastIndex = at;
  const found = BEARER.exec(text);
  if (found === null) return NOTHING;
  const value = found[1]!;
  const end = BEARER.lastIndex;
  return isSecretValue('secret', value, 'bare') ? [[end - value.length, tokenEnd(text, end)]] : NOTHING;
}

const TOKEN_REST = /[A-Za-z0-9._~+/=|:-]*/y;

/** Where a token ends of which the beginning was judged. */
function tokenEnd(text: string, from: number): number {
  TOKEN_REST.lastIndex = from;
  TOKEN_REST.test(text);
  return TOKEN_REST.lastIndex;
}

const COOKIE_LINE = 3000;
const COOKIE = /([\w.%-]{1,60})=([^\s;,"'\\]{8,})/g;
/** Attributes, and what sites count visitors with. */
const NO_SESSION =
  /^(?:path|domain|expires|max-age|samesite|version|comment|_ga\w*|_gid|_fbp|_gcl\w*|theme|lang|locale)$/i;

/** The first keyword of a line has read the line already. */
function isSecondOnLine(text: string, at: number, keyword: string): boolean {
  const before = text.slice(Math.max(0, at - 500), at);
  return before.lastIndexOf(keyword) > before.lastIndexOf('\n');
}

function cookies(text: string, at: number): readonly Span[] {
  if (isSecondOnLine(text, at, 'ookie:')) return NOTHING;
  const [line] = text.slice(at, at + COOKIE_LINE).split('\n', 1);
  const spans: Span[] = [];
  for (const found of line!.matchAll(COOKIE)) {
    const [whole, name, value] = found;
    if (NO_SESSION.test(name!) || isPlaceholder(value!) || !(value!.length >= 12 && looksRandom(value!)))
      continue;
    const start = at + found.index + whole.length - value!.length;
    spans.push([start, start + value!.length]);
  }
  return spans;
}

/** The last of two or three strings: user and password, or host, user and password. */
const PAIR =
  /[\w.]{1,20}=?\(\s{0,4}(?:"[^"\n]{1,80}"|'[^'\n]{1,80}')\s{0,4},\s{0,4}(?:"([^"\n]{4,100})"|'([^'\n]{4,100})')(?:\s{0,4},\s{0,4}(?:"([^"\n]{4,100})"|'([^'\n]{4,100})'))?/y;

function credentialPair(text: string, at: number): readonly Span[] {
  PAIR.lastIndex = at;
  const found = PAIR.exec(text);
  if (found === null) return NOTHING;
  const last = found[3] ?? found[4] ?? found[1] ?? found[2]!;
  if (!isSecretValue('password', last, 'quoted') || !/[\d\W]/.test(last)) return NOTHING;
  const end = PAIR.lastIndex - 1;
  return [[end - last.length, end]];
}

const IDENTIFIED = /identified (?:by|with \w{1,40} (?:by|as)) (?:password )?\\?(["'])([^"'\\\s]{3,200})/iy;

function sqlPassword(text: string, at: number): readonly Span[] {
  IDENTIFIED.lastIndex = at;
  const found = IDENTIFIED.exec(text);
  if (found === null || isPlaceholder(found[2]!)) return NOTHING;
  if (!/\b(?:user|role|to|login)\b/i.test(text.slice(Math.max(0, at - 120), at))) return NOTHING;
  return [[IDENTIFIED.lastIndex - found[2]!.length, IDENTIFIED.lastIndex]];
}
