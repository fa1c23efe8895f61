/**
 * Expressions of PowerShell as parts of words: texts that can be known are put together, calls that do something become
 * commands, and what is only known when it runs is a computed value in which its operands still stand.
 */
import type { Cursor } from '../syntax/cursor.ts';
import type { Node, Part, Word } from '../syntax/tree.ts';
import { callMember, callStatic, propertyOf, staticProperty } from './dotnet.ts';
import { COMPUTED, commandPart, literalOf, plainWord, simple, textPart, wordOf } from './nodes.ts';
import {
  commandValue,
  readBlock,
  readParentheses,
  readStatement,
  readStatements,
  skip,
} from './statements.ts';
import { DOUBLE, readDollar, readDouble, readHereString, readSingle, SINGLE } from './strings.ts';

export interface Expression {
  /** The parts of each element; one for what is no array. */
  readonly items: readonly (readonly Part[])[];
  /** A table of names and values, as `-name value`. */
  readonly table?: boolean;
  /** Only a part of what its variable holds. */
  readonly computed?: boolean;
  /** A type or an encoding, in small letters. */
  readonly type?: string;
  /** Its only element, while it is put together. */
  readonly grows?: Part[];
  /** As a statement: what it does, without printing its value. */
  readonly runs?: Node;
}

export function partsOf({ items }: Expression): readonly Part[] {
  if (items.length === 1) return items[0]!;
  return items.flatMap((parts, at) => (at === 0 ? parts : [textPart(' '), ...parts]));
}

export function wordsOf({ items }: Expression): readonly Word[] {
  return items.map(wordOf);
}

export function text(value: string): Expression {
  return { items: [[textPart(value)]] };
}

/** The one text it is, or null. */
export function literal({ items }: Expression): string | null {
  return items.length === 1 ? literalOf(items[0]!) : null;
}

export function literals({ items }: Expression): readonly string[] | null {
  const all = items.map(literalOf);
  return all.every((each) => each !== null) ? (all as string[]) : null;
}

/** A value that is only known when it runs. */
export function computed(c: Cursor, of: readonly Expression[]): Expression {
  const unknown = of.filter(({ items }) => items.some((parts) => literalOf(parts) === null));
  // A part of what is only known when it runs is that, too.
  if (unknown.length === 1 && unknown[0]!.computed === true) return unknown[0]!;
  const words = unknown.flatMap(wordsOf);
  const script = simple(c, c.at, [plainWord(COMPUTED), ...words]);
  return { items: [[commandPart(script, c.offset(c.at))]], computed: true };
}

/** What the words do, and what they print. */
export function commandExpression(c: Cursor, start: number, words: readonly Word[]): Expression {
  const runs = simple(c, start, words);
  return { items: [[commandPart(runs, c.offset(start))]], runs };
}

const NEVER: Expression = { items: [[textPart('')]] };

export function readExpression(c: Cursor): Expression {
  return c.deeper(() => readLevel(c, 0), NEVER);
}

