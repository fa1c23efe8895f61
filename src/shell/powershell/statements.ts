/**
 * Reads PowerShell to the tree of shells: statements, pipelines and blocks. What it cannot read is an error at its place, and
 * what follows is read all the same.
 */
import type { Cursor } from '../syntax/cursor.ts';
import type { Assign, Case, For, Node, While } from '../syntax/tree.ts';
import { readCommand, readRedirects } from './commands.ts';
import { type Expression, partsOf, readExpression, wordsOf } from './expressions.ts';
import { assignOf, commandPart, listOf, maybe, plainWord, simple, wordOf } from './nodes.ts';
import { variable } from './strings.ts';

const NOTHING: Node = listOf([]);

/** Statements up to the end of the text, or to the closing bracket, which is left. */
export function readStatements(c: Cursor, closer: '' | '}' | ')'): Node {
  const items: Node[] = [];
  const background: boolean[] = [];
  for (;;) {
    skip(c, true);
    const char = c.text[c.at];
    if (char === undefined || char === closer) break;
    if (char === ';') {
      c.at++;
      continue;
    }
    const before = c.at;
    const node = c.deeper(() => readStatement(c), NOTHING);
    items.push(node);
    skip(c, false);
    if (c.text[c.at] === '&' && c.text[c.at + 1] !== '&') {
      background[items.length - 1] = true;
      c.at++;
    }
    if (c.at === before) {
      c.error(`${JSON.stringify(c.text[c.at])} is not expected here`);
      c.at++;
    }
    if (!c.node()) break;
  }
  return items.length === 1 && background[0] !== true ? items[0]! : listOf(items, background);
}

/** Blanks, joined lines and comments; with `lines` the ends of lines too. */
export function skip(c: Cursor, lines: boolean): void {
  const { text } = c;
  for (;;) {
    const char = text[c.at];
    if (char === ' ' || char === '\t' || char === '\r' || char === '\u00a0') c.at++;
    else if (char === '\n' && lines) c.at++;
    else if (char === '`' && /^\r?\n/.test(text.slice(c.at + 1, c.at + 3)))
      c.at += text[c.at + 1] === '\r' ? 3 : 2;
    else if (char === '#') {
      const end = text.indexOf('\n', c.at);
      c.at = end === -1 ? text.length : end;
    } else if (char === '<' && text[c.at + 1] === '#') {
      const end = text.indexOf('#>', c.at + 2);
      if (end === -1) c.error('unclosed <#');
      c.at = end === -1 ? text.length : end + 2;
    } else return;
  }
}

const KEYWORD = /[A-Za-z]+(?![\w.\\/:*-])/y;

function keywordAt(c: Cursor): string {
  KEYWORD.lastIndex = c.at;
  return KEYWORD.exec(c.text)?.[0].toLowerCase() ?? '';
}

type Reader = (c: Cursor, start: number) => Node;

