/**
 * Globs over names: `*` any run of characters, `?` one, `[a-z]` and `[!a-z]` one of a class. Matching takes time bounded by
 * the product of the two lengths, whatever the pattern.
 */

export type Glob = (text: string) => boolean;

/** A class that is never closed makes its bracket an ordinary character, so that every text is some glob. */
export function compileGlob(pattern: string): Glob {
  if (pattern === '*') return () => true;
  const pieces = parse(pattern);
  if (pieces.every((piece) => typeof piece === 'string')) return (text) => text === pattern;
  const simple = startOrEnd(pieces);
  if (simple !== null) return simple;
  return (text) => matches(pieces, [...text]);
}

/** `a*`, `*a` and `*a*`, which most globs are, without a walk over the text. */
function startOrEnd(pieces: readonly Piece[]): Glob | null {
  const open = pieces[0] === ANY_RUN;
  const close = pieces.at(-1) === ANY_RUN;
  const inner = pieces.slice(open ? 1 : 0, close ? -1 : undefined);
  if (!inner.every((piece) => typeof piece === 'string')) return null;
  const literal = inner.join('');
  if (open && close) return (text) => text.includes(literal);
  if (open) return (text) => text.endsWith(literal);
  return close ? (text) => text.startsWith(literal) : null;
}

/** Whether a pattern can match only the text that equals it. */
export function isLiteral(pattern: string): boolean {
  return parse(pattern).every((piece) => typeof piece === 'string');
}

/** Runs of characters that stand in every text a pattern matches. */
export function literalsIn(pattern: string): string[] {
  return parse(pattern)
    .map((piece) => (typeof piece === 'string' ? piece : '\0'))
    .join('')
    .split('\0')
    .filter((run) => run !== '');
}

/** A character to be met as it is, any run, or one character that a test accepts. */
type Piece = string | typeof ANY_RUN | ((char: string) => boolean);

const ANY_RUN = Symbol('any run');
const anyOne = () => true;

function parse(pattern: string): Piece[] {
  const chars = [...pattern];
  const pieces: Piece[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === '*') {
      if (pieces.at(-1) !== ANY_RUN) pieces.push(ANY_RUN);
    } else if (char === '?') {
      pieces.push(anyOne);
    } else {
      const end = char === '[' ? endOfClass(chars, at) : -1;
      pieces.push(end === -1 ? char : classOf(chars.slice(at + 1, end)));
      if (end !== -1) at = end;
    }
  }
  return pieces;
}

/** A bracket that comes first, or after the negation, is an ordinary member. */
function endOfClass(chars: readonly string[], start: number): number {
  const first = start + (isNegation(chars[start + 1]) ? 2 : 1);
  return chars.indexOf(']', first + 1);
}

/** What stands between the brackets of a class, as a test. */
export function classOf(members: ArrayLike<string>): (char: string) => boolean {
  const negated = isNegation(members[0]);
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < members.length; at++) {
    const low = members[at]!;
    const high = members[at + 1] === '-' ? members[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  return (char) => ranges.some(([low, high]) => low <= char && char <= high) !== negated;
}

export function isNegation(char: string | undefined): boolean {
  return char === '!' || char === '^';
}

/** Remembers only the last run: giving an earlier one more characters can never help. */
function matches(pieces: readonly Piece[], text: readonly string[]): boolean {
  let piece = 0;
  let at = 0;
  let run = -1;
  let resume = 0;
  while (at < text.length) {
    const wanted = pieces[piece];
    if (wanted === ANY_RUN) {
      run = piece++;
      resume = at;
    } else if (
      wanted !== undefined &&
      (typeof wanted === 'string' ? wanted === text[at] : wanted(text[at]!))
    ) {
      piece++;
      at++;
    } else if (run !== -1) {
      piece = run + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (pieces[piece] === ANY_RUN) piece++;
  return piece === pieces.length;
}
