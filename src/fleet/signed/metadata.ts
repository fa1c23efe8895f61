/**
 * The signed metadata of a policy, in the four roles of TUF: root says who may sign, targets is what the authors publish, snapshot and
 * timestamp are the hub's word on what is current. Signatures are Ed25519 over canonical JSON. Both sides import this file.
 */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, HarnessError, isJsonObject, sha256Hex } from '../../base/index.ts';
import { WHEN_STALE } from '../../policy/index.ts';
import type { Terms } from './terms.ts';

export const ROLES = ['root', 'targets', 'snapshot', 'timestamp'] as const;
export type RoleName = (typeof ROLES)[number];

export interface Signature {
  readonly keyid: string;
  readonly sig: string;
}

export interface Signed<T> {
  readonly signed: T;
  readonly signatures: readonly Signature[];
}

export interface RoleKeys {
  readonly keyids: readonly string[];
  readonly threshold: number;
}

export interface PublicKey {
  readonly keytype: 'ed25519';
  readonly scheme: 'ed25519';
  /** The 32 bytes of the key, hex. */
  readonly keyval: { readonly public: string };
}

interface Common {
  readonly spec_version: string;
  readonly version: number;
  readonly expires: string;
}

export interface Root extends Common {
  readonly _type: 'root';
  readonly consistent_snapshot: false;
  readonly keys: Readonly<Record<string, PublicKey>>;
  readonly roles: Readonly<Record<RoleName, RoleKeys>>;
}

export interface Targets extends Common {
  readonly _type: 'targets';
  readonly targets: {
    readonly policy: {
      readonly length: number;
      readonly hashes: { readonly sha256: string };
      readonly custom: Terms;
    };
  };
}

export interface Snapshot extends Common {
  readonly _type: 'snapshot';
  readonly meta: { readonly 'targets.json': FileMeta };
}

export interface Timestamp extends Common {
  readonly _type: 'timestamp';
  readonly meta: { readonly 'snapshot.json': FileMeta };
}

export interface FileMeta {
  readonly version: number;
  readonly hashes: { readonly sha256: string };
}

export interface Metadata {
  readonly root: Root;
  readonly targets: Targets;
  readonly snapshot: Snapshot;
  readonly timestamp: Timestamp;
}

export const SPEC_VERSION = '1.0.31';

/** Of the signed part: signatures may be added to it. */
export function metadataDigest(metadata: Signed<unknown>): string {
  return sha256Hex(canonicalJson(metadata.signed));
}

/** A name of the key that follows from the key: one key has one name. */
export function keyId(key: PublicKey): string {
  return sha256Hex(canonicalJson(key));
}

/** Where the 32 bytes begin in an Ed25519 key as SPKI. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

export function publicKeyOf(key: KeyObject): PublicKey {
  const der = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });
  const raw = der.subarray(SPKI_HEAD.length);
  return { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: raw.toString('hex') } };
}

function keyObject({ keyval }: PublicKey): KeyObject {
  const key = Buffer.concat([SPKI_HEAD, Buffer.from(keyval.public, 'hex')]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

/** Adds the signature of a key; one that was there is replaced. */
export function signed<T>(part: T, key: KeyObject, before: readonly Signature[] = []): Signed<T> {
  const keyid = keyId(publicKeyOf(key));
  const sig = sign(null, Buffer.from(canonicalJson(part)), key).toString('hex');
  const others = before.filter((each) => each.keyid !== keyid);
  return { signed: part, signatures: [...others, { keyid, sig }] };
}

/** The keys of a role whose signature holds. */
export function signersOf(root: Root, role: RoleName, metadata: Signed<unknown>): Set<string> {
  const message = Buffer.from(canonicalJson(metadata.signed));
  const signers = new Set<string>();
  for (const each of metadata.signatures) {
    if (!isSignature(each)) continue;
    const { keyid, sig } = each;
    const key = root.keys[keyid];
    if (key === undefined || !root.roles[role].keyids.includes(keyid) || signers.has(keyid)) continue;
    if (verify(null, message, keyObject(key), Buffer.from(sig, 'hex'))) signers.add(keyid);
  }
  return signers;
}

