/**
 * Where a token can begin. It never begins in the middle of a word, but the word before it may be the end of an escape:
 * the `n` of `\n` in JSON text, the `3D` of `%3D` in an address, the `m` of a colour on a terminal.
 */

export function isWordCode(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f;
}

export function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

export function isHexCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

const HYPHEN = 0x2d;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/**
 * `hyphenated`: the token itself has hyphens. Then one before it would make it a part of a longer run of the same kind,
 * except where the hyphen stands alone, as that of a removed line does.
 */
export function canBeginAt(text: string, at: number, hyphenated: boolean): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (hyphenated && before === HYPHEN) {
    const further = at > 1 ? text.charCodeAt(at - 2) : 0;
    return !isWordCode(further) && further !== HYPHEN;
  }
  return !isWordCode(before) || endsEscape(text, at);
}

/** Whether an escape ends right before `at`. */
export function endsEscape(text: string, at: number): boolean {
  const code = (back: number) => (at >= back ? text.charCodeAt(at - back) : 0);
  // \n \r \t and their like
  if (code(2) === BACKSLASH && 'nrtbfav0'.includes(text[at - 1]!)) return true;
  if (isHexCode(code(1)) && isHexCode(code(2))) {
    if (code(3) === PERCENT) return true;
    // \x3d
    if (code(3) === 0x78 && code(4) === BACKSLASH) return true;
    // \u003d
    if (isHexCode(code(3)) && isHexCode(code(4)) && code(5) === 0x75 && code(6) === BACKSLASH) return true;
  }
  return code(1) === 0x6d && endsColour(text, at - 2);
}

/** `ESC [ 1 ; 3 2`, seen from its end. */
function endsColour(text: string, last: number): boolean {
  let at = last;
  while (at >= 0 && last - at < 12 && (text[at] === ';' || (text[at]! >= '0' && text[at]! <= '9'))) at--;
  return text[at] === '[';
}
