/**
 * `--watch`: runs again whenever something of the policy changes, until it is interrupted.
 */
import { watch } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Output } from './output.ts';

/** What runs leave in `.harness`. */
const LEFT_BY_RUNS = /^(?:runs|imports|transcripts)(?:\/|$)/;

/** Editors write a file in several steps. */
const QUIET_MS = 100;

/** `writes`: files that `again` writes itself. */
export async function watchPolicy(
  dir: string,
  output: Output,
  again: () => Promise<void>,
  writes: readonly string[] = [],
): Promise<number> {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  const reports = writes.map((path) => resolve(path));
  // A file is written beside its place first, under its name and more.
  const isOwn = (path: string) => reports.some((report) => path.startsWith(report));
  const soon = (folder: string, name: string | null) => {
    if (name !== null && (LEFT_BY_RUNS.test(name) || isOwn(resolve(folder, name)))) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(once);
    }, QUIET_MS);
  };
  const once = async () => {
    output.line(`${output.paint('dim', `— ${new Date().toLocaleTimeString()}`)}\n`);
    try {
      await again();
    } catch (error) {
      output.note(`${output.paintNote('red', 'error')}: ${(error as Error).message}`);
    }
    output.line(output.paint('dim', '\nwaiting for changes; Ctrl-C ends'));
  };
  const watchers = [dir, join(dir, '.harness')].flatMap((folder, at) => {
    try {
      return [watch(folder, { recursive: at === 1 }, (_change, name) => soon(folder, name))];
    } catch {
      return [];
    }
  });
  await once();
  return new Promise((resolve) => {
    process.once('SIGINT', () => {
      for (const each of watchers) each.close();
      if (timer !== null) clearTimeout(timer);
      resolve(0);
    });
  });
}
