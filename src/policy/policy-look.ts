/**
 * A look at everything a policy that is open stands on: when it says the same as before, the policy may be used again. It looks
 * at every file the policy was read from and every place that could add to it, not into them: the time of the last change of
 * a file's record cannot be set back by a program.
 */
import { lstatSync, readdirSync } from 'node:fs';
import type { Host } from '../base/host.ts';
import type { Policy } from './policy.ts';
import { AGENT_HOOK_FILES, CLIENT_FILES, movedFiles } from './protected.ts';
import { SESSIONS, stateFolder } from './state-folder.ts';
import { FolderNames, inside, policyFingerprint } from './watch.ts';

/** What Harness counts and keeps there for itself changes from call to call, and no policy is read from it. */
const COUNTS = ['run', 'snapshots', SESSIONS];

const POLICY_FOLDER = ['.harness'];
const NAMING_FILES = [...AGENT_HOOK_FILES, ...CLIENT_FILES];

/** Beside the files of the policy: who may write in its folders, what agents have registered, what the user keeps. */
export function lookAt(policy: Policy, host: Host): string {
  const home = host.env('HOME');
  const names = new FolderNames(host.now());
  const roots = [...policy.places, ...(home === undefined ? [] : [home])];
  const state = stateFolder(host);
  const files = [
    ...roots.flatMap((root) => names.thoseIn(root, NAMING_FILES)),
    ...movedFiles(NAMING_FILES, host).map(({ path }) => path),
    ...(state === null
      ? []
      : namesIn(state).flatMap((name) => (COUNTS.includes(name) ? [] : [inside(state, name)]))),
  ];
  const folders = policy.places.flatMap((place) => [place, ...names.thoseIn(place, POLICY_FOLDER)]);
  return [
    policyFingerprint(policy, names),
    ...folders.map((path) => recordOf(path, false)),
    ...files.map((path) => recordOf(path, true)),
  ].join('\n');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Of a folder that is worked in only what does not change with its contents. */
function recordOf(path: string, whole: boolean): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return '';
  const { dev, ino, mode, uid, size, mtimeNs, ctimeNs } = found;
  return `${dev} ${ino} ${mode} ${uid} ${whole ? `${size} ${mtimeNs} ${ctimeNs}` : ''}`;
}

/** Whether nothing in a look has changed for so long. */
export function isSettled(seen: string, now: number, forMs: number): boolean {
  return lastChange(seen) < now - forMs;
}

/** When anything in a look changed last, in milliseconds since the epoch. */
export function lastChange(seen: string): number {
  return Math.max(0, ...[...seen.matchAll(LAST_CHANGE)].map(([, ns]) => Number(ns) / 1e6));
}

/** The time in nanoseconds at the end of a record, with or without the mode after it. */
const LAST_CHANGE = /(\d{16,20})(?: \d{1,7})?$/gm;
