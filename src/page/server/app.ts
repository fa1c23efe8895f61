/**
 * The page's server as a function of requests: a guard in front, the files of the browser's part, and a table of routes under
 * `/api/` and the page's own name there that answer with JSON. It knows nothing of tapes and policies; those who mount it bring the routes.
 */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { streamSSE } from 'hono/streaming';
import { HarnessError } from '../../base/index.ts';
import type { Assets } from './assets.ts';
import { exchangeLink, type GuardOptions, guard, OPEN } from './guard.ts';

export interface PageCall {
  /** Of the path: what stands for `:id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Of a POST; null for any other. */
  readonly body: unknown;
  /** Ends when the call no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Under `/api` and the name of the page's room. */
  readonly path: string;
  /** It changes something beyond this process: refused in read-only mode. */
  readonly writes?: boolean;
  readonly handle: (asked: PageCall) => unknown;
}

/** A stream of messages: as many as there are until the signal ends. */
export interface LiveRoute {
  readonly path: string;
  readonly listen: (asked: PageCall) => AsyncIterable<unknown>;
}

export interface PageServices extends GuardOptions {
  readonly readOnly: boolean;
  readonly assets: Assets;
  readonly routes: readonly Route[];
  readonly live: readonly LiveRoute[];
}

/** What is asked for is not there, or cannot be done. */
export class PageError extends Error {
  readonly status: 400 | 403 | 404 | 409;

  constructor(status: 400 | 403 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

const MOST_BODY = 4 * 1024 * 1024;
/** A connection that says nothing is closed by what stands between. */
const QUIET_MS = 15_000;

export function pageApp(services: PageServices): Hono {
  const app = new Hono();
  const { assets, readOnly, keys } = services;
  const room = `/api/${keys.room}`;
  app.use(guard(services));
  app.use(
    bodyLimit({
      maxSize: MOST_BODY,
      onError: (context) => context.json({ error: 'the request is too long' }, 413),
    }),
  );
  app.post(OPEN, async (context) => exchangeLink(context, services, await bodyOf(() => context.req.json())));
  for (const { method, path, writes = false, handle } of services.routes) {
    app.on(method, room + path, async (context) => {
      if (writes && readOnly) throw new PageError(403, 'this page is read-only');
      const body = method === 'POST' ? await bodyOf(() => context.req.json()) : null;
      const query = new URL(context.req.url).searchParams;
      const answer = await handle({
        params: context.req.param(),
        query,
        body,
        signal: context.req.raw.signal,
      });
      return context.json(answer as object);
    });
  }
  for (const { path, listen } of services.live) {
    app.get(room + path, (context) =>
      streamSSE(context, async (stream) => {
        const ended = new AbortController();
        stream.onAbort(() => ended.abort());
        const quiet = setInterval(() => void stream.write(': \n\n'), QUIET_MS);
        const query = new URL(context.req.url).searchParams;
        try {
          for await (const message of listen({
            params: context.req.param(),
            query,
            body: null,
            signal: ended.signal,
          })) {
            await stream.writeSSE({ data: JSON.stringify(message) });
          }
        } finally {
          clearInterval(quiet);
        }
      }),
    );
  }
  app.all('/api/*', () => {
    throw new PageError(404, 'not found');
  });
  app.get('*', (context) => {
    const file =
      assets.find(context.req.path) ?? (context.req.path.includes('.') ? null : assets.find('/index.html'));
    if (file === null) return context.json({ error: 'there is no such file' }, 404);
    const packed = file.packed !== null && (context.req.header('accept-encoding') ?? '').includes('gzip');
    context.header('content-type', file.type);
    if (packed) context.header('content-encoding', 'gzip');
    return context.body(packed ? file.packed! : file.bytes);
  });
  app.onError((error, context) => {
    const status = error instanceof PageError ? error.status : error instanceof HarnessError ? 400 : 500;
    return context.json({ error: error.message }, status);
  });
  return app;
}

async function bodyOf(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch {
    throw new PageError(400, 'the request is no JSON');
  }
}
