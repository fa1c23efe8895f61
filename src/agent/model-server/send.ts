/**
 * Sends a reply: waits, paces, breaks off or hangs as it says. Ends when the reply is out, the client has gone or the server
 * closes, and leaves no timer behind.
 */

import type { ServerResponse } from 'node:http';
import { pause } from '../../machine/index.ts';
import type { Reply } from './reply.ts';

/** How it ended: sent as it should be (a cut counts), given up by the client, or stopped by the server. */
export type Delivery = 'sent' | 'client-left' | 'closed';

/** `isClosing` tells whether a connection that ends early was ended by the server. */
export async function send(
  response: ServerResponse,
  reply: Reply,
  isClosing: () => boolean,
): Promise<Delivery> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  // It may have gone before anybody listened.
  if (response.destroyed) gone.abort();
  await pause(reply.delayMs, gone.signal);
  const isSent = !gone.signal.aborted && (await write(response, reply, gone.signal));
  if (isSent) return 'sent';
  return isClosing() ? 'closed' : 'client-left';
}

/** False if the client has gone before everything was out. */
async function write(response: ServerResponse, reply: Reply, gone: AbortSignal): Promise<boolean> {
  const { status, headers, chunks, paceMs, ending } = reply;
  if (ending === 'hang' && chunks.length === 0) return hang(gone);
  response.writeHead(status, { ...headers });
  if (ending === 'end' && chunks.length <= 1) {
    // In one piece, so that the length of the body is known.
    response.end(chunks[0] ?? '');
    return finished(response, gone);
  }
  for (const [at, chunk] of chunks.entries()) {
    if (at > 0) await pause(paceMs, gone);
    if (gone.aborted) return false;
    await written(response, chunk, gone);
  }
  if (ending === 'hang') return hang(gone);
  if (ending === 'cut') {
    const isSent = !gone.aborted;
    response.destroy();
    return isSent;
  }
  response.end();
  return finished(response, gone);
}

/** Resolves when the chunk has been handed over, so that a slow reader holds the sender back. */
function written(response: ServerResponse, chunk: string, gone: AbortSignal): Promise<void> {
  return doneOrGone(gone, (done) => void response.write(chunk, done));
}

async function finished(response: ServerResponse, gone: AbortSignal): Promise<boolean> {
  await doneOrGone(gone, (done) => {
    if (response.writableFinished) done();
    else response.once('finish', done);
  });
  return response.writableFinished;
}

async function hang(gone: AbortSignal): Promise<false> {
  await doneOrGone(gone, () => {});
  return false;
}

/** Resolves when `start` calls back or the client has gone, whichever is first. */
function doneOrGone(gone: AbortSignal, start: (done: () => void) => void): Promise<void> {
  if (gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      gone.removeEventListener('abort', done);
      resolve();
    };
    gone.addEventListener('abort', done, { once: true });
    start(done);
  });
}
