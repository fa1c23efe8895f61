/**
 * The author's side: the root that says who may sign, the metadata of one version, and what is sent to the hub. Keys never leave the
 * author's machine.
 */
import type { KeyObject } from 'node:crypto';
import { isJsonObject, sha256Hex } from '../../base/index.ts';
import type { ClientOptions } from '../client.ts';
import { postAsAuthor } from '../client.ts';
import { POLICY_PATH } from '../protocol.ts';
import type { AuthorStatement, PublishedPolicy } from './author.ts';
import {
  keyId,
  type Metadata,
  parseMetadata,
  publicKeyOf,
  type RoleKeys,
  type Root,
  type Signed,
  SPEC_VERSION,
  signed,
  type Targets,
  untrusted,
} from './metadata.ts';
import type { Terms } from './terms.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const ROOT_MS = 10 * YEAR_MS;
const TARGETS_MS = 2 * YEAR_MS;

export interface RootKeys {
  readonly root: readonly KeyObject[];
  readonly authors: readonly KeyObject[];
  readonly hub: KeyObject;
  /** Of authors. */
  readonly threshold: number;
}

/** The next root, without signatures. */
export function rootDocument(keys: RootKeys, version: number, now: number): Root {
  const all = [...keys.root, ...keys.authors, keys.hub].map(publicKeyOf);
  const role = (of: readonly KeyObject[], threshold = 1): RoleKeys => ({
    keyids: [...new Set(of.map((key) => keyId(publicKeyOf(key))))],
    threshold,
  });
  return {
    ...{ _type: 'root', spec_version: SPEC_VERSION, version, consistent_snapshot: false },
    expires: new Date(now + ROOT_MS).toISOString(),
    keys: Object.fromEntries(all.map((key) => [keyId(key), key])),
    roles: {
      root: role(keys.root),
      targets: role(keys.authors, keys.threshold),
      snapshot: role([keys.hub]),
      timestamp: role([keys.hub]),
    },
  };
}

export function targetsFor(archive: Buffer, version: number, terms: Terms, now: number): Targets {
  return {
    ...{ _type: 'targets', spec_version: SPEC_VERSION, version },
    expires: new Date(now + TARGETS_MS).toISOString(),
    targets: { policy: { length: archive.length, hashes: { sha256: sha256Hex(archive) }, custom: terms } },
  };
}

/** A policy with the signatures it has so far. */
export interface Proposal {
  readonly targets: Signed<Metadata['targets']>;
  /** Base64. */
  readonly archive: string;
}

/** Throws FLEET_UNTRUSTED. */
export function readProposal(text: string, file: string): Proposal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!isJsonObject(value) || typeof value.archive !== 'string')
    throw untrusted(`${file} is neither a folder nor a policy that \`harness fleet publish\` wrote`);
  return { targets: parseMetadata('targets', value.targets), archive: value.archive };
}

export async function publishProposal(
  hub: string,
  proposal: Proposal,
  options: ClientOptions,
): Promise<number> {
  const { version } = await postAsAuthor<{ version: number }>(hub, POLICY_PATH, proposal, options);
  return version;
}

const READ: Omit<AuthorStatement, 'time'> = {
  _type: 'read',
  revision: 0,
  version: 0,
  labels: {},
  percent: 0,
};

export function publishedAt(hub: string, key: KeyObject, options: ClientOptions): Promise<PublishedPolicy> {
  const statement: AuthorStatement = { ...READ, time: options.host.now() };
  return postAsAuthor(hub, `${POLICY_PATH}/published`, signed(statement, key), options);
}

/** Gives the new revision of the hub. */
export async function rollOutOnHub(
  hub: string,
  key: KeyObject,
  change: Pick<AuthorStatement, 'revision' | 'version' | 'labels' | 'percent'>,
  options: ClientOptions,
): Promise<number> {
  const statement: AuthorStatement = { ...READ, ...change, _type: 'rollout', time: options.host.now() };
  const path = `${POLICY_PATH}/rollout`;
  const { revision } = await postAsAuthor<{ revision: number }>(hub, path, signed(statement, key), options);
  return revision;
}
