/**
 * Random bytes, from where the system gives them to everybody: `node:crypto` takes longer to load than a process takes that
 * needs a few of them and ends.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { lateCrypto } from '../base/index.ts';

export function randomHex(bytes: number): string {
  const buffer = Buffer.alloc(bytes);
  return (systemBytes(buffer) ? buffer : lateCrypto().randomBytes(bytes)).toString('hex');
}

/** As version 4 of UUIDs writes them. */
export function randomUuid(): string {
  const hex = randomHex(16);
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function systemBytes(buffer: Buffer): boolean {
  let file: number;
  try {
    file = openSync('/dev/urandom', 'r');
  } catch {
    return false;
  }
  try {
    return readSync(file, buffer, 0, buffer.length, null) === buffer.length;
  } catch {
    return false;
  } finally {
    closeSync(file);
  }
}
