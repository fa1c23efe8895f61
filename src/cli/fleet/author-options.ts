/** What commands of authors have in common: their keys and the hub they speak to. */
import type { KeyObject } from 'node:crypto';
import { findEnrolled, hubAddress, keyId, publicKeyOf, type Root, type Signed } from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { readSigningKey } from '../../tape/index.ts';
import { type Arguments, quote, readText, UsageError } from '../../terminal/index.ts';

/** Files, separated by commas. */
export function filesOf(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((each) => each !== '');
}

/** What a file of JSON holds. Throws a UsageError if it cannot be read as that. */
export async function jsonFile(path: string): Promise<unknown> {
  const text = await readText(path);
  try {
    return JSON.parse(text ?? '');
  } catch (thrown) {
    throw new UsageError(`${quote(path)} is not JSON: ${(thrown as Error).message}`);
  }
}

export function signingKeys(args: Arguments): KeyObject[] {
  const files = filesOf(args.value('key'));
  if (files.length === 0)
    throw new UsageError('want --key FILE, your private key; make a pair with `harness tape keygen FILE`');
  return files.map(readSigningKey);
}

/** `--hub`, or the hub that this machine joined. */
export function hubOf(args: Arguments): string {
  const given = args.value('hub');
  if (given !== undefined) return hubAddress(given);
  const enrolled = findEnrolled(machineHost);
  if (enrolled === null) throw new UsageError('want --hub URL: this machine belongs to no hub');
  return enrolled.enrolment.hub;
}

/** Throws a UsageError if a key is of no author. */
export function demandAuthors(keys: readonly KeyObject[], root: Signed<Root>): void {
  for (const key of keys) {
    const id = keyId(publicKeyOf(key));
    if (!root.signed.roles.targets.keyids.includes(id))
      throw new UsageError(
        `key ${id.slice(0, 12)} is not of an author of root version ${root.signed.version}. Its people add one with \`harness fleet root\``,
      );
  }
}
