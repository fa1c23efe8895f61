/**
 * Reads one word: text, quotes, escapes, and the expansions in it. A word without expansions comes out with its value; the
 * others keep their parts, each knowing whether it stands in quotes.
 */
import { readAnsiString } from './ansi-strings.ts';
import { BRACE, CLASS, type Cursor, GLOB, literal, META, NEWLINE } from './cursor.ts';
import { readDollar, readProcess } from './expansions.ts';
import { readBackticks } from './substitutions.ts';
import type { Part, Word } from './tree.ts';

const NO_CLASS = 0;

/** Reads the word at the cursor; the caller has seen that one begins here. */
export function readWord(c: Cursor): Word {
  const { text, at: start } = c;
  if (!c.node()) return literal('', start, start);
  const length = text.length;
  let at = start;
  let stop = NO_CLASS;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 && (stop = CLASS[code]!) !== NO_CLASS) break;
  }
  if (at === length || ((stop & META) !== 0 && !opensParenthesis(text, at))) {
    c.at = at;
    return literal(text.slice(start, at), c.offset(start), c.offset(at));
  }
  return readParts(c, start, at);
}

/** `<(`, `>(`, or a parenthesis right behind the text: the slow way looks closer. */
function opensParenthesis(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 40 || ((code === 60 || code === 62) && text.charCodeAt(at + 1) === 40);
}

/** Gathers the parts of a word; text next to text of the same kind is one part. */
export class PartList {
  readonly parts: Part[] = [];
  private text = '';
  private textQuoted = false;
  /** Whether anything in it is more than text. */
  expands = false;
  quoted = false;

  add(text: string, quoted: boolean): void {
    if (quoted) this.quoted = true;
    if (quoted !== this.textQuoted) {
      this.flush();
      this.textQuoted = quoted;
    }
    this.text += text;
  }

  push(part: Part): void {
    this.flush();
    this.expands = true;
    this.parts.push(part);
  }

  flush(): void {
    if (this.text !== '' || this.textQuoted) {
      this.parts.push({ kind: 'text', text: this.text, quoted: this.textQuoted });
    }
    this.text = '';
    this.textQuoted = false;
  }

  plain(): string {
    let all = '';
    for (const part of this.parts) if (part.kind === 'text') all += part.text;
    return all;
  }
}

const ASSIGNMENT = /[A-Za-z_][A-Za-z0-9_]*\+?=/y;

function readParts(c: Cursor, start: number, stopped: number): Word {
  const { text } = c;
  const list = new PartList();
  let wild = false;
  let bracket = false;
  let brace = false;
  let run = start;
  c.at = stopped;
  const flushRun = () => {
    if (c.at > run) list.add(text.slice(run, c.at), false);
  };
  while (c.at < text.length) {
    const code = text.charCodeAt(c.at);
    const kind = code < 128 ? CLASS[code]! : NO_CLASS;
    if (kind === NO_CLASS) {
      c.at++;
      continue;
    }
    if ((kind & META) !== 0) {
      const paren = text.charCodeAt(c.at + 1) === 40;
      if ((code === 60 || code === 62) && paren && c.has('processes')) {
        flushRun();
        readProcess(c, list);
        run = c.at;
        continue;
      }
      if (code === 40 && c.at > start && isExtendedGlob(c, start)) {
        flushRun();
        readExtendedGlob(c, list);
        wild = true;
        run = c.at;
        continue;
      }
      break;
    }
    if ((kind & GLOB) !== 0) {
      if (code === 91) bracket = true;
      else wild = true;
      c.at++;
    } else if ((kind & BRACE) !== 0) {
      brace = true;
      c.at++;
    } else {
      flushRun();
      if (code === 126) readTilde(c, start, list);
      else readQuoting(c, code, list);
      run = c.at;
    }
  }
  flushRun();
  list.flush();
  const source = text.slice(start, c.at);
  brace &&= source.includes('}') && (source.includes(',') || source.includes('..')) && c.has('braces');
  const keep = list.expands || brace;
  const value = keep ? source : list.plain();
  return {
    start: c.offset(start),
    end: c.offset(c.at),
    text: value,
    parts: keep ? list.parts : null,
    quoted: list.quoted,
    glob: wild || (bracket && source.includes(']')),
    brace,
  };
}

