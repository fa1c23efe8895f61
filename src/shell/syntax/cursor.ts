/**
 * Where a reader of shell text stands, what it found wrong, and the classes of characters it goes by. Readers never throw:
 * they note an error, step over what they cannot use and go on, so that what follows is still named.
 */
import { MOST_ERRORS, MOST_NESTED, MOST_NODES, MOST_READ_AGAIN } from '../bounds.ts';
import type { Dialect } from '../dialect.ts';
import type { ErrorKind, ReadError } from '../reading.ts';
import type { Redirect, Word } from './tree.ts';

export const META = 1;
export const QUOTE = 2;
export const GLOB = 4;
export const BRACE = 8;
export const TILDE = 16;
export const BLANK = 32;

/** What stops the quick way through a word, by character. */
export const CLASS: Uint8Array = (() => {
  const table = new Uint8Array(128);
  const mark = (chars: string, bit: number) => {
    for (const char of chars) table[char.charCodeAt(0)]! |= bit;
  };
  mark(' \t\n|&;()<>', META);
  mark('\'"\\`$', QUOTE);
  mark('*?[', GLOB);
  mark('{', BRACE);
  mark('~', TILDE);
  mark(' \t', BLANK);
  return table;
})();

/** What one reading may still use and what it noted, shared by all texts inside of it. */
export class Shared {
  readonly errors: ReadError[] = [];
  nodes = 0;
  readAgain = 0;

  error(kind: ErrorKind, message: string, offset: number): void {
    if (this.errors.length >= MOST_ERRORS) return;
    if (this.errors.some((each) => each.offset === offset && each.message === message)) return;
    this.errors.push({ kind, message, offset });
  }

  /** False, with an error, if that many characters more may not be read again. */
  mayReadAgain(length: number, offset: number): boolean {
    this.readAgain += length + 16;
    if (this.readAgain <= MOST_READ_AGAIN) return true;
    this.error('limit', 'too much text inside of text to be followed', offset);
    return false;
  }
}

/** A redirect whose document has not been read yet. */
export interface PendingDocument {
  readonly redirect: { -readonly [K in keyof Redirect]: Redirect[K] };
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly tabs: boolean;
}

export class Cursor {
  readonly text: string;
  readonly dialect: Dialect;
  readonly shared: Shared;
  at = 0;
  depth = 0;
  /** Something was read that dash and bash read differently. */
  differs = false;
  pending: PendingDocument[] = [];
  /** Here-documents read so far. */
  documents = 0;
  /** The text is the body of a here-document. */
  document = false;
  private readonly base: number;
  private readonly exact: boolean;

  /** `exact` if the text stands in the reader's own text, `base` where. */
  constructor(text: string, dialect: Dialect, shared: Shared, base: number, exact: boolean) {
    this.text = text;
    this.dialect = dialect;
    this.shared = shared;
    this.base = base;
    this.exact = exact;
  }

  /** The place of `at` in the text that was given to the reader. */
  offset(at: number): number {
    return this.exact ? this.base + at : this.base;
  }

  /** Whether the shell has this; either way the text is one that shells differ on. */
  has(feature: Exclude<keyof Dialect, 'name'>): boolean {
    this.differs = true;
    return this.dialect[feature];
  }

  error(message: string, at: number = this.at, kind: ErrorKind = 'syntax'): void {
    this.shared.error(kind, message, this.offset(at));
  }

  /** False, with an error and at the end of the text, if there are too many words or commands. */
  node(): boolean {
    if (++this.shared.nodes <= MOST_NODES) return true;
    this.error(`more than ${MOST_NODES} words and commands`, this.at, 'limit');
    this.at = this.text.length;
    return false;
  }

  /** Runs `read` one level deeper. Too deep: an error, and the rest of the text is left. */
  deeper<T>(read: () => T, otherwise: T): T {
    if (this.depth >= MOST_NESTED) {
      this.error(`nested more than ${MOST_NESTED} deep`, this.at, 'limit');
      this.at = this.text.length;
      return otherwise;
    }
    this.depth++;
    const value = read();
    this.depth--;
    return value;
  }

  /** Another text inside of this one, at this place and depth. */
  inner(text: string, at: number, exact = false): Cursor {
    const inner = new Cursor(text, this.dialect, this.shared, this.offset(at), this.exact && exact);
    inner.depth = this.depth;
    return inner;
  }
}

export const SPACE = 32;
export const TAB = 9;
export const NEWLINE = 10;
export const BACKSLASH = 92;

/** Blanks, joined lines and a comment: up to the next word, operator or line end. */
export function skipBlanks(c: Cursor): void {
  const { text } = c;
  let at = c.at;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === TAB) at++;
    else if (code === BACKSLASH && text.charCodeAt(at + 1) === NEWLINE) {
      // `&`, a joined line and `&` are one operator.
      if (isOperator(text, at - 1) && isOperator(text, at + 2))
        c.error('a line is joined inside of an operator');
      at += 2;
    } else break;
  }
  if (text.charCodeAt(at) === 35) {
    const end = text.indexOf('\n', at);
    at = end === -1 ? text.length : end;
  }
  c.at = at;
}

function isOperator(text: string, at: number): boolean {
  const char = text[at];
  return char !== undefined && '|&;<>()'.includes(char);
}

export function literal(text: string, start: number, end: number): Word {
  return { start, end, text, parts: null, quoted: false, glob: false, brace: false };
}
