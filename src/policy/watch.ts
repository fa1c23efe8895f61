/**
 * Hot reload: watches the files a project is read from and puts each new version in force as a whole. A broken edit
 * keeps the last good set and is reported.
 */
import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadProject, PROJECT_READERS, type Project } from '../frontends/project.ts';
import type { ProjectReader } from '../frontends/project-reader.ts';
import type { Hook } from '../hooks/hook.ts';

export interface Reload {
  /** What was read. Where it was not put in force, `problems` says why. */
  readonly project: Project;
  readonly inForce: boolean;
}

export interface WatchOptions {
  /** Puts a set of hooks in force; `Registry.replaceAll` does. */
  readonly replaceAll: (hooks: readonly Hook[]) => void;
  readonly onReload?: (reload: Reload) => void;
  /** For something that went wrong outside the files, such as `replaceAll` refusing. */
  readonly onError?: (error: unknown) => void;
  readonly readers?: readonly ProjectReader[];
  /** How long the files must be quiet; editors write in several steps. */
  readonly settleMs?: number;
  /** How often the files are looked at without being told: some file systems report nothing. 0 switches it off. */
  readonly pollMs?: number;
}

/**
 * Starts watching and returns the function that stops it. The project is also read once at the start, so that nothing
 * written between an earlier load and the first watch is missed.
 */
export function watchProject(dir: string, options: WatchOptions): () => void {
  const watcher = new ProjectWatcher(dir, options);
  watcher.start();
  return () => watcher.stop();
}

class ProjectWatcher {
  private readonly dir: string;
  private readonly options: WatchOptions;
  private readonly readers: readonly ProjectReader[];
  private readonly watchers: FSWatcher[] = [];
  private settling: NodeJS.Timeout | undefined;
  private polling: NodeJS.Timeout | undefined;
  private seen: string | null = null;
  /** Files the last load found on its way, such as the modules a manifest names. */
  private found: readonly string[] = [];
  private working = false;
  private again = false;
  private stopped = false;

  constructor(dir: string, options: WatchOptions) {
    this.dir = dir;
    this.options = options;
    this.readers = options.readers ?? PROJECT_READERS;
  }

  start(): void {
    this.watchFolders();
    const pollMs = this.options.pollMs ?? 2000;
    this.changed();
    if (pollMs > 0) this.polling = setInterval(() => this.changed(), pollMs).unref();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.settling);
    clearInterval(this.polling);
    this.unwatch();
  }

  /**
   * Watches the folders of the watched paths and those above them: one that appears later is noticed by its parent. All
   * anew each time, since a folder that was removed and made again is another one.
   */
  private watchFolders(): void {
    this.unwatch();
    const folders = new Set([this.dir]);
    for (const path of this.watchedPaths()) {
      folders.add(join(this.dir, path));
      folders.add(join(this.dir, path, '..'));
    }
    for (const folder of folders) {
      try {
        const watcher = watch(folder, { persistent: false }, () => this.changed());
        watcher.on('error', () => this.changed());
        this.watchers.push(watcher);
      } catch {
        // It does not exist yet, or there are no watches left: its parent and the poll cover for it.
      }
    }
  }

  private unwatch(): void {
    for (const watcher of this.watchers.splice(0)) watcher.close();
  }

  private watchedPaths(): string[] {
    return [...this.readers.flatMap((reader) => reader.watches), ...this.found];
  }

  private changed(): void {
    if (this.stopped) return;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.reload(), this.options.settleMs ?? 50);
  }

  private async reload(): Promise<void> {
    // One at a time; what changes meanwhile is read right after.
    if (this.working) {
      this.again = true;
      return;
    }
    this.working = true;
    try {
      do {
        this.again = false;
        await this.reloadOnce();
      } while (this.again && !this.stopped);
    } catch (error) {
      this.options.onError?.(error);
    } finally {
      this.working = false;
    }
  }

  private async reloadOnce(): Promise<void> {
    // Before looking: what changes from here on is reported, what changed until here is seen.
    this.watchFolders();
    const now = await this.fingerprint();
    if (this.stopped || now === this.seen) return;
    this.seen = now;
    const project = await loadProject(this.dir, { readers: this.readers });
    if (this.stopped) return;
    const known = this.readers.flatMap((reader) => reader.watches);
    this.found = project.files.filter(
      (file) => !known.some((path) => file === path || file.startsWith(`${path}/`)),
    );
    const inForce = !project.problems.some((problem) => problem.severity === 'error');
    if (inForce) this.options.replaceAll(project.hooks);
    this.options.onReload?.({ project, inForce });
  }

  /** Changes whenever a watched file does. */
  private async fingerprint(): Promise<string> {
    const parts: string[] = [];
    for (const path of this.watchedPaths()) {
      const full = join(this.dir, path);
      const names = await readdir(full).catch(() => null);
      for (const name of names === null ? [''] : names.sort()) {
        const found = await stat(join(full, name), { bigint: true }).catch(() => null);
        parts.push(`${path}/${name} ${found?.ino} ${found?.size} ${found?.mtimeNs} ${found?.mode}`);
      }
    }
    return parts.join('\n');
  }
}
