/**
 * The files of a folder that a program runs: those its command line names, and those that they name in turn. Found without
 * running anything, by looking for words that are paths of code; what a program reads by other ways is not known here.
 */
import { statSync } from 'node:fs';
import { dirname, extname, join, posix, relative, resolve, sep } from 'node:path';
import { compileGlob, sha256Hex } from '../base/index.ts';
import { FolderSnapshot, UNREADABLE } from '../files/index.ts';
import { realPathOrSame } from '../machine/index.ts';

/** So many files are followed, by so many looks whether a word names one; if a program has more, the list says so. */
const MAX_FILES = 256;
const MAX_LOOKS = 100_000;
/** Words of one file that are looked at. */
const MAX_WORDS = 20_000;
/** Folders that a text may change into. */
const MAX_FOLDERS = 16;

/** In the place of a file: there are more than are watched. */
const MORE = '… and more files than are watched';
/** Before a pattern: which names it stands for. A file more would be run as well. */
const NAMES_PREFIX = 'names of ';
const PATTERN = /[*?[]/;

const CODE = new Set(
  '.sh .bash .zsh .py .rb .pl .php .lua .js .mjs .cjs .jsx .ts .mts .cts .tsx .star .jq .awk'.split(' '),
);
/** What a module without an ending may stand for. */
const ENDINGS = [
  '.ts',
  '.mts',
  '.js',
  '.mjs',
  '.cjs',
  '.py',
  '.sh',
  '/index.ts',
  '/index.js',
  '/__init__.py',
  '/__main__.py',
];

/** Programs that take what they run from a file they look for themselves. */
const OWN_FILES: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  bunx: ['package.json'],
  make: ['Makefile', 'makefile', 'GNUmakefile'],
  just: ['justfile', 'Justfile'],
  rake: ['Rakefile'],
};

