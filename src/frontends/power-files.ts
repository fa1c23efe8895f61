/**
 * The files of a folder that a program runs: those its command line names, and those that they name in turn. Found without
 * running anything, by looking for words that are paths of code; what a program reads by other ways is not known here.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, extname, join, posix, relative, resolve, sep } from 'node:path';
import { lateCrypto } from '../base/late-crypto.ts';

/** So many files are followed; a program that has more is known by the first ones. */
const MAX_FILES = 256;
const MAX_BYTES = 8 * 1024 * 1024;
/** Words of one file that are looked at. */
const MAX_WORDS = 20_000;

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

/** SHA-256 by path in `dir`, of what these words of a command line name and what that names. */
export function programFiles(dir: string, words: readonly string[]): Record<string, string> {
  const root = realOf(resolve(dir));
  const found = new Map<string, string>();
  const waiting = words.flatMap((word) => namedBy(word, root, root, true));
  for (const word of words) {
    for (const file of OWN_FILES[posix.basename(word)] ?? []) waiting.push(join(root, file));
  }
  while (waiting.length > 0 && found.size < MAX_FILES) {
    const path = waiting.pop()!;
    const name = inFolder(root, path);
    if (name === null || found.has(name)) continue;
    const bytes = readFile(path);
    if (bytes === null) continue;
    found.set(name, sha256(bytes));
    if (bytes.length > MAX_BYTES) continue;
    for (const word of wordsIn(bytes.toString('utf8')))
      waiting.push(...namedBy(word, dirname(path), root, false));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The words of a line for the shell that could be paths. */
export function shellWords(line: string): string[] {
  return line.split(/[\s"'`;|&()<>=]+/).filter((word) => word !== '');
}

/** The first of the files that is not what it was, or null. */
export function changedFile(dir: string, files: Readonly<Record<string, string>>): string | null {
  for (const [name, digest] of Object.entries(files)) {
    const bytes = readFile(join(dir, name));
    if (bytes === null || sha256(bytes) !== digest) return name;
  }
  return null;
}

/** Files a word may stand for, seen from a folder: the script's own, or the project. A command line may name any file. */
function namedBy(word: string, from: string, root: string, any: boolean): string[] {
  const plain = word.replace(/^\$\{?\w*(?:PROJECT|PROFILE)_DIR\}?/, root).replace(/^file:\/\//, '');
  const folders = plain.startsWith(root) ? ['/'] : from === root ? [root] : [from, root];
  const path = plain.replace(/^(?:\.\/|\/+)(?=.)/, plain.startsWith(root) ? '$&' : '');
  if (path === '' || path.length > 1000) return [];
  return folders.flatMap((folder) => {
    const whole = resolve(folder, path);
    if (any || isCode(path) || !posix.basename(path).includes('.')) {
      return [whole, ...ENDINGS.map((ending) => whole + ending)];
    }
    return [];
  });
}

function isCode(path: string): boolean {
  return CODE.has(extname(path).toLowerCase());
}

/** Paths in the text of a script, and modules that Python names with dots. */
function wordsIn(text: string): string[] {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\w@+$./-]*[\w@+-]/g)) {
    if (words.size >= MAX_WORDS) break;
    if (word.includes('/') || isCode(word)) words.add(word);
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

function readFile(path: string): Buffer | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return null;
    // A large one is known by its beginning and its size.
    const size = Math.min(stat.size, MAX_BYTES);
    const bytes = Buffer.alloc(size);
    let read = 0;
    while (read < size) {
      const some = readSync(file, bytes, read, size - read, read);
      if (some === 0) break;
      read += some;
    }
    if (stat.size <= MAX_BYTES) return bytes.subarray(0, read);
    return Buffer.concat([bytes, Buffer.from(`\n${stat.size} bytes`)]);
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

function sha256(bytes: Buffer): string {
  return lateCrypto().createHash('sha256').update(bytes).digest('hex');
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
