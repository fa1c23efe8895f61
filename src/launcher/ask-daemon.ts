/**
 * The launcher's question to the daemon: the same call with all that it stands on. Every call pays for what is imported here, and
 * with a daemon nothing else is loaded.
 */
import type { Answer } from '../agents/index.ts';
import { machineHost, within } from '../machine/index.ts';
import { askDaemon, loadSockets } from './daemon/client.ts';
import { entryIdentity, mountSpace } from './daemon/entry-identity.ts';
import { daemonFolder, hasSocket, usesDaemon } from './daemon/place.ts';
import { LIMITS } from './daemon/protocol.ts';
import type { HookOptions } from './hook-options.ts';

/** Of the deadline: enough is left to decide here. */
const SHARE = 0.4;

/** While a person is being asked. */
const WAIT_SHARE = 0.75;

/** One that is stopped says nothing, and one on a busy machine nothing for a while. */
const GREETING_SHARE = 0.1;
const LEAST_GREETING_MS = 400;

/** Why this process has to decide. */
export interface DaemonMiss {
  /** Nobody is behind the socket. */
  readonly dead: boolean;
}

const UNANSWERED: DaemonMiss = { dead: false };

/** What the daemon says, if there is one and it answers in its share of the time. Never rejects. */
export async function askFirst(
  { cold, deadlineMs }: HookOptions,
  { entry, argv }: { readonly entry: string; readonly argv: readonly string[] },
  input: Promise<Buffer>,
): Promise<Answer | DaemonMiss> {
  const folder = daemonFolder(machineHost);
  if (cold || !usesDaemon(machineHost) || folder === null || !hasSocket(folder)) return UNANSWERED;
  try {
    loadSockets();
    // An agent that does not close what it writes to has the launcher answer when its time is over.
    const payload = await within(deadlineMs * SHARE, input);
    if (payload === null || payload.length > LIMITS.payload) return UNANSWERED;
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
    if (!('missing' in asked)) return asked;
    return { dead: asked.missing === 'ECONNREFUSED' };
  } catch {
    return UNANSWERED;
  }
}
