/** The launcher's question to the daemon: the same call with all that it stands on. */
import type { Answer } from '../../adapters/adapter.ts';
import { machineHost } from '../../base/host.ts';
import { askDaemon } from '../../daemon/client.ts';
import { entryIdentity, mountSpace } from '../../daemon/entry-identity.ts';
import { LIMITS } from '../../daemon/protocol.ts';

/** Of the deadline: enough is left to decide here. */
const SHARE = 0.4;

/** While a person is being asked. */
const WAIT_SHARE = 0.75;

/** One that is stopped says nothing, and one on a busy machine nothing for a while. */
const GREETING_SHARE = 0.1;
const LEAST_GREETING_MS = 400;

export async function askToDecide(
  folder: string,
  { entry, argv }: { readonly entry: string; readonly argv: readonly string[] },
  payload: Buffer,
  deadlineMs: number,
): Promise<Answer | null> {
  if (payload.length > LIMITS.payload) return null;
  const variables = Object.entries(machineHost.variables());
  const request = {
    operation: 'hook',
    entry: entryIdentity(entry),
    words: [process.cwd(), mountSpace(), ...argv],
    environment: variables.map(([name, value]) => `${name}=${value ?? ''}`),
    payload,
  } as const;
  const greetingMs = Math.max(LEAST_GREETING_MS, deadlineMs * GREETING_SHARE);
  const asked = await askDaemon(folder, request, {
    greetingMs,
    answerMs: deadlineMs * SHARE,
    waitMs: deadlineMs * WAIT_SHARE,
  });
  return 'missing' in asked ? null : asked;
}
