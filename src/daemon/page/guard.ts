/**
 * Who may look at the page: whoever has the link. Its token is given once for a cookie that other sites cannot send; requests under
 * another name, from another page, or without the cookie are refused before anything is read.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';

export interface GuardOptions {
  /** In the link. */
  readonly token: string;
  /** `127.0.0.1:4000`, `localhost:4000`: what a browser may call this server. Known once it listens. */
  readonly names: () => readonly string[];
  readonly readOnly: boolean;
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

export function guard({ token, names }: GuardOptions): MiddlewareHandler {
  const secret = createHmac('sha256', token).update('cookie').digest('base64url');
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const host = context.req.header('host') ?? '';
    // A name of somebody else's that leads here: their page would be "the same site".
    if (!names().includes(host)) return refused(context, 421, 'this server is not called that');
    const problem = foreign(context, host);
    if (problem !== null) return refused(context, 403, problem);
    const cookie = cookieName(host);
    const given = context.req.query('token');
    if (given !== undefined && same(given, token)) {
      context.header('set-cookie', `${cookie}=${secret}; HttpOnly; SameSite=Strict; Path=/`);
    } else if (!same(cookieOf(context, cookie), secret)) {
      return refused(context, 401, 'open the link that `harness ui` printed');
    }
    return next();
  };
}

/** Cookies do not know ports: two servers must not take each other's. */
function cookieName(host: string): string {
  return `harness-${/:(\d+)$/.exec(host)?.[1] ?? '80'}`;
}

function foreign(context: Context, host: string): string | null {
  const origin = context.req.header('origin');
  const site = context.req.header('sec-fetch-site');
  const { method } = context.req;
  if (origin !== undefined && origin !== `http://${host}`) return 'asked by another page';
  if (site === 'cross-site' && (method !== 'GET' || context.req.path.startsWith('/api/')))
    return 'asked by another page';
  if (method === 'GET' || method === 'HEAD') return null;
  if (origin === undefined) return 'want an Origin';
  return /^application\/json\b/.test(context.req.header('content-type') ?? '') ? null : 'want JSON';
}

function cookieOf(context: Context, name: string): string {
  const all = (context.req.header('cookie') ?? '').split(/;\s*/);
  return all.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

function same(given: string, wanted: string): boolean {
  const [one, two] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === two.length && timingSafeEqual(one, two);
}

function refused(context: Context, status: 401 | 403 | 421, why: string): Response {
  return context.json({ error: why }, status);
}
