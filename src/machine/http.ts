/**
 * One HTTP exchange on the real network: no redirect followed, a limit on time and on size, nothing kept open. The
 * caller has checked the address.
 */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { HttpRequest, HttpResponse } from './host.ts';

export async function exchange(asked: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  const { body, ...rest } = await exchangeBytes(asked, signal);
  return { ...rest, body: body.toString('utf8') };
}

/** The same for bytes. */
export interface BytesRequest extends Omit<HttpRequest, 'body'> {
  readonly body: string | Uint8Array | null;
  /** Takes the body of a 200 piece by piece: it is then not in the answer, and `maxBytes` does not count. */
  readonly sink?: (piece: Buffer, headers: HttpResponse['headers']) => void;
}

export interface BytesResponse extends Omit<HttpResponse, 'body'> {
  readonly body: Buffer;
}

export function exchangeBytes(asked: BytesRequest, signal: AbortSignal): Promise<BytesResponse> {
  return new Promise((resolve, reject) => {
    const url = new URL(asked.url);
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    // Without an agent no socket outlives the exchange; unpacked text keeps the size limit honest.
    const headers = { 'accept-encoding': 'identity', ...asked.headers };
    const outgoing = send(url, { method: asked.method, headers, agent: false, signal });
    // Whatever a destroyed socket says afterwards, the first reason is the one that counts.
    const stop = (error: Error) => {
      reject(error);
      outgoing.destroy();
    };
    const late = () => stop(new Error(`no complete answer within ${asked.timeoutMs} ms`));
    const timer = setTimeout(late, asked.timeoutMs);
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.on('error', stop);
    outgoing.on('response', (incoming) => collect(incoming, asked).then(resolve, stop));
    outgoing.end(asked.body ?? undefined);
  });
}

function collect(incoming: IncomingMessage, { maxBytes, sink }: BytesRequest): Promise<BytesResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const headers = flatten(incoming);
    const taken = sink !== undefined && incoming.statusCode === 200 ? sink : null;
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      if (taken !== null) return taken(chunk, headers);
      length += chunk.length;
      if (length > maxBytes) reject(new Error(`the answer is larger than ${maxBytes} bytes`));
      else chunks.push(chunk);
    });
    incoming.on('error', reject);
    incoming.on('end', () => {
      resolve({ status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks) });
    });
  });
}

/** Repeated headers become one, separated by commas. */
function flatten(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
