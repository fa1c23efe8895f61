/**
 * Compound commands: groups, subshells, `if`, loops, `case`, `[[ ]]`, `(( ))`, functions, coprocesses.
 */
import { readCommandNode, readList, skipLines } from './commands.ts';
import { CLASS, type Cursor, literal, META, skipBlanks } from './cursor.ts';
import { atRedirect, readRedirect } from './redirects.ts';
import { readExpression } from './substitutions.ts';
import type { ArithPart, Node, Redirect, Word } from './tree.ts';
import { readWord } from './words.ts';

type Reader = (c: Cursor, start: number) => Node | null;

/** By reserved word; each is called behind the word. Null if the word turns out to be a command. */
export const COMPOUNDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['{', (c, start) => readGroup(c, start)],
  ['if', readIf],
  ['while', readWhile],
  ['until', readWhile],
  ['for', readFor],
  ['select', (c, start) => (c.has('extended') ? readForWords(c, start, true) : null)],
  ['case', readCase],
  ['[[', (c, start) => (c.has('extended') ? readTest(c, start) : null)],
  ['function', (c, start) => (c.has('extended') ? readFunction(c, start) : null)],
  ['coproc', (c, start) => (c.has('extended') ? readCoprocess(c, start) : null)],
]);

/** Takes the reserved word or sign, or notes that it is missing. */
function expect(c: Cursor, word: string, of: string): boolean {
  skipBlanks(c);
  const end = c.at + word.length;
  const next = c.text.charCodeAt(end);
  const whole = end >= c.text.length || (next < 128 && (CLASS[next]! & META) !== 0) || word === ')';
  if (c.text.startsWith(word, c.at) && whole) {
    c.at = end;
    return true;
  }
  c.error(`want ${word} of ${of}`);
  return false;
}

function isAt(c: Cursor, word: string): boolean {
  skipBlanks(c);
  const next = c.text.charCodeAt(c.at + word.length);
  return c.text.startsWith(word, c.at) && (Number.isNaN(next) || (next < 128 && (CLASS[next]! & META) !== 0));
}

export function readRedirects(c: Cursor): Redirect[] {
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(c);
    if (atRedirect(c)) {
      redirects.push(readRedirect(c, null));
      continue;
    }
    const fd = /(?:([0-9]+)|\{([A-Za-z_][A-Za-z0-9_]*)\})(?=[<>])/y;
    fd.lastIndex = c.at;
    const found = fd.exec(c.text);
    if (found === null) return redirects;
    c.at = fd.lastIndex;
    if (atRedirect(c)) redirects.push(readRedirect(c, found[1] ?? found[2]!));
    else {
      c.at = found.index;
      return redirects;
    }
  }
}

function placed(
  c: Cursor,
  start: number,
): { start: number; end: number; text: string; redirects: Redirect[] } {
  const redirects = readRedirects(c);
  return { start: c.offset(start), end: c.offset(c.at), text: c.text.slice(start, c.at), redirects };
}

/** At `(`. */
export function readBlock(c: Cursor, kind: 'subshell'): Node {
  const start = c.at++;
  const body = readList(c);
  if (body.items.length === 0) c.error('nothing in ( )', start);
  expect(c, ')', '(');
  return { kind, body, ...placed(c, start) };
}

function readGroup(c: Cursor, start: number): Node {
  const body = readList(c);
  if (body.items.length === 0) c.error('nothing in { }', start);
  expect(c, '}', '{');
  return { kind: 'group', body, ...placed(c, start) };
}

function readIf(c: Cursor, start: number): Node {
  const branches: { test: Node; body: Node }[] = [];
  let otherwise: Node | null = null;
  for (;;) {
    const test = readList(c);
    expect(c, 'then', 'if');
    const body = readList(c);
    branches.push({ test, body });
    if (test.items.length === 0 || body.items.length === 0) c.error('an empty part of if', start);
    if (isAt(c, 'elif')) {
      c.at += 4;
      continue;
    }
    if (isAt(c, 'else')) {
      c.at += 4;
      otherwise = readList(c);
    }
    break;
  }
  expect(c, 'fi', 'if');
  return { kind: 'if', branches, otherwise, ...placed(c, start) };
}

