/**
 * The files of one folder, each read at most once: a parser is given the same bytes that the digest names, also if the file is
 * replaced in between. Reading never throws, and starts with the first question about a file.
 */
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { sha256Hex } from '../base/index.ts';
import { artifactText, type FileContent, type ReadText, readContent } from './read-file.ts';

/** In the place of a digest: nothing, a folder, a pipe or a device, or a file that cannot be opened. */
export const UNREADABLE = 'unreadable';

export type FolderListing =
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly thrown: unknown };

export class FolderSnapshot {
  readonly dir: string;
  /** By absolute path. */
  private readonly contents = new Map<string, FileContent>();
  private readonly digested = new Map<string, string>();
  private readonly listings = new Map<string, FolderListing>();

  constructor(dir: string) {
    this.dir = dir;
  }

  /** A path may be relative to the folder or absolute. @internal */
  content(path: string): FileContent {
    return memoized(this.contents, resolve(this.dir, path), readContent);
  }

  /** Without byte order mark and with every line ending as `\n`, or why the file is no artifact. */
  text(path: string): ReadText {
    return artifactText(this.content(path));
  }

  /** SHA-256 of the bytes, or `unreadable`. */
  digest(path: string): string {
    return memoized(this.digested, resolve(this.dir, path), (full) => digestOf(this.content(full)));
  }

  /** By path, in the order of paths. */
  digests(paths: readonly string[]): Record<string, string> {
    return Object.fromEntries([...new Set(paths)].sort().map((path) => [path, this.digest(path)]));
  }

  /** The names in a folder, sorted. */
  list(folder: string): FolderListing {
    return memoized(this.listings, resolve(this.dir, folder), listingOf);
  }
}

function digestOf({ bytes, digest }: FileContent): string {
  return digest ?? (bytes === null ? UNREADABLE : sha256Hex(bytes));
}

function listingOf(folder: string): FolderListing {
  try {
    return { ok: true, names: readdirSync(folder).sort() };
  } catch (thrown) {
    return { ok: false, thrown };
  }
}

function memoized<T>(values: Map<string, T>, key: string, make: (key: string) => T): T {
  const before = values.get(key);
  if (before !== undefined) return before;
  const made = make(key);
  values.set(key, made);
  return made;
}
