/**
 * Private keys in the forms they are kept and sent in, and signed tokens. A key may be of any length: what is read becomes part
 * of what is found, so that no text is read twice.
 */
import { isAlphanumeric } from '../boundaries.ts';
import { isPlaceholder } from '../placeholders.ts';
import { NOTHING, type PlaceRule, type Span } from '../rule.ts';
import { compileShape, type Shape } from '../shape.ts';

export const KEY_RULES: readonly PlaceRule[] = [
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
  { id: 'jwk', what: 'Private part of a JSON web key', keywords: ['"kty"'], look: webKey },
];

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

const SIGNED = 'eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{0,}\\.[A-Za-z0-9_-]{8,}(\\.[A-Za-z0-9_-]{8,}){0,2}';
let signed: Shape | null = null;

function webToken(text: string, at: number): readonly Span[] {
  const before = at === 0 ? 0 : text.charCodeAt(at - 1);
  // A run of the same characters was read from its beginning; then this is not it.
  if ((isAlphanumeric(before) && !followsEscape(text, at)) || before === 0x5f || before === 0x2d)
    return NOTHING;
  signed ??= compileShape(SIGNED);
  const end = signed.match(text, at);
  if (end === -1 || end - at < 36 || isPlaceholder(text.slice(at + 3, Math.min(end, at + 100))))
    return NOTHING;
  return [[at, end]];
}

function followsEscape(text: string, at: number): boolean {
  return (text[at - 2] === '\\' && 'nrt'.includes(text[at - 1]!)) || text[at - 3] === '%';
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