function readWhile(c: Cursor, start: number): Node {
  const test = readList(c);
  const body = readBody(c);
  return { kind: 'while', test, body, ...placed(c, start) };
}

/** `do … done`. */
function readBody(c: Cursor): Node {
  expect(c, 'do', 'a loop');
  const body = readList(c);
  if (body.items.length === 0) c.error('an empty loop');
  expect(c, 'done', 'a loop');
  return body;
}

function readFor(c: Cursor, start: number): Node | null {
  skipBlanks(c);
  if (!c.text.startsWith('((', c.at) || !c.has('extended')) return readForWords(c, start, false);
  const head = readArithInside(c);
  if (head === null) return null;
  skipBlanks(c);
  if (c.text[c.at] === ';') c.at++;
  skipLines(c);
  const body = readLoopBody(c);
  return { kind: 'for-arith', head, body, ...placed(c, start) };
}

function readLoopBody(c: Cursor): Node {
  if (!isAt(c, '{') || !c.has('extended')) return readBody(c);
  const start = c.at;
  c.at++;
  return readGroup(c, start);
}

const LOOP_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function readForWords(c: Cursor, start: number, select: boolean): Node {
  skipBlanks(c);
  const name = atWord(c) ? readWord(c) : literal('', 0, 0);
  if (!LOOP_NAME.test(name.text) || name.quoted) c.error('want a name behind for');
  skipLines(c);
  let words: Word[] | null = null;
  if (isAt(c, 'in')) {
    c.at += 2;
    words = [];
    for (skipBlanks(c); atWord(c); skipBlanks(c)) words.push(readWord(c));
    if (c.text[c.at] !== ';' && c.text[c.at] !== '\n')
      c.error('want ; or a line end behind the words of for');
  }
  if (c.text[c.at] === ';') c.at++;
  skipLines(c);
  const body = readLoopBody(c);
  return { kind: 'for', name: name.text, words, select, body, ...placed(c, start) };
}

/** Whether a word begins here. */
function atWord(c: Cursor): boolean {
  const code = c.text.charCodeAt(c.at);
  if (c.at >= c.text.length) return false;
  if (code >= 128 || (CLASS[code]! & META) === 0) return true;
  return (code === 60 || code === 62) && c.text[c.at + 1] === '(' && c.has('processes');
}

function readCase(c: Cursor, start: number): Node {
  skipBlanks(c);
  const word = atWord(c) ? readWord(c) : literal('', 0, 0);
  skipLines(c);
  expect(c, 'in', 'case');
  const branches: { patterns: Word[]; body: Node; falls: boolean }[] = [];
  for (;;) {
    skipLines(c);
    if (c.at >= c.text.length || isAt(c, 'esac')) break;
    if (c.text[c.at] === '(') c.at++;
    const patterns: Word[] = [];
    for (;;) {
      skipBlanks(c);
      if (!atWord(c)) break;
      patterns.push(readWord(c));
      skipBlanks(c);
      if (c.text[c.at] !== '|' || c.text[c.at + 1] === '|') break;
      c.at++;
    }
    if (patterns.length === 0) c.error('want a pattern of case');
    if (!expect(c, ')', 'case')) {
      if (c.at < c.text.length && !atWord(c)) c.at++;
      continue;
    }
    const body = readList(c);
    const end = /;;&?|;&/y;
    end.lastIndex = c.at;
    const found = end.exec(c.text)?.[0];
    branches.push({ patterns, body, falls: found !== undefined && found !== ';;' });
    if (found === undefined) break;
    c.at += found.length;
  }
  expect(c, 'esac', 'case');
  return { kind: 'case', word, branches, ...placed(c, start) };
}

/** Behind `[[`: words, with operators that mean nothing to a reader, up to `]]`. */
function readTest(c: Cursor, start: number): Node {
  const words: Word[] = [];
  for (;;) {
    skipTestBlanks(c);
    if (c.at >= c.text.length) {
      c.error('unclosed [[', start);
      break;
    }
    if (atWord(c)) {
      if (c.text[c.at] === '#') c.error('a # in [[ ]]', c.at, 'shell');
      const word = readWord(c);
      if (word.text === ']]' && !word.quoted) break;
      words.push(word);
    } else {
      if (c.text[c.at] === ';') c.error('unexpected ";" in [[ ]]');
      c.at++;
    }
  }
  return { kind: 'test', words, ...placed(c, start) };
}

