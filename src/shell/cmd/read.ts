/** Reads lines of cmd to the tree of shells: commands, `&`, `|`, parentheses, `if` and `for`. */
import {
  commandPart,
  listOf,
  maybe,
  paramPart,
  plainWord,
  simple,
  slashed,
  wordOf,
} from '../powershell/nodes.ts';
import { Gathered, variable } from '../powershell/strings.ts';
import type { Cursor } from '../syntax/cursor.ts';
import type { For, Node, Part, Redirect, Word } from '../syntax/tree.ts';

const NOTHING: Node = listOf([]);

export function readCmd(c: Cursor): Node {
  const items: Node[] = [];
  while (c.at < c.text.length) {
    items.push(readLines(c));
    if (c.text[c.at] === ')') c.at++;
  }
  return listOf(items);
}

/** Up to the end or a closing parenthesis. */
function readLines(c: Cursor): Node {
  const items: Node[] = [];
  for (;;) {
    skip(c, true);
    const char = c.text[c.at];
    if (char === undefined || char === ')') break;
    if (char === '&') {
      c.at++;
      continue;
    }
    const before = c.at;
    items.push(c.deeper(() => readChain(c), NOTHING));
    if (c.at === before) c.at++;
    if (!c.node()) break;
  }
  return items.length === 1 ? items[0]! : listOf(items);
}

function skip(c: Cursor, lines: boolean): void {
  for (;;) {
    const char = c.text[c.at];
    if (char === ' ' || char === '\t' || char === '\r' || char === ',' || char === ';') c.at++;
    else if (lines && (char === '\n' || char === '@')) c.at++;
    else if (char === '^' && /^\r?\n/.test(c.text.slice(c.at + 1, c.at + 3))) c.at += 2;
    else return;
  }
}

function readChain(c: Cursor): Node {
  const items = [readPipeline(c)];
  const ops: ('&&' | '||')[] = [];
  for (;;) {
    skip(c, false);
    const op = c.text.slice(c.at, c.at + 2);
    if (op !== '&&' && op !== '||') break;
    c.at += 2;
    skip(c, true);
    ops.push(op);
    items.push(readPipeline(c));
    if (!c.node()) break;
  }
  return items.length === 1 ? items[0]! : { kind: 'and-or', items, ops };
}

function readPipeline(c: Cursor): Node {
  const items = [readOne(c)];
  for (;;) {
    skip(c, false);
    if (c.text[c.at] !== '|' || c.text[c.at + 1] === '|') break;
    c.at++;
    skip(c, true);
    items.push(readOne(c));
    if (!c.node()) break;
  }
  return items.length === 1 ? items[0]! : { kind: 'pipeline', items, both: [] };
}

