/**
 * The methods of strings.
 */
import { fail } from '../run/errors.ts';
import { type Method, method } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantBool, wantInt, wantItems, wantString } from '../run/want.ts';
import { indexOfText, lastIndexOfText, PartFinder, SHORT_PART } from '../values/find-text.ts';
import { List, Tuple } from '../values/list.ts';
import { ITERABLE, PIECE, TEXT, textBytes, tupleBytes } from '../values/size.ts';
import { TextBuilder } from '../values/text-builder.ts';
import { typeName, type Value } from '../values/value.ts';
import { braceFormat } from './brace-format.ts';
import { StringCodePoints, StringElems } from './string-iterables.ts';
import { countParts, findPart, hasAffix, part, type Side, strip } from './string-search.ts';
import {
  splitAt,
  splitAtFromRight,
  splitAtSpace,
  splitAtSpaceFromRight,
  splitLines,
} from './string-split.ts';
import {
  capitalize,
  countCodePoints,
  isAllAlnum,
  isAllDigits,
  isAllLetters,
  isAllLower,
  isAllSpace,
  isAllUpper,
  isAscii,
  isTitle,
  toTitle,
} from './unicode.ts';

/** Text whose length in another case is charged when it is known. */
const SHORT = 1024;

/** A method that makes a new string of about the length of the old one. */
function mapping(name: string, convert: (text: string) => string): Method {
  return method(name, '', (thread, self: string) => converted(thread, self, convert));
}

/** In another case: charged before it is made. */
export function converted(thread: Thread, text: string, convert: (text: string) => string): string {
  thread.spend(text.length >> 4);
  // A few letters become two or three in another case.
  const most = text.length > SHORT && !isAscii(text) ? 3 * text.length : text.length;
  thread.charge(PIECE + textBytes(most));
  const made = convert(text);
  if (made.length > most) thread.charge(made.length - most);
  return made;
}

/** A method that asks something of every character. */
function predicate(name: string, test: (text: string) => boolean): Method {
  return method(name, '', (thread, self: string) => {
    thread.spend(self.length >> 4);
    return test(self);
  });
}

/** A method that gives an iterable over the text. */
function overText(name: string, make: (text: string) => Value): Method {
  return method(name, '', (thread, self: string) => {
    thread.charge(ITERABLE);
    return make(self);
  });
}

function finding(name: string, last: boolean, missing: ((name: string) => never) | null): Method {
  return method(name, 'sub, start?, end?, /', (thread, self: string, sub, start, end) => {
    const at = findPart(thread, name, self, wantString(name, 'sub', sub), start, end, last);
    return at === -1 && missing !== null ? missing(name) : at;
  });
}

const notFound = (name: string): never => fail(`${name}: substring not found`);

function affix(side: Side): Method {
  return method(side, 'affix, start?, end?, /', (thread, self: string, given, start, end) =>
    hasAffix(thread, side, self, given, start, end),
  );
}

function stripping(name: string, left: boolean, right: boolean): Method {
  return method(name, 'cutset=None, /', (thread, self: string, cutset) =>
    strip(thread, self, cutset === null ? null : wantString(name, 'cutset', cutset), left, right),
  );
}

/** The number of cuts that `maxsplit` allows; negative and absent mean all. */
function mostCuts(name: string, maxsplit: Value | undefined): number {
  if (maxsplit === undefined) return Infinity;
  const most = wantInt(name, 'maxsplit', maxsplit);
  return most < 0 ? Infinity : Number(most);
}

type AtSeparator = (thread: Thread, text: string, separator: string, most: number) => string[];
type AtSpace = (thread: Thread, text: string, most: number) => string[];

function splitting(name: string, atSeparator: AtSeparator, atSpace: AtSpace): Method {
  return method(name, 'sep=None, maxsplit?, /', (thread, self: string, sep, maxsplit) => {
    const most = mostCuts(name, maxsplit);
    if (sep === null) return new List(atSpace(thread, self, most));
    if (typeof sep !== 'string') fail(`${name}: got ${typeName(sep)} for separator, want string`);
    if (sep === '') fail(`${name}: empty separator`);
    return new List(atSeparator(thread, self, sep, most));
  });
}

function partitioning(name: string, last: boolean): Method {
  return method(name, 'sep, /', (thread, self: string, separator) => {
    const sep = wantString(name, 'sep', separator);
    if (sep === '') fail(`${name}: empty separator`);
    const at = last ? lastIndexOfText(thread, self, sep) : indexOfText(thread, self, sep);
    thread.charge(tupleBytes(3) + 2 * TEXT + self.length);
    if (at === -1) return new Tuple(last ? ['', '', self] : [self, '', '']);
    return new Tuple([self.slice(0, at), sep, self.slice(at + sep.length)]);
  });
}

