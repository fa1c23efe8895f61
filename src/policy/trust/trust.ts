/**
 * Whether the capabilities of a folder hold. Asked in one place, when a policy is opened: the user's and the managed folder need no
 * trust; a project's needs a record of the same capabilities, or the word of the environment.
 */

import type { FolderSnapshot } from '../../files/index.ts';
import { type Capability, capabilitiesDigest, toolCapabilities } from '../../frontends/index.ts';
import type { Host } from '../../machine/index.ts';
import { readRecord, type TrustPlaces, trustFolderOf } from './records.ts';

/** `all`, or digests of lists of capabilities, separated by commas. For machines and folders that are thrown away. */
export const TRUST_VARIABLE = 'HARNESS_TRUST';

/**
 * Who vouches for the capabilities of a folder: `record` a person, who was shown them; `digest` and `all` the environment;
 * `program` the one that embeds this; `host` one that answers in their place; `layer` is a folder of the user or the machine.
 * Null: nobody.
 */
export type Voucher = 'record' | 'digest' | 'all' | 'program' | 'host' | 'layer' | 'no capabilities' | null;

export interface FolderTrust {
  readonly dir: string;
  /** What the folder asks for, tools included. */
  readonly capabilities: readonly Capability[];
  readonly digest: string;
  readonly by: Voucher;
  /** A person has seen this very list and said no. */
  readonly declined: boolean;
}

export interface TrustSource {
  readonly host: Pick<Host, 'env'>;
  readonly places: TrustPlaces;
}

interface TrustedFolder {
  readonly snapshot: FolderSnapshot;
  readonly insides: readonly string[];
  /** Of its hooks and settings; those of its tools are looked for here. */
  readonly capabilities: readonly Capability[];
}

export function trustIn(
  { snapshot, insides, capabilities: own }: TrustedFolder,
  { host, places }: TrustSource,
): FolderTrust {
  const { dir } = snapshot;
  const capabilities = [...own, ...toolCapabilities(snapshot, insides)];
  const digest = capabilitiesDigest(capabilities);
  const about = { dir, capabilities, digest, declined: false };
  if (capabilities.length === 0) return { ...about, by: 'no capabilities' };
  // A person would agree to scripts that they were not shown.
  const isKnown = capabilities.every(({ unknown }) => unknown === undefined);
  const said = (host.env(TRUST_VARIABLE) ?? '').split(',').map((word) => word.trim());
  if (said.includes('all')) return { ...about, by: 'all' };
  if (!isKnown) return { ...about, by: null };
  if (said.includes(digest)) return { ...about, by: 'digest' };
  const record = readRecord(trustFolderOf(places), dir);
  const same = record?.digest === digest;
  const by = same && record.answer === 'yes' ? 'record' : null;
  return { ...about, by, declined: same && record.answer === 'no' };
}