function readOne(c: Cursor): Node {
  const start = c.at;
  if (c.text[c.at] === '(') {
    c.at++;
    const body = c.deeper(() => readLines(c), NOTHING);
    if (c.text[c.at] === ')') c.at++;
    else c.error('unclosed (', start);
    const { redirects } = readWords(c, true);
    const { end, text, start: from } = simple(c, start, []);
    return redirects.length === 0 ? body : { kind: 'group', body, redirects, start: from, end, text };
  }
  const keyword = /(?:rem|if|for)(?=[\s(])|::|:\w*/iy;
  keyword.lastIndex = c.at;
  const word = keyword.exec(c.text)?.[0].toLowerCase();
  if (word === 'rem' || word?.startsWith(':') === true) {
    const end = c.text.indexOf('\n', c.at);
    c.at = end === -1 ? c.text.length : end;
    return NOTHING;
  }
  if (word === 'if' || word === 'for') c.at += word.length;
  if (word === 'if') return readIf(c, start);
  if (word === 'for') return readFor(c, start);
  const { words, redirects } = readWords(c, false);
  return simple(c, start, words, { redirects });
}

const IF =
  /\s*(?:\/i\s+)?(?:not\s+)?(?:(?:exist|defined|errorlevel|cmdextversion)\s+("[^"]*"|[^\s(]+)|("[^"]*"|[^\s=]+)\s*(?:==|equ|neq|lss|leq|gtr|geq)\s*("[^"]*"|[^\s(]+))/iy;

function readIf(c: Cursor, start: number): Node {
  IF.lastIndex = c.at;
  const test = IF.exec(c.text);
  if (test === null) c.error('a condition that is not understood', start);
  else c.at += test[0].length;
  skip(c, true);
  const body = readOne(c);
  const here = c.at;
  skip(c, true);
  const other = /else(?=[\s(])/iy;
  other.lastIndex = c.at;
  if (!other.test(c.text)) {
    c.at = here;
    return maybe(c, start, NOTHING, body);
  }
  c.at += 4;
  skip(c, true);
  return maybe(
    c,
    start,
    NOTHING,
    body,
    c.deeper(() => readOne(c), NOTHING),
  );
}

const FOR = /\s*((?:\/[a-z]\s*(?:"[^"]*"\s*|[^\s%(]+\s+)?)*)%%?~?([a-z])\s+in\s*\(([^)]*)\)\s*do(?=[\s(])/iy;

/** `for %i in (…) do …`; of `/f` the lines of a file or of what a command prints. */
function readFor(c: Cursor, start: number): Node {
  FOR.lastIndex = c.at;
  const found = FOR.exec(c.text);
  if (found === null) {
    c.error('a loop that is not understood', start);
    return readOne(c);
  }
  const [head, options = '', name = 'i', list = ''] = found;
  const at = c.offset(c.at);
  c.at += head.length;
  skip(c, true);
  const body = c.deeper(() => readOne(c), NOTHING);
  const run = /\/f/i.test(options) ? /^\s*(['`])(.*)\1\s*$/s.exec(list)?.[2] : undefined;
  const script = run === undefined ? null : readCmd(c.inner(run, start));
  const inner = c.inner(list, start);
  const words =
    script === null
      ? /\/[fl]/i.test(options)
        ? [wordOf([paramPart('_line', at, false)])]
        : readWords(inner, false).words
      : [wordOf([commandPart(script, at)])];
  const { end, text, start: from } = simple(c, start, []);
  const loop: For = {
    kind: 'for',
    name: `%${name.toLowerCase()}`,
    words,
    select: false,
    body,
    redirects: [],
    start: from,
    end,
    text,
  };
  return loop;
}

const REDIRECT = /(?:[0-9])?>&[0-9]|(?:[0-9])?>>?|(?:[0-9])?</y;
const VARIABLE =
  /%%?~?[a-z]*?([a-z])(?=[\s"'\\/)&|]|$)|%~?[a-z]*([0-9*])|%(\w[\w()]*)(?::[^%\n]*)?%|!(\w+)(?::[^!\n]*)?!/iy;

function readWords(c: Cursor, only: boolean): { words: Word[]; redirects: Redirect[] } {
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  for (;;) {
    skip(c, false);
    const char = c.text[c.at];
    if (char === undefined || /[\n&|)]/.test(char) || (only && !/[<>0-9]/.test(char))) break;
    REDIRECT.lastIndex = c.at;
    const written = REDIRECT.exec(c.text)?.[0];
    if (written !== undefined) {
      c.at += written.length;
      const fd = /^\d/.exec(written)?.[0] ?? null;
      const op = fd === null ? written : written.slice(1);
      if (op.startsWith('>&'))
        redirects.push({ op: '>&', fd, target: plainWord(op.slice(2)), at: c.offset(c.at) });
      else {
        skip(c, false);
        const target = wordOf(readPieces(c, false));
        const path = /^nul:?$/i.test(target.text) ? '/dev/null' : slashed(target.text);
        redirects.push({
          op,
          fd,
          target: target.parts === null ? plainWord(path) : target,
          at: c.offset(c.at),
        });
      }
      continue;
    }
    const before = c.at;
    words.push(wordOf(readPieces(c, words.length === 0)));
    if (c.at === before) c.at++;
    if (!c.node()) break;
  }
  return { words, redirects };
}

/** `cd\` and `del/q`: a name ends where an option begins. */
function readPieces(c: Cursor, isName: boolean): readonly Part[] {
  const gathered = new Gathered();
  let quoted = false;
  let length = 0;
  for (;;) {
    const char = c.text[c.at];
    if (char === undefined || char === '\n') break;
    VARIABLE.lastIndex = c.at;
    const found = char === '%' || char === '!' ? VARIABLE.exec(c.text) : null;
    if (found !== null) {
      c.at += found[0].length;
      const [, loop, argument, name, late] = found;
      if (loop !== undefined) gathered.push(paramPart(`%${loop.toLowerCase()}`, c.offset(c.at), false));
      else if (argument !== undefined)
        gathered.push(paramPart(argument === '*' ? '_all' : `_${argument}`, c.offset(c.at), false));
      else
        for (const part of variable(`env:${(name ?? late)!.toUpperCase()}`, c.offset(c.at), false))
          gathered.push(part);
    } else if (char === '"') {
      quoted = !quoted;
      c.at++;
    } else if (char === '^' && !quoted) {
      gathered.add(c.text[c.at + 1] ?? '');
      c.at += 2;
    } else if (
      !quoted &&
      (/[\s&|<>();,]/.test(char) ||
        (isName &&
          char === '/' &&
          length > 0 &&
          CMD_PROGRAMS.test(c.text.slice(Math.max(0, c.at - 8), c.at))))
    )
      break;
    else {
      gathered.add(char);
      c.at++;
    }
    length++;
  }
  return gathered.all();
}

const CMD_PROGRAMS = /(?:^|[\s&|(@])(?:del|erase|rd|rmdir|cd|dir|format|copy|xcopy|move)$/i;
