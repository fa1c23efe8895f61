/**
 * Paths as guards ask about them: does a path fit a pattern, does it stand below a folder, is it a disk. All by text: links
 * are not looked up. A path of a command may itself be a pattern or hold a piece that is only known when it runs; it fits if
 * something it may stand for fits. Time is bounded by the product of the two lengths.
 */
import { normalPath } from './command/paths.ts';

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
 * pattern without a slash is the name of the last part; one that begins with `~/` means the home folder of anybody.
 */
export function matchPath(path: string, pattern: string): boolean {
  const normal = normalForm(path);
  return patternsOf(pattern).some((each) => fits(normal, each));
}

interface Pattern {
  readonly kind: 'name' | 'home' | 'path';
  readonly parts: readonly Part[];
}

/** Null: any number of parts. */
type Part = readonly Token[] | null;

type Token = { readonly kind: 'char'; readonly char: string } | AnyToken;
type AnyToken =
  | { readonly kind: 'one'; readonly test: (char: string) => boolean }
  | { readonly kind: 'run' }
  /** A piece that is only known when it runs; unlike a run of the shell it may begin with a dot. */
  | { readonly kind: 'unknown' };

const KEPT = 512;
const compiled = new Map<string, readonly Pattern[]>();

function patternsOf(text: string): readonly Pattern[] {
  let found = compiled.get(text);
  if (found === undefined) {
    found = expandBraces(text).map(patternOf);
    if (compiled.size >= KEPT) compiled.clear();
    compiled.set(text, found);
  }
  return found;
}

function patternOf(text: string): Pattern {
  const normal = normalForm(text);
  if (!normal.includes('/') && normal !== '~') return { kind: 'name', parts: [tokensOf(normal)] };
  const kind = normal === '~' || normal.startsWith('~/') ? 'home' : 'path';
  return { kind, parts: normal.split('/').map((part) => (part === '**' ? null : tokensOf(part))) };
}

function fits(path: string, { kind, parts }: Pattern): boolean {
  if (kind === 'name') return partFits(path.slice(path.lastIndexOf('/') + 1), parts[0]!);
  const seen = kind === 'home' ? fromHome(path) : path;
  return seen !== null && reach(seen.split('/'), parts).at(-1)!;
}

/** By index: the whole pattern can stand for so many of the first parts of the path. */
function reach(given: readonly string[], parts: readonly Part[]): readonly boolean[] {
  let reached = [true, ...given.map(() => false)];
  for (const part of parts) {
    const next = reached.map(() => false);
    for (const [at, open] of reached.entries()) {
      if (part === null) next[at] = open || (at > 0 && next[at - 1]!);
      else if (open && at < given.length && partFits(given[at]!, part)) next[at + 1] = true;
    }
    reached = next;
  }
  return reached;
}

/** Parts of a path, from the top. */
export type PartsMatch = (parts: readonly string[]) => boolean;

/** Holds for what the pattern names and for everything below it. */
export function compileParts(pattern: readonly string[]): PartsMatch {
  const parts = pattern.map((part): Part => (part === '**' ? null : tokensOf(part)));
  return (given) => reach(given, parts).some(Boolean);
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
export function partMeets(given: string, name: string): boolean {
  return given === name || partFits(given, tokensOf(name));
}

function partFits(name: string, pattern: readonly Token[]): boolean {
  const tokens = tokensOf(name, true);
  // Nothing is known of it: it stands for no name in particular.
  const wide = pattern.length === 1 && pattern[0]!.kind === 'run';
  if (tokens.length === 1 && tokens[0]!.kind === 'unknown') return wide;
  if (wide) return true;
  // In a shell no pattern stands for a leading dot.
  const [first] = tokens;
  const dotted = pattern[0]?.kind === 'char' && pattern[0].char === '.';
  if (dotted && (first?.kind === 'run' || first?.kind === 'one')) return false;
  return meet(tokens, pattern);
}

/** Whether some text fits both. */
function meet(a: readonly Token[], b: readonly Token[]): boolean {
  let row = new Uint8Array(b.length + 1);
  row[0] = 1;
  spread(row, b);
  for (const token of a) {
    const next = new Uint8Array(b.length + 1);
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
    row = next;
  }
  return row[b.length] === 1;
}

/** A run of the pattern may stand for nothing. */
function spread(row: Uint8Array, b: readonly Token[]): void {
  for (let j = 0; j < b.length; j++) if (row[j] === 1 && isWide(b[j]!)) row[j + 1] = 1;
}

function isWide({ kind }: Token): boolean {
  return kind === 'run' || kind === 'unknown';
}

function agree(a: Token, b: Token): boolean {
  if (a.kind === 'char') return b.kind === 'char' ? a.char === b.char : b.kind === 'one' && b.test(a.char);
  if (a.kind !== 'one') return false;
  return b.kind === 'one' || (b.kind === 'char' && a.test(b.char));
}

const UNKNOWN = /^(?:\$\{[^}]*\}|\$\(\(?\)?\)|<\(\))/;

function tokensOf(text: string, given = false): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const unknown = given && (char === '$' || char === '<') ? UNKNOWN.exec(text.slice(at, at + 200)) : null;
    if (unknown !== null) {
      if (tokens.at(-1)?.kind !== 'unknown') tokens.push({ kind: 'unknown' });
      at += unknown[0].length - 1;
    } else if (char === '*') {
      if (tokens.at(-1)?.kind !== 'run') tokens.push({ kind: 'run' });
    } else if (char === '?') {
      tokens.push({ kind: 'one', test: anyOne });
    } else {
      const end = char === '[' ? endOfClass(text, at) : -1;
      if (end === -1) tokens.push({ kind: 'char', char });
      else {
        tokens.push({ kind: 'one', test: classOf(text.slice(at + 1, end)) });
        at = end;
      }
    }
  }
  return tokens;
}

const anyOne = () => true;
const LONGEST_CLASS = 100;

/** A class that is not closed soon makes its bracket an ordinary character. */
function endOfClass(text: string, start: number): number {
  const first = start + (/[!^]/.test(text[start + 1] ?? '') ? 2 : 1);
  const end = text.slice(first + 1, first + LONGEST_CLASS).indexOf(']');
  return end === -1 ? -1 : first + 1 + end;
}

function classOf(members: string): (char: string) => boolean {
  const negated = /^[!^]/.test(members);
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < members.length; at++) {
    const low = members[at]!;
    const high = members[at + 1] === '-' ? members[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  return (char) => ranges.some(([low, high]) => low <= char && char <= high) !== negated;
}

const MOST_BRACES = 128;

/** `{a,b}`, also inside one another; more than anybody means are left as they are. */
function expandBraces(text: string): string[] {
  let all = [text];
  while (all.length < MOST_BRACES) {
    const next = all.flatMap((each) => {
      const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(each);
      return found === null ? [each] : found[2]!.split(',').map((one) => found[1] + one + found[3]);
    });
    if (next.length === all.length) break;
    all = next;
  }
  return all;
}

/** The folder itself, or anything below it. Both from the top, both from the home folder, or both from one place. */
export function isWithin(path: string, folder: string): boolean {
  const inner = normalForm(path);
  const outer = normalForm(folder);
  if (below(inner, outer)) return true;
  const home = fromHome(inner);
  return home !== null && outer.startsWith('~') && below(home, outer);
}

function below(path: string, folder: string): boolean {
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
