/**
 * What a person has agreed to, kept under the user's configuration: one file for each folder, with its real path and the
 * digest of its capabilities. The place must be the user's own and closed to others; if it is not, nothing in it counts.
 */

import { lstatSync, unlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HarnessError, isJsonObject, sha256Hex } from '../../base/index.ts';
import {
  makeFolder,
  ownershipProblem,
  readOwnFile,
  realPathOrSame,
  replaceFile,
  syncFolder,
} from '../../machine/index.ts';

/** The folder's name beside the user's policy. It is no policy itself. */
export const TRUST_FOLDER = 'trust';

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

/** The record of a folder, or null if there is none that counts. `user` is the user's policy folder. */
export function readRecord(user: string | null, dir: string): TrustRecord | null {
  if (user === null || faultOf(user) !== null) return null;
  const path = realPathOrSame(resolve(dir));
  let text: string;
  try {
    text = readOwnFile(fileFor(user, path), MAX_BYTES, 'unwritable');
  } catch {
    return null;
  }
  const record = parse(text);
  // The name of the file is a digest of the path: the path inside has to be the same.
  return record !== null && record.path === path ? record : null;
}

/** Throws TRUST_FAILED with the reason if it cannot be kept. */
export function writeRecord(user: string | null, record: Omit<TrustRecord, 'path'>, dir: string): void {
  if (user === null) throw failed('there is no home folder to keep it in: set HOME or XDG_CONFIG_HOME');
  const folder = join(user, TRUST_FOLDER);
  try {
    makeFolder(folder, 0o700);
  } catch (thrown) {
    throw failed((thrown as Error).message);
  }
  const fault = faultOf(user);
  if (fault !== null) throw failed(fault);
  const path = realPathOrSame(resolve(dir));
  const file = fileFor(user, path);
  try {
    replaceFile(file, `${JSON.stringify({ path, ...record }, null, 2)}\n`);
    syncFolder(folder);
  } catch (thrown) {
    throw failed((thrown as Error).message);
  }
}

/** False if there was none. */
export function removeRecord(user: string | null, dir: string): boolean {
  if (user === null) return false;
  try {
    unlinkSync(fileFor(user, realPathOrSame(resolve(dir))));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw failed((thrown as Error).message);
  }
}

/** Why records of this place do not count, or null. */
export function faultOf(user: string): string | null {
  const folder = join(user, TRUST_FOLDER);
  try {
    const stat = lstatSync(folder);
    if (!stat.isDirectory()) return `${folder} is not a folder`;
    const problem = ownershipProblem(stat, 'unwritable');
    return problem === null ? null : `${folder} ${problem}`;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `${folder} does not exist` : `${folder} cannot be read (${code})`;
  }
}

function fileFor(user: string, path: string): string {
  const name = sha256Hex(path).slice(0, 32);
  return join(user, TRUST_FOLDER, `${name}.json`);
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
