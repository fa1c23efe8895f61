/**
 * What follows a dollar sign: parameters with their operators, command substitutions, arithmetic. And `<(…)`.
 */
import { CLASS, type Cursor, QUOTE } from './cursor.ts';
import { readArithmetic, readSubstitution } from './substitutions.ts';
import type { Node, ParamPart, Part, Word } from './tree.ts';
import { PartList, readInDouble, readQuoting } from './words.ts';

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SPECIAL = '@*#?-$!';
/** `:-` and its like, patterns, replacements, cases, `@Q`, substrings. Longest first. */
const OPERATOR = /:?[-=?+]|##?|%%?|\/[/#%]?|\^\^?|,,?|@|:/y;
const EMPTY: Node = { kind: 'list', items: [], background: [] };

/** At a `$` that opens no quotes. */
export function readDollar(c: Cursor, list: PartList, quoted: boolean): void {
  const { text } = c;
  const next = text[c.at + 1];
  if (next === undefined) {
    list.add('$', quoted);
    c.at++;
  } else if (next === '(') {
    if (text[c.at + 2] === '(' && readArithmetic(c, list, quoted)) return;
    readSubstitution(c, list, quoted);
  } else if (next === '{') {
    c.deeper(() => readBraced(c, list, quoted), undefined);
  } else if (next === '[' && c.has('extended')) {
    readArithmetic(c, list, quoted);
  } else if (next === '\\' && text[c.at + 2] === '\n') {
    c.error('a line is joined right behind a dollar sign');
    list.add('$', quoted);
    c.at++;
  } else readPlain(c, next, list, quoted);
}

function readPlain(c: Cursor, next: string, list: PartList, quoted: boolean): void {
  const { text, at } = c;
  NAME.lastIndex = at + 1;
  const name = NAME.exec(text)?.[0] ?? (/[0-9]/.test(next) || SPECIAL.includes(next) ? next : undefined);
  if (c.dialect.name === 'zsh') {
    const after = text[at + 1 + (name?.length ?? 0)];
    if (name === undefined ? '=~^+:'.includes(next) : after === '[' || after === ':') {
      c.error('an expansion that only zsh has', at, 'shell');
    }
  }
  if (name === undefined) {
    list.add('$', quoted);
    c.at++;
    return;
  }
  c.at = at + 1 + name.length;
  if (text[c.at] === '\\' && text[c.at + 1] === '\n' && /\w|\\/.test(text[c.at + 2] ?? '')) {
    c.error('a line is joined inside of a name', at);
  }
  list.push(plainParameter(name, quoted, c.offset(at)));
}

function plainParameter(name: string, quoted: boolean, at: number): ParamPart {
  return { kind: 'param', name, op: '', arg: null, index: null, length: false, indirect: false, quoted, at };
}

