/**
 * Where the daemon of a user listens: a socket in a folder that only its owner can enter. Both ends look at the folder before
 * they use it, hold it open, and reach the socket through what they hold: what they looked at is what they use, whatever is
 * put under its name meanwhile.
 */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Host, ownedByMe, ownershipProblem } from '../../machine/index.ts';
import { stateFolder } from '../../policy/index.ts';

export const SOCKET = 'socket';

/** The system takes no longer path for a socket. */
const LONGEST_PATH = 100;

/** Null if the environment names neither a state folder nor a home. */
export function daemonFolder(host: Pick<Host, 'env'>): string | null {
  const state = stateFolder(host);
  return state === null ? null : join(state, 'daemon');
}

/** Whether calls go to a daemon, and start one where none runs. In a sandbox the engine outside answers in its place. */
export function usesDaemon({ env }: Pick<Host, 'env'>): boolean {
  if (env('HARNESS_DAEMON') === 'sandbox') return true;
  return env('HARNESS_DAEMON') !== 'off' && !/^(?:true|1)$/.test(env('CI') ?? '');
}

/** One look, for those who would rather not load what it takes to ask. */
export function hasSocket(folder: string): boolean {
  return lstatSync(join(folder, SOCKET), { throwIfNoEntry: false })?.isSocket() === true;
}

/** What a daemon holds for as long as it lives, so that there is only one. */
export function daemonLock(folder: string): string {
  return join(folder, 'daemon');
}

export interface OpenSocketFolder {
  /** The socket, by way of the folder that was looked at. */
  readonly socket: string;
  close(): void;
}

/** The folder of the socket, looked at and held; or why it is not to be used. */
export function openSocketFolder(folder: string): OpenSocketFolder | { readonly problem: string } {
  let held: number;
  try {
    held = openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0));
  } catch (thrown) {
    return { problem: `${folder} cannot be opened (${(thrown as NodeJS.ErrnoException).code})` };
  }
  const close = () => closeSync(held);
  const refuse = (why: string) => {
    close();
    return { problem: `${folder} ${why}` };
  };
  const problem = ownershipProblem(fstatSync(held), 'private');
  if (problem !== null) return refuse(`${problem}; want a folder of yours with mode 0700`);
  const through = `/proc/self/fd/${held}`;
  // Elsewhere than on Linux the name has to do: nobody else can write in a folder of ours.
  const base = existsSync(through) ? through : folder;
  const socket = join(base, SOCKET);
  if (socket.length > LONGEST_PATH) return refuse(`has too long a path for a socket`);
  return { socket, close };
}

/** Why what stands in the socket's place is not to be talked to, or null. `absent` if nothing is there. */
export function socketProblem(socket: string): 'absent' | string | null {
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (found === undefined) return 'absent';
  if (!found.isSocket()) return 'it is no socket';
  return ownedByMe(found) ? null : `it belongs to user ${found.uid}`;
}
