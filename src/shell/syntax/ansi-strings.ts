/**
 * `$'…'` of bash and zsh: a quoted string with C escapes. Bytes above 127 become an unknown part, since what they spell
 * depends on the locale.
 */
import type { Cursor } from './cursor.ts';
import type { PartList } from './words.ts';

const CODE =
  /\\(?:x\{(?<braced>[0-9a-fA-F]*)\}?|x(?<hex>[0-9a-fA-F]{1,2})|u(?<short>[0-9a-fA-F]{1,4})|U(?<long>[0-9a-fA-F]{1,8})|(?<octal>[0-7]{1,3})|c\\(?<behind>[\s\S])|c(?<control>[^'\\])|(?<letter>[\s\S]))/y;
const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
};

export function readAnsiString(c: Cursor, list: PartList): void {
  const { text } = c;
  const open = c.at;
  c.at += 2;
  list.add('', true);
  // A NUL ends the value, not the string.
  let cut = false;
  while (c.at < text.length) {
    const char = text[c.at]!;
    if (char === "'") {
      c.at++;
      return;
    }
    if (char !== '\\') {
      const from = c.at;
      while (c.at < text.length && text[c.at] !== "'" && text[c.at] !== '\\') c.at++;
      if (!cut) list.add(text.slice(from, c.at), true);
      continue;
    }
    CODE.lastIndex = c.at;
    const found = CODE.exec(text);
    if (found === null) break;
    c.at = CODE.lastIndex;
    if (cut) continue;
    const value = characterOf(found);
    if (found.groups!.braced !== undefined && c.dialect.name !== 'bash')
      c.error('only bash and ksh take \\x{…}', open);
    if (value === '\0') cut = true;
    else if (value !== null) list.add(value, true);
    else list.push({ kind: 'text', text: '\ufffd', quoted: true });
    if (value === null) c.error('bytes whose letters depend on the locale', open, 'text');
  }
  c.error("unclosed $'", open);
}

/** Null for a byte that is no character by itself. */
function characterOf({ groups = {} }: RegExpExecArray): string | null {
  const { braced, octal, behind, control, letter } = groups;
  // However many digits stand between braces, the last two count; none at all is a NUL.
  const hex = braced === undefined ? groups.hex : `0${braced}`.slice(-2);
  const byte = hex ?? octal;
  if (byte !== undefined) {
    const code = Number.parseInt(byte, hex === undefined ? 8 : 16) & 0xff;
    return code > 127 ? null : String.fromCharCode(code);
  }
  const point = groups.short ?? groups.long;
  if (point !== undefined) {
    const code = Number.parseInt(point, 16);
    return code > 0x10ffff ? null : String.fromCodePoint(code);
  }
  // A backslash is written twice behind `\c`, and takes what follows along if it is not.
  if (behind !== undefined) return behind === '\\' ? '\x1c' : `\x1c${behind}`;
  if (control === '?') return '\x7f';
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f);
  if (LETTERS[letter!] !== undefined) return LETTERS[letter!]!;
  return `\\'"?`.includes(letter!) ? letter! : `\\${letter}`;
}
