/**
 * Asks the daemon, if there is one. It never waits for one that does not greet, and never longer than it was told; whatever is
 * not a whole answer is a reason why there is none, and the caller decides by itself.
 */
import type { Socket } from 'node:net';
import type { Answer } from '../../agents/index.ts';
import { openSocketFolder, socketProblem } from './place.ts';
import { parseReply, Received, type Request, requestBytes } from './protocol.ts';

export interface AskOptions {
  /** So long for the greeting. One that is stopped accepts connections and says nothing. */
  readonly greetingMs: number;
  /** So long for everything. */
  readonly answerMs: number;
  /** The same, once a person is being asked; default: no longer. */
  readonly waitMs?: number;
}

/** Loaded where somebody listens: a launcher without a daemon starts faster. */
export function loadSockets(): typeof import('node:net') {
  return process.getBuiltinModule('node:net');
}

export type DaemonReply = Answer | { readonly missing: string };

export async function askDaemon(folder: string, request: Request, options: AskOptions): Promise<DaemonReply> {
  const place = openSocketFolder(folder);
  if ('problem' in place) return { missing: place.problem };
  try {
    const problem = socketProblem(place.socket);
    if (problem !== null) return { missing: problem };
    return await exchange(loadSockets().connect(place.socket), requestBytes(request), options);
  } finally {
    place.close();
  }
}

function exchange(
  socket: Socket,
  bytes: Buffer,
  { greetingMs, answerMs, waitMs = answerMs }: AskOptions,
): Promise<DaemonReply> {
  return new Promise((resolve) => {
    const received = new Received();
    let greeted = false;
    const end = (asked: DaemonReply) => {
      clearTimeout(greeting);
      clearTimeout(deadline);
      socket.destroy();
      resolve(asked);
    };
    const greeting = setTimeout(
      () => {
        if (!greeted) end({ missing: 'it does not greet' });
      },
      Math.min(greetingMs, answerMs),
    );
    const late = () => end({ missing: 'it does not answer in time' });
    let deadline = setTimeout(late, answerMs);
    let waits = false;
    socket.on('error', (error: NodeJS.ErrnoException) => end({ missing: error.code ?? error.message }));
    socket.on('close', () => end({ missing: 'it hung up' }));
    socket.on('data', (piece) => {
      received.add(piece as Buffer);
      const heard = parseReply(received.bytes);
      greeted ||= heard.state !== 'silent';
      if (heard.state === 'waiting' && !waits) {
        waits = true;
        clearTimeout(deadline);
        deadline = setTimeout(late, waitMs);
      }
      if (heard.state === 'answered') end(heard.answer);
      if (heard.state === 'refused') end({ missing: heard.reason });
    });
    socket.write(bytes);
  });
}
