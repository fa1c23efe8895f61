/**
 * Secrets told by what stands around them: credentials in addresses and headers, key blocks, cookies, files of credentials.
 * Each looks at a bounded stretch; where it looks further, what it has read becomes part of what it found.
 */
import { isAlphanumeric } from '../boundaries.ts';
import { isSecretValue } from '../judge-value.ts';
import { isPlaceholder } from '../placeholders.ts';
import { looksRandom } from '../randomness.ts';
import { NOTHING, type PlaceRule, type Span } from '../rule.ts';
import { compileShape } from '../shape.ts';

export const PLACE_RULES: readonly PlaceRule[] = [
  {
    id: 'url-credentials',
    what: 'Password or token in an address',
    keywords: ['://'],
    look: urlCredentials,
  },
  {
    id: 'private-key',
    what: 'Private key in PEM, OpenSSH or PGP form',
    keywords: ['-----begin '],
    look: privateKey,
  },
  {
    id: 'putty-key',
    what: 'Private key of PuTTY',
    keywords: ['private-lines:'],
    look: puttyKey,
  },
  { id: 'jwt', what: 'Signed or encrypted web token', keywords: ['eyJ'], look: webToken },
  {
    id: 'authorization',
    what: 'Value of an authorization header',
    keywords: ['authorization'],
    look: authorization,
  },
  { id: 'bearer-token', what: 'Bearer token', keywords: ['bearer '], look: bearer },
  { id: 'cookie', what: 'Value of a cookie', keywords: ['cookie:'], look: cookies },
  { id: 'netrc', what: 'Password in a netrc file', keywords: ['machine '], look: netrc },
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
  { id: 'kaggle-key', what: 'Kaggle API key', keywords: ['"username"'], look: kaggleKey },
  {
    id: 'device-password',
    what: 'Password in the configuration of a network device',
    keywords: ['password 7 ', 'password 5 ', 'secret 5 ', 'secret 8 ', 'secret 9 '],
    look: devicePassword,
  },
  { id: 'pgpass', what: 'Password in a pgpass file', keywords: [':5432:'], look: pgpass },
  { id: 'jwk', what: 'Private part of a JSON web key', keywords: ['"kty"'], look: webKey },
  {
    id: 'sql-password',
    what: 'Password in SQL',
    keywords: ['identified by', 'identified with'],
    look: sqlPassword,
  },
  { id: 'secure-string', what: 'Password in PowerShell', keywords: ['securestring'], look: secureString },
  {
    id: 'registry-auth',
    what: 'User and password in base64',
    keywords: ['auth"', 'auth='],
    look: registryAuth,
  },
  {
    id: 'openssl-password',
    what: 'Password given to openssl',
    keywords: ['-passin', '-passout', '-pass '],
    look: opensslPassword,
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

const PRIVATE =
  /(?:-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----|-----BEGIN OpenVPN Static key V1-----)/iy;
const KEY_END = /-----END [A-Z0-9 ]{0,40}(?:KEY|key V1)(?: BLOCK)?-----/iy;

/** To its end; if it was cut off, as far as what follows is clearly part of it. */
function privateKey(text: string, at: number): readonly Span[] {
  PRIVATE.lastIndex = at;
  if (!PRIVATE.test(text)) return NOTHING;
  const body = PRIVATE.lastIndex;
  const end = closedKey(text, body) ?? cutKey(text, body);
  return looksLikeKeyBody(text.slice(body, Math.min(end, body + 200))) ? [[at, end]] : NOTHING;
}

/** base64, white space, and what headers, escapes and quotes around the lines of a key are written with. */
const KEY_BODY = /[\w\s+/=\\:,."'#>|*()-]/;

function closedKey(text: string, body: number): number | null {
  for (let at = body; at < text.length && KEY_BODY.test(text[at]!); at++) {
    if (text[at] !== '-') continue;
    if (text.startsWith('-----BEGIN ', at)) return null;
    KEY_END.lastIndex = at;
    if (KEY_END.test(text)) return KEY_END.lastIndex;
  }
  return null;
}

/** Lines of base64, each with what parts it from the next. */
const KEY_LINES =
  /(?:(?:\\[nr]|[\s"'+,#>|-]){1,12}(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,80}|[A-Za-z0-9+/=]{16,}))/y;

function cutKey(text: string, body: number): number {
  let end = body;
  for (;;) {
    KEY_LINES.lastIndex = end;
    if (!KEY_LINES.test(text)) return end;
    end = KEY_LINES.lastIndex;
  }
}

/** `…` and `<your key>` are none. */
function looksLikeKeyBody(inside: string): boolean {
  const body = inside.replace(/-----END[\s\S]*/, '').replace(/\\[nr]|\s/g, '');
  if (!/[A-Za-z0-9+/]{24}/.test(body) && !/^[A-Za-z0-9+/=]{4,}$/.test(body)) return false;
  return !/^[\s\\n]*(?:\.{3}|x{4})/i.test(inside) && !/your|example|redacted|placeholder/i.test(inside);
}

const PUTTY = /Private-Lines: [0-9]{1,3}\s{1,4}(?:[A-Za-z0-9+/=]{4,80}\s{1,4}){1,120}/iy;

function puttyKey(text: string, at: number): readonly Span[] {
  PUTTY.lastIndex = at;
  return PUTTY.test(text) ? [[at + 'Private-Lines: '.length, PUTTY.lastIndex]] : NOTHING;
}

const SIGNED = compileShape(
  'eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{0,}\\.[A-Za-z0-9_-]{8,}(\\.[A-Za-z0-9_-]{8,}){0,2}',
);

function webToken(text: string, at: number): readonly Span[] {
  const before = at === 0 ? 0 : text.charCodeAt(at - 1);
  // A run of the same characters was read from its beginning; then this is not it.
  if ((isAlphanumeric(before) && !followsEscape(text, at)) || before === 0x5f || before === 0x2d)
    return NOTHING;
  const end = SIGNED.match(text, at);
  if (end === -1 || end - at < 36 || isPlaceholder(text.slice(at + 3, Math.min(end, at + 100))))
    return NOTHING;
  return [[at, end]];
}

function followsEscape(text: string, at: number): boolean {
  return (text[at - 2] === '\\' && 'nrt'.includes(text[at - 1]!)) || text[at - 3] === '%';
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
  if (/^aws4/i.test(scheme)) return signatureBehind(text, start);
  return isHeaderValue(scheme.toLowerCase(), value!) ? [[start, tokenEnd(text, end)]] : NOTHING;
}

function isHeaderValue(scheme: string, value: string): boolean {
  if (isPlaceholder(value) || /[({[]/.test(value[0]!)) return false;
  if (scheme === 'basic') return isCredentialPair(value) ?? looksRandom(value);
  if (scheme === '') return value.length >= 16 && isSecretValue('secret', value, 'bare');
  return value.length >= 8 && isSecretValue('secret', value, 'assigned');
}

const SIGNATURE = /Signature=([0-9a-f]{64})/;

function signatureBehind(text: string, from: number): readonly Span[] {
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

const NETRC =
  /machine\s{1,4}\S{1,100}\s{1,12}(?:(?:login|user|account)\s{1,4}\S{1,100}\s{1,12}){0,2}(?:password|passwd)\s{1,4}([^\s"'{}]{3,300})(?=\s|$|\\n)/iy;

function netrc(text: string, at: number): readonly Span[] {
  NETRC.lastIndex = at;
  const found = NETRC.exec(text);
  if (found === null || isPlaceholder(found[1]!)) return NOTHING;
  return [[NETRC.lastIndex - found[1]!.length, NETRC.lastIndex]];
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

const KAGGLE = /"username"\s{0,4}:\s{0,4}"[^"\n]{1,60}"\s{0,4},\s{0,4}"key"\s{0,4}:\s{0,4}"([0-9a-f]{32})"/y;

function kaggleKey(text: string, at: number): readonly Span[] {
  KAGGLE.lastIndex = at;
  return KAGGLE.test(text) ? [[KAGGLE.lastIndex - 33, KAGGLE.lastIndex - 1]] : NOTHING;
}

const DEVICE = /(?:password|secret) [5789] ([^\s"']{8,200})/iy;

function devicePassword(text: string, at: number): readonly Span[] {
  DEVICE.lastIndex = at;
  const found = DEVICE.exec(text);
  if (found === null || isPlaceholder(found[1]!) || !/\d/.test(found[1]!)) return NOTHING;
  return [[DEVICE.lastIndex - found[1]!.length, DEVICE.lastIndex]];
}

const PGPASS = /:5432:[\w*-]{1,63}:[\w*.-]{1,63}:([^\s:"']{3,100})(?=\s|$)/y;

function pgpass(text: string, at: number): readonly Span[] {
  PGPASS.lastIndex = at;
  const found = PGPASS.exec(text);
  if (found === null || isPlaceholder(found[1]!)) return NOTHING;
  return [[PGPASS.lastIndex - found[1]!.length, PGPASS.lastIndex]];
}

const WEB_KEY_PART = /"(?:d|k|p|q|dp|dq|qi)"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{20,900})"/g;
const WEB_KEY = 4000;

function webKey(text: string, at: number): readonly Span[] {
  const before = text.slice(Math.max(0, at - 1000), at);
  const open = before.lastIndexOf('{') + 1;
  if (before.lastIndexOf('"kty"') >= open) return NOTHING;
  const from = at - before.length + open;
  const [stretch] = text.slice(from, from + WEB_KEY).split('}', 1);
  const spans: Span[] = [];
  for (const found of stretch!.matchAll(WEB_KEY_PART)) {
    const end = from + found.index + found[0].length - 1;
    spans.push([end - found[1]!.length, end]);
  }
  return spans;
}

const IDENTIFIED = /identified (?:by|with \w{1,40} (?:by|as)) (?:password )?\\?(["'])([^"'\\\s]{3,200})/iy;

function sqlPassword(text: string, at: number): readonly Span[] {
  IDENTIFIED.lastIndex = at;
  const found = IDENTIFIED.exec(text);
  if (found === null || isPlaceholder(found[2]!)) return NOTHING;
  if (!/\b(?:user|role|to|login)\b/i.test(text.slice(Math.max(0, at - 120), at))) return NOTHING;
  return [[IDENTIFIED.lastIndex - found[2]!.length, IDENTIFIED.lastIndex]];
}

const SECURE_STRING =
  /securestring\s{1,4}(?:-string\s{1,4}|-asplaintext\s{1,4}|-force\s{1,4}){0,3}(["'])([^"'\n]{4,200})\1/iy;

function secureString(text: string, at: number): readonly Span[] {
  SECURE_STRING.lastIndex = at;
  const found = SECURE_STRING.exec(text);
  if (found === null || isPlaceholder(found[2]!)) return NOTHING;
  const end = SECURE_STRING.lastIndex - 1;
  return [[end - found[2]!.length, end]];
}

const REGISTRY_AUTH = /auth\\?"?\s{0,4}[:=]\s{0,4}\\?"?([A-Za-z0-9+/]{8,400}={0,2})(?![A-Za-z0-9+/=])/iy;

function registryAuth(text: string, at: number): readonly Span[] {
  REGISTRY_AUTH.lastIndex = at;
  const found = REGISTRY_AUTH.exec(text);
  if (found === null || isCredentialPair(found[1]!) !== true) return NOTHING;
  return [[REGISTRY_AUTH.lastIndex - found[1]!.length, REGISTRY_AUTH.lastIndex]];
}

/** Whether it is a `user:password` in base64 that means someone; null if it is no such pair. */
function isCredentialPair(value: string): boolean | null {
  if (value.length < 8 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return null;
  const [, user, password] = /^([ -~]{1,100}?):([ -~]{1,1000})$/.exec(atob64(value)) ?? [];
  return user === undefined ? null : !isPlaceholder(password!);
}

function atob64(value: string): string {
  return Buffer.from(value, 'base64').toString('latin1');
}

const OPENSSL = /-pass(?:in|out)?\s{1,4}["']?pass:([^\s"']{3,200})/iy;

function opensslPassword(text: string, at: number): readonly Span[] {
  OPENSSL.lastIndex = at;
  const found = OPENSSL.exec(text);
  if (found === null || isPlaceholder(found[1]!)) return NOTHING;
  return [[OPENSSL.lastIndex - found[1]!.length, OPENSSL.lastIndex]];
}
