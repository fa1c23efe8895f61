/**
 * `$(…)`, backticks and arithmetic. The text of `$(…)` is read where it stands, by the same reader, so that quotes, comments
 * and `case` patterns in it cannot hide where it ends.
 */

import { EXPANSION } from '../known/arithmetic-syntax.ts';
import { inQuotes } from '../text.ts';
import { readList } from './commands.ts';
import { CLASS, type Cursor, QUOTE } from './cursor.ts';
import type { Node, Part } from './tree.ts';
import { PartList, readInDouble } from './words.ts';

const EMPTY: Node = { kind: 'list', items: [], background: [] };

/** `width` is how many characters open it. */
export function readSubstitution(c: Cursor, list: PartList, quoted: boolean, width = 2, closer = ')'): void {
  const open = c.at;
  c.at += width;
  const outer = c.pending;
  c.pending = [];
  const documents = c.documents;
  const script = c.deeper(() => readList(c), EMPTY);
  if (c.text[c.at] === closer) c.at++;
  else c.error(`unclosed ${closer === ')' ? '$(' : '${'}`, open);
  if (c.pending.length > 0) c.error('a here-document begins in a substitution and does not end in it', open);
  if (outer.length > 0 && c.text.slice(open, c.at).includes('\n')) {
    c.error('a line ends in a substitution while a here-document waits', open);
  }
  // bash puts the text of a substitution together again, and loses separators behind a here-document.
  if (c.documents > documents && c.dialect.name === 'bash' && !isOnePipeline(script)) {
    c.error('a here-document in a substitution, and more commands', open, 'shell');
  }
  c.pending = outer;
  list.push({ kind: 'command', script, quoted, at: c.offset(open) });
}

/** A simple command, or several joined by `|`, `&&` and `||`. */
function isOnePipeline(node: Node): boolean {
  if (node.kind === 'simple') return true;
  if (node.kind === 'list')
    return node.items.length === 1 && node.background[0] !== true && isOnePipeline(node.items[0]!);
  return (
    (node.kind === 'pipeline' || node.kind === 'and-or') && node.items.every((item) => item.kind === 'simple')
  );
}

/** Old substitutions: the text up to the next backtick, one layer of backslashes taken off, is read by itself. */
export function readBackticks(c: Cursor, list: PartList, quoted: boolean, inDouble: boolean): void {
  const { text, at: open } = c;
  let end = open + 1;
  let escaped = false;
  while (end < text.length && text.charCodeAt(end) !== 96) {
    if (text.charCodeAt(end) === 92) {
      escaped = true;
      end++;
    }
    end++;
  }
  if (end >= text.length) c.error('unclosed `', open);
  let inside = text.slice(open + 1, Math.min(end, text.length));
  if (escaped) {
    if (quoted && !inDouble && inside.includes('\\"')) {
      c.error('an escaped quote in backticks in a here-document', open, 'shell');
    }
    inside = inDouble ? inside.replace(/\\([$`\\"])/g, '$1') : inside.replace(/\\([$`\\])/g, '$1');
  }
  c.at = Math.min(end + 1, text.length);
  let script: Node = EMPTY;
  if (!escaped || c.shared.mayReadAgain(inside.length, c.offset(open))) {
    const inner = c.inner(inside, open + 1, !escaped);
    script = inner.deeper(() => readAll(inner), EMPTY);
    if (inner.differs) c.differs = true;
  }
  list.push({ kind: 'command', script, quoted, at: c.offset(open) });
}

/** The whole text of a cursor, whatever it is. */
export function readAll(c: Cursor): Node {
  const items: Node[] = [];
  const background: boolean[] = [];
  for (;;) {
    const list = readList(c);
    if (list.kind === 'list') {
      for (let i = 0; i < list.items.length; i++) {
        items.push(list.items[i]!);
        background.push(list.background[i]!);
      }
    }
    if (c.at >= c.text.length) break;
    const found = /^(?:[A-Za-z]+|;;&?|[\s\S])/.exec(c.text.slice(c.at, c.at + 12))![0];
    c.error(`unexpected ${inQuotes(found)}`);
    c.at += found.length;
  }
  if (c.pending.length > 0) c.error('a here-document without its end');
  return { kind: 'list', items, background };
}

/**
 * At `$((` or `$[`. False, with the cursor where it was, if it is a substitution that begins with a subshell: `$((a); b)`.
 */
export function readArithmetic(c: Cursor, list: PartList, quoted: boolean): boolean {
  const { text, at: open } = c;
  const square = text[open + 1] === '[';
  const start = open + (square ? 2 : 3);
  const errors = c.shared.errors.length;
  c.at = start;
  const read = c.deeper(() => readExpression(c, square), null);
  if (read !== null) {
    c.at += square ? 1 : 2;
    list.push({ kind: 'arith', text: read.text, parts: read.parts, quoted, at: c.offset(open) });
    return true;
  }
  c.differs = true;
  const length = c.at - open;
  if (c.at >= text.length || square || !c.shared.mayReadAgain(length, c.offset(open))) {
    c.error('unclosed $((', open);
    list.push({ kind: 'arith', text: '', parts: [], quoted, at: c.offset(open) });
    return true;
  }
  c.shared.errors.length = Math.min(c.shared.errors.length, errors);
  if (c.dialect.name === 'dash') c.error('$(( that does not end in ))', open);
  c.at = open;
  return false;
}

export interface Expression {
  /** With a sign for each expansion. */
  readonly text: string;
  readonly parts: readonly Part[];
}

/** Up to the closing `))` or `]`, not over it; null if the parentheses do not fit. */
export function readExpression(c: Cursor, square: boolean): Expression | null {
  const { text } = c;
  const list = new PartList();
  let source = '';
  let run = c.at;
  let depth = 0;
  while (c.at < text.length) {
    const code = text.charCodeAt(c.at);
    if (square ? code === 91 : code === 40) depth++;
    else if (square ? code === 93 : code === 41) {
      if (depth === 0) {
        if (!square && text[c.at + 1] !== ')') return null;
        return { text: source + text.slice(run, c.at), parts: list.parts.filter(isExpansion) };
      }
      depth--;
    }
    if (code < 128 && (CLASS[code]! & QUOTE) !== 0) {
      if (code === 39 || code === 34) {
        c.error('quotes in arithmetic', c.at, 'shell');
        c.at++;
      } else {
        source += text.slice(run, c.at) + EXPANSION;
        readInDouble(c, code, list, '"');
        run = c.at;
      }
    } else c.at++;
  }
  return null;
}

function isExpansion(part: Part): boolean {
  return part.kind !== 'text';
}
