/**
 * What a command writes that is given it by a search, a list or a pattern: whether a guarded file may be among it. A search is
 * tried on the guarded files themselves: where none of them passes its tests, it touches none, and no person is asked.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { compileGlob, partMatches, partsOf } from '../base/index.ts';
import { isWithin } from '../machine/index.ts';
import type { Command } from '../shell/index.ts';
import type { Protected } from './protected.ts';
import { type Entry, readFindExpression } from './protected-find.ts';
import { atHome, type JudgedCall } from './protected-words.ts';

const MOST_FILES = 400;
const LARGEST = 400_000;

/** What a command does with the paths that a search hands it. */
export interface Handing {
  /** Files alone, folders as well, or folders with all that stands in them. */
  readonly takes: 'files' | 'folders' | 'trees';
  /** Actions of `find` that lead to it. */
  readonly by: RegExp;
  /** Names that begin with a dot are listed like others. */
  readonly dots: boolean;
}

/** Why a person has to see a command that writes what `sources` print, or null. */
export function searchQuestion(
  sources: readonly Command[],
  lists: readonly string[],
  call: JudgedCall,
  guarded: Protected,
  handing: Handing,
): string | null {
  const places = placesFor(handing, guarded);
  const filters = sources.filter(isFilter);
  for (const source of sources) {
    const search = SEARCHES.get(source.program)?.(source, handing) ?? null;
    if (search === null) continue;
    const cwd = source.cwd === null ? call.cwd : resolve(call.cwd, atHome(source.cwd, call.home));
    const roots = search.roots.length > 0 ? search.roots : ['.'];
    for (const [i, root] of roots.map((each) => resolve(cwd, atHome(each, call.home))).entries()) {
      const shown = search.shown?.[i] ?? '.';
      const found = places.find(
        (place) =>
          (search.follows === true || isWithin(place, root)) &&
          passes(place, { root, shown }, search, filters),
      );
      if (found !== undefined) return asks(source.program, relative(call.cwd, found) || found);
    }
  }
  for (const list of lists) {
    const found = inList(resolve(call.cwd, atHome(list, call.home)), call, guarded);
    if (found !== null) return asks(list, found);
  }
  return null;
}

function asks(what: string, place: string): string {
  return `${what} may hand it ${place}, which belongs to the policy`;
}

interface Search {
  readonly roots: readonly string[];
  /** The roots as they are written, if that counts. */
  readonly shown?: readonly string[];
  /** Links are followed on the way. */
  readonly follows?: boolean;
  /** Whether it meets names that begin with a dot. */
  readonly hidden: boolean;
  /** Of what stands below the root, and its text. */
  readonly takes: (entry: Entry, text: () => string) => boolean;
}

function passes(
  place: string,
  { root, shown }: { readonly root: string; readonly shown: string },
  search: Search,
  filters: readonly Command[],
): boolean {
  const path = isWithin(place, root) ? relative(root, place) : basename(place);
  if (!search.hidden && path.split('/').some((part) => part.startsWith('.'))) return false;
  const entry = entryOf(place, path, path === '' ? shown : `${shown.replace(/\/$/, '')}/${path}`);
  return (
    entry !== null &&
    search.takes(entry, () => (entry.kind === 'd' ? '' : textOf(place))) &&
    filters.every((filter) => letsThrough(filter, path))
  );
}

function entryOf(place: string, path: string, shown: string): Entry | null {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const kind = found.isSymbolicLink() ? 'l' : found.isDirectory() ? 'd' : 'f';
  return { shown, path, kind, size: found.size };
}

/** Every guarded file, and as a command takes folders, those as well and the folders around them. */
function placesFor({ takes }: Handing, guarded: Protected): readonly string[] {
  const files = guardedFiles(guarded);
  // A folder that is a link is removed like a file.
  const links = guarded.paths.folders.filter(
    (folder) => lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
  if (takes === 'files') return [...files, ...links];
  const tops = guarded.paths.folders.filter((folder) => existsSync(folder));
  const below = files.flatMap((file) => {
    const top = tops.find((folder) => isWithin(file, folder));
    return top === undefined ? [] : foldersBetween(file, top);
  });
  const above = takes === 'trees' ? [...files, ...tops].flatMap((place) => foldersBetween(place, '/')) : [];
  return [...new Set([...files, ...tops, ...below, ...above])];
}

function foldersBetween(path: string, top: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); isWithin(at, top) && found.at(-1) !== at; at = dirname(at)) found.push(at);
  return found;
}

/** Whether all that is printed comes from searches, lists and filters that are worked out here. */
export function isComputed(sources: readonly Command[]): boolean {
  const ways = sources.filter(({ program }) => program !== 'xargs');
  return (
    ways.length > 0 && ways.every((source) => SEARCHES.has(source.program) || LISTING.has(source.program))
  );
}

