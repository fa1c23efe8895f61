/** Random bytes. */
import { lateCrypto } from '../base/index.ts';

export function randomHex(bytes: number): string {
  return lateCrypto().randomBytes(bytes).toString('hex');
}
