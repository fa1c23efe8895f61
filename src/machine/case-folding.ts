/**
 * Whether a folder tells letters apart: `AGENT.JSON` and `agent.json` are one file on most volumes of macOS and Windows, on a mount of
 * either in Linux, and in single folders of others. One machine has both kinds, so each folder is asked.
 */
import { lstatSync, opendirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What such volumes leave out when they compare names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const ASCII = /^[\0-\x7f]*$/;

/** A path as a volume that tells no letters apart compares it: composed, and folded in full (`ſ` is `s`, `ß` is `ss`). */
export function foldedPath(path: string): string {
  if (ASCII.test(path)) return path.toLowerCase();
  return path.normalize('NFC').replace(IGNORED, '').toUpperCase().toLowerCase().normalize('NFC');
}

/** So many names are tried. */
const MOST_TRIED = 64;
const CAN_TELL = process.platform !== 'darwin' && process.platform !== 'win32';

/** Of a folder that need not be there: what is made there stands in the folder above. Nothing is written to find it out. */
export function foldsCase(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const said = foldsIn(at);
    if (said !== null) return said;
    // No name on the way says so.
    if (dirname(at) === at) return !CAN_TELL;
  }
}

/** By a name in it that leads to the same file when its letters are written otherwise; null: it has no name with letters. */
function foldsIn(folder: string): boolean | null {
  for (const name of someNames(folder)) {
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    if (other === name) continue;
    const found = idOf(join(folder, name));
    if (found !== null) return idOf(join(folder, other)) === found;
  }
  return null;
}

function someNames(folder: string): string[] {
  const names: string[] = [];
  try {
    const listed = opendirSync(folder);
    try {
      for (
        let entry = listed.readSync();
        entry !== null && names.length < MOST_TRIED;
        entry = listed.readSync()
      )
        names.push(entry.name);
    } finally {
      listed.closeSync();
    }
  } catch {
    // Not there, or not to be listed: the folder above says.
  }
  return names;
}

function idOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