/** They print the lines of files. */
export const LISTING: ReadonlySet<string> = new Set('cat head tail sort uniq tac shuf'.split(' '));

/** Every file that is guarded and there. */
export function guardedFiles({ paths: { folders, files } }: Protected): readonly string[] {
  const found = files.filter(isFile);
  const queue = [...folders];
  for (let folder = queue.pop(); folder !== undefined && found.length < MOST_FILES; folder = queue.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) queue.push(path);
      else found.push(path);
    }
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function textOf(path: string): string {
  try {
    return statSync(path).size > LARGEST ? '' : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The guarded place that a list names; null also for a list that names none. One that is not there yet may name any. */
function inList(list: string, call: JudgedCall, guarded: Protected): string | null {
  if (!isFile(list)) return 'anything';
  const lines = textOf(list).split(/[\n\0]/);
  return lines.find((line) => line.trim() !== '' && guarded.reach(line.trim(), call.cwd) !== null) ?? null;
}

type Reader = (command: Command, handing: Handing) => Search | null;

const SEARCHES: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['find', readFind],
  ['gfind', readFind],
  ['fd', readFd],
  ['fdfind', readFd],
  ['grep', readGrep],
  ['egrep', readGrep],
  ['fgrep', readGrep],
  ['rg', readGrep],
  ['ag', readGrep],
  ['git', readGit],
  ['ls', readLs],
  ['echo', readPatterns],
  ['printf', readPatterns],
]);

const isHidden = (command: Command) =>
  command.has('--hidden', '-H', '-.', '--no-ignore', '-u', '-uu', '-uuu', '--unrestricted', '-a', '--all');

function readFind({ args, reads, deletes }: Command, { by }: Handing): Search {
  const { roots, follows, reaches } = readFindExpression(args);
  const count = Math.max(1, roots.length);
  return {
    roots: (deletes.length > 0 ? deletes : reads).slice(0, count),
    ...{ shown: roots, follows, hidden: true, takes: (entry) => reaches(entry, by) },
  };
}

