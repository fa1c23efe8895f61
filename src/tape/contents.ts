/**
 * Texts that tapes name by their digest, such as a table that was fetched: kept once, in the folder `contents` beside the tapes,
 * so that a replay has them whatever became of where they came from.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFile, makeFolder } from '../machine/index.ts';
import type { TapeSource, TapeStore } from './store.ts';

export interface Contents {
  /** Whether it is kept now; a digest that is kept already is not written again. */
  put(digest: string, text: string): boolean;
  /** Null if it is not there. */
  get(digest: string): string | null;
}

const DIGEST = /^[0-9a-f]{64}$/;

export class FileContents implements Contents {
  private readonly dir: string;
  private readonly known = new Set<string>();

  constructor(dir: string) {
    this.dir = dir;
  }

  put(digest: string, text: string): boolean {
    if (this.known.has(digest)) return true;
    try {
      makeFolder(this.dir, 0o700);
      // A file that is there and damaged would be found out by nobody before the replay.
      if (!createFile(this.pathOf(digest), text) && this.get(digest) !== text) return false;
    } catch {
      return false;
    }
    this.known.add(digest);
    return true;
  }

  get(digest: string): string | null {
    if (!DIGEST.test(digest)) return null;
    try {
      return readFileSync(this.pathOf(digest), 'utf8');
    } catch {
      return null;
    }
  }

  private pathOf(digest: string): string {
    return join(this.dir, digest);
  }
}

export function contentsIn(folder: string): Contents {
  return new FileContents(join(folder, 'contents'));
}

/** Those beside a tape, or of its store; null for a store that keeps none. */
export function contentsOf(tape: TapeSource | TapeStore): Contents | null {
  if (typeof tape === 'string') return contentsIn(dirname(tape));
  return ('store' in tape ? tape.store : tape).contents ?? null;
}
