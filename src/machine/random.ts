/** Random bytes and ids. */
import { lateCrypto } from '../base/index.ts';

export function randomHex(bytes: number): string {
  return lateCrypto().randomBytes(bytes).toString('hex');
}

export function randomUuid(): string {
  return lateCrypto().randomUUID();
}