/** From the loosest to the closest. */
const LEVELS: readonly RegExp[] = [
  /-(?:and|or|xor)\b|\?\?(?!=)/iy,
  /-(?:band|bor|bxor|shl|shr|(?:[ic]?(?:eq|ne|ge|gt|lt|le|like|notlike|match|notmatch|replace|contains|notcontains|in|notin|split))|join|is|isnot|as)\b/iy,
  /[+-](?![=+\w-]|-)|[+-](?=\s*[$'"([\d])|\+(?=\s*\w)/y,
  /[*/%](?!=)/y,
  /-f\b/iy,
  /\.\.(?!\.)/y,
];

function readLevel(c: Cursor, level: number): Expression {
  if (level === LEVELS.length) return readArray(c);
  let left = readLevel(c, level + 1);
  const pattern = LEVELS[level]!;
  for (;;) {
    skip(c, false);
    pattern.lastIndex = c.at;
    const op = pattern.exec(c.text)?.[0].toLowerCase();
    if (op === undefined) break;
    c.at += op.length;
    skip(c, true);
    left = operate(c, op, left, readLevel(c, level + 1));
    if (!c.node()) break;
  }
  if (level === 0) {
    skip(c, false);
    if (c.text[c.at] === '?' && /\s/.test(c.text[c.at + 1] ?? '')) return readTernary(c, left);
  }
  return left;
}

function readTernary(c: Cursor, test: Expression): Expression {
  c.at++;
  skip(c, true);
  const yes = readExpression(c);
  skip(c, true);
  if (c.text[c.at] !== ':') return computed(c, [test, yes]);
  c.at++;
  skip(c, true);
  return computed(c, [test, yes, readExpression(c)]);
}

function operate(c: Cursor, op: string, left: Expression, right: Expression): Expression {
  switch (op) {
    case '+':
      return added(left, right);
    case '-join': {
      const between = literal(right);
      return between === null ? computed(c, [left, right]) : joined(left, between);
    }
    case '-f':
      return formatted(left, right) ?? computed(c, [left, right]);
    case '-replace':
    case '-ireplace':
    case '-creplace':
      return replaced(left, right) ?? computed(c, [left, right]);
    case '-split': {
      const [given, by] = [literal(left), literal(right)];
      if (given === null || by === null || !/^[\w ,;:@#%&=/-]*$/.test(by)) return computed(c, [left, right]);
      return { items: given.split(by).map((each) => [textPart(each)]) };
    }
    default:
      return computed(c, [left, right]);
  }
}

/** Of two texts one, of arrays one array. What grows is added to, not copied each time. */
function added(left: Expression, right: Expression): Expression {
  const [a, b] = [literal(left), literal(right)];
  if (a !== null && b !== null) return text(a + b);
  const one = left.items.length === 1 && right.items.length === 1;
  if (!one) return { items: [...left.items, ...right.items] };
  const parts = left.grows ?? [...joinable(left.items[0]!)];
  parts.push(...joinable(right.items[0]!));
  return { items: [parts], grows: parts };
}

function joined(value: Expression, between: string): Expression {
  if (value.items.length === 1) return value;
  return {
    items: [
      value.items.flatMap((parts, at) =>
        at === 0 || between === '' ? joinable(parts) : [textPart(between), ...joinable(parts)],
      ),
    ],
  };
}

/** In a text an array is its elements with blanks between. */
function joinable(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) =>
    part.kind === 'param' && part.index?.text === '@' ? { ...part, index: plainWord('*') } : part,
  );
}

function formatted(left: Expression, right: Expression): Expression | null {
  const format = literal(left);
  if (format === null || format.length > 10_000) return null;
  const parts: Part[] = [];
  const pieces = format.split(/(\{\{|\}\}|\{\d+(?:,-?\d+)?(?::[^{}]*)?\})/);
  for (const piece of pieces) {
    const place = /^\{(\d+)\}$/.exec(piece)?.[1];
    if (place !== undefined) {
      const item = right.items[Number(place)];
      if (item === undefined) return null;
      parts.push(...joinable(item));
    } else if (piece === '{{' || piece === '}}') parts.push(textPart(piece[0]!));
    else if (/^\{\d/.test(piece)) return null;
    else parts.push(textPart(piece));
  }
  const used = new Set(pieces.map((piece) => /^\{(\d+)\}$/.exec(piece)?.[1]));
  return right.items.some((item, at) => !used.has(String(at)) && runsSomething(item))
    ? null
    : { items: [parts] };
}

function replaced(left: Expression, right: Expression): Expression | null {
  const [given, all] = [literal(left), literals(right)];
  const [from, to = ''] = all ?? [];
  if (
    given === null ||
    from === undefined ||
    from === '' ||
    !/^[\w @#%&=,;:~"'<>!/-]+$/.test(from) ||
    to.includes('$')
  )
    return null;
  const at = given.toLowerCase().includes(from.toLowerCase());
  return at && !given.includes(from) ? null : text(given.replaceAll(from, to));
}

/** `a, b, c`. */
function readArray(c: Cursor): Expression {
  const first = readUnary(c);
  let items: (readonly Part[])[] | null = null;
  for (;;) {
    skip(c, false);
    if (c.text[c.at] !== ',') break;
    c.at++;
    skip(c, true);
    items ??= [...first.items];
    items.push(...readUnary(c).items);
    if (!c.node()) break;
  }
  return items === null ? first : { items };
}

const UNARY = /!|\+\+|--|[+-](?=[\s$(\d])|,|-(?:not|bnot|join|[ic]?split)\b/iy;
const NUMBER = /[+-]?(?:0x[\da-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:[ulnsdy]+|[kmgtp]b)?/iy;
const CAST = /\[\s*([A-Za-z_][\w.+`]*(?:\[[\w.,\s[\]]*\])?)\s*\]/y;

function readUnary(c: Cursor): Expression {
  return c.deeper(() => {
    skip(c, true);
    NUMBER.lastIndex = c.at;
    const number = NUMBER.exec(c.text)?.[0];
    if (number !== undefined) {
      c.at += number.length;
      return readPostfix(c, text(/^[+-]?0x/i.test(number) ? String(Number(number)) : number));
    }
    UNARY.lastIndex = c.at;
    const op = UNARY.exec(c.text)?.[0].toLowerCase();
    if (op !== undefined) {
      c.at += op.length;
      skip(c, true);
      if (op === '-join') return joined(readLevel(c, LEVELS.length), '');
      const value = readUnary(c);
      return op === ',' || op === '+' ? value : computed(c, [value]);
    }
    CAST.lastIndex = c.at;
    const type = CAST.exec(c.text);
    if (type !== null) {
      c.at += type[0].length;
      return readTyped(c, type[1]!.toLowerCase().replace(/^system\./, ''));
    }
    return readPostfix(c, readPrimary(c));
  }, NEVER);
}

/** `[type]::x` and `[type]x`. */
function readTyped(c: Cursor, type: string): Expression {
  const { text: all } = c;
  if (all.startsWith('::', c.at)) {
    const start = c.at;
    c.at += 2;
    const name = /[A-Za-z_]\w*/y;
    name.lastIndex = c.at;
    const found = name.exec(all)?.[0];
    if (found === undefined) {
      c.error('the name of a member is only known when it runs', start, 'code');
      return computed(c, [readPrimary(c)]);
    }
    c.at += found.length;
    const member = found.toLowerCase();
    const value =
      all[c.at] === '('
        ? callStatic(c, start, type, member, readCallArguments(c))
        : staticProperty(type, member);
    return readPostfix(c, value);
  }
  skip(c, false);
  if (!/[$'"\u2018-\u201e([@{\d-]/.test(all[c.at] ?? '')) return { ...text(`[${type}]`), type };
  const value = readUnary(c);
  if (!type.startsWith('char')) return value;
  const numbers = literals(value);
  if (numbers === null) return computed(c, [value]);
  return {
    items: numbers.map((each) => [
      textPart(/^\d{1,6}$/.test(each) ? String.fromCharCode(Number(each)) : each),
    ]),
  };
}

function readPrimary(c: Cursor): Expression {
  const { text: all, at } = c;
  const char = all[at];
  if (char === undefined) {
    c.error('a value is missing');
    return NEVER;
  }
  if (SINGLE.test(char)) return { items: [readSingle(c)] };
  if (DOUBLE.test(char)) return { items: [readDouble(c)] };
  if (char === '$') {
    const parts = readDollar(c, true);
    if (parts !== null) return { items: [parts] };
    c.at++;
    return text('$');
  }
  if (char === '(') {
    const value = commandValue(c, readParentheses(c));
    return value.runs === undefined ? value : { items: value.items };
  }
  if (char === '{') {
    readBlock(c);
    return text(all.slice(at, c.at));
  }
  if (char === '@') return readAt(c);
  c.error(`${JSON.stringify(char)} is no value`);
  c.at++;
  return NEVER;
}

/** `@(…)`, `@{…}`, `@'…'@`. */
function readAt(c: Cursor): Expression {
  const here = readHereString(c);
  if (here !== null) return { items: [here] };
  const open = c.at++;
  const next = c.text[c.at];
  if (next === '(') {
    c.at++;
    const node = c.deeper(() => readStatements(c, ')'), null);
    if (c.text[c.at] === ')') c.at++;
    else c.error('unclosed @(', open);
    if (node === null) return NEVER;
    return node.kind === 'list' && node.items.length === 0 ? { items: [] } : commandValue(c, node);
  }
  if (next === '{') return readTable(c, open);
  c.error('want @( or @{', open);
  return NEVER;
}

function readTable(c: Cursor, open: number): Expression {
  c.at++;
  const items: (readonly Part[])[] = [];
  for (;;) {
    skip(c, true);
    const char = c.text[c.at];
    if (char === undefined || char === '}') break;
    if (char === ';') {
      c.at++;
      continue;
    }
    const before = c.at;
    const bare = /[\w-]+/y;
    bare.lastIndex = c.at;
    const name = bare.exec(c.text)?.[0];
    if (name !== undefined) c.at += name.length;
    const key: readonly Part[] = name === undefined ? partsOf(readExpression(c)) : [textPart(name)];
    skip(c, true);
    if (c.text[c.at] === '=') c.at++;
    skip(c, true);
    const value = commandValue(c, readStatementOf(c));
    items.push([textPart('-'), ...key]);
    if (literal(value) !== 'True') items.push(...value.items);
    if (c.at === before || !c.node()) break;
  }
  if (c.text[c.at] === '}') c.at++;
  else c.error('unclosed @{', open);
  return { items, table: true };
}

/** One statement of a table. */
function readStatementOf(c: Cursor): Node {
  const end = /[;\n}]/y;
  end.lastIndex = c.at;
  if (end.test(c.text) || c.at >= c.text.length) return simple(c, c.at, []);
  return readStatement(c);
}

const MEMBER = /(?:\?\.|\.|::)([A-Za-z_]\w*)/y;

/** What stands right behind a value: members, calls, indexes. */
export function readPostfix(c: Cursor, first: Expression): Expression {
  let value = first;
  const start = c.at;
  for (;;) {
    const { text: all } = c;
    MEMBER.lastIndex = c.at;
    const found = MEMBER.exec(all);
    if (found !== null) {
      c.at += found[0].length;
      const member = found[1]!.toLowerCase();
      if (all[c.at] === '(') value = callMember(c, start, value, member, readCallArguments(c));
      else if (all[c.at] === '{') value = callMember(c, start, value, member, [readPrimary(c)]);
      else value = propertyOf(c, value, member);
    } else if (all[c.at] === '[') {
      c.at++;
      skip(c, true);
      const at = readExpression(c);
      skip(c, true);
      if (all[c.at] === ']') c.at++;
      else c.error('unclosed [');
      value = indexed(c, value, at);
    } else if (all.startsWith('++', c.at) || all.startsWith('--', c.at)) c.at += 2;
    else if (/^(?:\.|::)[$'"(]/.test(all.slice(c.at, c.at + 3))) {
      c.error('the name of a member is only known when it runs', c.at, 'code');
      c.at += all[c.at] === ':' ? 2 : 1;
      value = computed(c, [value, readPrimary(c)]);
      if (all[c.at] === '(') value = computed(c, [value, ...readCallArguments(c)]);
    } else return value;
    if (!c.node()) return value;
  }
}

/** A command stands in it: it may not be left out. */
function runsSomething(parts: readonly Part[]): boolean {
  return parts.some((part) => part.kind === 'command');
}

function indexed(c: Cursor, value: Expression, at: Expression): Expression {
  const place = Number(literal(at) ?? Number.NaN);
  if (Number.isInteger(place) && value.table !== true && value.items.length > 1) {
    const item = value.items.at(place);
    const others = value.items.filter((each) => each !== item);
    if (item !== undefined && !others.some(runsSomething)) return { items: [item] };
  }
  const given = literal(value);
  const places = literals(at);
  if (given !== null && value.items.length === 1 && places?.every((each) => /^-?\d+$/.test(each)) === true)
    return { items: places.map((each) => [textPart(given.at(Number(each)) ?? '')]) };
  return computed(c, [value, at]);
}

/** `(a, b)` of a call; an array among them is one argument. */
function readCallArguments(c: Cursor): readonly Expression[] {
  const open = c.at++;
  const found: Expression[] = [];
  for (;;) {
    skip(c, true);
    const char = c.text[c.at];
    if (char === undefined || char === ')') break;
    if (char === ',') {
      c.at++;
      continue;
    }
    const before = c.at;
    found.push(c.deeper(() => readArgument(c), NEVER));
    if (c.at === before || !c.node()) break;
  }
  if (c.text[c.at] === ')') c.at++;
  else c.error('unclosed (', open);
  return found;
}

/** Like an expression, in which a comma stands between arguments. */
function readArgument(c: Cursor): Expression {
  const value = readUnary(c);
  let left = value;
  for (;;) {
    skip(c, true);
    const op = LEVELS.map((pattern) => {
      pattern.lastIndex = c.at;
      return pattern.exec(c.text)?.[0].toLowerCase();
    }).find((each) => each !== undefined);
    if (op === undefined) return left;
    c.at += op.length;
    skip(c, true);
    left = operate(c, op, left, readUnary(c));
    if (!c.node()) return left;
  }
}
