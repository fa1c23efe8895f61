/**
 * Where a call happens: the folder it runs in and the folders its agent works in, from what the host knows of the session and
 * what the call says of itself. A function of the two alone, so that a replay gives the same. Links are not looked up.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { EventSpec } from './catalog.ts';
import { PLACE_KEYS } from './event-spec.ts';
import type { SessionInfo } from './run-state.ts';

export interface CallLocation {
  readonly cwd: string;
  readonly workspace: string;
  readonly workspaces: readonly string[];
}

/** The arguments in which tools say where to run. `dir` and `directory` are not among them: of most tools they name an object. */
export const FOLDER_ARGUMENTS: readonly string[] = ['cwd', 'workdir', 'working_dir', 'working_directory'];

/** Whether payloads of the event carry a call. */
export function isLocationEvent({ identity }: EventSpec): boolean {
  return identity.includes('workspace');
}

/** Whether the host said on the payload itself where the call happens: that counts before what it said of the session. */
export function hasLocation(payload: object): boolean {
  return 'cwd' in payload || 'workspace' in payload || 'workspaces' in payload;
}

/** What the host said on the payload, for another event about the same call. */
export function locationFields(payload: JsonObject): JsonObject {
  return Object.fromEntries(PLACE_KEYS.flatMap((key) => (key in payload ? [[key, payload[key]!]] : [])));
}

/** Null where the host has not said in which folder the agent works. */
export function locateCall(payload: JsonObject, session: SessionInfo): CallLocation | null {
  const folder = hostFolder(payload, session);
  const workspace = textIn(payload.workspace) ?? workspaceContaining(payload, session, folder);
  if (workspace === undefined) return null;
  return {
    cwd: relativeTo(folder ?? workspace, ownFolder(payload.args)),
    workspace,
    workspaces: foldersIn(payload.workspaces) ?? session.workspaces ?? [],
  };
}

/** A host that says only the folder of a call, and one outside the workspace of the session, means another workspace. */
function workspaceContaining(
  payload: JsonObject,
  { workspace }: SessionInfo,
  folder: string | null,
): string | undefined {
  const isSaid = textIn(payload.cwd) !== undefined && folder !== null;
  const isInside = workspace !== undefined && `${folder}/`.startsWith(`${relativeTo(workspace, undefined)}/`);
  return isSaid && !isInside ? folder : workspace;
}

/** The folder that the host says the call runs in, without what the call says of itself; null where the host says none. */
export function hostFolder(payload: JsonObject, session: SessionInfo): string | null {
  const said = textIn(payload.cwd);
  const around = textIn(payload.workspace) ?? session.cwd ?? session.workspace;
  if (around !== undefined) return relativeTo(around, said);
  return said?.startsWith('/') ? trimmed(said) : null;
}

/**
 * Where the relative paths of a call may count from: the folder that the call names for itself, and the one that the host says,
 * which a tool may use all the same.
 */
export function possibleFolders(
  payload: JsonObject,
  session: SessionInfo,
  otherwise: string,
): readonly string[] {
  const around = hostFolder(payload, session) ?? otherwise;
  const own = ownFolder(payload.args);
  return own === undefined ? [around] : [relativeTo(around, own), around];
}

/** The folder that a call names for itself, as it writes it. */
export function ownFolder(args: Json | undefined): string | undefined {
  if (!isJsonObject(args)) return undefined;
  for (const key of FOLDER_ARGUMENTS) {
    const folder = textIn(args[key]);
    if (folder !== undefined) return folder;
  }
  return undefined;
}

/** A folder seen from another. A `..` stays: what stands before it may be a link. */
export function relativeTo(folder: string, path: string | undefined): string {
  if (path === undefined) return trimmed(folder);
  if (/^(?:[/~\\]|[a-z]:[/\\])/i.test(path)) return trimmed(path);
  const inner = trimmed(path.replace(/^(?:\.\/+)+/, ''));
  return inner === '.' ? trimmed(folder) : `${trimmed(folder).replace(/\/$/, '')}/${inner}`;
}

function trimmed(folder: string): string {
  return folder.replace(/(?<=.)\/+$/, '');
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function foldersIn(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value)
    ? (value.filter((each) => typeof each === 'string' && each !== '') as string[])
    : undefined;
}
