/**
 * Whether a value is a secret, given what its name promises and how it stands there. A value that reads like a word, a
 * path, a type or an expression is none: names of secrets are assigned such things far more often than secrets.
 */
import type { NameKind } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import { lettersInWords, looksRandom } from './randomness.ts';

/**
 * - `quoted`: a string of a program, of JSON or YAML;
 * - `assigned`: without quotes where only a literal can stand, as in `KEY=value` of a shell or `--flag=value`;
 * - `bare`: without quotes where it may as well be an expression, a type or prose.
 */
export type Setting = 'quoted' | 'assigned' | 'bare';

/** Longer values are judged by their beginning. */
const JUDGED = 300;

export function isSecretValue(kind: NameKind, whole: string, setting: Setting): boolean {
  const value = whole.length > JUDGED ? whole.slice(0, JUDGED) : whole;
  if (value.length < 4 || !isPlausible(kind, value, setting)) return false;
  if (setting === 'bare' && (EXPRESSION.test(value) || isChain(value))) return false;
  return !ALPHABET.test(value) && !isPlaceholder(value) && !pointsElsewhere(value);
}

function isPlausible(kind: NameKind, value: string, setting: Setting): boolean {
  switch (kind) {
    case 'password':
      return isPassword(value, setting);
    case 'pass':
      return isPassword(value, setting) && isMixed(value, setting === 'bare' ? 8 : 6);
    case 'chosen':
      return isDrawn(value) || (setting !== 'bare' && isMixed(value, 8) && isPassword(value, setting));
    case 'phrase':
      return PHRASE.test(value) ? !SENTENCE.test(value) : isPassword(value, setting);
    case 'secret':
      return isDrawn(value);
    case 'weak':
      return value.length >= 16 && isClearlyRandom(value);
  }
}

function isDrawn(value: string): boolean {
  return !/\s/.test(value) && !NUMBER_OR_DATE.test(value) && !KEY_ID.test(value) && looksRandom(value);
}

/** No word: it has a digit or a sign that words are not joined with. */
function isMixed(value: string, least: number): boolean {
  return (
    value.length >= least &&
    /[A-Za-z]/.test(value) &&
    /\d|[^\w\s.,:/-]/.test(value) &&
    !ABOUT_SECRETS.test(value)
  );
}

/** Paths and addresses. A secret in base64 may begin with a slash too. */
function pointsElsewhere(value: string): boolean {
  if (/^\/[\w.-]*(?:\/|$)/.test(value)) return !looksRandom(value);
  return /^(?:\.{1,2}\/|~\/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]{1,20}:\/\/|data:|urn:)/.test(value);
}

/** The characters from which something is drawn. */
const ALPHABET = /abcdefghijkl|ABCDEFGHIJKL|0123456789abcdef$/;

