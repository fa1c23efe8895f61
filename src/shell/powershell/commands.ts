/** Commands of PowerShell: a name, its arguments as they stand without quotes, and redirections. */
import type { Cursor } from '../syntax/cursor.ts';
import type { Node, Part, Redirect, Word } from '../syntax/tree.ts';
import { readExpression, readPostfix, wordsOf } from './expressions.ts';
import { COMMA, plainWord, simple, slashed, textPart, wordOf } from './nodes.ts';
import { commandValue, readBlock, readParentheses, readStatements, skip } from './statements.ts';
import {
  DOUBLE,
  readDollar,
  readDouble,
  readEscape,
  readHereString,
  readSingle,
  SINGLE,
  variable,
} from './strings.ts';

const END = /[\n|;)}]|&(?!&?\w*\d)/;
const REDIRECT = /(?:[1-6*]?>&[12]|[1-6*]?>>?|<)/y;

export function readCommand(c: Cursor): Node {
  const start = c.at;
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  if (c.text[c.at] === '&' || (c.text[c.at] === '.' && /[\s$'"{(]/.test(c.text[c.at + 1] ?? ''))) {
    c.at++;
    skip(c, false);
  }
  for (;;) {
    skip(c, false);
    const char = c.text[c.at];
    if (char === undefined || END.test(char)) break;
    const before = c.at;
    REDIRECT.lastIndex = c.at;
    const op = REDIRECT.exec(c.text)?.[0];
    if (op !== undefined) {
      c.at += op.length;
      readRedirect(c, op, redirects);
    } else if (char === ',') {
      c.at++;
      skip(c, true);
      words.push(plainWord(COMMA));
    } else if (c.text.startsWith('--%', c.at) && words.length > 0) readAsIs(c, words);
    else words.push(...readArgument(c));
    if (c.at === before) {
      c.error(`${JSON.stringify(char)} is not expected in a command`);
      c.at++;
    }
    if (!c.node()) break;
  }
  const [name] = words;
  if (name !== undefined && name.parts === null && /^[A-Za-z][\w-]*$/.test(name.text))
    words[0] = { ...name, text: name.text.toLowerCase() };
  return simple(c, start, words, { redirects });
}

/** Redirections behind an expression. */
export function readRedirects(c: Cursor): readonly Redirect[] {
  const redirects: Redirect[] = [];
  for (;;) {
    skip(c, false);
    REDIRECT.lastIndex = c.at;
    const op = REDIRECT.exec(c.text)?.[0];
    if (op === undefined || !c.node()) return redirects;
    c.at += op.length;
    readRedirect(c, op, redirects);
  }
}

function readRedirect(c: Cursor, written: string, redirects: Redirect[]): void {
  const at = c.offset(c.at);
  const fd = /^[1-6*]/.exec(written)?.[0] ?? null;
  const plain = fd === null ? written : written.slice(1);
  if (plain.startsWith('>&')) {
    redirects.push({ op: '>&', fd: fd === '*' ? '1' : fd, target: plainWord(plain.slice(2)), at });
    return;
  }
  skip(c, false);
  if (plain === '<') c.error('< is not a redirection here');
  const [target, ...others] = c.at < c.text.length ? readArgument(c) : [];
  if (others.length > 0) c.error('a redirection to several files');
  if (target === undefined) {
    c.error('a redirection without a file');
    return;
  }
  // `$null` swallows.
  const none = target.parts === null && target.text === '';
  const path = none ? plainWord('/dev/null') : pathWord(target);
  const op = fd === '*' ? (plain === '>>' ? '&>>' : '&>') : plain;
  redirects.push({ op, fd: fd === '*' ? null : fd, target: path, at });
}

function pathWord(word: Word): Word {
  if (word.parts === null) return { ...word, text: slashed(word.text) };
  const parts = word.parts.map((part) =>
    part.kind === 'text' ? { ...part, text: part.text.replaceAll('\\', '/') } : part,
  );
  return { ...word, parts };
}

/** `--%`: words up to the end of the command, as they stand. */
function readAsIs(c: Cursor, words: Word[]): void {
  const end = /[\n|]/g;
  end.lastIndex = c.at;
  const to = end.exec(c.text)?.index ?? c.text.length;
  for (const [word] of c.text.slice(c.at + 3, to).matchAll(/"[^"]*"|\S+/g))
    words.push(plainWord(word.replace(/^"(.*)"$/s, '$1')));
  c.at = to;
}

const STOPS = /[\s|;&(){},<>'"`$\u2018-\u201e]/;

/** One argument: most are one word, an array is several. */
function readArgument(c: Cursor): readonly Word[] {
  const char = c.text[c.at]!;
  const at = c.at;
  if (char === '{') {
    readBlock(c);
    return [plainWord(c.text.slice(at, c.at))];
  }
  if (char === '@') {
    const here = readHereString(c);
    if (here !== null) return [wordOf(here)];
    const next = c.text[at + 1] ?? '';
    if (next === '(') return bracketed(c, at + 1);
    if (next === '{') {
      c.at = at;
      return readTableArgument(c);
    }
    const splat = /@([\w:]+)/y;
    splat.lastIndex = at;
    const found = splat.exec(c.text);
    if (found !== null) {
      c.at += found[0].length;
      return [wordOf(variable(found[1]!, c.offset(at), true))];
    }
  }
  if (char === '(') return bracketed(c, at);
  if (char === '$' && c.text[at + 1] !== '(') {
    const parts = readDollar(c, true);
    if (parts !== null) {
      const value = readPostfix(c, { items: [parts] });
      if (endsWord(c)) return wordsOf(value);
      return [wordOf([...value.items.flat(), ...readPieces(c)])];
    }
  }
  const name = c.text[at] === '-' ? /-[A-Za-z][\w-]*:(?=[^\s:])/y : null;
  if (name !== null) {
    name.lastIndex = at;
    const found = name.exec(c.text)?.[0];
    if (found !== undefined && !/[:/\\]$/.test(found.slice(0, -1))) {
      c.at += found.length;
      const [value, ...others] = readArgument(c);
      return [wordOf([textPart(found), ...(value?.parts ?? [textPart(value?.text ?? '')])]), ...others];
    }
  }
  return [wordOf(readPieces(c))];
}

/** `@{…}` as one word, in which what its values run is found when it is read. */
function readTableArgument(c: Cursor): readonly Word[] {
  const value = readExpression(c);
  return value.items.flatMap((parts, at) => (at === 0 ? [wordOf(parts)] : [plainWord(COMMA), wordOf(parts)]));
}

function endsWord(c: Cursor): boolean {
  const next = c.text[c.at];
  return next === undefined || /[\s|;&(){},<>]/.test(next);
}

/** `(…)` and `@(…)`: an array gives a word for each of its elements. */
function bracketed(c: Cursor, open: number): readonly Word[] {
  c.at = open;
  const array = c.text[open - 1] === '@';
  let value = commandValue(c, array ? readAll(c) : readParentheses(c));
  value = readPostfix(c, value);
  const words = wordsOf(value);
  if (words.length < 2) return words;
  return words.flatMap((word, at) => (at === 0 ? [word] : [plainWord(COMMA), word]));
}

function readAll(c: Cursor): Node {
  c.at++;
  const node = readStatements(c, ')');
  if (c.text[c.at] === ')') c.at++;
  else c.error('unclosed @(');
  return node;
}

/** Text, quotes and expansions up to the end of the word. */
function readPieces(c: Cursor): readonly Part[] {
  const parts: Part[] = [];
  let bare = '';
  const flush = () => {
    if (bare !== '') parts.push(...bareParts(bare, parts.length === 0));
    bare = '';
  };
  for (;;) {
    const char = c.text[c.at];
    if (char === undefined) break;
    if (SINGLE.test(char) || DOUBLE.test(char)) {
      flush();
      parts.push(...(SINGLE.test(char) ? readSingle(c) : readDouble(c)));
      const value = c.text[c.at] === '.' && bare === '' && parts.length === 1;
      if (value) {
        const found = readPostfix(c, { items: [parts.splice(0)] });
        parts.push(...found.items.flat());
      }
    } else if (char === '`') {
      if (/^\r?\n/.test(c.text.slice(c.at + 1, c.at + 3))) break;
      bare += readEscape(c);
    } else if (char === '$') {
      const found = readDollar(c, false);
      if (found === null) {
        bare += '$';
        c.at++;
      } else {
        flush();
        parts.push(...found);
      }
    } else if (char === '{' && /[\w@^]$/.test(bare) && /^\{[\w^-]*\}/.test(c.text.slice(c.at, c.at + 40))) {
      const end = c.text.indexOf('}', c.at);
      bare += c.text.slice(c.at, end + 1);
      c.at = end + 1;
    } else if (STOPS.test(char)) break;
    else {
      bare += char;
      c.at++;
    }
  }
  flush();
  return parts;
}

function bareParts(text: string, first: boolean): readonly Part[] {
  if (!first || !/^~(?=$|[\\/])/.test(text)) return [textPart(text, false)];
  const home: Part = { kind: 'tilde', name: '', later: false };
  return text === '~' ? [home] : [home, textPart(text.slice(1), false)];
}
