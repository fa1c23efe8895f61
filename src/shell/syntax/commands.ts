/**
 * Lists, pipelines and simple commands: the part of the grammar that every line goes through. A list ends at what it cannot
 * contain (`)`, `;;`, `then`, `}` …); the caller says whether that is right.
 */
import { inQuotes } from '../text.ts';
import { COMPOUNDS, readArithCommand, readBlock, readFunctionBody } from './compounds.ts';
import { CLASS, type Cursor, literal, META, NEWLINE, skipBlanks } from './cursor.ts';
import { readIndex } from './expansions.ts';
import { passNewline } from './here-documents.ts';
import { atRedirect, readRedirect } from './redirects.ts';
import type { AndOr, Assign, List, Node, Redirect, Simple, Word } from './tree.ts';
import { readWord } from './words.ts';

/** Reserved words that end a list. */
const CLOSER = /(?:then|else|elif|fi|do|done|esac|\})(?![^ \t\n;&|()<>])/y;
const AMPERSAND = 38;
const SEMICOLON = 59;
const PIPE = 124;
const CLOSE = 41;

export function readList(c: Cursor): List {
  const items: Node[] = [];
  const background: boolean[] = [];
  const { text } = c;
  for (;;) {
    skipLines(c);
    if (c.at >= text.length || atListEnd(c)) break;
    const before = c.at;
    const node = readAndOr(c);
    if (node !== null) {
      items.push(node);
      background.push(false);
    }
    skipBlanks(c);
    const code = text.charCodeAt(c.at);
    if (code === NEWLINE) continue;
    if (code === SEMICOLON && !endsBranch(c)) {
      c.at++;
      if (node === null) c.error('unexpected ";"', before);
    } else if (code === AMPERSAND) {
      c.at++;
      if (node === null) c.error('unexpected "&"', before);
      else background[background.length - 1] = true;
    } else {
      if (c.at >= text.length || atListEnd(c)) break;
      c.error(`unexpected ${inQuotes(text[c.at])}`);
      // Never stand still: what no command can begin with is left out.
      if (c.at === before) c.at++;
    }
  }
  return { kind: 'list', items, background };
}

/** Blanks, comments and line ends. */
export function skipLines(c: Cursor): void {
  for (;;) {
    skipBlanks(c);
    if (c.text.charCodeAt(c.at) !== NEWLINE) return;
    passNewline(c);
  }
}

/** `;;`, `;&`. */
function endsBranch(c: Cursor): boolean {
  const next = c.text[c.at + 1];
  return next === ';' || (next === '&' && c.has('extended'));
}

function atListEnd(c: Cursor): boolean {
  const code = c.text.charCodeAt(c.at);
  if (code === CLOSE || (code === SEMICOLON && endsBranch(c))) return true;
  return isCloserAt(c);
}

function isCloserAt(c: Cursor): boolean {
  CLOSER.lastIndex = c.at;
  const code = c.text.charCodeAt(c.at);
  // All of them begin with one of these letters.
  if (code !== 125 && (code < 100 || code > 116)) return false;
  return CLOSER.test(c.text);
}

function readAndOr(c: Cursor): Node | null {
  const first = readPipeline(c);
  let node: { kind: 'and-or'; items: Node[]; ops: AndOr['ops'][number][] } | null = null;
  for (;;) {
    skipBlanks(c);
    const op = operatorAt(c);
    if (op === null) return node === null ? first : node.items.length === 0 ? null : node;
    if (first === null) c.error(`unexpected ${inQuotes(op)}`);
    c.at += 2;
    skipLines(c);
    const next = readPipeline(c);
    if (next === null) c.error(`nothing behind ${op}`);
    node ??= { kind: 'and-or', items: first === null ? [] : [first], ops: [] };
    if (next === null) continue;
    if (node.items.length > 0) node.ops.push(op);
    node.items.push(next);
  }
}

function operatorAt(c: Cursor): '&&' | '||' | null {
  const code = c.text.charCodeAt(c.at);
  if ((code !== AMPERSAND && code !== PIPE) || c.text.charCodeAt(c.at + 1) !== code) return null;
  return code === AMPERSAND ? '&&' : '||';
}

function readPipeline(c: Cursor): Node | null {
  skipNegations(c);
  const first = readCommandNode(c);
  let items: Node[] | null = null;
  const both: boolean[] = [];
  for (;;) {
    skipBlanks(c);
    if (c.text.charCodeAt(c.at) !== PIPE || c.text.charCodeAt(c.at + 1) === PIPE) break;
    if (first === null) c.error('unexpected "|"');
    c.at++;
    const withErrors = c.text.charCodeAt(c.at) === AMPERSAND && c.has('extended');
    if (withErrors) c.at++;
    skipLines(c);
    const next = readCommandNode(c);
    if (next === null) c.error('nothing behind |');
    items ??= first === null ? [] : [first];
    if (next === null) continue;
    both.push(withErrors);
    items.push(next);
  }
  if (items === null) return first;
  return items.length === 0 ? null : { kind: 'pipeline', items, both };
}