function join(thread: Thread, self: string, iterable: Value): Value {
  const items = iterable instanceof List || iterable instanceof Tuple ? iterable.elements(thread) : null;
  const parts = items ?? wantItems(thread, 'join', 'iterable', iterable);
  let length = parts.length > 1 ? (parts.length - 1) * self.length : 0;
  for (const part of parts) {
    if (typeof part !== 'string') fail(`join: in list, want string, got ${typeName(part)}`);
    length += part.length;
  }
  thread.spend(parts.length + (length >> 4));
  thread.charge(textBytes(length));
  return parts.join(self);
}

function replace(thread: Thread, self: string, old: Value, replacement: Value, count: Value): Value {
  const from = wantString('replace', 'old', old);
  const to = wantString('replace', 'new', replacement);
  const wanted = wantInt('replace', 'count', count);
  const most = wanted < 0 ? Infinity : Number(wanted);
  if (from === '') return interleave(thread, self, to, most);
  const finder = from.length <= SHORT_PART ? null : new PartFinder(thread, self, from);
  if (finder === null) thread.spend((self.length + from.length) >> 4);
  let out = '';
  let start = 0;
  for (let done = 0; done < most; done++) {
    const at = finder === null ? self.indexOf(from, start) : finder.after(start);
    if (at === -1) break;
    // Each part is charged before it is joined on, so the result never outgrows its account.
    const grown = at - start + to.length;
    thread.spend(1 + (grown >> 4));
    thread.charge(2 * PIECE + grown);
    out += self.slice(start, at);
    out += to;
    start = at + from.length;
  }
  if (start === 0) return self;
  thread.charge(PIECE + self.length - start);
  return out + self.slice(start);
}

/** An empty string is found before every code point and at the end. */
function interleave(thread: Thread, text: string, between: string, most: number): string {
  const found = Math.min(most, countCodePoints(text) + 1);
  const length = text.length + found * between.length;
  thread.spend(found + (length >> 4));
  thread.charge(textBytes(length));
  const out = new TextBuilder();
  let done = 0;
  let at = 0;
  for (; done < found && at < text.length; done++) {
    const width = text.codePointAt(at)! > 0xffff ? 2 : 1;
    out.add(between);
    out.add(text.slice(at, at + width));
    at += width;
  }
  if (done < found) out.add(between);
  out.add(text.slice(at));
  return out.finish();
}

const METHODS: readonly Method[] = [
  mapping('capitalize', capitalize),
  overText('codepoint_ords', (text) => new StringCodePoints(text, true)),
  overText('codepoints', (text) => new StringCodePoints(text, false)),
  method('count', 'sub, start?, end?, /', (thread, self: string, sub, start, end) =>
    countParts(thread, self, wantString('count', 'sub', sub), start, end),
  ),
  overText('elem_ords', (text) => new StringElems(text, true)),
  overText('elems', (text) => new StringElems(text, false)),
  affix('endswith'),
  finding('find', false, null),
  method('format', '*args, **kwargs', (thread, self: string, args, kwargs) =>
    braceFormat(thread, self, args, (name) => kwargs.get(name)),
  ),
  finding('index', false, notFound),
  predicate('isalnum', isAllAlnum),
  predicate('isalpha', isAllLetters),
  predicate('isdigit', isAllDigits),
  predicate('islower', isAllLower),
  predicate('isspace', isAllSpace),
  predicate('istitle', isTitle),
  predicate('isupper', isAllUpper),
  method('join', 'iterable, /', join),
  mapping('lower', (text) => text.toLowerCase()),
  stripping('lstrip', true, false),
  partitioning('partition', false),
  method('removeprefix', 'prefix, /', (thread, self: string, prefix) => {
    const start = wantString('removeprefix', 'prefix', prefix);
    return hasAffix(thread, 'startswith', self, start, undefined, undefined)
      ? part(thread, self, start.length, self.length)
      : self;
  }),
  method('removesuffix', 'suffix, /', (thread, self: string, suffix) => {
    const end = wantString('removesuffix', 'suffix', suffix);
    return hasAffix(thread, 'endswith', self, end, undefined, undefined)
      ? part(thread, self, 0, self.length - end.length)
      : self;
  }),
  method('replace', 'old, new, count=-1, /', replace),
  finding('rfind', true, null),
  finding('rindex', true, notFound),
  partitioning('rpartition', true),
  splitting('rsplit', splitAtFromRight, splitAtSpaceFromRight),
  stripping('rstrip', false, true),
  splitting('split', splitAt, splitAtSpace),
  method(
    'splitlines',
    'keepends=False, /',
    (thread, self: string, keepends) =>
      new List(splitLines(thread, self, wantBool('splitlines', 'keepends', keepends))),
  ),
  affix('startswith'),
  stripping('strip', true, true),
  mapping('title', toTitle),
  mapping('upper', (text) => text.toUpperCase()),
];

export const STRING_METHODS: ReadonlyMap<string, Method> = new Map(METHODS.map((each) => [each.name, each]));
