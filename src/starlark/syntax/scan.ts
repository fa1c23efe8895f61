/**
 * The scanner: text to tokens, one at a time. It is total: text that is no token is reported once and becomes an
 * `illegal token`, and every call of `next` moves forward until it stays at `end of file`.
 */
import {
  decodeFloat,
  decodeInt,
  decodeString,
  isDigit,
  isHexDigit,
  isOctalDigit,
  type Report,
} from './literals.ts';
import { type Punctuation, type TokenKind, WORDS } from './token.ts';

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const HASH = 35;
const SINGLE_QUOTE = 39;
const DOT = 46;
const ZERO = 48;
const EQUALS = 61;
const BACKSLASH = 92;
const BYTE_ORDER_MARK = 0xfeff;

/** A tab in the indentation goes to the next multiple of this. */
const TAB_WIDTH = 8;

/** Operators of other languages, by the character that is none here. */
const CHARACTER_HINTS: Readonly<Record<string, string>> = {
  '!': ' (use not)',
  '?': ' (use a if condition else b)',
  $: ' (use "…" % …)',
};

export class Scanner {
  /** The current token: its kind, its place in the text, and the value of a literal. */
  kind: TokenKind = 'newline';
  start = 0;
  end = 0;
  value: string | number | bigint | Uint8Array = '';

  readonly text: string;
  private readonly report: Report;
  /** Offset of the first character not yet part of a token. */
  private at = 0;
  /** Open brackets: inside any, line ends are white space. */
  private depth: number;
  private readonly outermost: number;
  private readonly indents = [0];
  /** Indents (above zero) or outdents (below) still to be given out. */
  private dents = 0;
  private atLineStart: boolean;
  /** Start of the line after a string that ended too early, or -1. */
  private brokenStringEnd = -1;

