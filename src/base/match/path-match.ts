/**
 * Paths as guards ask about them: does a path fit a pattern, does it stand below a folder, is it a disk. All by text: links
 * are not looked up. A path of a command may itself be a pattern or hold a piece that is only known when it runs; it fits if
 * something it may stand for fits. Time is bounded by the product of the two lengths.
 */

import { BoundedMap } from '../bounded-map.ts';
import { normalPath } from '../normal-path.ts';
import { expandBraces, TOO_MANY_ALTERNATIVES } from './braces.ts';
import { classOf, isNegation } from './glob.ts';

/**
 * Without `.`, `..`, doubled and trailing slashes; the home folder is `~`, however it is written. A `..` behind a piece that is
 * not plain text stays.
 */
export function normalForm(path: string): string {
  const plain = /^\$(?:HOME(?=\/|$)|\{HOME\})/.test(path) ? path.replace(/^\$\{?HOME\}?/, '~') : path;
  const normal = normalPath(plain.startsWith('file:///') ? plain.slice('file://'.length) : plain);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

const HOMES = /^\/(?:home|Users)\/[^/]+(?=\/|$)|^\/root(?=\/|$)/;

/** As seen from a home folder, `~` or one of somebody's; null if it is in none. */
function fromHome(path: string): string | null {
  if (path === '~' || path.startsWith('~/')) return path;
  return HOMES.test(path) ? path.replace(HOMES, '~') : null;
}

/**
 * `*` and `?` stay within one part of a path, `**` is any number of parts, `[a-z]` one of a class, `{a,b}` one of several. A
 * pattern without a slash is the name of the last part; one that begins with `~/` means the home folder of anybody. Throws
 * for braces that stand for more than `sizeOfBraces` allows: such a pattern can neither be said to fit nor not to.
 */
export function matchPath(path: string, pattern: string): boolean {
  const given = subjectParts(normalForm(path));
  return patternsOf(pattern).some((each) => fits(given, each));
}

interface Pattern {
  readonly kind: 'name' | 'home' | 'path';
  readonly parts: readonly Part[];
}

/** Null: any number of parts. */
type Part = readonly Token[] | null;

/** A character to be met as it is, or what stands for others. */
type Token = string | AnyToken;
type AnyToken =
  | { readonly kind: 'one'; readonly test: (char: string) => boolean }
  | { readonly kind: 'run' }
  /** A piece that is only known when it runs; unlike a run of the shell it may begin with a dot. */
  | { readonly kind: 'unknown' };

/** Characters of compiled patterns that are cached, with what they were compiled from. */
const MOST_CACHED = 1 << 16;
const compiled = new BoundedMap<string, readonly Pattern[]>(MOST_CACHED, {
  weigh: (patterns, { length }) => (patterns.length + 1) * (length + 1),
});

function patternsOf(text: string): readonly Pattern[] {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const texts = expandBraces(text);
  if (texts === null) throw new RangeError(TOO_MANY_ALTERNATIVES);
  const made = texts.map(patternOf);
  compiled.set(text, made);
  return made;
}

function patternOf(text: string): Pattern {
  const normal = normalForm(text);
  if (!normal.includes('/') && normal !== '~') return { kind: 'name', parts: [tokensOf(normal)] };
  const kind = normal === '~' || normal.startsWith('~/') ? 'home' : 'path';
  return { kind, parts: normal.split('/').map((part) => (part === '**' ? null : tokensOf(part))) };
}

/** The parts of a path that patterns of each kind look at, read once for all patterns; null if it has none. */
type SubjectParts = Readonly<Record<Pattern['kind'], () => readonly Tokens[] | null>>;
type Tokens = readonly Token[];

function subjectParts(path: string): SubjectParts {
  const read = (seen: string | null) => seen?.split('/').map((part) => tokensOf(part, true)) ?? null;
  return {
    name: memoize(() => read(path.slice(path.lastIndexOf('/') + 1))),
    path: memoize(() => read(path)),
    home: memoize(() => read(fromHome(path))),
  };
}

function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function fits(given: SubjectParts, { kind, parts }: Pattern): boolean {
  const seen = given[kind]();
  return seen !== null && reachablePrefixes(seen, parts).at(-1) === 1;
}

/** By index, 1 where the whole pattern can stand for so many of the first parts of the path. */
function reachablePrefixes(given: readonly Tokens[], parts: readonly Part[]): Uint8Array {
  let reached = new Uint8Array(given.length + 1);
  let next = new Uint8Array(given.length + 1);
  reached[0] = 1;
  for (const part of parts) {
    if (part === null) {
      reached.fill(1, firstOf(reached));
      continue;
    }
    next.fill(0);
    for (let at = 0; at < given.length; at++) {
      if (reached[at] === 1 && partFits(given[at]!, part)) next[at + 1] = 1;
    }
    [reached, next] = [next, reached];
  }
  return reached;
}

function firstOf(reached: Uint8Array): number {
  const first = reached.indexOf(1);
  return first === -1 ? reached.length : first;
}

/** Parts of a path, from the top. */
export type PartsMatch = (parts: readonly string[]) => boolean;

/** Holds for what the pattern names and for everything below it. */
export function compileParts(pattern: readonly string[]): PartsMatch {
  const parts = pattern.map((part): Part => (part === '**' ? null : tokensOf(part)));
  return (given) =>
    reachablePrefixes(
      given.map((part) => tokensOf(part, true)),
      parts,
    ).includes(1);
}

/** The parts of an absolute path without `.`, `..` and empty ones; a path that climbs above the top stays there. */
export function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

/** Whether one part of a path can stand for a name. */
export function partMatches(given: string, name: string): boolean {
  return given === name || partFits(tokensOf(given, true), tokensOf(name));
}

function partFits(given: Tokens, pattern: Tokens): boolean {
  const [first] = given;
  // Nothing is known of it: it stands for no name in particular.
  const wide = pattern.length === 1 && isRun(pattern[0]);
  if (given.length === 1 && isUnknown(first)) return wide;
  if (wide) return true;
  // In a shell no pattern stands for a leading dot.
  if (pattern[0] === '.' && typeof first === 'object' && !isUnknown(first)) return false;
  return meet(given, pattern);
}

/** Whether some text fits both. */
function meet(given: Tokens, pattern: Tokens): boolean {
  // Most names are plain text at their start, and differ or end there.
  let at = 0;
  while (at < given.length && typeof given[at] === 'string' && given[at] === pattern[at]) at++;
  if (typeof given[at] !== 'object' && typeof pattern[at] !== 'object') return given[at] === pattern[at];
  return at === 0 ? meetTokens(given, pattern) : meetTokens(given.slice(at), pattern.slice(at));
}

function meetTokens(a: Tokens, b: Tokens): boolean {
  let row = new Uint8Array(b.length + 1);
  let next = new Uint8Array(b.length + 1);
  row[0] = 1;
  spread(row, b);
  for (const token of a) {
    next.fill(0);
    const wide = isWide(token);
    for (let j = 0; j <= b.length; j++) {
      if (row[j] === 0) continue;
      if (wide) next[j] = 1;
      else if (j < b.length && isWide(b[j]!)) next[j] = 1;
      else if (j < b.length && agree(token, b[j]!)) next[j + 1] = 1;
    }
    // A run of the path may take in any number of the pattern's characters.
    if (wide) for (let j = 0; j < b.length; j++) if (next[j] === 1) next[j + 1] = 1;
    spread(next, b);
    [row, next] = [next, row];
  }
  return row[b.length] === 1;
}

/** A run of the pattern may stand for nothing. */
function spread(row: Uint8Array, b: Tokens): void {
  for (let j = 0; j < b.length; j++) if (row[j] === 1 && isWide(b[j]!)) row[j + 1] = 1;
}

function isRun(token: Token | undefined): boolean {
  return typeof token === 'object' && token.kind === 'run';
}

function isUnknown(token: Token | undefined): boolean {
  return typeof token === 'object' && token.kind === 'unknown';
}

function isWide(token: Token): boolean {
  return typeof token === 'object' && token.kind !== 'one';
}

function agree(a: Token, b: Token): boolean {
  if (typeof a === 'string') return typeof b === 'string' ? a === b : b.kind === 'one' && b.test(a);
  if (a.kind !== 'one') return false;
  return typeof b === 'string' ? a.test(b) : b.kind === 'one';
}

const UNKNOWN = /^(?:\$\{[^}]*\}|\$\(\(?\)?\)|<\(\))/;

