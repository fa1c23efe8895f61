/**
 * `--watch`: runs again whenever something of the policy changes, until it is interrupted.
 */
import { watch } from 'node:fs';
import { join } from 'node:path';
import type { Output } from '../output.ts';

/** Editors write a file in several steps. */
const QUIET_MS = 100;

export async function watchTests(dir: string, output: Output, again: () => Promise<void>): Promise<number> {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  const soon = () => {
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
      return [watch(folder, { recursive: at === 1 }, soon)];
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
