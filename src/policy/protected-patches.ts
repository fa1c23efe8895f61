/**
 * What a patch would change, by its text: that of the line, or that of files as they are now. A patch that cannot be looked at
 * whole is for a person to see.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { partMatches } from '../base/index.ts';
import { type Command, type CommandPatch, patchNames } from '../shell/index.ts';
import type { Protected } from './protected.ts';

/** A guarded place that is changed, or why nobody can say. */
export type Patched = { readonly place: string } | { readonly unseen: string } | null;

const LARGEST = 4_000_000;
const MOST_PATHS = 4000;

export function patched(
  { patch }: Command,
  { at, home }: { at: string; home: (path: string) => string },
  guarded: Protected,
): Patched {
  if (patch === null) return null;
  const bases = basesOf(patch, at);
  let unseen = patch.seen ? null : 'what the patch holds is only known when it runs';
  const texts = [...patch.texts];
  for (const file of patch.files.flatMap((path) => filesOf(resolve(at, home(path))))) {
    const read = textAt(file);
    if (typeof read === 'string') texts.push(read);
    else if (read.there) unseen ??= `${basename(file)}: ${read.why}`;
    else if (bases.some((base) => guarded.below(base, at) !== null || guarded.reach(base, at) !== null))
      unseen ??= `${basename(file)} is not there yet`;
  }
  for (const text of texts) {
    const { paths, whole } = patchNames(text, { strip: patch.strip, loose: !patch.git });
    if (!whole) unseen ??= 'the patch is written in a way that does not show which files it names';
    let left = MOST_PATHS;
    for (const path of paths) {
      if (left-- === 0) {
        unseen ??= 'the patch names more files than are looked at';
        break;
      }
      for (const base of bases) if (guarded.reach(join(base, path), base) !== null) return { place: path };
    }
  }
  return unseen === null ? null : { unseen };
}

/** Where names may count from: git takes the top of the work tree, or the folder it is in. */
function basesOf({ base, below, git }: CommandPatch, at: string): readonly string[] {
  const first = resolve(at, base ?? '');
  const bases = [resolve(first, below)];
  for (let folder = first; git && !existsSync(join(folder, '.git')); ) {
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
    bases.push(resolve(folder, below));
  }
  return bases;
}

/** Those that a pattern stands for now; a path that is none is itself. */
function filesOf(path: string): readonly string[] {
  const name = basename(path);
  if (!/[*?[]/.test(path) || existsSync(path)) return [path];
  try {
    const found = readdirSync(dirname(path)).filter((each) => partMatches(name, each));
    return found.length > 0 ? found.map((each) => join(dirname(path), each)) : [path];
  } catch {
    return [path];
  }
}

/** The text of a file, or why there is none. A pipe or a device is never opened. */
function textAt(path: string): string | { readonly there: boolean; readonly why: string } {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { there: true, why: 'no plain file' };
    if (found.size > LARGEST) return { there: true, why: `larger than ${LARGEST / 1e6} MB` };
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return { there: code !== 'ENOENT' && code !== 'ENOTDIR', why: `cannot be read (${code})` };
  }
}