function skipTestBlanks(c: Cursor): void {
  const blanks = /(?:[ \t\n]|\\\n)*/y;
  blanks.lastIndex = c.at;
  const found = blanks.exec(c.text)?.[0] ?? '';
  if (found.includes('\n') && c.pending.length > 0) c.error('a here-document waits in [[ ]]');
  c.at += found.length;
}

/** At `((`. Null, with the cursor where it was, if it is two subshells. */
export function readArithCommand(c: Cursor): Node | null {
  const start = c.at;
  const expression = c.deeper(() => readArithInside(c), null);
  return expression === null ? null : { kind: 'arith', expression, ...placed(c, start) };
}

function readArithInside(c: Cursor): ArithPart | null {
  const { text, at: open } = c;
  const errors = c.shared.errors.length;
  c.at += 2;
  const read = readExpression(c, false);
  if (read !== null) {
    c.at += 2;
    return { kind: 'arith', text: read.text, parts: read.parts, quoted: true, at: c.offset(open) };
  }
  if (!c.shared.mayReadAgain(c.at - open, c.offset(open))) {
    c.at = text.length;
    return null;
  }
  c.shared.errors.length = Math.min(errors, c.shared.errors.length);
  c.at = open;
  return null;
}

/** Behind `function`. */
function readFunction(c: Cursor, start: number): Node {
  skipBlanks(c);
  const name = atWord(c) ? readWord(c) : literal('', 0, 0);
  if (name.parts !== null || name.quoted || name.text === '') c.error('a function whose name is not plain');
  const head = /[ \t]*\([ \t]*\)/y;
  head.lastIndex = c.at;
  if (head.test(c.text)) c.at = head.lastIndex;
  return readFunctionBody(c, start, name.text);
}

/** Behind `name ()`. */
export function readFunctionBody(c: Cursor, start: number, name: string): Node {
  skipLines(c);
  const at = c.at;
  const code = c.text.charCodeAt(at);
  let body: Node | null = null;
  if (code === 40) {
    const arithmetic = c.text[at + 1] === '(' && c.has('extended') ? readArithCommand(c) : null;
    body = arithmetic ?? c.deeper(() => readBlock(c, 'subshell'), null);
  } else if (atWord(c)) {
    const word = readWord(c);
    const compound = word.quoted || word.parts !== null ? undefined : COMPOUNDS.get(word.text);
    if (compound !== undefined) body = c.deeper(() => compound(c, at), null);
    else {
      if (!c.has('anyFunctionBody')) c.error('want { behind the name of a function', at);
      c.at = at;
      c.error('a function without { }', at, 'shell');
      body = readCommandNode(c);
    }
  }
  if (body === null) c.error('a function without a body');
  return {
    kind: 'function',
    name,
    body: body ?? { kind: 'list', items: [], background: [] },
    start: c.offset(start),
    end: c.offset(c.at),
    text: c.text.slice(start, c.at),
  };
}

/** Behind `coproc`: `coproc NAME { … }` or `coproc command`. */
function readCoprocess(c: Cursor, start: number): Node | null {
  skipBlanks(c);
  const at = c.at;
  if (!atWord(c) && c.text[at] !== '(') return null;
  let body: Node | null = null;
  const name = /[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=[({]|(?:if|while|until|for|case|select|\[\[)[ \t\n(])/y;
  name.lastIndex = at;
  const named = name.exec(c.text)?.[0];
  if (named !== undefined && !COMPOUNDS.has(named.trim())) c.at += named.length;
  if (c.text[c.at] === '(') body = readBlock(c, 'subshell');
  else {
    const before = c.at;
    const word = readWord(c);
    const compound = word.quoted || word.parts !== null ? undefined : COMPOUNDS.get(word.text);
    if (compound !== undefined && word.text !== 'coproc') body = c.deeper(() => compound(c, before), null);
    else {
      // A simple command: the wrapper table takes `coproc` off.
      c.at = at;
      return null;
    }
  }
  if (body === null) return null;
  return {
    kind: 'coproc',
    name: named?.trim() ?? 'COPROC',
    body,
    start: c.offset(start),
    end: c.offset(c.at),
    text: c.text.slice(start, c.at),
  };
}
