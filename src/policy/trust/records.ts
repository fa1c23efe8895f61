/**
 * What a person has agreed to: one file for each folder, with its real path and the digest of its capabilities, under the user's
 * configuration. On a managed machine it is under root's, and only root agrees. What another user can have written does not count.
 */

import { lstatSync, unlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HarnessError, isJsonObject, sha256Hex } from '../../base/index.ts';
import {
  isManaged,
  isRoot,
  makeFolder,
  ownershipProblem,
  readOwnFile,
  realPathOrSame,
  replaceFile,
  syncFolder,
} from '../../machine/index.ts';

/** The folder's name beside the policy. It is no policy itself. */
export const TRUST_FOLDER = 'trust';

/** A policy folder that records stand in. */
export interface TrustFolder {
  readonly folder: string;
  /** Only root's records count. */
  readonly managed: boolean;
}

/** Null: there is no place for records. */
export function trustFolderOf({ managed, user }: TrustPlaces): TrustFolder | null {
  if (managed !== null && isManaged(managed)) return { folder: managed, managed: true };
  return user === null ? null : { folder: user, managed: false };
}

export type TrustPlaces = Readonly<Record<'managed' | 'user', string | null>>;

const DIGEST = /^[0-9a-f]{64}$/;
const MAX_BYTES = 1024 * 1024;

export interface TrustRecord {
  /** Real path of the folder. */
  readonly path: string;
  /** Of its capabilities, as they were shown. */
  readonly digest: string;
  /** `no`: a person has seen the list and declined; they are not asked again about the same list. */
  readonly answer: 'yes' | 'no';
  /** ISO 8601. */
  readonly at: string;
}

/** The record of a folder, or null if there is none that counts. */
export function readRecord(trust: TrustFolder | null, dir: string): TrustRecord | null {
  if (trust === null || faultOf(trust) !== null) return null;
  const path = realPathOrSame(resolve(dir));
  let text: string;
  try {
    text = readOwnFile(fileFor(trust, path), MAX_BYTES, requiredOwner(trust));
  } catch {
    return null;
  }
  const record = parse(text);
  // The name of the file is a digest of the path: the path inside has to be the same.
  return record !== null && record.path === path ? record : null;
}

/** Throws TRUST_FAILED with the reason if it cannot be kept. */
export function writeRecord(trust: TrustFolder | null, record: Omit<TrustRecord, 'path'>, dir: string): void {
  if (trust === null) throw failed('there is no home folder to keep it in: set HOME or XDG_CONFIG_HOME');
  const { managed } = trust;
  if (managed && !isRoot())
    throw failed('this machine has a managed policy, so only root can trust a folder');
  const folder = join(trust.folder, TRUST_FOLDER);
  try {
    // Root's records are read by the users they are for.
    makeFolder(folder, managed ? 0o755 : 0o700);
  } catch (thrown) {
    throw failed((thrown as Error).message);
  }
  const fault = faultOf(trust);
  if (fault !== null) throw failed(fault);
  const path = realPathOrSame(resolve(dir));
  const mode = managed ? 0o644 : 0o600;
  try {
    replaceFile(fileFor(trust, path), `${JSON.stringify({ path, ...record }, null, 2)}\n`, { mode });
    syncFolder(folder);
  } catch (thrown) {
    throw failed((thrown as Error).message);
  }
}

/** False if there was none. */
export function removeRecord(trust: TrustFolder | null, dir: string): boolean {
  if (trust === null) return false;
  try {
    unlinkSync(fileFor(trust, realPathOrSame(resolve(dir))));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw failed((thrown as Error).message);
  }
}

/** Why records of this place do not count, or null. */
export function faultOf(trust: TrustFolder): string | null {
  const folder = join(trust.folder, TRUST_FOLDER);
  try {
    const stat = lstatSync(folder);
    if (!stat.isDirectory()) return `${folder} is not a folder`;
    const problem = ownershipProblem(stat, requiredOwner(trust));
    return problem === null ? null : `${folder} ${problem}`;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `${folder} does not exist` : `${folder} cannot be read (${code})`;
  }
}

function requiredOwner({ managed }: TrustFolder) {
  return managed ? 'of root' : 'unwritable';
}

function fileFor({ folder }: TrustFolder, path: string): string {
  const name = sha256Hex(path).slice(0, 32);
  return join(folder, TRUST_FOLDER, `${name}.json`);
}

function parse(text: string): TrustRecord | null {
  try {
    const data: unknown = JSON.parse(text);
    if (!isJsonObject(data as never)) return null;
    const { path, digest, answer, at } = data as Record<string, unknown>;
    if (typeof path !== 'string' || typeof at !== 'string') return null;
    if (typeof digest !== 'string' || !DIGEST.test(digest)) return null;
    return answer === 'yes' || answer === 'no' ? { path, digest, answer, at } : null;
  } catch {
    return null;
  }
}

function failed(why: string): HarnessError {
  return new HarnessError('TRUST_FAILED', `the trust in a folder cannot be kept: ${why}`);
}