/** The path itself and each folder above it. */
function partsAbove(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** In `find` a star also stands for a slash, and for a leading dot. */
function pathTest(pattern: string, nameOnly: boolean, folds: boolean): (path: string) => boolean {
  const fold = (text: string) => (folds ? text.toLowerCase() : text);
  const glob = compileGlob(fold(pattern).replaceAll('/', '\u0001').replaceAll('.', '\u0002'));
  return (path) => {
    const text = nameOnly ? path.slice(path.lastIndexOf('/') + 1) : path;
    return [text, `./${text}`].some((each) =>
      glob(fold(each).replaceAll('/', '\u0001').replaceAll('.', '\u0002')),
    );
  };
}

function readFd(command: Command): Search {
  // What stands behind `-x` is the command that it runs.
  const exec = command.args.findIndex((arg) => /^(?:-[xX]|--exec|--exec-batch)$/.test(arg));
  const own = exec === -1 ? command.operands : command.operands.slice(0, operandsBefore(command, exec));
  const [pattern = '', ...roots] = own;
  const endings = command.values('-e', '--extension').map((ending) => `.${ending.replace(/^\./, '')}`);
  const pieces = piecesOf(pattern);
  return {
    roots,
    hidden: isHidden(command),
    takes: ({ path }) =>
      (endings.length === 0 || endings.some((ending) => path.endsWith(ending))) &&
      mayContain(path.toLowerCase(), pieces, true),
  };
}

function operandsBefore({ args, operands }: Command, end: number): number {
  return operands.filter((operand) => args.indexOf(operand) < end).length;
}

function readGrep(command: Command): Search | null {
  const recursive =
    command.program === 'rg' || command.program === 'ag' || command.has('-r', '-R', '--recursive');
  if (!recursive) return null;
  const globs = [...command.values('--include', '-g', '--glob', '--iglob')];
  const without = [
    ...command.values('--exclude', '--exclude-dir'),
    ...globs.filter(isNegated).map(plainGlob),
  ];
  const wanted = globs.filter((glob) => !isNegated(glob));
  const given = command.values('-e', '--regexp', '-f', '--file');
  const files = command.has('--files');
  const operands = command.operands;
  const pattern = files ? '' : (given[0] ?? operands[0] ?? '');
  const roots = files || given.length > 0 ? operands : operands.slice(1);
  // A list of patterns, or of what does not match, is not worked out.
  const isOpen =
    files || given.length > 1 || command.has('-v', '-L', '--files-without-match', '-f', '--file');
  const folds = command.has('-i', '--ignore-case', '-S', '--smart-case');
  const plain = command.has('-F', '--fixed-strings') || command.program === 'fgrep';
  const pieces = plain ? [pattern] : piecesOf(pattern);
  return {
    roots,
    hidden: command.program.endsWith('grep') || isHidden(command),
    takes: ({ path, kind }, text) =>
      kind !== 'd' &&
      (wanted.length === 0 || wanted.some((glob) => fits(glob, path))) &&
      !without.some((glob) => partsAbove(path).some((each) => fits(glob, each))) &&
      (isOpen || mayContain(text(), pieces, folds)),
  };
}

const isNegated = (glob: string) => glob.startsWith('!');
const plainGlob = (glob: string) => glob.slice(1).replace(/\/(?:\*\*?)?$/, '');

/** By its name, or by its whole path if the pattern has a slash. */
function fits(glob: string, path: string): boolean {
  return pathTest(glob.replace(/^(?:\*\*)?\//, ''), !glob.replace(/^\*\*\//, '').includes('/'), false)(path);
}

/** `git ls-files`, `git grep -l`; what else it prints is what was changed, which the agent cannot do to a guarded file. */
function readGit(command: Command): Search | null {
  const [verb = '', ...more] = command.operands;
  if (verb !== 'ls-files' && verb !== 'grep') return null;
  const isList = verb === 'ls-files';
  if (isList && command.has('-m', '--modified', '-o', '--others', '-d', '--deleted')) return null;
  const paths = (isList ? more : more.slice(1)).map((path) => path.replace(/^:?(?:\(glob\))?/, ''));
  const pieces = isList ? null : piecesOf(more[0] ?? '');
  return {
    roots: [],
    hidden: true,
    takes: ({ path, kind }, text) =>
      kind !== 'd' &&
      (paths.length === 0 ||
        paths.some((each) => each === '.' || isWithin(path, each) || fits(each, path))) &&
      (pieces === null || mayContain(text(), pieces, command.has('-i', '--ignore-case'))),
  };
}

/** Patterns that are printed as what they stand for. */
function readPatterns({ words }: Command): Search | null {
  const patterns = words
    .filter(({ glob, text }) => glob && !text.startsWith('/'))
    .map(({ text }) => partsOf(text));
  if (patterns.length === 0) return null;
  const fits = (parts: readonly string[], path: readonly string[]) =>
    parts.length === path.length && parts.every((part, i) => partMatches(part, path[i]!));
  return {
    ...{ roots: [], hidden: true },
    takes: ({ path }) => patterns.some((parts) => fits(parts, path.split('/'))),
  };
}

/** What stands directly in a folder. */
function readLs(command: Command, { dots }: Handing): Search | null {
  if (command.words.some(({ glob }) => glob)) return null;
  return {
    roots: command.operands,
    hidden: command.has('-a', '-A', '--all', '--almost-all') || dots,
    takes: ({ path }) => path !== '' && (!path.includes('/') || command.has('-R', '--recursive')),
  };
}

const FILTERS: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'rg']);

/** `find . | grep PATTERN`: a filter over names. */
function isFilter(command: Command): boolean {
  return (
    FILTERS.has(command.program) && command.stdin.kind === 'pipe' && readGrep(command)?.roots.length !== 1
  );
}

function letsThrough(filter: Command, path: string): boolean {
  const [pattern = ''] = [...filter.values('-e', '--regexp'), ...filter.operands];
  const text = `./${path}`;
  if (!filter.has('-v', '--invert-match')) return mayContain(text, piecesOf(pattern), filter.has('-i'));
  const pieces = piecesOf(pattern);
  // Only a pattern without signs says for sure what it takes away.
  return !(/^[\w/\\.-]+$/.test(pattern) && pieces.every((piece) => text.includes(piece)));
}

/** Texts of which one has to be there where the pattern matches, one for each alternative; empty if that is not known. */
function piecesOf(pattern: string): readonly string[] {
  const alternatives = pattern.split(/\\?\|/);
  const pieces = alternatives.map((alternative) => {
    const runs = alternative
      .replace(/\\[bBwWsSdD<>]/g, '\0')
      .replace(/\[[^\]]*\]/g, '\0')
      .replace(/\\([.$*/^-])/g, '$1\u0001')
      .split(/\0|.(?:[?*]|\{\d[^}]*\})|(?<!\u0001)[.^$+()]|\\[(){}+?]/)
      .map((run) => run.replaceAll('\u0001', ''));
    return runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  });
  return pieces.includes('') ? [] : pieces;
}

function mayContain(text: string, pieces: readonly string[], folds: boolean): boolean {
  if (pieces.length === 0) return true;
  const within = folds ? text.toLowerCase() : text;
  return pieces.some((piece) => within.includes(folds ? piece.toLowerCase() : piece));
}