/** SHA-256 by path in `dir`, a folder of the snapshot or below it, of what these words of a command line name and what that names. */
export function programFiles(
  snapshot: FolderSnapshot,
  dir: string,
  words: readonly string[],
): Record<string, string> {
  const root = realPathOrSame(resolve(dir));
  const found = new Map<string, string>();
  const looked = new Set<string>();
  const waiting: string[] = [];
  let cut = false;
  const add = (text: readonly string[], from: readonly string[], any: boolean): void => {
    const folders = [...from, ...foldersIn(text, from, root)];
    for (const word of text) {
      if (waiting.length > MAX_LOOKS) return;
      for (const folder of folders) waiting.push(...namedBy(word, folder, root, any));
    }
  };
  add([...words, ...words.flatMap(dotted)], [root], true);
  for (const word of words) {
    for (const file of OWN_FILES[posix.basename(word)] ?? []) waiting.push(join(root, file));
  }
  // Those that are named first come first.
  for (let at = 0; at < waiting.length && found.size < MAX_FILES; at++) {
    const path = waiting[at]!;
    const name = inFolder(root, path);
    if (name === null || looked.has(name)) continue;
    looked.add(name);
    if (PATTERN.test(name)) {
      const names = namesOf(snapshot, resolve(dir, name));
      if (names.length === 0) continue;
      found.set(NAMES_PREFIX + name, namesDigest(snapshot, name));
      waiting.push(...names.map((each) => join(root, relative(resolve(dir), each))));
    }
    if (!isFile(path)) continue;
    const file = resolve(dir, name);
    const digest = snapshot.digest(file);
    if (digest === UNREADABLE) continue;
    found.set(name, digest);
    const { bytes, whole } = snapshot.content(file);
    cut ||= !whole;
    if (bytes === null) continue;
    const text = wordsIn(bytes.toString('utf8'));
    cut ||= text.length >= MAX_WORDS;
    add(text, [...new Set([dirname(path), dirname(realPathOrSame(path)), root])], false);
  }
  if (cut || found.size >= MAX_FILES || waiting.length > MAX_LOOKS) found.set(MORE, '');
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Paths that a pattern stands for, as a shell finds them, and names with a dot in front as well. */
function namesOf(snapshot: FolderSnapshot, pattern: string): string[] {
  let paths = ['/'];
  for (const part of pattern.split('/').filter((each) => each !== '')) {
    if (!PATTERN.test(part)) paths = paths.map((path) => join(path, part));
    else {
      const fits = compileGlob(part);
      paths = paths.flatMap((path) => {
        const listing = snapshot.list(path);
        return listing.ok ? listing.names.filter(fits).map((name) => join(path, name)) : [];
      });
    }
    paths = paths.slice(0, MAX_FILES + 1);
  }
  return paths.filter(isFile);
}

function namesDigest(snapshot: FolderSnapshot, pattern: string): string {
  return sha256Hex(namesOf(snapshot, resolve(snapshot.dir, pattern)).join('\n'));
}

/** A module as `python -m` has it. */
function dotted(word: string): string[] {
  return /^[A-Za-z_]\w*(?:\.\w+)+$/.test(word) && !isCode(word) ? [word.replaceAll('.', '/')] : [];
}

/** Folders of the project among the words: what else is named may be meant from there. */
function foldersIn(words: readonly string[], from: readonly string[], root: string): string[] {
  const found = new Set<string>();
  for (const word of words.slice(0, MAX_WORDS / 10))
    for (const folder of from) {
      const path = resolve(folder, word.replace(/^\/+/, ''));
      const inside = inFolder(root, path) !== null && !from.includes(path);
      if (inside && found.size < MAX_FOLDERS && isFolder(path)) found.add(path);
    }
  return [...found];
}

/** The first of the files that is not what it was, or null. */
export function changedFile(dir: string, files: Readonly<Record<string, string>>): string | null {
  const now = new FolderSnapshot(dir);
  for (const [name, digest] of Object.entries(files)) {
    if (name === MORE) continue;
    const isList = name.startsWith(NAMES_PREFIX);
    if ((isList ? namesDigest(now, name.slice(NAMES_PREFIX.length)) : now.digest(name)) !== digest)
      return name;
  }
  return null;
}

/** Files a word may stand for, seen from a folder. A command line may name any file. */
function namedBy(word: string, from: string, root: string, any: boolean): string[] {
  const plain = word.replace(/^\$\{?\w*(?:PROJECT|PROFILE)_DIR\}?/, root).replace(/^file:\/\//, '');
  const isWhole = plain.startsWith(root);
  const path = isWhole ? plain : plain.replace(/^(?:\.\/|\/+)(?=.)/, '');
  if (path === '' || path.length > 1000) return [];
  if (!any && !isCode(path) && posix.basename(path).includes('.')) return [];
  const whole = resolve(isWhole ? '/' : from, path);
  if (PATTERN.test(path)) return [whole];
  return [whole, ...ENDINGS.map((ending) => whole + ending)];
}

function isCode(path: string): boolean {
  return CODE.has(extname(path).toLowerCase());
}

/** Paths in the text of a script, folders it may change into, and modules that Python names with dots. */
function wordsIn(text: string): string[] {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\w@+$./-]*[\w@+-]/g)) {
    if (words.size >= MAX_WORDS) break;
    if (word.includes('/') || isCode(word)) words.add(word.replace(/^\$\w+\/+/, ''));
  }
  for (const [word] of text.matchAll(/[\w@+./-]*[*?][\w@+./*?-]*/g)) {
    if (words.size >= MAX_WORDS) break;
    if (isCode(word)) words.add(word);
  }
  for (const [, folder] of text.matchAll(/\b(?:cd|pushd|chdir)\b[\s("']+([\w@+.-]+)/g)) {
    if (words.size >= MAX_WORDS) break;
    words.add(folder!);
  }
  for (const [, module] of text.matchAll(/^\s*(?:from|import)\s+\.*([A-Za-z_][\w.]*)/gm)) {
    if (words.size >= MAX_WORDS) break;
    words.add(module!.replaceAll('.', '/'));
  }
  return [...words];
}

/** The path in the folder, or null for a file elsewhere: what the machine has is not of the folder. */
function inFolder(root: string, path: string): string | null {
  const name = relative(root, path);
  if (name === '' || name.startsWith('..') || name.startsWith(sep)) return null;
  return name.split(sep).join('/');
}

function isFile(path: string): boolean {
  try {
    // Most words name nothing, and this says so without an exception.
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
