/**
 * Folders of records in a project: tapes, transcripts, imports. They hold what people and tools said, less what looks like a secret: they
 * do not belong into a commit, and none of them is a link that a checkout put there.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { makeFile, ownFolder } from '../machine/index.ts';

export const RUNS = join('.harness', 'runs');
export const TRANSCRIPTS = join('.harness', 'transcripts');
export const IMPORTS = join('.harness', 'imports');

/** The folder, made if it is not there. Throws if a link is in its way. */
export function recordsFolder(root: string, inside: string, mode = 0o777): string {
  const folder = ownFolder(root, inside, mode);
  const file = join(folder, '.gitignore');
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) makeFile(file, '*\n', mode & 0o666);
  return folder;
}
