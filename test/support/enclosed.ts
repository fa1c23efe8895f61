/**
 * Where hostile things run: mount, PID, network, IPC and UTS namespaces of their own, a root that is read-only but for one
 * folder, a user without rights. Where the machine cannot do that, nothing hostile runs; least of all as root.
 */
import { spawnSync } from 'node:child_process';
import { lchownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ENCLOSE = fileURLToPath(new URL('enclose.sh', import.meta.url));
export const NOBODY = 65_534;
/** An address that is not loopback's, and leads nowhere from a network of one's own. */
export const OUTWARD = '192.0.2.1';
export const isRoot = process.getuid?.() === 0;

const ALL_NAMESPACES = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child'];

/** For `unshare`. An ordinary user is root of a user namespace first, since only that may have the others. */
export function unshareWords(own: readonly string[] = ALL_NAMESPACES): string[] {
  return [...(isRoot ? [] : ['--user', '--map-root-user']), ...own, '--propagation', 'private'];
}

export interface Enclosure {
  /** The one folder that can be written; made the property of who runs there. */
  readonly place: string;
  /** In it. */
  readonly cwd?: string;
  /** Of the program; its path is not the one that the walls are made with. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For tests of walls, which are to hold these: a person who can gain rights, or root. Nobody can, by default. */
  readonly user?: 'nobody' | 'person' | 'root';
}

/** The command line and the environment to run a program enclosed. */
export function enclosed(
  argv: readonly string[],
  { place, cwd = place, env = {}, user = 'nobody' }: Enclosure,
) {
  mkdirSync(join(place, 'tmp'), { recursive: true });
  if (isRoot) give(place, user === 'root' ? 0 : NOBODY);
  const self = isRoot ? user : 'self';
  return {
    argv: ['unshare', ...unshareWords(), '--mount-proc', '--', '/bin/sh', ENCLOSE, place, self, ...argv],
    env: {
      ...env,
      TMPDIR: join(place, 'tmp'),
      PATH: process.env.PATH ?? '',
      ENCLOSED_PATH: env.PATH ?? process.env.PATH ?? '',
      ENCLOSED_IN: relative(place, cwd),
    },
  };
}

function give(path: string, user: number): void {
  lchownSync(path, user, user);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) give(join(path, entry.name), user);
    else lchownSync(join(path, entry.name), user, user);
  }
}

/** Why nothing can be enclosed here, or null; found by trying with this program. */
export function whyNotEnclosed(...program: readonly string[]): string | null {
  if (process.platform !== 'linux') return `want Linux namespaces, got ${process.platform}`;
  const place = mkdtempSync(join(tmpdir(), 'harness-enclosed-'));
  try {
    const { argv, env } = enclosed(program, { place });
    const [file = '', ...words] = argv;
    const tried = spawnSync(file, words, { env, timeout: 60_000 });
    if (tried.status === 0) return null;
    return tried.error?.message ?? `exit ${tried.status}: ${String(tried.stderr).trim()}`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
