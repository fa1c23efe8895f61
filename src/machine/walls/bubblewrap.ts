/**
 * From a plan to a command line of bubblewrap, and nothing else: the same plan gives the same line on every machine. What
 * does not stand in the plan does not exist inside.
 */
import type { Launcher } from '../host.ts';
import { BRIDGE, BRIDGE_PORT } from './bridge.ts';
import { ENTER_LINES } from './cgroup.ts';
import { type HardLimits, limitLines, shellBefore } from './limits.ts';
import type { Mount, SandboxPlan } from './plan.ts';
import { filterFor } from './seccomp.ts';

/** The programs it takes, where the machine has them. */
export interface SandboxTools {
  readonly bwrap: string;
  /** `process.arch`. */
  readonly arch: string;
  /** What this process may not go beyond itself. */
  readonly hard: HardLimits;
}

/** Where our proxy's socket stands inside. */
const PROXY_SOCKET = '/run/harness-proxy';

/** `folders`: of the control group in which it is counted, which only root has. The shell that enters it sets the limits too. */
export function launcherFor(
  plan: SandboxPlan,
  { bwrap, arch, hard }: SandboxTools,
  folders: readonly string[] = [],
): Launcher {
  const filter = filterFor(arch);
  const { network, limits, terminal } = plan;
  const size = limits.scratch_mb === 0 ? [] : ['--size', String(limits.scratch_mb * 1024 * 1024)];
  const grouped = folders.length > 0;
  const limit = limitLines(limits, hard, !grouped);
  const argv = [
    ...(grouped ? shellBefore(`${ENTER_LINES}; ${limit}`, String(folders.length), ...folders) : []),
    bwrap,
    // Named one by one: what cannot be had is an error, where `--unshare-all` would go on without some of them.
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...(network.kind === 'open' ? [] : ['--unshare-net']),
    // No namespace of its own means no capability over one; it ends with us, and all that it started with it.
    // Root keeps its capabilities unless they are taken.
    ...['--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--hostname', 'sandbox'],
    // Without a filter nothing but another session keeps it from typing on our terminal.
    ...(terminal && filter !== null ? [] : ['--new-session']),
    ...plan.mounts.flatMap((mount) => mountWords(mount, size)),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(network.kind === 'proxy' ? ['--ro-bind', network.socket, PROXY_SOCKET] : []),
    ...['--remount-ro', '/', '--chdir', plan.cwd],
    ...['--json-status-fd', '3'],
    ...(filter === null ? [] : ['--seccomp', '4']),
    '--',
    ...(grouped ? [] : shellBefore(limit)),
    ...(network.kind === 'proxy' ? [network.node, '-e', BRIDGE, '--', PROXY_SOCKET] : []),
  ];
  const env = network.kind === 'proxy' ? { ...plan.env, ...PROXY_VARIABLES } : plan.env;
  return { argv, env, ...(filter !== null && { filter }) };
}

const ADDRESS = `http://127.0.0.1:${BRIDGE_PORT}`;

/** Both spellings: programs look for one or the other. Node's own client honours them only if it is told to. */
const PROXY_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries([
  ...['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [
    [name, ADDRESS],
    [name.toUpperCase(), ADDRESS],
  ]),
  ['NODE_USE_ENV_PROXY', '1'],
]);

function mountWords(mount: Mount, size: readonly string[]): readonly string[] {
  switch (mount.kind) {
    case 'writable':
      return ['--bind', mount.from ?? mount.path, mount.path];
    case 'read-only':
      return ['--ro-bind', mount.from ?? mount.path, mount.path];
    case 'link':
      return ['--symlink', mount.to, mount.path];
    case 'scratch':
      return [...size, '--tmpfs', mount.path];
    case 'hidden':
      return mount.isFolder
        ? ['--perms', '0500', '--size', '4096', '--tmpfs', mount.path, '--remount-ro', mount.path]
        : // A device on a file system without devices: nobody can open it.
          ['--ro-bind', '/dev/null', mount.path];
  }
}
