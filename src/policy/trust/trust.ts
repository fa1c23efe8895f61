/**
 * Whether the powers of a folder hold. Asked in one place, when a policy is opened: the user's and the managed folder need no
 * trust; a project's needs a record of the same powers, or the word of the environment.
 */
import type { Host } from '../../base/host.ts';
import { toolPowers } from '../../frontends/markdown/tool-powers.ts';
import { type Power, powersDigest } from '../../frontends/power.ts';
import { readRecord } from './records.ts';

/** `all`, or digests of lists of powers, separated by commas. For machines and folders that are thrown away. */
export const TRUST_VARIABLE = 'HARNESS_TRUST';

/**
 * Who vouches for the powers of a folder: `record` a person, who was shown them; `digest` and `all` the environment;
 * `program` the one that embeds this; `host` one that answers in their place; `layer` is a folder of the user or the machine.
 * Null: nobody.
 */
export type Voucher = 'record' | 'digest' | 'all' | 'program' | 'host' | 'layer' | 'no powers' | null;

export interface FolderTrust {
  readonly dir: string;
  /** What the folder asks for, tools included. */
  readonly powers: readonly Power[];
  readonly digest: string;
  readonly by: Voucher;
  /** A person has seen this very list and said no. */
  readonly declined: boolean;
}

export interface TrustSource {
  readonly host: Pick<Host, 'env'>;
  /** The user's policy folder, where records are kept. */
  readonly user: string | null;
}

export function trustIn(
  { dir, insides, powers: own }: { dir: string; insides: readonly string[]; powers: readonly Power[] },
  { host, user }: TrustSource,
): FolderTrust {
  const powers = [...own, ...toolPowers(dir, insides)];
  const digest = powersDigest(powers);
  const about = { dir, powers, digest, declined: false };
  if (powers.length === 0) return { ...about, by: 'no powers' };
  const said = (host.env(TRUST_VARIABLE) ?? '').split(',').map((word) => word.trim());
  if (said.includes('all')) return { ...about, by: 'all' };
  if (said.includes(digest)) return { ...about, by: 'digest' };
  const record = readRecord(user, dir);
  const same = record?.digest === digest;
  const by = same && record.answer === 'yes' ? 'record' : null;
  return { ...about, by, declined: same && record.answer === 'no' };
}
