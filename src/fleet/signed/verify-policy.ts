/**
 * Whether a policy that a hub served is the authors' and not older than the one that was verified before. Nothing is taken from the hub's
 * word but what is current: the hub has no key of the authors.
 */
import { isJsonObject, sha256Hex } from '../../base/index.ts';
import { type PackedFiles, readPacked } from './archive.ts';
import {
  demandFresh,
  demandSigned,
  type Metadata,
  metadataDigest,
  parseMetadata,
  type RoleName,
  type Root,
  type Signed,
  type Targets,
  untrusted,
} from './metadata.ts';

/** What the hub serves as one document. */
export interface ServedPolicy {
  /** Every root from the first on. */
  readonly roots: readonly Signed<Root>[];
  readonly timestamp: Signed<Metadata['timestamp']>;
  readonly snapshot: Signed<Metadata['snapshot']>;
  readonly targets: Signed<Targets>;
  /** Base64. */
  readonly archive: string;
}

/** What a machine remembers of what it verified; a fresh one knows only the digest of the first root. */
export interface TrustState {
  readonly root: Signed<Root> | null;
  readonly timestamp: number;
  readonly snapshot: number;
  readonly targets: number;
  /** Of the targets metadata of that version; empty if only the version is known. */
  readonly targetsDigest: string;
}

export const NO_TRUST: TrustState = { root: null, timestamp: 0, snapshot: 0, targets: 0, targetsDigest: '' };

export interface VerifiedPolicy {
  readonly trust: TrustState;
  readonly targets: Targets;
  readonly files: PackedFiles;
  readonly digest: string;
  readonly snapshot: string;
}

/** Every later root is signed by the one before and by itself. Throws FLEET_UNTRUSTED. */
export function followRoots(
  roots: readonly Signed<Root>[],
  pinned: string,
  known: Signed<Root> | null,
): Signed<Root> {
  const [first] = roots;
  if (first === undefined) throw untrusted('the answer has no root metadata');
  if (metadataDigest(first) !== pinned)
    throw untrusted(
      `the hub has another root than this machine was joined with (${pinned.slice(0, 16)}…). If \`harness fleet root\` printed other digits, run \`harness fleet leave\` and join with those; if it printed these, the hub is not yours`,
    );
  let root: Signed<Root> | null = known;
  if (root === null) {
    demandSigned(first.signed, 'root', first);
    root = first;
  }
  for (const next of roots) {
    if (next.signed.version <= root.signed.version) {
      const same = next.signed.version < root.signed.version || metadataDigest(next) === metadataDigest(root);
      if (!same) throw untrusted(`root version ${next.signed.version} is another one than before`);
      continue;
    }
    if (next.signed.version !== root.signed.version + 1)
      throw untrusted(`root version ${root.signed.version + 1} is missing`);
    demandSigned(root.signed, 'root', next);
    demandSigned(next.signed, 'root', next);
    root = next;
  }
  return root;
}

/** Throws FLEET_UNTRUSTED. */
export function verifyServed(
  value: unknown,
  pinned: string,
  before: TrustState,
  now: number,
): VerifiedPolicy {
  if (!isJsonObject(value) || !Array.isArray(value.roots) || typeof value.archive !== 'string')
    throw untrusted('the answer is no policy of a hub');
  const root = followRoots(
    value.roots.map((each: unknown) => parseMetadata('root', each)),
    pinned,
    before.root,
  );
  demandFresh('root', root.signed, now);
  const known = afterRotation(before, root.signed);
  const timestamp = verifyTimestamp(value.timestamp, root.signed, known, now);
  const snapshot = parseMetadata('snapshot', value.snapshot);
  const named = timestamp.signed.meta['snapshot.json'];
  if (metadataDigest(snapshot) !== named.hashes.sha256)
    throw untrusted('the timestamp names another snapshot');
  demandSigned(root.signed, 'snapshot', snapshot);
  demandNotOlder('snapshot', snapshot.signed.version, known.snapshot);
  const targets = parseMetadata('targets', value.targets);
  const { version, hashes } = snapshot.signed.meta['targets.json'];
  const targetsDigest = metadataDigest(targets);
  if (targetsDigest !== hashes.sha256 || targets.signed.version !== version)
    throw untrusted('the snapshot names other targets');
  demandNotOlder('targets', version, known.targets);
  const sameAsBefore = known.targetsDigest === '' || targetsDigest === known.targetsDigest;
  if (version === known.targets && !sameAsBefore)
    throw untrusted(`version ${version} of the policy is another one than before`);
  const files = verifyTargets(root.signed, targets, Buffer.from(value.archive, 'base64'), now);
  return {
    trust: {
      root,
      timestamp: timestamp.signed.version,
      snapshot: snapshot.signed.version,
      targets: version,
      targetsDigest,
    },
    targets: targets.signed,
    files,
    digest: targets.signed.targets.policy.hashes.sha256,
    snapshot: named.hashes.sha256,
  };
}

/** What the authors signed, and that the archive is what they signed. The hub asks the same before it stores a policy. */
export function verifyTargets(
  root: Root,
  targets: Signed<Targets>,
  archive: Buffer,
  now: number,
): PackedFiles {
  const { length, hashes, custom } = targets.signed.targets.policy;
  demandSigned(root, 'targets', targets, custom.loosens ? 2 : 1);
  demandFresh('targets', targets.signed, now);
  if (archive.length !== length || sha256Hex(archive) !== hashes.sha256)
    throw untrusted('the archive is not the one that the authors signed');
  return readPacked(archive);
}

/** Also of an answer that says that nothing changed. */
export function verifyTimestamp(
  value: unknown,
  root: Root,
  known: TrustState,
  now: number,
): Signed<Metadata['timestamp']> {
  const timestamp = parseMetadata('timestamp', value);
  demandSigned(root, 'timestamp', timestamp);
  demandNotOlder('timestamp', timestamp.signed.version, known.timestamp);
  demandFresh('timestamp', timestamp.signed, now);
  return timestamp;
}

function demandNotOlder(role: RoleName, version: number, known: number): void {
  if (version < known)
    throw untrusted(`the hub served ${role} version ${version}, this machine has verified version ${known}`);
}

/** A hub with new keys counts anew: whoever had the old ones may have signed a version that no other reaches. */
function afterRotation(before: TrustState, root: Root): TrustState {
  const keysOf = (each: Root) => JSON.stringify([each.roles.timestamp.keyids, each.roles.snapshot.keyids]);
  const rotated = before.root !== null && keysOf(before.root.signed) !== keysOf(root);
  return rotated ? { ...before, timestamp: 0, snapshot: 0 } : before;
}
