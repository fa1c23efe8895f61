/**
 * `--watch`: runs again whenever something of the policy changes, or a key asks for it, until it is interrupted.
 */
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { cursorMove, type Output } from './output.ts';

/** What runs leave in `.harness`. */
const LEFT_BY_RUNS = /^\.harness\/(?:runs|imports|transcripts)(?:\/|$)/;

/** Editors write a file in several steps. */
const QUIET_MS = 100;

export interface WatchOptions {
  /** Files that `again` writes itself. */
  readonly writes?: readonly string[];
  /** What keys do beside `q`: a word for each, and whether it runs all or only what failed. */
  readonly keys?: Readonly<Record<string, { readonly about: string; readonly only: 'all' | 'failed' }>>;
}

const AGAIN = { a: { about: 'again', only: 'all' } } as const;

/** `only`: a person wants what failed, and no more. */
export async function watchPolicy(
  dir: string,
  output: Output,
  again: (only: 'all' | 'failed') => Promise<void>,
  { writes = [], keys = AGAIN }: WatchOptions = {},
): Promise<number> {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  const reports = writes.map((path) => resolve(path));
  // A file is written beside its place first, under its name and more.
  const isOwn = (path: string) => reports.some((report) => path.startsWith(report));
  const help = [...Object.entries(keys).map(([key, { about }]) => `${key} ${about}`), 'q quit'].join(', ');
  const run = (only: 'all' | 'failed') => {
    running = running.then(() => once(only));
  };
  const once = async (only: 'all' | 'failed') => {
    if (process.stdout.isTTY) output.raw(`${cursorMove('clear')}${cursorMove('home')}`);
    output.line(`${output.paint('dim', `— ${new Date().toLocaleTimeString()}`)}\n`);
    try {
      await again(only);
    } catch (error) {
      output.note(`${output.paintNote('red', 'error')}: ${(error as Error).message}`);
    }
    output.line(output.paint('dim', `\nwaiting for changes; ${help}`));
  };
  const folders = new WatchedFolders(dir, (path) => {
    if (LEFT_BY_RUNS.test(path) || isOwn(resolve(dir, path))) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => run('all'), QUIET_MS);
  });
  await once('all');
  return new Promise((done) => {
    const end = () => {
      process.off('SIGINT', end);
      stopKeys();
      folders.close();
      if (timer !== null) clearTimeout(timer);
      done(0);
    };
    process.once('SIGINT', end);
    const stopKeys = hearKeys((key) => {
      if (key === 'q' || key === CTRL_C || key === CTRL_D) end();
      else if (key === '\r' || key === '\n') run('all');
      else if (Object.hasOwn(keys, key)) run(keys[key]!.only);
    });
  });
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** Keys one by one from a terminal, and from what stands in for one. */
function hearKeys(hear: (key: string) => void): () => void {
  const { stdin } = process;
  const onData = (chunk: Buffer) => {
    for (const key of chunk.toString()) hear(key);
  };
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.on('data', onData);
  return () => {
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.off('data', onData);
    stdin.pause();
    // A pipe that stays open must not hold the process.
    stdin.unref?.();
  };
}

/**
 * The folder of a policy and every folder of its `.harness`, each watched for itself: a file that an editor replaces is seen by its
 * folder, and a folder that is replaced is watched anew.
 */
class WatchedFolders {
  private readonly dir: string;
  private readonly changed: (path: string) => void;
  private readonly watched = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();

  /** `changed`: a path from the folder. */
  constructor(dir: string, changed: (path: string) => void) {
    this.dir = dir;
    this.changed = changed;
    this.look();
  }

  close(): void {
    for (const { watcher } of this.watched.values()) watcher.close();
  }

  private look(): void {
    const found = new Map([['', inodeOf(this.dir)] as const, ...foldersBelow(this.dir, '.harness')]);
    for (const [path, { inode, watcher }] of this.watched) {
      if (found.get(path) === inode) continue;
      watcher.close();
      this.watched.delete(path);
    }
    for (const [path, inode] of found) {
      if (inode === null || this.watched.has(path)) continue;
      try {
        const watcher = watch(join(this.dir, path), (_change, name) => this.heard(join(path, name ?? '')));
        // A folder that is gone is no fault: the one above it says so.
        watcher.on('error', () => {});
        this.watched.set(path, { inode, watcher });
      } catch {
        // Gone since it was listed.
      }
    }
  }

  private heard(path: string): void {
    this.look();
    this.changed(path);
  }
}

function* foldersBelow(dir: string, path: string): Generator<readonly [string, number | null]> {
  const inode = inodeOf(join(dir, path));
  if (inode === null || LEFT_BY_RUNS.test(path)) return;
  yield [path, inode];
  for (const entry of entriesOf(join(dir, path)))
    if (entry.isDirectory()) yield* foldersBelow(dir, join(path, entry.name));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Null if there is no such folder. */
function inodeOf(folder: string): number | null {
  try {
    const found = statSync(folder);
    return found.isDirectory() ? found.ino : null;
  } catch {
    return null;
  }
}
