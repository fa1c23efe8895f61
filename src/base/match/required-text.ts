/**
 * Texts of which one stands in everything that an RE2 pattern matches, read from the pattern itself: where none of them is in a
 * text, RE2 need not be asked, nor loaded. Whatever is not certainly understood gives null, and RE2 is asked.
 */

/** In small letters if `folded`: then a text is looked at in small letters too. */
export interface RequiredText {
  readonly anyOf: readonly string[];
  readonly folded: boolean;
}

/** Longer lists cost more to look for than they save. */
const MOST_TEXTS = 40;
const SHORTEST = 2;
const DEEPEST = 20;

export function requiredText(pattern: string): RequiredText | null {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const reader = new Reader(pattern, flags?.[0].length ?? 0);
  const anyOf = reader.alternatives(0);
  if (anyOf === null || !reader.atEnd) return null;
  const folded = flags?.[0].includes('i') === true;
  return { anyOf: folded ? anyOf.map((text) => text.toLowerCase()) : anyOf, folded };
}

const ASCII = /^[\x00-\x7f]*$/;

/** Whether a text can match at all. */
export function mayMatch({ anyOf, folded }: RequiredText, text: string): boolean {
  // Beyond ASCII some letters fold to those of a pattern.
  if (folded && !ASCII.test(text)) return true;
  const seen = folded ? text.toLowerCase() : text;
  return anyOf.some((each) => seen.includes(each));
}

/** What one piece of a pattern always matches: its text, one of several, or nothing that is known. */
type Piece = { readonly text: string } | { readonly anyOf: readonly string[] | null };

class Reader {
  private readonly pattern: string;
  private at: number;
  /** Something that is not known here: nothing may be said about the whole. */
  private lost = false;

  constructor(pattern: string, at: number) {
    this.pattern = pattern;
    this.at = at;
  }

  get atEnd(): boolean {
    return !this.lost && this.at === this.pattern.length;
  }

  /** Of `a|b|c`, up to the end or a closing parenthesis: what each has, together. */
  alternatives(depth: number): readonly string[] | null {
    if (depth > DEEPEST) this.lost = true;
    let all: readonly string[] | null = [];
    while (!this.lost) {
      const branch = this.branch(depth);
      all = all === null || branch === null ? null : [...all, ...branch];
      if (this.pattern[this.at] !== '|') break;
      this.at++;
    }
    return all === null || all.length > MOST_TEXTS ? null : all;
  }

  /** The best that one of its pieces gives: the longest text. */
  private branch(depth: number): readonly string[] | null {
    let best: readonly string[] | null = null;
    let run = '';
    const offer = (anyOf: readonly string[] | null) => {
      if (
        anyOf !== null &&
        shortest(anyOf) >= SHORTEST &&
        (best === null || shortest(anyOf) > shortest(best))
      )
        best = anyOf;
    };
    while (!this.lost && this.at < this.pattern.length && !'|)'.includes(this.pattern[this.at]!)) {
      const piece = this.piece(depth);
      const optional = this.repeated();
      if ('text' in piece && optional === 'once') {
        run += piece.text;
        continue;
      }
      // `ab+`: it is there once, and what follows need not stand right behind it.
      if ('text' in piece && optional === 'some') run += piece.text;
      offer([run]);
      run = '';
      if ('anyOf' in piece && optional !== 'perhaps') offer(piece.anyOf);
    }
    offer([run]);
    return best;
  }

  private piece(depth: number): Piece {
    const sign = this.pattern[this.at]!;
    if (sign === '(') return this.group(depth);
    if (sign === '[') return this.charClass();
    if (sign === '\\') return this.escape();
    const size = String.fromCodePoint(this.pattern.codePointAt(this.at)!).length;
    const text = this.pattern.slice(this.at, this.at + size);
    this.at += size;
    if ('*+?{'.includes(sign)) this.lost = true;
    return '.^$'.includes(sign) ? { anyOf: null } : { text };
  }

  private group(depth: number): Piece {
    this.at++;
    if (this.pattern.startsWith('?:', this.at)) this.at += 2;
    // Flags, names and what else may stand here.
    else if (this.pattern[this.at] === '?') this.lost = true;
    const anyOf = this.alternatives(depth + 1);
    if (this.pattern[this.at] === ')') this.at++;
    else this.lost = true;
    return { anyOf };
  }

  private charClass(): Piece {
    const end = /\[\^?\]?(?:\[:\^?\w+:\]|\\[^QE]|[^\]\\[])*\]/y;
    end.lastIndex = this.at;
    const found = end.exec(this.pattern);
    if (found === null) this.lost = true;
    this.at += found?.[0].length ?? 1;
    return { anyOf: null };
  }

  private escape(): Piece {
    const letter = this.pattern[this.at + 1] ?? '';
    this.at += 2;
    if (/^[dDsSwWbBAz]$/.test(letter)) return { anyOf: null };
    if (/^[!-/:-@[-`{-~]$/.test(letter)) return { text: letter };
    this.lost = true;
    return { anyOf: null };
  }

  /** Whether what was read is there just once, at least once, or perhaps. */
  private repeated(): 'once' | 'some' | 'perhaps' {
    const sign = this.pattern[this.at];
    if (sign === undefined || !'*+?{'.includes(sign)) return 'once';
    const count = /(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y;
    count.lastIndex = this.at;
    const found = count.exec(this.pattern);
    // A brace that counts nothing stands for itself.
    if (found === null) {
      this.lost = true;
      return 'perhaps';
    }
    this.at += found[0].length;
    return sign === '+' || Number(found[1] ?? 0) > 0 ? 'some' : 'perhaps';
  }
}

function shortest(texts: readonly string[]): number {
  return texts.length === 0 ? 0 : Math.min(...texts.map((text) => text.length));
}
