/**
 * Who may look at the page: the person who has opened the link. Its files are those of the package and open to all; requests under another
 * name, from another page, of another user of this machine, or for data without the cookie are refused before anything is read.
 */
import type { Socket } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { ownedByMeOrRoot, refusedFor } from '../../machine/index.ts';
import type { PageKeys } from './keys.ts';
import { peerUser } from './peer.ts';

export interface GuardOptions {
  readonly keys: PageKeys;
  /** `127.0.0.1:4000`, `localhost:4000`: what a browser may call this server. Known once it listens. */
  readonly names: () => readonly string[];
  /** The command that prints the link; by default `harness ui`. */
  readonly open?: string;
}

/** Everything a page of ours needs, and nothing else: no inline script, no other host, no frame around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

export function guard({ keys, names, open }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const host = context.req.header('host') ?? '';
    const isOwnPage = (origin: string) => origin === `http://${host}`;
    const shown = { host, origin: context.req.header('origin') };
    // For data a cookie is asked below: files are open to all.
    const stranger = refusedFor(shown, { names: names(), isOwnPage, token: null });
    if (stranger === 'host') return refused(context, 421, 'this server is not called that');
    const problem = stranger === 'origin' ? 'asked by another page' : foreign(context);
    if (problem !== null) return refused(context, 403, problem);
    const [, api, room] = context.req.path.split('/');
    if (api !== 'api' || context.req.path === OPEN) return next();
    return room === keys.room && keys.holds(cookieOf(context, cookieName(keys, host)))
      ? next()
      : refused(context, 401, closed(open));
  };
}

/** Where a key is given for a cookie. */
export const OPEN = '/api/open';
const closed = (command = 'harness ui') => `open the link that \`${command}\` prints`;

export function exchangeLink(context: Context, { keys, open }: GuardOptions, body: unknown): Response {
  const { key } = (body ?? {}) as { key?: unknown };
  const secret = typeof key === 'string' ? keys.open(key) : null;
  if (secret === null)
    return refused(context, 401, `this link opens nothing, or was used before; ${closed(open)}`);
  const name = cookieName(keys, context.req.header('host')!);
  context.header('set-cookie', `${name}=${secret}; HttpOnly; SameSite=Strict; Path=/api/${keys.room}`);
  return context.json({ room: keys.room });
}

function cookieName({ name }: PageKeys, host: string): string {
  return `harness-${/:(\d+)$/.exec(host)?.[1] ?? '80'}-${name}`;
}

function foreign(context: Context): string | null {
  const origin = context.req.header('origin');
  const site = context.req.header('sec-fetch-site');
  const { method } = context.req;
  if (isOfAnotherUser(context)) return 'asked by another user of this machine';
  if (site === 'cross-site' && (method !== 'GET' || context.req.path.startsWith('/api/')))
    return 'asked by another page';
  if (method === 'GET' || method === 'HEAD') return null;
  if (origin === undefined) return 'want an Origin';
  return /^application\/json\b/.test(context.req.header('content-type') ?? '') ? null : 'want JSON';
}

const users = new WeakMap<Socket, boolean>();

/** Root reads whatever it likes; a proxy of its own may stand between. */
function isOfAnotherUser({ env }: Context): boolean {
  const socket = (env as { incoming?: { socket?: Socket } }).incoming?.socket;
  if (socket === undefined) return false;
  let other = users.get(socket);
  if (other === undefined) {
    const user = peerUser(socket);
    other = user !== null && !ownedByMeOrRoot({ uid: user });
    users.set(socket, other);
  }
  return other;
}

function cookieOf(context: Context, name: string): string {
  const all = (context.req.header('cookie') ?? '').split(/;\s*/);
  return all.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

function refused(context: Context, status: 401 | 403 | 421, why: string): Response {
  return context.json({ error: why }, status);
}
