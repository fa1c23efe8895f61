/**
 * The body of a request as text, within a limit. What cannot be read is a failure with its status, never an exception.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Failure } from './dialect.ts';

export type RequestBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: Failure };

/** How long a client that sends too much may go on, so that it reads the answer before the connection closes. */
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
  const isWhole = await new Promise<boolean>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) resolve(false);
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(true));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client has gone')));
  });
  if (!isWhole) {
    chunks.length = 0;
    setTimeout(() => request.destroy(), DRAIN_MS).unref();
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