export function readStatement(c: Cursor): Node {
  const start = c.at;
  const label = /:[A-Za-z_]\w*[ \t]+(?=for|while|do|switch)/iy;
  label.lastIndex = start;
  const labelled = label.exec(c.text);
  if (labelled !== null) c.at += labelled[0].length;
  const keyword = keywordAt(c);
  const read = STATEMENTS[keyword];
  if (
    read === undefined ||
    (CALLED.has(keyword) && !/^\w+\s*(?:-\w+\s*)?[({]/.test(c.text.slice(c.at, c.at + 40)))
  )
    return readChain(c);
  c.at += keyword.length;
  return read(c, start);
}

/** Also names of commands. */
const CALLED: ReadonlySet<string> = new Set([
  'foreach',
  'process',
  'begin',
  'end',
  'clean',
  'switch',
  'data',
  'if',
]);

const STATEMENTS: Readonly<Record<string, Reader>> = {
  if: readIf,
  while: (c, start) => whileOf(c, start, readCondition(c), readBlock(c)),
  do: (c, start) => {
    const body = readBlock(c);
    skip(c, true);
    if (!/^(?:while|until)$/.test(keywordAt(c))) return listOf([body]);
    c.at += 5;
    return listOf([body, whileOf(c, start, readCondition(c), body)]);
  },
  for: readFor,
  foreach: readForeach,
  switch: readSwitch,
  try: (c, start) => {
    const items = [readBlock(c)];
    for (;;) {
      const here = c.at;
      skip(c, true);
      const keyword = keywordAt(c);
      if (keyword !== 'catch' && keyword !== 'finally') {
        c.at = here;
        return listOf(items);
      }
      c.at += keyword.length;
      skip(c, true);
      while (c.text[c.at] === '[') {
        const end = c.text.indexOf(']', c.at);
        c.at = end === -1 ? c.text.length : end + 1;
        skip(c, true);
        if (c.text[c.at] === ',') c.at++;
        skip(c, true);
      }
      const body = readBlock(c);
      items.push(keyword === 'catch' ? maybe(c, start, NOTHING, body) : body);
    }
  },
  trap: (c, start) => {
    skip(c, true);
    if (c.text[c.at] === '[') c.at = Math.max(c.at, c.text.indexOf(']', c.at) + 1);
    return maybe(c, start, NOTHING, readBlock(c));
  },
  function: readFunction,
  filter: readFunction,
  workflow: readFunction,
  configuration: readFunction,
  class: (c, start) => {
    // Its methods may be called.
    c.at = Math.max(c.at, nextOf(c, '{'));
    return maybe(c, start, NOTHING, readBlock(c));
  },
  enum: (c) => {
    const end = c.text.indexOf('}', c.at);
    c.at = end === -1 ? c.text.length : end + 1;
    return NOTHING;
  },
  using: (c, start) => {
    c.at = endOfLine(c);
    return simple(c, start, [plainWord('using')]);
  },
  param: (c) => readParameters(c),
  begin: (c) => readBlock(c),
  process: (c) => readBlock(c),
  end: (c) => readBlock(c),
  clean: (c) => readBlock(c),
  dynamicparam: (c) => readBlock(c),
  parallel: (c) => readBlock(c),
  sequence: (c) => readBlock(c),
  data: (c) => readBlock(c),
  return: readRest,
  throw: readRest,
  exit: readRest,
  break: readLabel,
  continue: readLabel,
};

function nextOf(c: Cursor, char: string): number {
  const at = c.text.indexOf(char, c.at);
  return at === -1 ? c.text.length : at;
}

function endOfLine(c: Cursor): number {
  const found = /[\n;]/g;
  found.lastIndex = c.at;
  return found.exec(c.text)?.index ?? c.text.length;
}

function readLabel(c: Cursor): Node {
  skip(c, false);
  const label = /[\w$]*/y;
  label.lastIndex = c.at;
  c.at += label.exec(c.text)![0].length;
  return NOTHING;
}

/** `return x`: the rest is a statement of its own, which may be skipped like anything behind it. */
function readRest(c: Cursor): Node {
  skip(c, false);
  return /[;\n})]/.test(c.text[c.at] ?? ';') ? NOTHING : c.deeper(() => readStatement(c), NOTHING);
}

/** `{ … }`. */
export function readBlock(c: Cursor): Node {
  skip(c, true);
  if (c.text[c.at] !== '{') {
    c.error('want {');
    return NOTHING;
  }
  const open = c.at++;
  const body = c.deeper(() => readStatements(c, '}'), NOTHING);
  if (c.text[c.at] === '}') c.at++;
  else c.error('unclosed {', open);
  return body;
}

/** `( … )`, as commands. */
export function readParentheses(c: Cursor): Node {
  skip(c, true);
  if (c.text[c.at] !== '(') {
    c.error('want (');
    return NOTHING;
  }
  const open = c.at++;
  const body = c.deeper(() => readStatements(c, ')'), NOTHING);
  if (c.text[c.at] === ')') c.at++;
  else c.error('unclosed (', open);
  return body;
}

const readCondition = readParentheses;

function whileOf(c: Cursor, start: number, test: Node, body: Node): While {
  const { end, text, start: from } = simple(c, start, []);
  return { kind: 'while', test, body, redirects: [], start: from, end, text };
}

