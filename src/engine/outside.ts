/**
 * Whether a tool call stays in its workspace: every path that its arguments name, in every reading. Some tools take `..` out
 * before they follow links and some after, some trim names, some turn backslashes around: no reading may lead out.
 */
import { isJsonObject, isWithin, type JsonObject, matchPath, normalForm } from '../base/index.ts';
import { FOLDER_ARGUMENTS } from './call-place.ts';
import { pathArguments } from './tool-call.ts';

export interface WorkspaceBounds {
  /** The folder of the session; empty if there is none. */
  readonly cwd: string;
  /** Folders and patterns outside the workspace that absolute paths may name as well. */
  readonly also: readonly string[];
  /** A path as the machine would open it. */
  readonly realPath: (path: string) => string;
}

/** The reason why a call leaves its workspace, or null. */
export function leavesWorkspace(
  payload: JsonObject,
  { cwd, also, realPath }: WorkspaceBounds,
): string | null {
  const args = isJsonObject(payload.args) ? payload.args : {};
  const paths = pathArguments(without(args, FOLDER_ARGUMENTS));
  if (paths.length === 0) return 'the call names no path that can be read';
  const readings = (path: string): string[] =>
    isDrive(path) ? [normalForm(path.toLowerCase())] : [realPath(path), realPath(normalForm(path))];
  const named = [
    textOr(payload.workspace, cwd),
    ...(Array.isArray(payload.workspaces) ? payload.workspaces : []),
  ];
  // The root of the machine, or of a drive, bounds nothing.
  const roots = named
    .filter((root): root is string => typeof root === 'string' && !/^(?:[a-z]:)?[\\/]*$/i.test(root))
    .map((root) => readings(slashed(root))[0]!);
  // A tool may ignore the folder that a call names for itself: then that of the session counts.
  const ownFolder = FOLDER_ARGUMENTS.some((key) => args[key] !== undefined);
  const folders = [textOr(payload.cwd, cwd), ...(ownFolder ? [cwd] : [])].filter((folder) => folder !== '');
  const isPattern = (place: string) => /[*?{~]/.test(place);
  const patterns = also.filter(isPattern);
  const more = also.filter((place) => !isPattern(place));
  const inside = (path: string, within: readonly string[]): boolean =>
    readings(path).every(
      (reading) =>
        within.some((root) => isWithin(reading, root)) ||
        patterns.some((pattern) => matchPath(reading, pattern)),
    );
  const faultOf = (path: string): string | null => {
    if (path.startsWith('/') || isDrive(path))
      return inside(path, [...roots, ...more]) ? null : `is an absolute path outside ${listed(roots)}`;
    if (roots.length === 0) return path.split('/').includes('..') ? 'leaves its folder with ..' : null;
    if (folders.every((folder) => inside(`${slashed(folder)}/${path}`, roots))) return null;
    return path.split('/').includes('..') ? 'leaves its folder with ..' : `is outside ${listed(roots)}`;
  };
  const drives = roots.some(isDrive);
  for (const given of paths) {
    const path = slashed(given)
      .split('/')
      .map((part) => part.trim())
      .join('/');
    const spellings = path === given || drives ? [path] : [path, given];
    const fault = neverInside(path, given, drives) ?? firstOf(spellings, faultOf);
    if (fault !== null) return `${given} ${fault}`;
  }
  return null;
}

/** Forms that lead out of any workspace. */
function neverInside(path: string, given: string, drives: boolean): string | null {
  if (given.includes('\0')) return 'holds a NUL character';
  if (path.startsWith('~') || given.startsWith('~')) return 'begins at a home folder';
  if (path.includes('://') || path.startsWith('file:')) return 'is a URL, not a path';
  // `c:x` counts from wherever the drive stands; without a workspace on a drive, no drive is right.
  if (/^.:/.test(path) && !(drives && path[2] === '/')) return 'names a drive';
  return null;
}

function firstOf(values: readonly string[], ask: (value: string) => string | null): string | null {
  for (const value of values) {
    const answer = ask(value);
    if (answer !== null) return answer;
  }
  return null;
}

function isDrive(path: string): boolean {
  return path[1] === ':';
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function without(args: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !keys.includes(key)));
}

function listed(roots: readonly string[]): string {
  return roots.length === 0 ? 'a workspace: the host names none' : roots.join(', ');
}
