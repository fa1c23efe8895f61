/**
 * The fingerprint of data: SHA-256 over its canonical JSON, so that the same data has the same one however it was written.
 */
import { canonicalJson } from './canonical-json.ts';
import { sha256Hex } from './sha256.ts';

/** 64 hexadecimal digits. */
export function digestOf(data: unknown): string {
  return sha256Hex(canonicalJson(data));
}

/** Whether a secret that was shown is the one that is wanted. Of digests: how long it takes tells nothing of either. */
export function sameSecret(shown: string, wanted: string): boolean {
  return sha256Hex(shown) === sha256Hex(wanted);
}
