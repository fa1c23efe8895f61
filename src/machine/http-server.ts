/**
 * What every HTTP server of this program has in common: who is answered, where it listens, how much of a body it reads. Servers hold
 * what a page in a browser must not reach: a name or a page from elsewhere is refused before anything of a request is read.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sameSecret } from '../base/index.ts';

/** What a request shows; absent: it has no such header. */
export interface Shown {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly token?: string | undefined;
}

export interface Admission {
  /** Names of this server: `localhost:4000`, or without a port for every port. Another one may be a page that made itself this machine. */
  readonly names: readonly string[];
  /** Whether a page of this origin may ask. */
  readonly isOwnPage: (origin: string) => boolean;
  /** Null: who reaches the server is answered. */
  readonly token: string | null;
}

/** What a request is refused for, or null. */
export function refusedFor(
  { host = '', origin, token = '' }: Shown,
  { names, isOwnPage, token: wanted }: Admission,
): 'host' | 'origin' | 'token' | null {
  if (!names.includes(host) && !names.includes(hostnameIn(`http://${host}`) ?? '')) return 'host';
  if (origin !== undefined && !isOwnPage(origin)) return 'origin';
  return wanted === null || sameSecret(token, wanted) ? null : 'token';
}

/** Null: the text is no URL. */
export function hostnameIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

export type HttpServer = Server;

export interface ListenAddress {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly backlog?: number;
}

export interface ListeningServer {
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** Rejects with the error of the system if the address cannot be had. A later error, such as no descriptor left, is the caller's to see. */
export async function listenAt(server: HttpServer, address: ListenAddress): Promise<ListeningServer> {
  await new Promise<void>((resolve, reject) => {
    // It stays: an error without a listener would end the process.
    server.on('error', reject);
    server.listen(address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${urlHost(address.host)}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A host as it stands in a URL. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** What a client sends beyond a limit is read and thrown away, so that it reads the answer instead of a broken pipe; but not for ever. */
const MOST_DROPPED_BYTES = 256 * 1024 * 1024;

/** Null if it is larger than `maxBytes`. Rejects if the client goes away in the middle. */
export function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    incoming.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > MOST_DROPPED_BYTES) incoming.destroy(new Error('too large'));
      else if (size > maxBytes) pieces.length = 0;
      else pieces.push(piece);
    });
    incoming.on('end', () => resolve(size > maxBytes ? null : Buffer.concat(pieces)));
    incoming.on('error', reject);
  });
}
