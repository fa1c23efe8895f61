/**
 * The note that `harness init` leaves while it writes: which files it writes, by digest. A note that is still there says that
 * init was cut off, and which files are its own; the next init finishes them.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Problem, sha256Hex } from '../base/index.ts';
import { clearScratch, ownFolder, replaceFile, syncFolder } from '../machine/index.ts';

const NOTE = join('.harness', '.init-unfinished');

/** Written before the first file. `files`: texts by path. Throws what the file system throws. */
export function beginInit(dir: string, files: ReadonlyMap<string, string>): void {
  const digests = Object.fromEntries([...files].map(([path, text]) => [path, sha256Hex(text)]));
  const folder = ownFolder(dir, '.harness');
  const before = digestsIn(dir);
  replaceFile(join(dir, NOTE), `${JSON.stringify({ ...before, ...digests }, null, 2)}\n`, { flush: true });
  syncFolder(folder);
}

/** Every file is written. Removes the note, and what an init that was killed in the middle of a file has left. */
export function endInit(dir: string): void {
  for (const path of [...Object.keys(digestsIn(dir)), NOTE]) clearScratch(join(dir, path));
  rmSync(join(dir, NOTE), { force: true });
}

/** Whether the file is as an init that was cut off has written it. */
export function isOfUnfinishedInit(dir: string, path: string): boolean {
  const digest = digestsIn(dir)[path];
  return digest !== undefined && digest === sha256Hex(readFileSync(join(dir, path)));
}

export function unfinishedInit(dir: string): Problem[] {
  const file = join(dir, NOTE);
  if (!existsSync(file)) return [];
  const missing = Object.keys(digestsIn(dir)).filter((path) => !existsSync(join(dir, path)));
  const what = missing.length === 0 ? 'its last step is missing' : `not written: ${missing.join(', ')}`;
  return [
    {
      severity: 'error',
      code: 'INIT_UNFINISHED',
      message: `\`harness init\` was cut off (${what}). Run \`harness init\` again to finish it, or remove ${file}`,
      position: null,
    },
  ];
}

/** None for a note that cannot be read: then no file counts as one of init. */
function digestsIn(dir: string): Record<string, unknown> {
  try {
    const note: unknown = JSON.parse(readFileSync(join(dir, NOTE), 'utf8'));
    return isJsonObject(note) ? note : {};
  } catch {
    return {};
  }
}
