/**
 * The body of a request as text, within a limit. What cannot be read is a failure with its status, never an exception.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Failure } from './dialect.ts';

export type RequestBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: Failure };

/** How long what is too much is still taken and thrown away: a client reads the answer when it has sent everything. */
const DRAIN_MS = 1000;

/** Rejects if the client breaks off: then there is nobody to answer. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    request.resume();
    return refuse(415, `want a body without content-encoding, got ${JSON.stringify(encoding)}`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  let patience: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else patience ??= setTimeout(resolve, DRAIN_MS);
    });
    request.on('end', resolve);
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client has gone')));
  }).finally(() => clearTimeout(patience));
  if (length > maxBytes) {
    return refuse(413, `want a request of at most ${maxBytes} bytes, got a larger one`);
  }
  const bytes = Buffer.concat(chunks);
  return isUtf8(bytes)
    ? { ok: true, text: bytes.toString('utf8') }
    : refuse(400, 'want a body in UTF-8, got other bytes');
}

function refuse(status: number, message: string): RequestBody {
  return { ok: false, failure: { status, message } };
}
