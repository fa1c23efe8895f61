/**
 * `http`: outbound requests to the domains the project lists. Every hop of a redirect is judged again; time, size and
 * the number of hops are bounded.
 */

import { judgeUrl } from '../../base/addresses.ts';
import type { HttpRequest, HttpResponse } from '../../base/host.ts';
import {
  builtin,
  Float,
  fail,
  Module,
  StarlarkError,
  type Thread,
  toJson,
  type Value,
  wantDict,
  wantNumber,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';
import { SCRIPT_LIMITS } from '../script-limits.ts';
import { reach, type ScriptCall } from './reach.ts';

const FLAGS = { pure: false, async: true };

export const HTTP = new Module(
  'http',
  new Map<string, Value>([
    [
      'get',
      builtin(
        'http.get',
        'url, headers=None, timeout=None, *, timeout_seconds=None',
        (thread, url, headers, timeout, seconds) =>
          send(
            thread,
            'http.get',
            {
              method: 'GET',
              url: wantString('http.get', 'url', url),
              headers: readHeaders('http.get', headers),
              body: null,
            },
            readTimeout('http.get', timeout, seconds),
          ),
        FLAGS,
      ),
    ],
    [
      'post',
      builtin(
        'http.post',
        'url, body="", headers=None, timeout=None, *, timeout_seconds=None',
        (thread, url, body, headers, timeout, seconds) => {
          const text = typeof body === 'string';
          const type = text ? 'text/plain; charset=utf-8' : 'application/json';
          return send(
            thread,
            'http.post',
            {
              method: 'POST',
              url: wantString('http.post', 'url', url),
              headers: { 'content-type': type, ...readHeaders('http.post', headers) },
              body: text ? body : JSON.stringify(toJson(body, thread)),
            },
            readTimeout('http.post', timeout, seconds),
          );
        },
        FLAGS,
      ),
    ],
  ]),
);

/** Set by the client itself, or able to point the request somewhere else than was judged. */
const RESERVED = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
]);

function readHeaders(fn: string, headers: Value): Record<string, string> {
  const read: Record<string, string> = Object.create(null);
  if (headers === null) return read;
  wantDict(fn, 'headers', headers).forEach((key, value) => {
    const name = wantString(fn, 'headers', key).toLowerCase();
    if (RESERVED.has(name)) fail(`${fn}: for parameter headers: ${JSON.stringify(name)} cannot be set`);
    read[name] = wantString(fn, `headers[${JSON.stringify(name)}]`, value);
  });
  return read;
}

/** Seconds, under either name; null if none is given. It can only shorten what the call has anyway. */
function readTimeout(fn: string, timeout: Value, seconds: Value): number | null {
  const given = timeout ?? seconds;
  if (given === null) return null;
  const number = wantNumber(fn, timeout === null ? 'timeout_seconds' : 'timeout', given);
  const value = number instanceof Float ? number.value : Number(number);
  if (!(value > 0)) return fail(`${fn}: for parameter timeout: want seconds above 0`);
  return value * 1000;
}

type Asked = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>;

async function send(thread: Thread, fn: string, first: Asked, limitMs: number | null): Promise<Value> {
  const call = reach(thread);
  const allowedDomains = call.domains ?? call.hook.layer?.allowedDomains ?? call.run.settings.allowedDomains;
  let asked = first;
  let from: URL | undefined;
  for (let hops = 0; ; hops++) {
    const judged = judgeUrl(asked.url, allowedDomains, from);
    if (!judged.ok) return fail(`${fn}: ${judged.message}`);
    const answer = await exchange(fn, call, { ...asked, url: judged.url.href }, limitMs);
    thread.charge(answer.body.length);
    const location = answer.headers.location;
    if (!REDIRECTS.has(answer.status) || location === undefined) return response(answer);
    if (hops >= SCRIPT_LIMITS.redirects) return fail(`${fn}: more than ${SCRIPT_LIMITS.redirects} redirects`);
    asked = redirected(asked, answer.status, location, judged.url);
    from = judged.url;
  }
}

async function exchange(
  fn: string,
  call: ScriptCall,
  asked: Asked,
  limitMs: number | null,
): Promise<HttpResponse> {
  const { maxBytes, timeoutMs } = SCRIPT_LIMITS.http;
  const request = {
    ...asked,
    maxBytes,
    timeoutMs: Math.min(timeoutMs, call.timeoutMs, limitMs ?? timeoutMs),
  };
  try {
    return await call.host.http(request, call.signal ?? new AbortController().signal);
  } catch (thrown) {
    if (thrown instanceof StarlarkError) throw thrown;
    return fail(
      `${fn}: ${asked.url}: ${thrown instanceof Error ? thrown.message || thrown.name : String(thrown)}`,
    );
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirected(asked: Asked, status: number, location: string, from: URL): Asked {
  const sameOrigin = URL.canParse(location, from.href) && new URL(location, from).origin === from.origin;
  const { authorization: _a, cookie: _c, ...open } = asked.headers;
  // Credentials were meant for the host they were given for.
  const headers = sameOrigin ? asked.headers : open;
  if (status === 307 || status === 308) return { ...asked, url: location, headers };
  const { 'content-type': _t, ...bare } = headers;
  return { method: 'GET', url: location, headers: bare, body: null };
}

/** Plain data, so that it can be cached and encoded. */
function response({ status, headers, body }: HttpResponse): Value {
  return wrapJson({ status, ok: status >= 200 && status < 300, headers: { ...headers }, body });
}
