/** The page's server on its socket: loopback unless another address was asked for. */
import { type AddressInfo, isIPv6 } from 'node:net';
import { serve } from '@hono/node-server';
import { type PageServices, pageApp } from './app.ts';

export interface Listening {
  readonly port: number;
  /** With the token: good for as long as it listens. */
  readonly link: string;
  /** For a command line, which others can read: opens the page once, and soon. */
  linkOnce(): string;
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** Somebody asks. */
  readonly onRequest?: () => void;
}

export function listenForPage(
  services: Omit<PageServices, 'names'>,
  { port, host, onRequest }: ListenOptions,
): Promise<Listening> {
  let names: readonly string[] = [];
  const app = pageApp({ ...services, names: () => names });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname: host }, (address: AddressInfo) => {
      const own = isIPv6(host) ? `[${host}]` : host;
      names = [own, '127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${address.port}`);
      const at = `http://${own}:${address.port}/`;
      resolve({
        port: address.port,
        link: `${at}?token=${services.keys.token}`,
        linkOnce: () => `${at}?token=${services.keys.code()}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            if ('closeAllConnections' in server) server.closeAllConnections();
          }),
      });
    });
    server.on('error', reject);
    if (onRequest !== undefined) server.on('request', onRequest);
  });
}