  /** With `oneExpression` the whole text reads as if it stood in brackets, so line ends mean nothing. */
  constructor(text: string, report: Report, oneExpression = false) {
    this.text = text;
    this.report = report;
    this.outermost = oneExpression ? 1 : 0;
    this.depth = this.outermost;
    this.atLineStart = !oneExpression;
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) this.at = 1;
  }

  /** How many blocks are open, the file itself included. */
  get level(): number {
    return this.indents.length;
  }

  next(): TokenKind {
    const text = this.text;
    for (;;) {
      let blank = false;
      const fresh = this.atLineStart;
      if (fresh) {
        this.atLineStart = false;
        blank = this.indentation();
      }
      if (this.dents !== 0) return this.giveDent();

      let unit = text.charCodeAt(this.at);
      while (unit === SPACE || unit === TAB) unit = text.charCodeAt(++this.at);
      if (unit === HASH) {
        this.at = this.lineEnd(this.at);
        unit = text.charCodeAt(this.at);
      }
      this.start = this.at;
      if (unit === LINE_FEED || unit === CARRIAGE_RETURN) {
        this.at += this.lineBreakLength(this.at);
        if (this.depth > 0) continue;
        this.atLineStart = true;
        if (blank) continue;
        return this.give('newline', this.at);
      }
      if (this.at >= text.length) {
        if (this.indents.length === 1 || this.depth > 0) return this.give('end of file', this.at);
        // Blocks still open are closed as if the file ended with a line break.
        if (fresh) {
          this.dents = 1 - this.indents.length;
          this.indents.length = 1;
          continue;
        }
        this.atLineStart = true;
        return this.give('newline', this.at);
      }
      if (unit === BACKSLASH) {
        const length = this.lineBreakLength(this.at + 1);
        if (length === 0) return this.illegal(this.at + 1, 'stray backslash in program');
        this.at += 1 + length;
        continue;
      }
      return this.token(unit);
    }
  }

  /**
   * Gives up the statement that began at `from` in a block of the given level, and goes to the first line after it
   * that can be a statement of that block or of one around it.
   */
  skipStatement(from: number, level: number): void {
    this.depth = this.outermost;
    this.dents = 0;
    this.indents.length = Math.min(this.indents.length, level);
    const line = this.lineStart(this.start);
    // Where the offending token is the first of its line, that line may be the next statement itself.
    if (line > from && this.isBlank(line, this.start)) this.at = line;
    else if (this.kind !== 'newline') this.skipLine();
    while (this.at < this.text.length && !this.startsStatement()) this.skipLine();
    this.atLineStart = this.outermost === 0;
    this.next();
  }

  /** Goes to the end of the file at once. */
  finish(): void {
    this.at = this.text.length;
    this.dents = 0;
    this.indents.length = 1;
    this.atLineStart = false;
    this.next();
  }

  // --- lines ---

  /** Reads white space at the start of a line, opens or closes blocks, and tells whether the line is blank. */
  private indentation(): boolean {
    const text = this.text;
    let column = 0;
    let unit = text.charCodeAt(this.at);
    for (; unit === SPACE || unit === TAB; unit = text.charCodeAt(++this.at)) {
      column += unit === SPACE ? 1 : TAB_WIDTH - (column % TAB_WIDTH);
    }
    if (unit === HASH || unit === LINE_FEED || unit === CARRIAGE_RETURN || this.at >= text.length)
      return true;
    const indents = this.indents;
    if (column > indents[indents.length - 1]!) {
      indents.push(column);
      this.dents++;
      return false;
    }
    while (column < indents[indents.length - 1]!) {
      indents.pop();
      this.dents--;
    }
    if (column !== indents[indents.length - 1]!) {
      this.report(this.at, 'unindent does not match any outer indentation level');
    }
    return false;
  }

  private giveDent(): TokenKind {
    this.start = this.at;
    if (this.dents > 0) {
      this.dents--;
      return this.give('indent', this.at);
    }
    this.dents++;
    return this.give('outdent', this.at);
  }

  private lineBreakLength(at: number): number {
    const unit = this.text.charCodeAt(at);
    if (unit === LINE_FEED) return 1;
    if (unit !== CARRIAGE_RETURN) return 0;
    return this.text.charCodeAt(at + 1) === LINE_FEED ? 2 : 1;
  }

  private lineEnd(at: number): number {
    while (at < this.text.length && this.lineBreakLength(at) === 0) at++;
    return at;
  }

  private lineStart(at: number): number {
    while (at > 0 && this.lineBreakLength(at - 1) === 0) at--;
    return at;
  }

  private isBlank(from: number, to: number): boolean {
    for (let i = from; i < to; i++) {
      const unit = this.text.charCodeAt(i);
      if (unit !== SPACE && unit !== TAB) return false;
    }
    return true;
  }

  /** Goes to the start of the next line, taking a string that spans lines as one piece. */
  private skipLine(): void {
    while (this.at < this.text.length) {
      const unit = this.text.charCodeAt(this.at);
      const length = this.lineBreakLength(this.at);
      if (length > 0) {
        this.at += length;
        return;
      }
      if (unit === HASH) this.at = this.lineEnd(this.at);
      else if (unit === BACKSLASH) this.at += 1 + this.lineBreakLength(this.at + 1);
      else if (unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE) this.at = this.findStringEnd(this.at).after;
      else this.at++;
    }
  }

  /** Whether the line at `at` may begin a statement of the innermost open block or of one around it. */
  private startsStatement(): boolean {
    const text = this.text;
    let first = this.at;
    let column = 0;
    for (let unit = text.charCodeAt(first); unit === SPACE || unit === TAB; unit = text.charCodeAt(++first)) {
      column += unit === SPACE ? 1 : TAB_WIDTH - (column % TAB_WIDTH);
    }
    if (column > this.indents[this.indents.length - 1]!) return false;
    // What only continues a statement belongs to the one given up.
    if (')]}#\r\n'.includes(text.charAt(first))) return false;
    const word = text.slice(first, this.identifierEnd(first));
    return word !== 'else' && word !== 'elif';
  }

  // --- tokens ---

  private give(kind: TokenKind, end: number): TokenKind {
    this.kind = kind;
    this.end = end;
    this.at = end;
    return kind;
  }

  private illegal(end: number, message: string, offset = this.start): TokenKind {
    this.report(offset, message);
    return this.give('illegal token', end);
  }

  private token(unit: number): TokenKind {
    if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95 || unit > 127) {
      return this.word(unit);
    }
    if (unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE) return this.string(this.at);
    if (isDigit(unit) || (unit === DOT && isDigit(this.text.charCodeAt(this.at + 1))))
      return this.number(unit);
    return this.punctuation(unit);
  }

  private word(unit: number): TokenKind {
    const end = this.identifierEnd(this.start);
    if (end === this.start) return this.unexpectedCharacter();
    const quote = this.text.charCodeAt(end);
    if ((quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) && end - this.start <= 2) {
      const prefix = this.text.slice(this.start, end);
      if (prefix === 'r' || prefix === 'b' || prefix === 'rb' || prefix === 'br') return this.string(end);
      if (prefix === 'f' || prefix === 'rf' || prefix === 'fr') {
        return this.illegal(end, 'f-strings are not supported; use "…".format(…) or "…" % …');
      }
    }
    const name = this.text.slice(this.start, end);
    this.value = name;
    // Only words of lower-case letters are in the table.
    return this.give(unit >= 97 ? (WORDS.get(name) ?? 'identifier') : 'identifier', end);
  }

  private identifierEnd(from: number): number {
    const text = this.text;
    let at = from;
    for (;;) {
      const unit = text.charCodeAt(at);
      if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95) at++;
      else if (isDigit(unit) && at > from) at++;
      else if (unit > 127) {
        const letter = String.fromCodePoint(text.codePointAt(at)!);
        if (!LETTER.test(letter)) return at;
        at += letter.length;
      } else return at;
    }
  }

  private unexpectedCharacter(): TokenKind {
    const character = String.fromCodePoint(this.text.codePointAt(this.start)!);
    const printable = /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character);
    const shown = printable ? `'${character}'` : `U+${hexadecimal(character)}`;
    const hint = CHARACTER_HINTS[character] ?? '';
    return this.illegal(this.start + character.length, `unexpected input character ${shown}${hint}`);
  }

  private string(quoteAt: number): TokenKind {
    const { text, start } = this;
    const { from, to, after, plain } = this.findStringEnd(quoteAt);
    if (to < 0) {
      if (after >= text.length) return this.illegal(after, 'unexpected EOF in string');
      // The line after a broken string often holds its other half, whose quote is no second mistake.
      const otherHalf = this.brokenStringEnd >= 0 && this.lineStart(start) === this.brokenStringEnd;
      this.brokenStringEnd = otherHalf ? -1 : after + this.lineBreakLength(after);
      return otherHalf
        ? this.give('illegal token', after)
        : this.illegal(after, 'unexpected newline in string');
    }
    const prefix = text.slice(start, quoteAt);
    const bytes = prefix.includes('b');
    if (plain && !bytes) this.value = text.slice(from, to);
    else this.value = decodeString(text, from, to, { raw: prefix.includes('r'), bytes }, this.report);
    return this.give(bytes ? 'bytes literal' : 'string literal', after);
  }

  /**
   * Finds the end of the string whose opening quote is at `quoteAt`: its text is `from` to `to`, and it is `plain`
   * where it stands for itself. Where the closing quote is missing, `to` is -1 and `after` is where that became clear.
   */
  private findStringEnd(quoteAt: number): { from: number; to: number; after: number; plain: boolean } {
    const text = this.text;
    const quote = text.charCodeAt(quoteAt);
    const triple = text.charCodeAt(quoteAt + 1) === quote && text.charCodeAt(quoteAt + 2) === quote;
    const from = quoteAt + (triple ? 3 : 1);
    let plain = true;
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === quote) {
        if (!triple) return { from, to: at, after: at + 1, plain };
        if (text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote) {
          return { from, to: at, after: at + 3, plain };
        }
      } else if (unit === BACKSLASH) {
        plain = false;
        // Whatever follows, a quote or a line break, is part of the string.
        at += Math.max(1, this.lineBreakLength(at + 1));
      } else if (unit === LINE_FEED || unit === CARRIAGE_RETURN) {
        if (!triple) return { from, to: -1, after: at, plain };
        if (unit === CARRIAGE_RETURN) plain = false;
      }
    }
    return { from, to: -1, after: text.length, plain };
  }

  private number(first: number): TokenKind {
    const { text, start } = this;
    if (first === ZERO) {
      const base = BASES.get(text.charAt(start + 1));
      if (base !== undefined) {
        const end = skip(text, start + 2, base.isDigit);
        if (end === start + 2) return this.illegal(end, `invalid ${base.name} literal`);
        this.value = decodeInt(text.slice(start, end), start, this.report);
        return this.give('int literal', end);
      }
    }
    let end = skip(text, start, isDigit);
    const whole = end;
    if (text.charCodeAt(end) === DOT) end = skip(text, end + 1, isDigit);
    if ((text.charCodeAt(end) | 32) === 101) {
      const sign = text.charAt(end + 1);
      const digits = end + (sign === '+' || sign === '-' ? 2 : 1);
      end = skip(text, digits, isDigit);
      if (end === digits) return this.illegal(end, 'invalid float literal');
    }
    const written = text.slice(start, end);
    if (end > whole) {
      this.value = decodeFloat(written, start, this.report);
      return this.give('float literal', end);
    }
    if (first === ZERO && skip(text, start, (unit) => unit === ZERO) < end) {
      const octal = skip(text, start, isOctalDigit) === end;
      const hint = octal
        ? `obsolete form of octal literal; use 0o${written.slice(1)}`
        : 'invalid int literal';
      return this.illegal(end, hint);
    }
    this.value = decodeInt(written, start, this.report);
    return this.give('int literal', end);
  }

  private punctuation(unit: number): TokenKind {
    const text = this.text;
    const one = text.charAt(this.start);
    switch (one) {
      case '(':
      case '[':
      case '{':
        this.depth++;
        return this.give(one, this.start + 1);
      case ')':
      case ']':
      case '}':
        if (this.depth === this.outermost) return this.illegal(this.start + 1, `unexpected '${one}'`);
        this.depth--;
        return this.give(one, this.start + 1);
      case ',':
      case ':':
      case ';':
      case '~':
      case '.':
        return this.give(one, this.start + 1);
      case '*':
      case '/':
      case '<':
      case '>':
        // Each of these may be doubled, and all but `**` may carry an `=` then.
        if (text.charCodeAt(this.start + 1) === unit) return this.maybeAssign(DOUBLED[one], this.start + 2);
        return this.maybeAssign(one, this.start + 1);
      case '+':
      case '-':
      case '%':
      case '&':
      case '|':
      case '^':
      case '=':
        return this.maybeAssign(one, this.start + 1);
      case '!':
        if (text.charCodeAt(this.start + 1) === EQUALS) return this.give('!=', this.start + 2);
    }
    return this.unexpectedCharacter();
  }

  private maybeAssign(operator: keyof typeof WITH_EQUALS | '**', end: number): TokenKind {
    if (operator !== '**' && this.text.charCodeAt(end) === EQUALS) {
      return this.give(WITH_EQUALS[operator], end + 1);
    }
    return this.give(operator, end);
  }
}

