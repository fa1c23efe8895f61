/**
 * Named sets of paths (`@secret`, `@disk`), and which of them a path of a command belongs to. A pattern that begins with `/`
 * or `~/` stands where it says, any other one at any depth. What a command leaves to the shell (`/h*`) belongs to a set if it
 * can name a member. Time is bounded by the length of a path, which is cut off where nobody writes longer ones.
 */
import { compileGlob, expandBraces, partsOf } from '../base/index.ts';
import { asRemotePath } from '../shell/index.ts';
import { lazyPattern, type TextTest } from './patterns.ts';

export interface WrittenSet {
  readonly paths: readonly string[];
  /** Members that are none after all: `.env.example`. */
  readonly except?: readonly string[];
}

/** One bit a set. */
export type Sets = number;

export const MOST_SETS = 31;
/** Bounds what a hostile path can cost. */
const LONGEST_PATH = 512;

/** The forms in which one path can be named; null if it has no such form. */
export interface PathForms {
  readonly absolute: string | null;
  /** Below somebody's home folder, as `~/…`. */
  readonly home: string | null;
  /** Below the folder the command starts in, or above it with `..`. */
  readonly relative: string | null;
}

/** What stands for the home folder while a text is read: it goes through variables, and no machine has it. */
export const HOME_MARK = '/~';

/**
 * `cwd` is where relative paths start, absolute, or null if nobody knows; `roots` are further folders of the project. What stands in
 * a project is the project's, wherever that stands and however it is named.
 */
export function formsOf(path: string, cwd: string | null, roots: readonly string[] = []): PathForms {
  const whole = asRemotePath(path.slice(0, LONGEST_PATH))
    .replace(/^file:\/\/(?=[/~$.])/, '')
    .replace(/^(?:\$\{?HOME\}?|\/~)(?=\/|$)/, '~');
  if (whole.startsWith('~')) return { absolute: null, home: homeForm(whole), relative: null };
  const inProject = (given: string): PathForms | null => {
    const root = [cwd, ...roots].find(
      (each) => each !== null && !SYSTEM_FOLDER.test(each) && given.startsWith(`${each}/`),
    );
    return root == null ? null : { absolute: null, home: null, relative: given.slice(root.length + 1) };
  };
  if (whole.startsWith('/'))
    return inProject(whole) ?? { absolute: whole, home: belowHome(whole), relative: null };
  const relative = whole.replace(/^\$\{PWD\}\/|^\.\//, '');
  if (cwd === null || relative.startsWith('$') || (!SYSTEM_FOLDER.test(cwd) && !relative.startsWith('..'))) {
    return { absolute: null, home: null, relative };
  }
  const absolute = normalPath(`${cwd}/${relative}`);
  return inProject(absolute) ?? { absolute, home: belowHome(absolute), relative };
}

/** Folders in which everything belongs to the system or to a person as a whole: there a relative path is no less dangerous. */
const SYSTEM_FOLDER =
  /^\/(?:$|(?:etc|bin|sbin|lib\w*|boot|dev|proc|sys|run|System|Library)(?:\/|$)|usr(?:$|\/(?!src\/|local\/src\/))|var(?:$|\/(?!www\/|folders\/|tmp\/))|(?:home|Users|root|opt|srv|mnt|media|data|tmp|Volumes|private)\/?$|(?:home|Users)\/[^/]+(?:$|\/\.)|root\/\.)/;

/** `~ada/x` is a home folder too. */
function homeForm(path: string): string {
  const slash = path.indexOf('/');
  return slash === -1 ? '~' : `~${path.slice(slash)}`;
}

function normalPath(path: string): string {
  return `/${partsOf(path).join('/')}`;
}

const HOMES = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/var\/root|\/root)(?=\/|$)/;

function belowHome(path: string): string | null {
  const found = HOMES.exec(path);
  return found === null ? null : `~${path.slice(found[0].length)}`;
}