const RUN: Token = { kind: 'run' };
const UNKNOWN_TOKEN: Token = { kind: 'unknown' };
const ANY_ONE: Token = { kind: 'one', test: () => true };

function tokensOf(text: string, given = false): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const unknown = given && (char === '$' || char === '<') ? UNKNOWN.exec(text.slice(at, at + 200)) : null;
    if (unknown !== null) {
      if (!isUnknown(tokens.at(-1))) tokens.push(UNKNOWN_TOKEN);
      at += unknown[0].length - 1;
    } else if (char === '*') {
      if (!isRun(tokens.at(-1))) tokens.push(RUN);
    } else if (char === '?') {
      tokens.push(ANY_ONE);
    } else {
      const end = char === '[' ? endOfClass(text, at) : -1;
      const named = end === -1 ? null : NAMED_CLASS.exec(text.slice(at, at + LONGEST_CLASS));
      if (end === -1) tokens.push(char);
      else {
        tokens.push(named === null ? { kind: 'one', test: classOf(text.slice(at + 1, end)) } : ANY_ONE);
        at = named === null ? end : at + named[0].length - 1;
      }
    }
  }
  return tokens;
}

const LONGEST_CLASS = 100;
/** `[[:alpha:]_]`: which characters these are depends on the locale. */
const NAMED_CLASS = /^\[[!^]?[^\][]*(?:\[([:.=]).{1,20}?\1\][^\][]*)+\]/;

