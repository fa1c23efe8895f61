/**
 * The `re` module: regular expressions in the RE2 syntax, matched in time linear in the text. No look-around and no
 * back-references inside a pattern. A match is a struct with `text`, `start`, `end`, `groups` (a tuple, None for a group
 * that took no part) and `named` (a dict).
 */
import type { Matcher, RE2JS } from 're2js';
import { lateRe2 } from '../../base/index.ts';
import { fail } from '../run/errors.ts';
import { builtin } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantInt, wantString } from '../run/want.ts';
import { Dict } from '../values/dict.ts';
import { List, Tuple } from '../values/list.ts';
import { DICT, ENTRY, LIST, PIECE, SLOT, STRUCT_SIZE, TEXT, TUPLE } from '../values/size.ts';
import { Module, Struct } from '../values/struct.ts';
import type { Value } from '../values/value.ts';
import { estimatePatternSize } from './pattern-size.ts';

interface Pattern {
  readonly compiled: RE2JS;
  readonly size: number;
  /** Places in the text that a search remembers: for each instruction that may be next, two for each group. */
  readonly places: number;
  readonly groupNames: readonly (readonly [string, number])[];
}

/** Beyond this a pattern takes noticeable time merely to compile. */
const MAX_PATTERN_SIZE = 10_000;
const MAX_PLACES = 1_000_000;
/** Patterns kept, and their sizes together: a large one weighs hundreds of kilobytes. */
const MAX_CACHED = 256;
const MAX_CACHED_SIZE = 50_000;
const cache = new Map<string, Pattern>();
let cachedSize = 0;

/** The compiled pattern. What it costs in steps does not depend on whether it was in the cache. */
function compile(thread: Thread, name: string, pattern: Value): Pattern {
  const text = wantString(name, 'pattern', pattern);
  thread.spend(1 + text.length);
  if (text.length > MAX_PATTERN_SIZE) fail(`${name}: pattern too large`);
  const known = cache.get(text);
  const size = known?.size ?? estimatePatternSize(text);
  thread.spend(size);
  if (known !== undefined) return known;
  if (size > MAX_PATTERN_SIZE) fail(`${name}: pattern too large`);
  const made = compileNew(name, text, size);
  if (made.places > MAX_PLACES) fail(`${name}: pattern too large`);
  cachePattern(text, made);
  return made;
}

/** The oldest go; patterns are few and repeat, so that is good enough. */
function cachePattern(text: string, pattern: Pattern): void {
  for (const [oldest, old] of cache) {
    if (cache.size < MAX_CACHED && cachedSize + weightOf(pattern) <= MAX_CACHED_SIZE) break;
    cache.delete(oldest);
    cachedSize -= weightOf(old);
  }
  cache.set(text, pattern);
  cachedSize += weightOf(pattern);
}

function weightOf({ size, places }: Pattern): number {
  return size + (places >> 5);
}

