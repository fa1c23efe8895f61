/**
 * What git says of a repository: read-only, by the text git prints. The repository is not trusted: git runs no program that its
 * configuration names, fetches nothing and waits for nobody.
 */
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { guardedPath } from './program-environment.ts';

const LONGEST_MS = 3000;
const MOST_BYTES = 8 * 1024 * 1024;
const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'];
const SAFE = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'safe.directory=*'];

/** `path` is the search path of who asks. Null: git says no, or cannot be asked. */
export function askGit(args: readonly string[], folder: string, path: string): string | null {
  const options = SAFE.flatMap((each) => ['-c', each]);
  const { status, stdout } = spawnSync(
    'git',
    ['--no-optional-locks', '--literal-pathspecs', ...options, ...args],
    {
      cwd: folder,
      encoding: 'utf8',
      timeout: LONGEST_MS,
      maxBuffer: MOST_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: [guardedPath(path, folder), ...SYSTEM_FOLDERS].filter((each) => each !== '').join(delimiter),
        GIT_ALLOW_PROTOCOL: 'none',
        GIT_NO_LAZY_FETCH: '1',
        GIT_TERMINAL_PROMPT: '0',
        LC_ALL: 'C',
      },
    },
  );
  return status === 0 ? stdout : null;
}
