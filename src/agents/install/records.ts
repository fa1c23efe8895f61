/**
 * Where the way back is kept: one file for each file that was changed, in the user's state folder. A record that cannot be
 * read counts as lost; then only what carries our marker is taken out.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, isJsonObject } from '../../base/index.ts';
import { replaceFile } from '../../machine/index.ts';
import { folderProblem, openFolder } from '../../policy/index.ts';
import type { FileRecord } from './file-plan.ts';
import { makeFolders, removeFolders } from './target-file.ts';

const FOLDER = 'installs';
/** Names the folders above ours that were made for it. */
const ABOVE = 'above';

export function recordsFolder(state: string): string {
  return join(state, FOLDER);
}

export function readRecord(folder: string, real: string): FileRecord | null {
  return folderProblem(folder) === null ? parseRecord(join(folder, nameOf(real))) : null;
}

/** Everything that is installed, as far as it was recorded. */
export function allRecords(folder: string): FileRecord[] {
  if (folderProblem(folder) !== null) return [];
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => parseRecord(join(folder, name)) ?? []);
  } catch {
    return [];
  }
}

export function writeRecord(folder: string, real: string, record: FileRecord | null): void {
  const path = join(folder, nameOf(real));
  if (record === null) {
    rmSync(path, { force: true });
    return;
  }
  replaceFile(path, `${JSON.stringify(record)}\n`);
}

/** Makes the folder; what it was made in goes with it. */
export function openRecords(state: string): string | null {
  const folder = recordsFolder(state);
  let above: string[];
  try {
    above = makeFolders(state, 0o700);
  } catch (thrown) {
    return `${state} cannot be made: ${(thrown as Error).message}`;
  }
  const problem = openFolder(state) ?? openFolder(folder);
  if (problem === null && above.length > 0) {
    writeFileSync(join(folder, ABOVE), JSON.stringify(above), { mode: 0o600 });
  }
  return problem;
}

/** If nothing is recorded any more, nothing is left behind; `forget` takes away what others made beside the records. */
export function closeRecords(state: string, forget: () => void): void {
  const folder = recordsFolder(state);
  if (!existsSync(folder) || readdirSync(folder).some((name) => name !== ABOVE)) return;
  const above = readAbove(join(folder, ABOVE));
  rmSync(folder, { recursive: true, force: true });
  forget();
  removeFolders([...above, state]);
}

function readAbove(file: string): string[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as string[];
  } catch {
    return [];
  }
}

function parseRecord(path: string): FileRecord | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isJsonObject(value) || value.version !== 1) return null;
    const lists = [value.folders, value.owners, value.written];
    return typeof value.file === 'string' && lists.every(Array.isArray)
      ? (value as unknown as FileRecord)
      : null;
  } catch {
    return null;
  }
}

function nameOf(real: string): string {
  return `${digestOf(real).slice(0, 32)}.json`;
}
