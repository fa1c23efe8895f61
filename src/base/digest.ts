/**
 * The fingerprint of data: SHA-256 over its canonical JSON, so that the same data has the same one however it was written.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/** 64 hexadecimal digits. */
export function digestOf(data: unknown): string {
  return createHash('sha256').update(canonicalJson(data), 'utf8').digest('hex');
}
