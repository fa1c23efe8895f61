/**
 * Sends a reply: waits, paces, breaks off or hangs as it says. Ends when the reply is out, the client has gone or the server
 * closes, and leaves no timer behind.
 */
import type { ServerResponse } from 'node:http';
import type { Reply } from './reply.ts';

/** How it ended: sent as it should be (a cut counts), given up by the client, or stopped by the server. */
export type Delivery = 'sent' | 'client-left' | 'closed';

/** As long as a timer can wait; a longer one would fire at once. */
const LONGEST_MS = 0x7fff_ffff;

export async function send(response: ServerResponse, reply: Reply, closing: AbortSignal): Promise<Delivery> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.on('close', leave);
  closing.addEventListener('abort', leave, { once: true });
  try {
    await pause(reply.delayMs, gone.signal);
    if (!gone.signal.aborted) await write(response, reply, gone.signal);
    if (response.writableFinished || (reply.ending === 'cut' && !closing.aborted)) return 'sent';
    return closing.aborted ? 'closed' : 'client-left';
  } finally {
    closing.removeEventListener('abort', leave);
  }
}

async function write(response: ServerResponse, reply: Reply, gone: AbortSignal): Promise<void> {
  const { status, headers, chunks, paceMs, ending } = reply;
  if (ending === 'hang' && chunks.length === 0) return until(gone);
  response.writeHead(status, { ...headers });
  if (ending === 'end' && chunks.length <= 1) {
    // In one piece, so that the length of the body is known.
    response.end(chunks[0] ?? '');
    return finished(response, gone);
  }
  // Before the first event, so that a client sees that the stream has begun.
  response.flushHeaders();
  for (const [at, chunk] of chunks.entries()) {
    if (at > 0) await pause(paceMs, gone);
    if (gone.aborted) return;
    await written(response, chunk, gone);
  }
  if (ending === 'hang') return until(gone);
  if (ending === 'cut') return void response.destroy();
  response.end();
  await finished(response, gone);
}

/** Resolves when the chunk has been handed over, so that a slow reader holds the sender back. */
function written(response: ServerResponse, chunk: string, gone: AbortSignal): Promise<void> {
  return settled(gone, (done) => void response.write(chunk, done));
}

function finished(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return settled(gone, (done) => {
    if (response.writableFinished) done();
    else response.once('finish', done);
  });
}

function pause(ms: number, gone: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  return settled(gone, (done) => {
    timer = setTimeout(done, Math.min(ms, LONGEST_MS));
  }).finally(() => clearTimeout(timer));
}

function until(gone: AbortSignal): Promise<void> {
  return settled(gone, () => {});
}

/** Resolves when `start` calls back or the client has gone, whichever is first. */
function settled(gone: AbortSignal, start: (done: () => void) => void): Promise<void> {
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