/** `getToken()`, `user->token`, `Foo::bar`, `args[0]`, and comments. */
const EXPRESSION =
  /^[!&*]?[A-Za-z_$][\w$]*(?:\.[\w$]+)*(?:\(|\[|->|::|\?\.|<)|^(?:new|await|function|async|return|null|not|self|this)\b|^(?:#|\/\/|\/\*)/;

/** `config.password`, `ed25519.PrivateKey`: identifiers made of words. A token with dots in it is not. */
function isChain(value: string): boolean {
  if (!/^[!&*-]?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return false;
  return lettersInWords(value) >= value.replace(/[^A-Za-z]/g, '').length * 0.6;
}

/** How GnuPG names a key. */
const KEY_ID = /^(?:0x)?(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})!?$/;

const NUMBER_OR_DATE = /^[-+]?[\d.,:_/TZ -]+[a-z%]{0,3}$/i;
const ID_OR_HASH =
  /(?<![0-9a-z])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|sha\d{1,3}[-:=].+)(?![0-9a-z])/i;

/** How public keys and certificates begin in base64. */
const PUBLIC_KEY =
  /^(?:MFkw|MHYw|MIIB|MIIC|MIID|MIIE|MIIF|MIIG|MIIH|MCow|MIGf|MIGb|AAAAB3Nza|AAAAC3Nza|AAAAE2Vj|ssh-|ecdsa-)/;

function isClearlyRandom(value: string): boolean {
  if (!looksRandom(value) || /\s/.test(value) || !/\d.*\d/.test(value) || PUBLIC_KEY.test(value))
    return false;
  // An id or a checksum, by itself or behind the name of what it belongs to.
  const rest = value.replace(ID_OR_HASH, '');
  if (rest !== value) return rest.length >= 16 && isClearlyRandom(rest);
  return value.replace(/%[0-9a-f]{2}/gi, '').length >= 16;
}

/** Twelve words and more, or the four of a pass phrase. */
const PHRASE = /^[a-z]{3,}(?:[ -][a-z]{3,}){3,24}$/;
const SENTENCE = /\b(?:the|your|you|enter|please|must|for|and|with|this|that|not|are|was|from|will|has)\b/;

/** Names of algorithms and types have digits as passwords do. */
const TECHNICAL =
  /^(?:sha-?\d+|md5|utf-?\d+|base-?\d+|pbkdf2\w*|argon2\w*|bcrypt\w*|oauth-?\d|ipv?\d|int\d+|uint\d+|float\d+|http\d?|v?\d+(?:\.\d+)+|rs\d{3}|hs\d{3}|es\d{3}|scram-sha-\d+|aes-?\d+\w*|ed25519|x509|h\d|col\d+|arg\d+|param\d+|str\d+|s\d+|p\d+|tmp\d+|field\d+|line\d+|step\d+|test\d{0,2}|user\d{0,2}|0x[0-9a-f]+)$/i;

/** `Uint8Array` */
const TYPE_NAME = /^[A-Z][a-z]{2,}\d{1,2}[A-Z][a-z]{2,}$/;

/** What a label, a key of a translation or the name of a field is made of. */
const ABOUT_SECRETS =
  /pass|pwd|secret|token|login|user|auth|field|input|label|valid|confirm|forgot|reset|enter/i;

function isPassword(value: string, setting: Setting): boolean {
  const core = value.replace(/[:*?…]+$/, '');
  if (
    core.length < 4 ||
    TECHNICAL.test(core) ||
    TYPE_NAME.test(core) ||
    (core !== value && isPlaceholder(core))
  )
    return false;
  if (/\s/.test(core)) return setting === 'quoted' && (isOddWithSpace(core) || isOfWords(core));
  const hasLetter = /[A-Za-z]/.test(core);
  const hasDigit = /\d/.test(core);
  if (!hasLetter) return core.length >= 6 && (hasDigit || /[^\w\s]{4}/.test(core)) && setting !== 'bare';
  if (/^\p{L}+$/u.test(core)) return isPlainWordPassword(core, setting);
  if (isNameLike(core))
    return hasDigit && core.length >= 10 && setting !== 'bare' && !ABOUT_SECRETS.test(core);
  if (setting === 'bare')
    return core.length >= 6 && (hasDigit || /[@!#%^&*~?]/.test(core)) && !ABOUT_SECRETS.test(core);
  return core.length >= 5 || (hasDigit && /[^\w\s]/.test(core));
}

/** `p4ss word!` but no sentence. */
function isOddWithSpace(core: string): boolean {
  return core.length >= 8 && core.split(/\s+/).length === 2 && /\d/.test(core) && /[^\w\s.,:;'"-]/.test(core);
}

/** Three words and more with a number among them, or four without; none that a sentence, a label or a rule about passwords has. */
const WORDS_AND_NUMBER = /^(?=.*\d)(?:[A-Za-z]{3,}|\d{1,4})(?: (?:[A-Za-z]{3,}|\d{1,4})){2,5}$/;
const SAID_OF_PASSWORDS =
  /\b(?:an?|at|in|of|on|or|to|by|be|if|is|it|as|no|least|most|than|char\w*|digits?|letters?|numbers?|words?|required|invalid|wrong|incorrect|missing|empty|new|old|current|change|create|choose|repeat|again|hidden|weak|strong|short|long|optional|type|string|text|min\w*|max\w*|length|policy|expire\w*|strength|hash\w*|encrypted|plain|see|use|sent|stored|same|different)\b/i;

function isOfWords(core: string): boolean {
  if (SENTENCE.test(core.toLowerCase()) || SAID_OF_PASSWORDS.test(core) || ABOUT_SECRETS.test(core))
    return false;
  return PHRASE.test(core) || WORDS_AND_NUMBER.test(core);
}

/** Letters only: a label begins with a capital or says what it is about, and in code it is a variable. */
function isPlainWordPassword(core: string, setting: Setting): boolean {
  if (setting === 'bare') return core.length >= 12 && looksRandom(core);
  if (core.length < 6 || ABOUT_SECRETS.test(core)) return core.length >= 16 && looksRandom(core);
  return /^[a-z]+$/.test(core) || (/[a-z][A-Z]/.test(core) && !isCamelCase(core));
}

function isCamelCase(core: string): boolean {
  return lettersInWords(core) >= core.length * 0.8;
}

/** Words and counters joined by separators: `current-password`, `users.password_2`, `auth/wrong-password`. */
function isNameLike(core: string): boolean {
  if (/[^\w.:/-]/.test(core) || !/[._:/-]/.test(core)) return false;
  const letters = core.replace(/[^A-Za-z]/g, '').length;
  if (!/\d/.test(core) && /(?:^|[._:/-])(?:pass(?:word|wd)?|secret|token|key)(?:$|[._:/-])/i.test(core))
    return true;
  return lettersInWords(core) >= letters * 0.75 && !/\d[A-Za-z]|[A-Za-z]\d[A-Za-z]/.test(core);
}
