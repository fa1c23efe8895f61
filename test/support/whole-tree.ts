/** What stands below folders, to be compared before and after: every file with its bytes and mode. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Made in the background to start sooner; where it has to go, the folder around it has to go too. */
const MADE = /\/state\/harness\/(?:snapshots|compiled)(?:\/|$)/;

export function wholeTree(...roots: string[]): Record<string, string> {
  return Object.fromEntries(roots.flatMap(below));
}

function below(folder: string): [string, string][] {
  return readdirSync(folder).flatMap((name): [string, string][] => {
    const path = join(folder, name);
    if (MADE.test(path)) return [];
    const stats = lstatSync(path);
    const isFolder = stats.isDirectory();
    const content = stats.isFile() ? readFileSync(path, 'latin1') : isFolder ? 'folder' : readlinkSync(path);
    return [[path, `${(stats.mode & 0o7777).toString(8)} ${content}`], ...(isFolder ? below(path) : [])];
  });
}