/**
 * `!` before a pipeline, and in bash `time` before what is no plain word. Before a plain word it is left to the table of
 * wrappers: sh has a program of that name.
 */
const NEGATION = /!(?=[ \t\n(]|$)/y;
const TIMED =
  /time(?:[ \t]+-p)?(?:[ \t]+--)?(?=[ \t\n]*(?:[({!<>;\n]|$|[A-Za-z_]\w*\+?=|(?:if|while|until|for|case|select|time|coproc|\[\[)[ \t\n(]))/y;

function skipNegations(c: Cursor): void {
  for (;;) {
    skipBlanks(c);
    const code = c.text.charCodeAt(c.at);
    if (code !== 33 && code !== 116) return;
    const prefix = code === 33 ? NEGATION : TIMED;
    prefix.lastIndex = c.at;
    const found = prefix.exec(c.text)?.[0];
    if (found === undefined || (found !== '!' && !c.has('extended'))) return;
    c.at += found.length;
  }
}

export function readCommandNode(c: Cursor): Node | null {
  skipBlanks(c);
  const { text, at: start } = c;
  const code = text.charCodeAt(start);
  if (c.at >= text.length) return null;
  if (code === 40) {
    const arithmetic = text.charCodeAt(start + 1) === 40 && c.has('extended') ? readArithCommand(c) : null;
    return arithmetic ?? c.deeper(() => readBlock(c, 'subshell'), null);
  }
  if (code < 128 && (CLASS[code]! & META) !== 0 && !atRedirect(c) && !startsWord(c)) return null;
  if (isCloserAt(c)) return null;
  const assigned = isNameStart(code) ? assignmentAt(c) : 0;
  if (assigned > 0 || atRedirect(c)) return readSimple(c, start, null);
  const word = readWord(c);
  if (word.parts === null && !word.quoted) {
    const compound = COMPOUNDS.get(word.text);
    if (compound !== undefined) {
      const node = c.deeper<Node | null | undefined>(() => compound(c, start), undefined);
      if (node !== null) return node ?? null;
    }
  }
  return readSimple(c, start, word);
}

/** `<(` and `>(` begin words, other metacharacters do not. */
function startsWord(c: Cursor): boolean {
  const code = c.text.charCodeAt(c.at);
  return (code === 60 || code === 62) && c.text.charCodeAt(c.at + 1) === 40 && c.has('processes');
}

interface Draft {
  readonly assigns: Assign[];
  readonly words: Word[];
  readonly redirects: Redirect[];
  declared: Assign[] | null;
}

function readSimple(c: Cursor, start: number, first: Word | null): Node {
  const { text } = c;
  const draft: Draft = { assigns: [], words: first === null ? [] : [first], redirects: [], declared: null };
  let end = c.at;
  c.node();
  if (first !== null && takeDescriptor(c, draft, start)) end = c.at;
  for (;;) {
    skipBlanks(c);
    if (c.at >= text.length) break;
    const code = text.charCodeAt(c.at);
    if (atRedirect(c)) draft.redirects.push(readRedirect(c, null));
    else if (code === 40) {
      if (isFunctionHead(c, draft)) return readFunctionBody(c, start, draft.words[0]!.text);
      c.error('unexpected "("');
      // What stands in the parentheses could be commands: they are read as the list that follows.
      break;
    } else if (code < 128 && (CLASS[code]! & META) !== 0 && !startsWord(c)) break;
    else readPiece(c, draft);
    end = c.at;
  }
  if (text.charCodeAt(c.at) === 40) c.at++;
  const node: Simple = {
    kind: 'simple',
    assigns: draft.assigns,
    words: draft.words,
    redirects: draft.redirects,
    declared: draft.declared,
    start: c.offset(start),
    end: c.offset(end),
    text: text.slice(start, end),
  };
  return node;
}

function readPiece(c: Cursor, draft: Draft): void {
  const { at } = c;
  const before = draft.words.length === 0;
  const length = isNameStart(c.text.charCodeAt(at)) ? assignmentAt(c) : 0;
  if (length > 0 && before) {
    const assign = readAssign(c, length);
    if (assign !== null) {
      draft.assigns.push(assign);
      return;
    }
    if (!c.shared.mayReadAgain(c.at - at, c.offset(at))) return;
    c.at = at;
  } else if (
    length > 0 &&
    isDeclaration(draft) &&
    /^\+?=\(/.test(c.text.slice(at + length, at + length + 3))
  ) {
    // `export x=(…)`: the words of the list are expanded all the same.
    const assign = readAssign(c, length)!;
    for (const word of assign.list!) draft.words.push(word);
    draft.declared = [...(draft.declared ?? []), assign];
    draft.words.push({ ...literal(`${assign.name}=`, assign.value.start, c.offset(c.at)), quoted: true });
    return;
  }
  const word = readWord(c);
  draft.words.push(word);
  if (word.text === '}' && !word.quoted && c.dialect.name === 'zsh') {
    c.error('a } that zsh takes for the end of a group', at, 'shell');
  }
  takeDescriptor(c, draft, at);
}

/** `2>` and, in bash, `{name}>`: the word was no word. */
function takeDescriptor(c: Cursor, draft: Draft, start: number): boolean {
  const code = c.text.charCodeAt(c.at);
  if ((code !== 60 && code !== 62) || !atRedirect(c)) return false;
  const word = draft.words.at(-1)!;
  if (word.quoted) return false;
  const source = c.text.slice(start, c.at).replaceAll('\\\n', '');
  const named = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(source);
  if (!(named ? c.has('namedDescriptors') : /^[0-9]+$/.test(source))) return false;
  // dash takes only one digit.
  if (!named && source.length > 1) c.differs = true;
  if (!named && source.length > 1 && c.dialect.name === 'dash') return false;
  draft.words.pop();
  draft.redirects.push(readRedirect(c, named ? source.slice(1, -1) : source));
  return true;
}

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

/** `x=`, `x+=`, `x[…]=`, with joined lines in the name: how far the name goes, 0 if it is none. */
function assignmentAt(c: Cursor): number {
  const { text } = c;
  let at = c.at;
  for (;;) {
    const code = text.charCodeAt(at);
    if (isNameStart(code) || (code >= 48 && code <= 57)) at++;
    else if (code === 92 && text.charCodeAt(at + 1) === NEWLINE) at += 2;
    else break;
  }
  const code = text.charCodeAt(at);
  if (code === 61) return at - c.at;
  if (code === 43 && /^\+(?:\\\n)*=/.test(text.slice(at, at + 8))) return c.has('arrays') ? at - c.at : 0;
  if (code === 91) return c.has('arrays') ? at - c.at : 0;
  return 0;
}

/** Null if what looked like `x[…]=` has no `=`. */
function readAssign(c: Cursor, length: number): Assign | null {
  const { text, at: start } = c;
  const name = text.slice(start, start + length).replaceAll('\\\n', '');
  c.at += length;
  const index = text[c.at] === '[' ? readIndex(c) : null;
  const sign = /(?:\\\n)*(\+?)(?:\\\n)*=/y;
  sign.lastIndex = c.at;
  const found = sign.exec(text);
  if (found === null) {
    if (index !== null && /\s/.test(text.slice(start, c.at)))
      c.error('a subscript with blanks', start, 'shell');
    return null;
  }
  c.at = sign.lastIndex;
  const append = found[1] === '+';
  const code = text.charCodeAt(c.at);
  if (code === 40) {
    if (!c.has('arrays')) c.error('unexpected "("');
    return {
      name,
      append,
      value: literal('', c.offset(c.at), c.offset(c.at)),
      list: readListValue(c),
      index,
    };
  }
  const empty = c.at >= text.length || (code < 128 && (CLASS[code]! & META) !== 0 && !startsWord(c));
  const value = empty ? literal('', c.offset(c.at), c.offset(c.at)) : readWord(c);
  return { name, append, value, list: null, index };
}

/** The words of `x=(…)`. */
function readListValue(c: Cursor): Word[] {
  const open = c.at++;
  const words: Word[] = [];
  for (;;) {
    skipLines(c);
    const code = c.text.charCodeAt(c.at);
    if (c.at >= c.text.length) break;
    if (code === CLOSE) {
      c.at++;
      return words;
    }
    if (code < 128 && (CLASS[code]! & META) !== 0 && !startsWord(c)) {
      c.error(`unexpected ${inQuotes(c.text[c.at])}`);
      c.at++;
    } else {
      const word = readWord(c);
      // `[key]=value` is taken as it stands; what it expands is what counts.
      words.push(word);
    }
  }
  c.error('unclosed (', open);
  return words;
}

const DECLARATIONS: ReadonlySet<string> = new Set(
  'declare typeset local export readonly alias eval let'.split(' '),
);

function isDeclaration(draft: Draft): boolean {
  return DECLARATIONS.has(draft.words[0]!.text);
}

function isFunctionHead(c: Cursor, draft: Draft): boolean {
  if (draft.words.length !== 1 || draft.assigns.length > 0 || draft.redirects.length > 0) return false;
  const head = /\([ \t]*\)/y;
  head.lastIndex = c.at;
  if (!head.test(c.text)) return false;
  const word = draft.words[0]!;
  if (word.quoted || word.parts !== null) c.error('a function whose name is not plain');
  c.at = head.lastIndex;
  return true;
}
