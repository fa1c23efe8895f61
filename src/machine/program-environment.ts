/**
 * The variables a program is given: a list of usual ones, what its caller adds, and nothing else. Keys of models and other
 * secrets of the environment are for this process alone.
 */
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { isWithin } from './is-within.ts';
import { realPathOrSame } from './real-path.ts';

/** Where programs are found, who runs them, in which language and how the machine reaches the network. */
export const USUAL_VARIABLES: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'HOSTNAME'],
  ...['LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'COLUMNS', 'LINES'],
  ...['TMPDIR', 'TMP', 'TEMP', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
  ...['XDG_RUNTIME_DIR', 'CI', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['SystemRoot', 'SYSTEMROOT', 'ComSpec', 'PATHEXT', 'WINDIR', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

/** Passed on unless they hold a name and a password. */
const PROXIES: readonly string[] = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'];

export type Variables = Readonly<Record<string, string | undefined>>;

/** `more` are names of variables beyond the usual ones: `NAME` or `PREFIX_*`. */
export function programEnvironment(
  variables: Variables,
  more: readonly string[] = [],
): Record<string, string> {
  const given: Record<string, string> = {};
  const wanted = [...USUAL_VARIABLES, ...more];
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) continue;
    if (matchesName(wanted, name) || isOpenProxy(name, value)) given[name] = value;
  }
  return given;
}

export function matchesName(list: readonly string[], name: string): boolean {
  return list.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
}

function isOpenProxy(name: string, value: string): boolean {
  return PROXIES.includes(name.toLowerCase()) && !value.includes('@');
}

/**
 * The part of a search path that a guard's programs are taken from: without relative entries, which mean another folder for
 * each caller, and without folders of the project and packages installed around it, which an agent can write.
 */
export function guardedPath(path: string, project: string): string {
  return searchFolders(path, project).join(delimiter);
}

export function searchFolders(path: string, project: string): string[] {
  const around = ancestorsOf(project);
  return path.split(delimiter).filter((folder) => {
    if (!isAbsolute(folder)) return false;
    const real = realPathOrSame(folder);
    return ![folder, real].some((one) => isInProject(one, around[0]!) || isPackageFolder(one, around));
  });
}

/** A program may be run in `/`: then every folder of the machine would be the project's. */
function isInProject(folder: string, project: string): boolean {
  return dirname(project) !== project && isWithin(folder, project);
}

function isPackageFolder(folder: string, around: readonly string[]): boolean {
  if (basename(folder) !== '.bin') return false;
  return around.some((above) => resolve(folder) === join(above, 'node_modules', '.bin'));
}

/** The project by its real path, then every folder above it. The root of the machine is not around a project. */
function ancestorsOf(project: string): string[] {
  const folders = [realPathOrSame(resolve(project))];
  for (let at = dirname(folders[0]!); at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}
