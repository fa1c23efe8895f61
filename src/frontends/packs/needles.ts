/**
 * What a text must hold for a pattern to match at all: one of a few literal pieces. Looking for them costs next to nothing
 * beside RE2, and nearly every text has none. Where it is not plain which pieces a pattern needs, the answer is null, and the
 * pattern is always asked.
 */

export interface Needles {
  readonly pieces: readonly string[];
  /** Small and large letters are one. */
  readonly fold: boolean;
}

const SHORTEST = 2;
const MOST_PIECES = 24;

type Pieces = readonly string[] | null;

export function needlesOf(pattern: string): Needles | null {
  // Quoting, names of classes and code points have rules of their own, and no rule needs them for its pieces.
  if (/\\[QpP]|\\x\{/.test(pattern)) return null;
  const reader = new PatternReader(pattern);
  const pieces = reader.alternatives();
  if (pieces === null || !reader.atEnd) return null;
  const fold = /\(\?[a-z]*i/.test(pattern);
  return { pieces: fold ? pieces.map((piece) => piece.toLowerCase()) : pieces, fold };
}

export function mayMatch({ pieces, fold }: Needles, text: string): boolean {
  const held = fold ? text.toLowerCase() : text;
  return pieces.some((piece) => held.includes(piece));
}

class PatternReader {
  private readonly pattern: string;
  private at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get atEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** Up to the end of the group: the pieces of every branch, if every branch has some. */
  alternatives(): Pieces {
    let found: Pieces = this.branch();
    while (this.pattern[this.at] === '|') {
      this.at++;
      const next = this.branch();
      found = found === null || next === null ? null : [...found, ...next];
    }
    return found !== null && found.length > MOST_PIECES ? null : found;
  }

  private branch(): Pieces {
    let best: Pieces = null;
    let run = '';
    const offer = (pieces: Pieces) => {
      if (pieces !== null && worth(pieces) >= SHORTEST && worth(pieces) > worth(best)) best = pieces;
    };
    const endRun = () => {
      offer([run]);
      run = '';
    };
    while (!this.atEnd && this.pattern[this.at] !== '|' && this.pattern[this.at] !== ')') {
      const item = this.item();
      const times = this.quantifier();
      if (typeof item === 'string' && times === 'once') run += item;
      else {
        endRun();
        if (times !== 'perhaps') offer(typeof item === 'string' ? [item] : item);
      }
    }
    endRun();
    return best;
  }

  /** One character as itself, or the pieces of a group; null for what can be several characters. */
  private item(): string | Pieces {
    const char = this.pattern[this.at++]!;
    if (char === '[') return this.skipClass();
    if (char === '(') return this.group();
    if (char === '\\') return this.escaped();
    return '.^$'.includes(char) ? null : char;
  }

  private group(): Pieces {
    const flags = /^\?(?:P?<\w+>|[imsU-]*:?)/.exec(this.pattern.slice(this.at, this.at + 40))?.[0] ?? '';
    this.at += flags.length;
    const inner = this.alternatives();
    if (this.pattern[this.at] === ')') this.at++;
    return inner;
  }

  private escaped(): string | null {
    const char = this.pattern[this.at++] ?? '';
    if (char === 'x') this.at += 2;
    return /[A-Za-z0-9]/.test(char) ? null : char;
  }

  private skipClass(): null {
    if (this.pattern[this.at] === '^') this.at++;
    if (this.pattern[this.at] === ']') this.at++;
    while (!this.atEnd && this.pattern[this.at] !== ']') {
      if (this.pattern.startsWith('[:', this.at)) this.at = this.pattern.indexOf(':]', this.at) + 1;
      this.at += this.pattern[this.at] === '\\' ? 2 : 1;
    }
    this.at++;
    return null;
  }

  private quantifier(): 'once' | 'perhaps' | 'often' {
    const found = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.pattern.slice(this.at, this.at + 16))?.[0];
    if (found === undefined) return 'once';
    this.at += found.length;
    return /^(?:[*?]|\{0)/.test(found) ? 'perhaps' : 'often';
  }
}

/** How long the shortest of them is: a short one is found in every text. */
function worth(pieces: Pieces): number {
  return pieces === null || pieces.length === 0 ? 0 : Math.min(...pieces.map((piece) => piece.length));
}
