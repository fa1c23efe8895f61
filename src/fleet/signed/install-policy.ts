/**
 * Puts a verified policy in force on this machine: unpacked into a folder by its digest, opened as a policy, and only then named as the
 * current one. Whatever fails before that leaves the last one in force.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../base/index.ts';
import {
  type Host,
  machineHost,
  makeFolder,
  randomHex,
  replaceFile,
  syncFolder,
} from '../../machine/index.ts';
import {
  checkedFile,
  currentFile,
  type FleetCheck,
  type FleetPlace,
  type FleetPolicy,
  openPolicy,
  readFleetCheck,
  readFleetPolicy,
} from '../../policy/index.ts';
import { isUnpacked, type PackedFiles, readPacked, unpackTo } from './archive.ts';
import { untrusted } from './metadata.ts';
import { NO_TRUST, type ServedPolicy, type TrustState, type VerifiedPolicy } from './verify-policy.ts';

/** What makes a machine one that must have a policy. */
export interface Marker {
  readonly hub: string;
  readonly root: string;
  /** The newest version that was in force: an older one is refused also after the folder was lost. */
  readonly version: number;
}

const TRUST = 'trust.json';
const RECEIVED = 'received.json';
const UNPACKED = /^[0-9a-f]{32}$/;

export function readTrust({ folder, marker }: FleetPlace): TrustState {
  const known = readJson<TrustState>(join(folder, TRUST));
  if (known !== null && Number.isSafeInteger(known.targets)) return known;
  return { ...NO_TRUST, targets: readMarker({ folder, marker })?.version ?? 0, targetsDigest: '' };
}

export function readMarker({ marker }: FleetPlace): Marker | null {
  return readJson<Marker>(marker);
}

/** Whether the policy in force is what was received. */
export function isIntact(place: FleetPlace): boolean {
  const [policy, received] = [readFleetPolicy(place), readJson<ServedPolicy>(join(place.folder, RECEIVED))];
  if (policy === null || received === null || !existsSync(place.marker)) return false;
  try {
    const files = readPacked(Buffer.from(received.archive, 'base64'));
    const digest = received.targets.signed.targets.policy.hashes.sha256;
    return digest === policy.digest && isUnpacked(join(place.folder, policy.unpacked), files);
  } catch {
    return false;
  }
}

export interface Installation {
  readonly place: FleetPlace;
  /** Every user of the machine reads it. */
  readonly shared: boolean;
  readonly verified: VerifiedPolicy;
  readonly served: ServedPolicy;
  readonly etag: string;
  readonly hub: string;
  readonly root: string;
  readonly host: Pick<Host, 'now'>;
}

/** Throws FLEET_UNTRUSTED if the policy cannot be opened without an error. */
export async function installPolicy(installation: Installation): Promise<FleetPolicy> {
  const { place, shared, verified, served, etag, hub, root, host } = installation;
  const { folder } = place;
  makeFolder(folder, shared ? 0o755 : 0o700);
  chmodSync(folder, shared ? 0o755 : 0o700);
  const unpacked = verified.digest.slice(0, 32);
  await unpackChecked(join(folder, unpacked), verified.files, shared);
  const before = readFleetPolicy(place);
  const { when_stale, max_age } = verified.targets.targets.policy.custom;
  const policy: FleetPolicy = {
    version: verified.targets.version,
    digest: verified.digest,
    unpacked,
    since: before?.version === verified.targets.version ? before.since : host.now(),
    whenStale: when_stale,
    maxAgeMs: max_age === null ? null : max_age * 1000,
    etag,
    snapshot: verified.snapshot,
  };
  const write = (path: string, value: unknown) =>
    replaceFile(path, `${JSON.stringify(value)}\n`, { flush: true, mode: shared ? 0o644 : 0o600 });
  // What was verified first: after a crash in between the machine asks again, and nothing older is taken.
  write(join(folder, TRUST), verified.trust);
  write(join(folder, RECEIVED), served);
  noteCheck(place, { at: host.now(), problem: null, problemSince: null }, shared);
  write(currentFile(place), policy);
  syncFolder(folder);
  // The last step: from here on this machine must have a policy.
  makeFolder(dirname(place.marker), shared ? 0o755 : 0o700);
  const marker: Marker = { hub, root, version: policy.version };
  if (JSON.stringify(readMarker(place)) !== JSON.stringify(marker)) write(place.marker, marker);
  removeOthers(folder, [unpacked, before?.unpacked]);
  return policy;
}

export function noteCheck(place: FleetPlace, check: FleetCheck, shared: boolean): void {
  if (!existsSync(place.folder)) return;
  replaceFile(checkedFile(place), `${JSON.stringify(check)}\n`, { mode: shared ? 0o644 : 0o600 });
}

/** The last answer was not taken; when the policy was last confirmed stays. */
export function noteProblem(place: FleetPlace, problem: string, shared: boolean, now: number): void {
  const before = readFleetCheck(place);
  const at = before?.at ?? readFleetPolicy(place)?.since ?? now;
  // The status of a machine that never had a policy says why, too.
  makeFolder(place.folder, shared ? 0o755 : 0o700);
  noteCheck(place, { at, problem, problemSince: before?.problemSince ?? now }, shared);
}

async function unpackChecked(to: string, files: PackedFiles, shared: boolean): Promise<void> {
  if (isUnpacked(to, files)) return;
  const beside = `${to}.${randomHex(8)}`;
  try {
    mkdirSync(beside, { mode: shared ? 0o755 : 0o700 });
    unpackTo(beside, files, shared);
    const policy = await openPolicy('/', {
      host: machineHost,
      places: { managed: null, user: beside },
      trust: 'no code',
    });
    const problem = policy.problems.find(({ severity }) => severity === 'error');
    if (problem !== undefined || policy.empty)
      throw untrusted(`the policy cannot be loaded here: ${problem?.message ?? 'it is empty'}`);
    // Damaged by another hand: what was received is put back.
    rmSync(to, { recursive: true, force: true });
    renameSync(beside, to);
  } catch (thrown) {
    rmSync(beside, { recursive: true, force: true });
    if (thrown instanceof HarnessError) throw thrown;
    throw new HarnessError('FLEET_UNTRUSTED', `the policy cannot be unpacked: ${(thrown as Error).message}`);
  }
}

/** The one before stays: other processes may be reading it. */
function removeOthers(folder: string, wanted: readonly (string | undefined)[]): void {
  for (const name of readdirSync(folder))
    if (UNPACKED.test(name) && !wanted.includes(name))
      rmSync(join(folder, name), { recursive: true, force: true });
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
