/** What an author signs to change a rollout or to read what was published, and what the hub answers. */
import { isJsonObject } from '../../base/index.ts';
import { type Root, type Signed, signersOf } from './metadata.ts';
import type { Terms } from './terms.ts';

export interface Rollout {
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly percent: number;
  /** The id of the key that signed it. */
  readonly author: string;
}

/** Its type keeps the signature from being used for anything else. */
export interface AuthorStatement {
  readonly _type: 'rollout' | 'read';
  readonly time: number;
  /** Of the hub, as the author saw it: no change is made twice. */
  readonly revision: number;
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly percent: number;
}

/** The key of an author that signed it, or null. */
export function authorOf(root: Root, statement: unknown, type: AuthorStatement['_type']): string | null {
  if (!isJsonObject(statement) || !isJsonObject(statement.signed) || !Array.isArray(statement.signatures))
    return null;
  const { _type, labels, percent, version } = statement.signed;
  if (
    _type !== type ||
    !isJsonObject(labels) ||
    !Number.isSafeInteger(percent) ||
    !Number.isSafeInteger(version)
  )
    return null;
  const [author] = signersOf(root, 'targets', statement as unknown as Signed<AuthorStatement>);
  return author ?? null;
}

/** What authors get to compare with. */
export interface PublishedPolicy {
  readonly revision: number;
  readonly root: Signed<Root>;
  readonly rollouts: readonly Rollout[];
  /** 0: nothing was published. */
  readonly version: number;
  /** Null: nothing was published. */
  readonly terms: Terms | null;
  /** Base64. */
  readonly archive: string | null;
}
