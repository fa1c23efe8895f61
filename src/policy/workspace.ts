/** The folder an agent works in, where the agent itself does not say. */
import { lstatSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Host, homeFolder, ownedByMeOrRoot } from '../machine/index.ts';

/**
 * The top of the git checkout that a folder stands in, else the folder itself. A checkout that is somebody else's does not count,
 * as for git; nor does a home folder or the root of the machine, which hold far more than one project.
 */
export function workspaceFrom(start: string, host: Pick<Host, 'env'>): string {
  const folder = resolve(start);
  const home = homeFolder(host);
  const tooWide = new Set([resolve('/'), ...(home === null ? [] : [resolve(home)])]);
  for (let at = folder; !tooWide.has(at); at = dirname(at)) {
    if (isCheckout(at)) return at;
    if (dirname(at) === at) break;
  }
  return folder;
}

/** A worktree has a file in the place of the folder. */
function isCheckout(folder: string): boolean {
  const git = join(folder, '.git');
  const found = statOf(git);
  if (found === null || !ownedByMeOrRoot(found)) return false;
  return found.isFile() || statOf(join(git, 'HEAD')) !== null;
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