const DOUBLED = { '*': '**', '/': '//', '<': '<<', '>': '>>' } as const;

const WITH_EQUALS = {
  '+': '+=',
  '-': '-=',
  '*': '*=',
  '/': '/=',
  '//': '//=',
  '%': '%=',
  '&': '&=',
  '|': '|=',
  '^': '^=',
  '<<': '<<=',
  '>>': '>>=',
  '<': '<=',
  '>': '>=',
  '=': '==',
} as const satisfies Partial<Record<Punctuation, Punctuation>>;

const HEXADECIMAL = { name: 'hex', isDigit: isHexDigit };
const OCTAL = { name: 'octal', isDigit: isOctalDigit };
const BINARY = { name: 'binary', isDigit: (unit: number) => unit === ZERO || unit === ZERO + 1 };
const BASES: ReadonlyMap<string, { name: string; isDigit: (unit: number) => boolean }> = new Map([
  ['x', HEXADECIMAL],
  ['X', HEXADECIMAL],
  ['o', OCTAL],
  ['O', OCTAL],
  ['b', BINARY],
  ['B', BINARY],
]);

const LETTER = /^\p{L}$/u;

function skip(text: string, from: number, accepts: (unit: number) => boolean): number {
  let at = from;
  while (accepts(text.charCodeAt(at))) at++;
  return at;
}

function hexadecimal(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}