/** One of `\ ' " $` and the backtick, outside of double quotes. */
export function readQuoting(c: Cursor, code: number, list: PartList): void {
  const { text } = c;
  if (code === 92) {
    const next = text.charCodeAt(c.at + 1);
    if (next === NEWLINE) c.at += 2;
    else if (c.at + 1 >= text.length) {
      c.error('a backslash at the very end');
      list.add('\\', true);
      c.at++;
    } else {
      list.add(text[c.at + 1]!, true);
      c.at += 2;
    }
  } else if (code === 39) {
    const end = text.indexOf("'", c.at + 1);
    if (end === -1) c.error("unclosed '");
    list.add(text.slice(c.at + 1, end === -1 ? text.length : end), true);
    c.at = end === -1 ? text.length : end + 1;
  } else if (code === 34) {
    c.at++;
    readDouble(c, list);
  } else if (code === 96) {
    readBackticks(c, list, false, false);
  } else if (text.charCodeAt(c.at + 1) === 39 && c.has('dollarQuotes')) {
    readAnsiString(c, list);
  } else if (text.charCodeAt(c.at + 1) === 34) {
    // The dash reading keeps the dollar sign.
    if (!c.has('dollarQuotes')) list.add('$', false);
    c.at++;
  } else {
    readDollar(c, list, false);
  }
}

/** The inside of double quotes, up to and over the closing one. */
export function readDouble(c: Cursor, list: PartList): void {
  const { text } = c;
  const open = c.at - 1;
  list.add('', true);
  let run = c.at;
  const flushRun = () => {
    if (c.at > run) list.add(text.slice(run, c.at), true);
  };
  while (c.at < text.length) {
    const code = text.charCodeAt(c.at);
    if (code === 34) {
      flushRun();
      c.at++;
      return;
    }
    if (code === 36 || code === 96 || code === 92) {
      flushRun();
      readInDouble(c, code, list, '"');
      run = c.at;
    } else c.at++;
  }
  flushRun();
  c.error('unclosed "', open);
}

/** One of `\ $` and the backtick inside of double quotes or a here-document; `closer` is what a backslash may protect. */
export function readInDouble(c: Cursor, code: number, list: PartList, closer: string): void {
  const { text } = c;
  if (code === 36) readDollar(c, list, true);
  else if (code === 96) readBackticks(c, list, true, closer !== '');
  else {
    const next = text[c.at + 1];
    if (next === '\n') c.at += 2;
    else if (next === '$' || next === '`' || next === '\\' || (next !== undefined && closer.includes(next))) {
      list.add(next, true);
      c.at += 2;
    } else {
      list.add('\\', true);
      c.at++;
    }
  }
}

/** At the beginning of a word it is a home folder; behind `=` or `:` only in some shells. */
function readTilde(c: Cursor, start: number, list: PartList): void {
  const { text } = c;
  const before = text[c.at - 1];
  if (c.at === start) {
    let end = c.at + 1;
    while (end < text.length && /[A-Za-z0-9_.+-]/.test(text[end]!)) end++;
    const next = text.charCodeAt(end);
    if (next === 92 && text.charCodeAt(end + 1) === NEWLINE) c.error('a line is joined inside of a name');
    // A quote or an expansion in the name makes it plain text.
    if (Number.isNaN(next) || next === 47 || (next < 128 && (CLASS[next]! & META) !== 0)) {
      list.push({ kind: 'tilde', name: text.slice(c.at + 1, end), later: false });
      c.at = end;
      return;
    }
  } else if (before === ':' || before === '=') {
    ASSIGNMENT.lastIndex = start;
    // An assigned value begins behind its `=`, so that its own name is not part of the word.
    if (ASSIGNMENT.test(text) || text[start - 1] === '=') {
      c.differs = true;
      list.push({ kind: 'tilde', name: '', later: true });
      c.at++;
      return;
    }
  }
  list.add('~', false);
  c.at++;
}

/** `!(…)` at the beginning of a command is a negated subshell, elsewhere `@( +( ?( *( !(` is a pattern. */
function isExtendedGlob(c: Cursor, start: number): boolean {
  const before = c.text[c.at - 1]!;
  if (!'@+?*!'.includes(before) || (before === '!' && c.at - 1 === start)) return false;
  return c.has('extended') && c.dialect.name !== 'zsh';
}

/** Up to the parenthesis that closes it, with what is expanded inside. */
function readExtendedGlob(c: Cursor, list: PartList): void {
  const { text } = c;
  const open = c.at;
  let depth = 0;
  while (c.at < text.length) {
    const code = text.charCodeAt(c.at);
    if (code === 40) depth++;
    else if (code === 41 && --depth === 0) {
      list.add(')', false);
      c.at++;
      return;
    }
    if (code < 128 && (CLASS[code]! & 2) !== 0) readQuoting(c, code, list);
    else {
      list.add(text[c.at]!, false);
      c.at++;
    }
  }
  c.error('unclosed pattern', open);
}