const WILD = /[*?[]/;

interface Group {
  readonly bit: Sets;
  /** As written: they become one expression when a path first gets as far as that. */
  readonly patterns: string[];
  test: TextTest | null;
}

/**
 * Patterns that stand at one kind of place, found by their first part if that is plain. A path with wildcards of its own is
 * held against each of them, part by part.
 */
class Patterns {
  /** Whether a pattern may begin at any part of a path. */
  private readonly floats: boolean;
  private readonly byFirst = new Map<string, Group[]>();
  private readonly others: Group[] = [];
  private readonly added: { readonly bit: Sets; readonly pattern: string }[] = [];
  private parts: readonly { readonly bit: Sets; readonly parts: readonly string[] }[] | null = null;

  constructor(floats: boolean) {
    this.floats = floats;
  }

  add(pattern: string, bit: Sets): void {
    this.added.push({ bit, pattern });
    const from = this.floats ? 0 : pattern.indexOf('/') + 1;
    const slash = pattern.indexOf('/', from);
    // Without a slash nothing stands behind the top.
    const none = !this.floats && from === 0;
    const first = none ? '' : pattern.slice(from, slash === -1 ? undefined : slash);
    if (first === '' || WILD.test(first)) group(this.others, bit).patterns.push(pattern);
    else {
      let groups = this.byFirst.get(first);
      if (groups === undefined) this.byFirst.set(first, (groups = []));
      group(groups, bit).patterns.push(pattern);
    }
  }

  /** `wild`: a path with wildcards belongs to what it can name. */
  match(path: string, wild: boolean): Sets {
    if (this.added.length === 0) return 0;
    let found = 0;
    if (this.floats) {
      for (let at = 0; at !== -1; ) {
        const slash = path.indexOf('/', at);
        const part = slash === -1 ? path.slice(at) : path.slice(at, slash);
        const groups = part === '' ? undefined : this.byFirst.get(part);
        if (groups !== undefined) found |= bitsOf(groups, at === 0 ? path : path.slice(at), found, '^');
        at = slash === -1 ? -1 : slash + 1;
      }
    } else {
      const from = path.indexOf('/') + 1;
      const slash = path.indexOf('/', from);
      const groups =
        from === 0 ? undefined : this.byFirst.get(slash === -1 ? path.slice(from) : path.slice(from, slash));
      if (groups !== undefined) found |= bitsOf(groups, path, found, '^');
    }
    found |= bitsOf(this.others, path, found, this.floats ? '(?:^|/)' : '^');
    if (!wild || !isWildPath(path)) return found;
    const own = path.split('/').slice(0, 64);
    this.parts ??= this.added.map(({ bit, pattern }) => {
      const parts = pattern.split('/');
      return { bit, parts: this.floats ? ['**', ...parts] : parts };
    });
    for (const { bit, parts } of this.parts) {
      if ((found & bit) === 0 && canMatch(own, parts)) found |= bit;
    }
    return found;
  }
}

function group(groups: Group[], bit: Sets): Group {
  let found = groups.find((each) => each.bit === bit);
  if (found === undefined) groups.push((found = { bit, patterns: [], test: null }));
  return found;
}

function bitsOf(groups: readonly Group[], path: string, known: Sets, start: string): Sets {
  let bits = 0;
  for (const each of groups) {
    if ((known & each.bit) !== 0) continue;
    each.test ??= testOf(each.patterns, start);
    if (each.test(path)) bits |= each.bit;
  }
  return bits;
}

function testOf(patterns: readonly string[], start: string): TextTest {
  const written = `${start}(?:${patterns.map(source).join('|')})/?$`;
  // An expression of the engine tries every way to divide a path among the stars; RE2 takes the length of the path.
  if (patterns.some((pattern) => waysToDivide(pattern) > 2)) return lazyPattern(`(?s)${written}`);
  const regex = new RegExp(written, 's');
  return (path) => regex.test(path);
}

/** Stars whose ends are not certain: a single one within a part ends with the part. */
function waysToDivide(pattern: string): number {
  let ways = 0;
  for (const part of pattern.split('/')) {
    if (part === '**') ways++;
    else ways += Math.max(0, part.split('*').length - 2);
  }
  return ways;
}

/** `**` is any number of parts, behind the last slash also none; `*` stays within one. */
function source(pattern: string): string {
  const escaped = pattern.replace(/[.+^${}()|\\]/g, '\\$&');
  return escaped
    .replace(/^\*\*\//, '\0')
    .replace(/\/\*\*$/, '\x01')
    .replace(/\/\*\*\//g, '\x02')
    .replace(/\*/g, '[^/]*')
    .replace(/\?/g, '[^/]')
    .replace(/\0/, '(?:.*/)?')
    .replace(/\x01/, '(?:/.*)?')
    .replace(/\x02/g, '/(?:.*/)?');
}

/** Whether a path with wildcards and a pattern can name one file. */
function canMatch(path: readonly string[], pattern: readonly string[]): boolean {
  const anchored = pattern[0] !== '**';
  // By index: the pattern so far can stand for so many of the first parts of the path.
  let open = [true, ...path.map(() => false)];
  for (const [at, part] of pattern.entries()) {
    if (part === '**' && at === pattern.length - 1) return open.includes(true);
    const first = open.indexOf(true);
    if (first === -1) return false;
    open = open.map((_, i) =>
      part === '**' ? i >= first : i > 0 && open[i - 1]! && partCanMatch(path[i - 1]!, part, anchored),
    );
  }
  return open.at(-1)!;
}

const PLAIN_PATH = /^(?:[\w~./*?@%+,:!^$-]|\[[^\]\s]+\])+$/;

/** With wildcards, and nothing that no path has: `.items[].name` is a filter of jq. */
function isWildPath(path: string): boolean {
  return WILD.test(path) && PLAIN_PATH.test(path);
}

/** `*.md` names so much that it means nothing in particular, except at a place that is given from the top. */
function partCanMatch(own: string, part: string, anchored: boolean): boolean {
  if (!WILD.test(own)) return WILD.test(part) ? compileGlob(part)(own) : own === part;
  const prefix = own.slice(0, own.search(WILD));
  if (own === part) return true;
  if (!anchored && prefix.length < 2) return false;
  if (!WILD.test(part)) return (own[0] === '.' || part[0] !== '.') && compileGlob(own)(part);
  const wanted = part.slice(0, part.search(WILD));
  return wanted.length >= 2 && prefix.startsWith(wanted);
}

/** Several sets at once. */
export class PathSets {
  private readonly bits: ReadonlyMap<string, Sets>;
  private readonly members = new AnchoredPatterns();
  private readonly exceptions = new AnchoredPatterns();
  /** Several rules ask about one path, and one path is named by many commands; gone with its forms. */
  private readonly known = new WeakMap<PathForms, Sets>();

  constructor(written: Readonly<Record<string, WrittenSet>>) {
    const names = Object.keys(written).slice(0, MOST_SETS);
    this.bits = new Map(names.map((name, at) => [name, 1 << at]));
    for (const [name, bit] of this.bits) {
      for (const path of written[name]!.paths) this.members.add(path, bit);
      for (const path of written[name]!.except ?? []) this.exceptions.add(path, bit);
    }
  }

  get names(): readonly string[] {
    return [...this.bits.keys()];
  }

  bit(name: string): Sets | undefined {
    return this.bits.get(name);
  }

  of(forms: PathForms): Sets {
    const before = this.known.get(forms);
    if (before !== undefined) return before;
    const found = this.members.match(forms, true);
    // `/*` names `/tmp` too, and is no exception for that.
    const sets = found === 0 ? 0 : found & ~this.exceptions.match(forms, false);
    this.known.set(forms, sets);
    return sets;
  }
}

/** Put in order when a path of their kind is first looked at: most commands name none from the top. */
class AnchoredPatterns {
  private readonly written: { readonly path: string; readonly bit: Sets }[] = [];
  private absolute: Patterns | null = null;
  private home: Patterns | null = null;
  private anywhere: Patterns | null = null;

  add(path: string, bit: Sets): void {
    this.written.push({ path, bit });
  }

  match({ absolute, home, relative }: PathForms, wild: boolean): Sets {
    const any = absolute ?? home ?? relative;
    let found = 0;
    if (absolute !== null) found |= (this.absolute ??= this.made('/')).match(absolute, wild);
    if (home !== null) found |= (this.home ??= this.made('~')).match(home, wild);
    if (any !== null) found |= (this.anywhere ??= this.made('')).match(any, wild);
    return found;
  }

  private made(start: '/' | '~' | ''): Patterns {
    const patterns = new Patterns(start === '');
    for (const { path, bit } of this.written) {
      const first = path[0] === '/' || path[0] === '~' ? path[0] : '';
      if (first !== start && path[0] !== '{') continue;
      // What cannot be written out stands for every path: packs of others are refused for it, see condition.ts.
      for (const each of expandBraces(path) ?? [`${start}**`]) {
        const own = each[0] === '/' || each[0] === '~' ? each[0] : '';
        if (own === start) patterns.add(start === '' ? each.replace(/^\*\*\//, '') : each, bit);
      }
    }
    return patterns;
  }
}