/** At `${`. */
function readBraced(c: Cursor, list: PartList, quoted: boolean): void {
  const { text } = c;
  const open = c.at;
  c.at += 2;
  const first = text[c.at];
  if (first === ' ' || first === '\t' || first === '\n' || first === '|' || first === '(') {
    // Newer shells run `${ command; }`, older ones refuse it, and zsh has flags there.
    c.error('an expansion that shells do not agree on', open, 'shell');
    if (first !== '(') {
      c.at = open;
      readSubstitution(c, list, quoted, 3, '}');
      return;
    }
  }
  const length = first === '#' && /[A-Za-z0-9_@*#?$!-]/.test(text[c.at + 1] ?? '') && !closesAt(c, c.at + 1);
  if (length) c.at++;
  const indirect = !length && first === '!' && /[A-Za-z0-9_@*#]/.test(text[c.at + 1] ?? '');
  if (indirect) c.at++;
  const name = readName(c);
  const index = text[c.at] === '[' && c.has('arrays') ? readIndex(c) : null;
  OPERATOR.lastIndex = c.at;
  const op = name === '' ? '' : (OPERATOR.exec(text)?.[0] ?? '');
  c.at += op.length;
  if ((indirect || op === ':' || /^[/^,@]/.test(op)) && !c.has('extended')) {
    c.error('an expansion that this shell does not have', open, 'shell');
  }
  const from = c.at;
  const arg = readArgument(c, quoted, open);
  const bad = name === '' || (op === '' && c.at - 1 > from) || (length && op !== '');
  if (bad) c.error('an expansion that cannot be read', open);
  list.push({
    kind: 'param',
    name,
    op,
    arg: op === '' && !bad ? null : arg,
    index,
    length,
    indirect,
    quoted,
    at: c.offset(open),
  });
}

/** `${#-x}` is the number of arguments with an operator, `${#-}` a length. */
function closesAt(c: Cursor, at: number): boolean {
  return '#?$!-@*'.includes(c.text[at]!) && c.text[at + 1] !== '}';
}

function readName(c: Cursor): string {
  const { text } = c;
  NAME.lastIndex = c.at;
  const found = NAME.exec(text)?.[0];
  let name = found ?? '';
  if (found === undefined) {
    let end = c.at;
    while (end < text.length && text[end]! >= '0' && text[end]! <= '9') end++;
    name = text.slice(c.at, end);
    if (name === '' && SPECIAL.includes(text[c.at] ?? ' ')) name = text[c.at]!;
  }
  c.at += name.length;
  return name;
}

/** `[…]` behind a name: text and expansions up to the bracket that closes it. */
export function readIndex(c: Cursor): Word {
  const { text } = c;
  const open = c.at;
  const list = new PartList();
  c.at++;
  let depth = 1;
  while (c.at < text.length) {
    const code = text.charCodeAt(c.at);
    if (code === 91) depth++;
    else if (code === 93 && --depth === 0) break;
    if (code < 128 && (CLASS[code]! & QUOTE) !== 0) readQuoting(c, code, list);
    else {
      list.add(text[c.at]!, false);
      c.at++;
    }
  }
  if (c.at >= text.length) c.error('unclosed [', open);
  const word = asWord(c, list, open + 1);
  if (c.at < text.length) c.at++;
  return word;
}

/** What stands behind the operator, up to and over the closing brace. */
function readArgument(c: Cursor, quoted: boolean, open: number): Word {
  const { text } = c;
  const start = c.at;
  const list = new PartList();
  let glob = false;
  let run = c.at;
  const flushRun = () => {
    if (c.at > run) list.add(text.slice(run, c.at), quoted);
  };
  while (c.at < text.length && text.charCodeAt(c.at) !== 125) {
    const code = text.charCodeAt(c.at);
    if (quoted && code === 39) {
      // Shells disagree on whether it opens quotes here, and so on where the expansion ends.
      c.error("a ' in an expansion in double quotes", c.at, 'shell');
      c.at++;
    } else if (code < 128 && (CLASS[code]! & QUOTE) !== 0) {
      flushRun();
      if (code === 34 && c.document) c.error('quotes in an expansion in a here-document', c.at, 'shell');
      if (!quoted || code === 34) readQuoting(c, code, list);
      else readInDouble(c, code, list, '"}');
      run = c.at;
    } else if ((code === 60 || code === 62) && text[c.at + 1] === '(' && c.has('processes')) {
      // In quotes it is text behind some operators, and run behind others.
      if (quoted) c.error('<( in an expansion in double quotes', c.at, 'shell');
      flushRun();
      readProcess(c, list);
      run = c.at;
    } else {
      if (code === 42 || code === 63 || code === 91) glob = true;
      if (code === 126 && c.at === start && !quoted)
        c.error('a ~ behind the operator of an expansion', c.at, 'shell');
      c.at++;
    }
  }
  flushRun();
  if (c.at >= text.length) c.error('unclosed ${', open);
  const word = asWord(c, list, start, glob);
  if (c.at < text.length) c.at++;
  return word;
}

function asWord(c: Cursor, list: PartList, start: number, glob = false): Word {
  list.flush();
  return {
    start: c.offset(start),
    end: c.offset(c.at),
    text: list.expands ? c.text.slice(start, c.at) : list.plain(),
    parts: list.parts,
    quoted: list.quoted,
    glob,
    brace: false,
  };
}

/** At `<(` or `>(`. */
export function readProcess(c: Cursor, list: PartList): void {
  const { at } = c;
  const writes = c.text[at] === '>';
  const inner = new PartList();
  readSubstitution(c, inner, false);
  const part = inner.parts[0] as Part | undefined;
  const script = part?.kind === 'command' ? part.script : EMPTY;
  list.push({ kind: 'process', script, writes, at: c.offset(at) });
}