function readIf(c: Cursor, start: number): Node {
  const test = readCondition(c);
  const body = readBlock(c);
  const here = c.at;
  skip(c, true);
  const keyword = keywordAt(c);
  if (keyword === 'elseif') {
    c.at += 6;
    return maybe(
      c,
      start,
      test,
      body,
      c.deeper(() => readIf(c, start), NOTHING),
    );
  }
  if (keyword === 'else') {
    c.at += 4;
    return maybe(c, start, test, body, readBlock(c));
  }
  c.at = here;
  return maybe(c, start, test, body);
}

function readFor(c: Cursor, start: number): Node {
  skip(c, true);
  if (c.text[c.at] !== '(') {
    c.error('want (');
    return NOTHING;
  }
  c.at++;
  const parts: Node[] = [];
  for (let part = 0; part < 3; part++) {
    skip(c, true);
    parts.push(/[;)]/.test(c.text[c.at] ?? ')') ? NOTHING : readStatement(c));
    skip(c, true);
    if (c.text[c.at] === ';') c.at++;
    else break;
  }
  skip(c, true);
  if (c.text[c.at] === ')') c.at++;
  else c.error('unclosed (', start);
  const body = readBlock(c);
  const [before = NOTHING, test = NOTHING, step = NOTHING] = parts;
  const always = test === NOTHING ? simple(c, c.at, [plainWord('\0true')]) : test;
  return listOf([before, whileOf(c, start, always, listOf([body, step]))]);
}

function readForeach(c: Cursor, start: number): Node {
  skip(c, true);
  if (c.text[c.at] === '-') c.at = Math.max(c.at, nextOf(c, '('));
  if (c.text[c.at] !== '(') {
    c.error('want (');
    return NOTHING;
  }
  c.at++;
  skip(c, true);
  const name = /\$\{?([\w:]+)\}?/y;
  name.lastIndex = c.at;
  const found = name.exec(c.text);
  c.at += found?.[0].length ?? 0;
  skip(c, true);
  if (keywordAt(c) !== 'in') c.error('want in');
  else c.at += 2;
  const [part] = variable(found?.[1] ?? 'x', 0, true);
  const list = commandValue(c, readStatements(c, ')'));
  if (c.text[c.at] === ')') c.at++;
  else c.error('unclosed (', start);
  const body = readBlock(c);
  const { end, text, start: from } = simple(c, start, []);
  const loop: For = {
    kind: 'for',
    name: part?.kind === 'param' ? part.name : 'x',
    words: wordsOf(list),
    select: false,
    body,
    redirects: [],
    start: from,
    end,
    text,
  };
  return loop;
}

/** What statements in parentheses come to: of an expression its value, of anything else what it prints. */
export function commandValue(c: Cursor, node: Node): Expression {
  const own = VALUES.get(node);
  return own ?? { items: [[commandPart(node, c.offset(c.at))]] };
}

/** Expressions that stand as statements, for those who want their value and not what they print. */
const VALUES = new WeakMap<Node, Expression>();