/** A class that is not closed soon makes its bracket an ordinary character. */
function endOfClass(text: string, start: number): number {
  const first = start + (isNegation(text[start + 1]) ? 2 : 1);
  const end = text.slice(first + 1, first + LONGEST_CLASS).indexOf(']');
  return end === -1 ? -1 : first + 1 + end;
}

/** The folder itself, or anything below it. Both from the top, both from the home folder, or both from one place. */
export function isWithin(path: string, folder: string): boolean {
  const inner = normalForm(path);
  const outer = normalForm(folder);
  if (relativeBelow(inner, outer)) return true;
  const home = fromHome(inner);
  return home !== null && outer.startsWith('~') && relativeBelow(home, outer);
}

function relativeBelow(path: string, folder: string): boolean {
  if (folder === '/') return path.startsWith('/');
  if (folder === '.') return !/^(?:[/~]|\.\.(?:\/|$)|\$)/.test(path);
  return path === folder || path.startsWith(`${folder}/`);
}

/** Kinds by letter, by number, and folders of them; signs of a pattern or of an unknown piece count as either. */
const DISKS = [
  /^\/dev\/(?:[shv]d|xvd)[a-z*?[{$]/,
  /^\/dev\/(?:r?disk|nvme|mmcblk|dm-|md|md_d|nbd|pmem|bcache|mtd|mtdblock|zd)[\d*?[{$]/,
  /^\/dev\/(?:mapper|md|zvol|disk)\/(?!control$)/,
  /^\/dev\/[a-z]{0,2}[*?]/,
  /^(?:\\\\[.?]\\|\/\/[.?]\/)PhysicalDrive/i,
];

/** A whole disk or a partition, by its usual name; not `/dev/null`, a terminal, or a file system kept in a file. */
export function isDisk(path: string): boolean {
  const normal = path.startsWith('/dev') ? normalForm(path) : path;
  return DISKS.some((disk) => disk.test(normal));
}