function compileNew(name: string, text: string, size: number): Pattern {
  const { RE2JS: RE2 } = lateRe2();
  try {
    const compiled = RE2.compile(text);
    const places = size * compiled.groupCount();
    return { compiled, size, places, groupNames: Object.entries(compiled.namedGroups()) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(`${name}: ${reason.replace('error parsing regexp', 'invalid pattern')}`);
  }
}

/**
 * Charges one search from `from` on. Most cost about the text; a few cost the text times the pattern, and with many groups
 * times those.
 */
function chargeSearch(thread: Thread, pattern: Pattern, text: string, from: number): void {
  const { size, places } = pattern;
  thread.spend(1 + Math.ceil(((text.length - from) * (16 + size + (places >> 2))) / 128));
}

function groupTexts(thread: Thread, matcher: Matcher): Value[] {
  const count = matcher.groupCount();
  thread.charge(SLOT * count);
  const groups: Value[] = [];
  for (let i = 1; i <= count; i++) {
    const group = matcher.group(i);
    thread.charge(group === null ? 0 : TEXT + group.length);
    groups.push(group);
  }
  return groups;
}

function matchStruct(thread: Thread, pattern: Pattern, matcher: Matcher): Value {
  thread.charge(STRUCT_SIZE + ENTRY * 5 + TUPLE + DICT);
  const text = matcher.group()!;
  thread.charge(TEXT + text.length);
  const groups = groupTexts(thread, matcher);
  const named = new Dict();
  for (const [name, index] of pattern.groupNames) named.set(thread, name, groups[index - 1]!);
  return new Struct([
    ['text', text],
    ['start', matcher.start()],
    ['end', matcher.end()],
    ['groups', new Tuple(groups)],
    ['named', named],
  ]);
}

/** `re.search` and its kin: one attempt, a match or None. */
function single(name: string, attempt: (matcher: Matcher) => boolean): Value {
  return builtin(name, 'pattern, text, /', (thread, pattern, text) => {
    const compiled = compile(thread, name, pattern);
    const subject = wantString(name, 'text', text);
    chargeSearch(thread, compiled, subject, 0);
    const matcher = compiled.compiled.matcher(subject);
    return attempt(matcher) ? matchStruct(thread, compiled, matcher) : null;
  });
}

/** Calls back for each match in turn, at most `most` of them. */
function eachMatch(
  thread: Thread,
  pattern: Pattern,
  text: string,
  most: number,
  visit: (matcher: Matcher) => void,
): void {
  const matcher = pattern.compiled.matcher(text);
  let from = 0;
  for (let count = 0; count < most; count++) {
    chargeSearch(thread, pattern, text, from);
    if (!matcher.find()) return;
    visit(matcher);
    from = matcher.end();
  }
}

/** Zero and less mean: all. */
function mostOf(name: string, parameter: string, value: Value): number {
  const count = wantInt(name, parameter, value);
  return count <= 0 ? Infinity : Number(count);
}

const findall = builtin('re.findall', 'pattern, text, /', (thread, pattern, text) => {
  const compiled = compile(thread, 're.findall', pattern);
  const found: Value[] = [];
  thread.charge(LIST);
  eachMatch(thread, compiled, wantString('re.findall', 'text', text), Infinity, (matcher) => {
    thread.charge(SLOT);
    if (matcher.groupCount() === 0) {
      const match = matcher.group()!;
      thread.charge(TEXT + match.length);
      found.push(match);
      return;
    }
    // Of one group its text, of several a tuple; a group that took no part is the empty string.
    const groups = groupTexts(thread, matcher).map((group) => group ?? '');
    if (groups.length > 1) thread.charge(TUPLE);
    found.push(groups.length === 1 ? groups[0]! : new Tuple(groups));
  });
  return new List(found);
});

const split = builtin('re.split', 'pattern, text, maxsplit=0, /', (thread, pattern, text, maxsplit) => {
  const compiled = compile(thread, 're.split', pattern);
  const subject = wantString('re.split', 'text', text);
  const pieces: Value[] = [];
  let last = 0;
  thread.charge(LIST + SLOT + TEXT + subject.length);
  eachMatch(thread, compiled, subject, mostOf('re.split', 'maxsplit', maxsplit), (matcher) => {
    thread.charge(SLOT + TEXT);
    pieces.push(subject.slice(last, matcher.start()), ...groupTexts(thread, matcher));
    last = matcher.end();
  });
  pieces.push(subject.slice(last));
  return new List(pieces);
});

/** A piece of a replacement: literal text, or the number of a group. */
type Piece = string | number;

const REFERENCE = /\\(?:(\d)|g<(\w+)>|(\\))|\\/g;

/** `\1`, `\g<1>` and `\g<name>` stand for groups, `\0` for the whole match, `\\` for a backslash; a dollar is a dollar. */
function parseReplacement(name: string, replacement: string, pattern: Pattern): Piece[] {
  const count = pattern.compiled.groupCount();
  const numbers = new Map(pattern.groupNames);
  const pieces: Piece[] = [];
  let last = 0;
  for (const match of replacement.matchAll(REFERENCE)) {
    const [all, digit, label, backslash] = match;
    pieces.push(replacement.slice(last, match.index));
    last = match.index + all.length;
    if (backslash !== undefined) {
      pieces.push('\\');
      continue;
    }
    const wanted = digit ?? label ?? fail(`${name}: bad escape at offset ${match.index} of the replacement`);
    const number = /^\d+$/.test(wanted) ? Number(wanted) : (numbers.get(wanted) ?? -1);
    if (number < 0 || number > count) fail(`${name}: no group ${wanted} in the pattern`);
    pieces.push(number);
  }
  pieces.push(replacement.slice(last));
  return pieces.filter((piece) => piece !== '');
}

const replace = builtin(
  're.replace',
  'pattern, replacement, text, count=0, /',
  (thread, pattern, replacement, text, count) => {
    const name = 're.replace';
    const compiled = compile(thread, name, pattern);
    const template = wantString(name, 'replacement', replacement);
    const subject = wantString(name, 'text', text);
    thread.spend(template.length);
    const pieces = parseReplacement(name, template, compiled);
    let out = '';
    let last = 0;
    const put = (piece: string): void => {
      thread.charge(PIECE + piece.length);
      out += piece;
    };
    eachMatch(thread, compiled, subject, mostOf(name, 'count', count), (matcher) => {
      put(subject.slice(last, matcher.start()));
      last = matcher.end();
      for (const piece of pieces) {
        thread.spend(1);
        put(typeof piece === 'string' ? piece : (matcher.group(piece) ?? ''));
      }
    });
    put(subject.slice(last));
    return out;
  },
);

export const RE_MODULE = new Module(
  're',
  new Map<string, Value>([
    ['findall', findall],
    ['fullmatch', single('re.fullmatch', (matcher) => matcher.matches())],
    ['match', single('re.match', (matcher) => matcher.lookingAt())],
    ['replace', replace],
    ['search', single('re.search', (matcher) => matcher.find())],
    ['split', split],
  ]),
);
