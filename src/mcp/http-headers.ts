/**
 * Which headers go through: everything a server or a client says to the other, tokens and challenges too, and nothing that belongs
 * to one connection only. No header is ever written down.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { isBodyHeader } from './param-headers.ts';

/** What a client shows to this program and to nobody behind it: that it may speak with it at all. */
export const TOKEN_HEADER = 'harness-token';

/** Of one connection, or made anew for each message. */
const OF_A_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'expect',
  // Answered by this program itself: a page in a browser speaks with it, not with the server behind.
  'origin',
  'referer',
  TOKEN_HEADER,
]);

/** What a client says, for the server; what repeats the body is made of the body. */
export function towardsServer(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return pickHeaders(headers, (name) => !isBodyHeader(name));
}

/** What a server says, for the client. */
export function towardsClient(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return pickHeaders(headers, (name) => !name.startsWith('access-control-') && name !== 'date');
}

function pickHeaders(headers: IncomingHttpHeaders, wanted: (name: string) => boolean): OutgoingHttpHeaders {
  const named = String(headers.connection ?? '').toLowerCase();
  const alsoHop = named.split(',').map((name) => name.trim());
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !OF_A_HOP.has(name) && !alsoHop.includes(name) && wanted(name),
    ),
  );
}

export function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
}
