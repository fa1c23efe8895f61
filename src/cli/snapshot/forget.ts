/** Takes away what was made to start sooner and what sessions remember, once nothing is registered any more. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lockHolder } from '../../base/file-lock.ts';
import type { Host } from '../../base/host.ts';
import { SESSIONS, stateFolder } from '../../policy/state-folder.ts';
import { makingLock } from './place.ts';

export function forgetWhatWasMade(host: Pick<Host, 'env'>): void {
  const [state, making] = [stateFolder(host), makingLock(host)];
  if (state === null || making === null) return;
  try {
    // One that is being made would go on writing there. It leads a group of its own.
    const maker = lockHolder(making);
    if (maker !== null) process.kill(-maker, 'SIGKILL');
    for (const folder of [dirname(making), join(state, 'compiled'), join(state, SESSIONS)])
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  } catch {
    // What is left is looked at before it is used, as always.
  }
}