function readSwitch(c: Cursor, start: number): Node {
  skip(c, true);
  const flag = /(?:-\w+\s+)+/y;
  flag.lastIndex = c.at;
  const flags = flag.exec(c.text)?.[0] ?? '';
  c.at += flags.length;
  const value = /-file/i.test(flags) ? readExpression(c) : commandValue(c, readParentheses(c));
  const word = wordOf(partsOf(value));
  skip(c, true);
  const branches: { patterns: readonly ReturnType<typeof wordOf>[]; body: Node; falls: boolean }[] = [];
  if (c.text[c.at] === '{') {
    c.at++;
    for (;;) {
      skip(c, true);
      if (c.text[c.at] === ';') {
        c.at++;
        continue;
      }
      if (c.text[c.at] === undefined || c.text[c.at] === '}') break;
      const before = c.at;
      const bare = /[\w*?.-]+(?=\s*\{)/y;
      bare.lastIndex = c.at;
      const plain = bare.exec(c.text)?.[0];
      if (plain !== undefined) c.at += plain.length;
      const pattern = plain === undefined ? wordOf(partsOf(readExpression(c))) : plainWord(plain);
      branches.push({ patterns: [pattern], body: readBlock(c), falls: true });
      if (c.at === before) c.at++;
    }
    if (c.text[c.at] === '}') c.at++;
    else c.error('unclosed {', start);
  }
  const { end, text, start: from } = simple(c, start, []);
  const found: Case = { kind: 'case', word, branches, redirects: [], start: from, end, text };
  return found;
}

function readFunction(c: Cursor, start: number): Node {
  skip(c, true);
  const named = /[^\s({;]+/y;
  named.lastIndex = c.at;
  const name = (named.exec(c.text)?.[0] ?? '').toLowerCase().replace(/^(?:global|script|local|private):/, '');
  c.at += name === '' ? 0 : named.lastIndex - c.at;
  skip(c, true);
  const parameters = c.text[c.at] === '(' ? readParameters(c) : null;
  const block = readBlock(c);
  const body = parameters === null ? block : listOf([parameters, block]);
  const { end, text, start: from } = simple(c, start, []);
  return { kind: 'function', name, body, start: from, end, text };
}

/** `param($a, [int]$b = 1)`: each is set from the argument at its place. */
function readParameters(c: Cursor): Node {
  skip(c, true);
  const open = c.at;
  if (c.text[c.at] !== '(') return NOTHING;
  c.at++;
  const names: string[] = [];
  const defaults: Node[] = [];
  const withDefault = new Set<string>();
  for (;;) {
    skip(c, true);
    const char = c.text[c.at];
    if (char === undefined || char === ')') break;
    if (char === ',') c.at++;
    else if (char === '[') skipBrackets(c);
    else if (char === '$') {
      const name = /\$\{?([\w:]+)\}?/y;
      name.lastIndex = c.at;
      const found = name.exec(c.text);
      c.at += found?.[0].length ?? 1;
      if (found !== null) names.push(found[1]!.toLowerCase());
      skip(c, true);
      if (c.text[c.at] === '=') {
        c.at++;
        skip(c, true);
        const value = readExpression(c);
        if (found !== null) withDefault.add(names.at(-1)!);
        if (found !== null)
          defaults.push(assignment(c, open, assignOf(names.at(-1)!, wordOf(partsOf(value)), null, false)));
      }
    } else {
      c.error(`${JSON.stringify(char)} is not expected between parameters`);
      c.at++;
    }
  }
  if (c.text[c.at] === ')') c.at++;
  else c.error('unclosed (', open);
  const given = names.map((name, at) => {
    const word = wordOf([{ ...argument(at + 1), at: c.offset(open) }]);
    const node = assignment(c, open, assignOf(name, word, null, false));
    // Either what was given, or what stands for it.
    return withDefault.has(name) ? maybe(c, open, NOTHING, node) : node;
  });
  return listOf([...defaults, ...given]);
}

function argument(place: number) {
  const name = String(place);
  return {
    kind: 'param',
    name,
    op: '',
    arg: null,
    index: null,
    length: false,
    indirect: false,
    quoted: true,
  } as const;
}

function assignment(c: Cursor, start: number, assign: Assign): Node {
  return simple(c, start, [], { assigns: [assign] });
}

/** A type, or an attribute: one with a block in it runs that when the function is called. */
function skipBrackets(c: Cursor): void {
  const open = c.at;
  skipToClosing(c);
  if (/[{]|\$\(/.test(c.text.slice(open, c.at))) c.error('an attribute that runs code', open, 'code');
}

function skipToClosing(c: Cursor): void {
  let depth = 0;
  for (; c.at < c.text.length; c.at++) {
    const char = c.text[c.at];
    if (char === '[' || char === '(') depth++;
    if (char === ']' || char === ')') depth--;
    if (depth === 0) {
      c.at++;
      return;
    }
  }
}

/** Pipelines with `&&` and `||` between. */
function readChain(c: Cursor): Node {
  const items = [readPipeline(c)];
  const ops: ('&&' | '||')[] = [];
  for (;;) {
    skip(c, false);
    const op = c.text.slice(c.at, c.at + 2);
    if (op !== '&&' && op !== '||') break;
    c.at += 2;
    ops.push(op);
    skip(c, true);
    items.push(readPipeline(c));
    if (!c.node()) break;
  }
  return items.length === 1 ? items[0]! : { kind: 'and-or', items, ops };
}

function readPipeline(c: Cursor): Node {
  const start = c.at;
  const first = opensExpression(c) ? readExpressionStatement(c) : readCommand(c);
  const items = [first];
  for (;;) {
    const here = c.at;
    skip(c, false);
    // A line may begin with the bar.
    if (c.text[c.at] === '\n') {
      skip(c, true);
      if (c.text[c.at] !== '|') c.at = here;
    }
    if (c.text[c.at] !== '|' || c.text[c.at + 1] === '|') break;
    c.at++;
    skip(c, true);
    if (c.at >= c.text.length) {
      c.error('nothing behind |', start);
      break;
    }
    const before = c.at;
    items.push(opensExpression(c) ? readExpressionStatement(c) : readCommand(c));
    if (c.at === before || !c.node()) break;
  }
  return items.length === 1 ? first : { kind: 'pipeline', items, both: [] };
}

const EXPRESSION =
  /[$'"\u2018-\u201e([@{!,]|\+\+|--|[-+]?\d+(?:\.\d+)?(?:[kmgtp]b|e\d+|[uln]+)?(?=[\s;|)},\]*/%+.-]|$)|0x[\da-f]+(?=[\s;|)},]|$)|-(?:not|bnot|join|split|isplit|csplit)\b/iy;

function opensExpression(c: Cursor): boolean {
  EXPRESSION.lastIndex = c.at;
  return EXPRESSION.test(c.text);
}

const ASSIGNS = /(?:[-+*/%]|\?\?)?=(?!=)/y;

function readExpressionStatement(c: Cursor): Node {
  const start = c.at;
  const value = readExpression(c);
  skip(c, false);
  ASSIGNS.lastIndex = c.at;
  const op = ASSIGNS.exec(c.text)?.[0];
  if (op !== undefined) {
    c.at += op.length;
    skip(c, true);
    return assigned(
      c,
      start,
      value,
      op,
      c.deeper(() => readStatement(c), NOTHING),
    );
  }
  const { runs } = value;
  const redirects = readRedirects(c);
  if (runs !== undefined && (redirects.length === 0 || runs.kind !== 'simple')) {
    const { end, text, start: from } = simple(c, start, []);
    const shown: Node =
      redirects.length === 0 ? runs : { kind: 'group', body: runs, redirects, start: from, end, text };
    VALUES.set(shown, value);
    return shown;
  }
  const words =
    runs?.kind === 'simple' ? runs.words : [plainWord('\0printf'), plainWord('%s\n'), ...wordsOf(value)];
  const shown = simple(c, start, words, { redirects });
  VALUES.set(shown, value);
  return shown;
}

/** `$x = …`: a variable of the shell or of the environment; of anything else only what stands in it runs. */
function assigned(c: Cursor, start: number, target: Expression, op: string, node: Node): Node {
  const value = commandValue(c, node);
  const nodes: Node[] = [];
  for (const parts of target.items) {
    const [part, more] = parts;
    if (part?.kind !== 'param' || part.name === '?') {
      nodes.push(simple(c, start, [plainWord('\0?'), ...wordsOf(target), ...wordsOf(value)]));
      continue;
    }
    const whole = more === undefined && target.items.length === 1;
    const words = wordsOf(value);
    const list = whole && value.items.length !== 1 ? words : null;
    const word = whole && list === null ? words[0]! : plainWord('');
    if (whole && /^[A-Z][A-Z0-9_()]*$/.test(part.name)) {
      const name = part.name;
      nodes.push(
        simple(c, start, [
          plainWord('\0export'),
          wordOf([{ kind: 'text', text: `${name}=`, quoted: true }, ...partsOf(value)]),
        ]),
      );
    } else if (whole && target.computed !== true) {
      nodes.push(assignment(c, start, assignOf(part.name, word, list, op === '+=')));
    } else {
      // A part of it changes, or it is one of several.
      nodes.push(simple(c, start, [plainWord('\0?'), ...words]));
      const none = wordOf([{ ...argument(1), name: '_any', at: 0 }]);
      nodes.push(assignment(c, start, assignOf(part.name, none, null, false)));
    }
  }
  const result = nodes.length === 1 ? nodes[0]! : listOf(nodes);
  const shown = simple(c, start, [plainWord('\0printf'), plainWord('%s\n'), ...wordsOf(target)]);
  VALUES.set(result, { items: [[commandPart(listOf([result, shown]), c.offset(start))]] });
  return result;
}
