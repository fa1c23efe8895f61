/** The page's server on its socket: loopback unless another address was asked for. */
import { createAdaptorServer } from '@hono/node-server';
import { type HttpServer, listenAt, urlHost } from '../../machine/index.ts';
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

export async function listenForPage(
  services: Omit<PageServices, 'names'>,
  { port, host, onRequest }: ListenOptions,
): Promise<Listening> {
  let names: readonly string[] = [];
  const app = pageApp({ ...services, names: () => names });
  const server = createAdaptorServer({ fetch: app.fetch }) as HttpServer;
  const { url, port: at, close } = await listenAt(server, { host, port });
  names = [urlHost(host), '127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${at}`);
  if (onRequest !== undefined) server.on('request', onRequest);
  return {
    port: at,
    link: `${url}/?token=${services.keys.token}`,
    linkOnce: () => `${url}/?token=${services.keys.code()}`,
    close,
  };
}
