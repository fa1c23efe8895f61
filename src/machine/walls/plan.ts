/**
 * What one program sees and may use on this machine: absolute paths that are there, in the order in which they lie over one
 * another. Data; `bubblewrap.ts` makes a command line of it.
 */
import type { SandboxLimits } from './sandbox.ts';

/** What stands at a path inside. Later ones lie over earlier ones. */
export type Mount =
  | { readonly kind: 'writable' | 'read-only'; readonly path: string; readonly from?: string }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  /** An empty folder of its own, gone with the program. */
  | { readonly kind: 'scratch'; readonly path: string }
  /** Nothing: an empty folder, or a file that cannot be opened. */
  | { readonly kind: 'hidden'; readonly path: string; readonly isFolder: boolean };

export interface SandboxPlan {
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  readonly network: PlannedNetwork;
  readonly limits: SandboxLimits;
  readonly env: Readonly<Record<string, string | null>>;
  /** A person sits at the terminal, which must stay theirs. */
  readonly terminal: boolean;
}

export type PlannedNetwork =
  | { readonly kind: 'off' }
  | { readonly kind: 'open' }
  /** A socket of our proxy, which a program inside listens for on a port of its own. */
  | { readonly kind: 'proxy'; readonly socket: string; readonly node: string };

/** What a program cannot do without, wherever it is installed. */
export const SYSTEM_FOLDERS: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/etc'],
  ...['/nix/store', '/gnu/store', '/run/current-system'],
];

/** In what every program sees: keys of the machine, which matter where it runs as root. */
export const SYSTEM_SECRETS: readonly string[] = [
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers', '/etc/sudoers.d'],
  ...['/etc/ssl/private', '/etc/pki/tls/private', '/etc/letsencrypt', '/etc/krb5.keytab', '/etc/wireguard'],
  ...['/etc/NetworkManager/system-connections', '/etc/kubernetes', '/etc/rancher', '/etc/docker', '/etc/ssh'],
  ...['/opt/containerd', '/etc/credstore', '/etc/credstore.encrypted', '/etc/harness/keys'],
];

/** Of the environment: they lead to sockets that are not there, or past the proxy. */
export const TAKEN_VARIABLES: readonly string[] = [
  ...['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO'],
  ...['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'],
];