/** Throws FLEET_UNTRUSTED if fewer than the threshold signed. */
export function demandSigned(root: Root, role: RoleName, metadata: Signed<unknown>, least = 0): void {
  const wanted = Math.max(root.roles[role].threshold, least);
  const count = signersOf(root, role, metadata).size;
  if (count < wanted)
    throw untrusted(
      `${role} metadata has ${count} valid signatures of keys of that role, ${wanted} are needed`,
    );
}

export function demandFresh(role: RoleName, { expires }: Common, now: number): void {
  if (Date.parse(expires) < now) throw untrusted(`${role} metadata expired on ${expires}`);
}

/** The part and its signatures, checked for their form. */
export function parseMetadata<R extends RoleName>(role: R, value: unknown): Signed<Metadata[R]> {
  const wrong = (what: string) => untrusted(`${role} metadata is damaged: ${what}`);
  if (!isJsonObject(value) || !isJsonObject(value.signed) || !Array.isArray(value.signatures))
    throw wrong('it is no signed document');
  const part = value.signed;
  if (part._type !== role) throw wrong(`it is ${JSON.stringify(part._type)}`);
  if (!isVersion(part.version)) throw wrong('its version is no positive whole number');
  if (Number.isNaN(Date.parse(String(part.expires)))) throw wrong('it does not say when it expires');
  const signatures: readonly unknown[] = value.signatures;
  if (signatures.length > MOST_KEYS || !signatures.every(isSignature)) throw wrong('its signatures');
  const problem = FORMS[role](part as unknown as Metadata[R]);
  if (problem !== null) throw wrong(problem);
  return value as unknown as Signed<Metadata[R]>;
}

const MOST_KEYS = 100;
const HEX64 = /^[0-9a-f]{64}$/;

const FORMS: { readonly [R in RoleName]: (part: Metadata[R]) => string | null } = {
  root: ({ keys, roles }) => {
    if (!isJsonObject(keys) || !isJsonObject(roles)) return 'it has no keys or roles';
    for (const [id, key] of Object.entries(keys)) {
      if (!HEX64.test(String(key?.keyval?.public)) || key.keytype !== 'ed25519' || keyId(key) !== id)
        return `key ${id.slice(0, 12)} is no Ed25519 key with that id`;
    }
    for (const name of ROLES) {
      const { keyids, threshold } = (roles[name] ?? {}) as Partial<RoleKeys>;
      const known = Array.isArray(keyids) && keyids.every((id) => keys[id] !== undefined);
      if (!known || !isVersion(threshold) || threshold > new Set(keyids).size)
        return `the keys or the threshold of the role ${name}`;
    }
    return null;
  },
  targets: ({ targets }) => {
    const file = targets?.policy;
    const { when_stale, max_age, loosens } = (file?.custom ?? {}) as Partial<Terms>;
    const sound =
      Number.isSafeInteger(file?.length) &&
      HEX64.test(String(file?.hashes?.sha256)) &&
      WHEN_STALE.some((each) => each === when_stale) &&
      (max_age === null || (typeof max_age === 'number' && max_age > 0)) &&
      typeof loosens === 'boolean';
    return sound ? null : 'it does not name one policy with its terms';
  },
  snapshot: ({ meta }) => (isFileMeta(meta?.['targets.json']) ? null : 'it does not name targets.json'),
  timestamp: ({ meta }) => (isFileMeta(meta?.['snapshot.json']) ? null : 'it does not name snapshot.json'),
};

function isFileMeta(value: unknown): boolean {
  const { version, hashes } = (isJsonObject(value) ? value : {}) as Partial<FileMeta>;
  return isVersion(version) && HEX64.test(String(hashes?.sha256));
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isSignature(value: unknown): boolean {
  return isJsonObject(value) && HEX64.test(String(value.keyid)) && /^[0-9a-f]{128}$/.test(String(value.sig));
}

export function untrusted(message: string): HarnessError {
  return new HarnessError('FLEET_UNTRUSTED', message);
}
