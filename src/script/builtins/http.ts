/**
 * `http`: outbound requests to the domains the project lists. Every hop of a redirect is judged again; time, size and
 * the number of hops are bounded.
 */

import { followHttp, type HttpResponse, type OutgoingRequest } from '../../machine/index.ts';
import {
  builtin,
  encodeJson,
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
import { type ScriptCall, scriptCallOf } from './reach.ts';

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
              body: text ? body : jsonBody(thread, body),
            },
            readTimeout('http.post', timeout, seconds),
          );
        },
        FLAGS,
      ),
    ],
  ]),
);

function jsonBody(thread: Thread, body: Value): string {
  const data = toJson(body, thread);
  // Charged piece by piece: what JSON.stringify writes cannot be known before.
  encodeJson(thread, 'http.post', body);
  return JSON.stringify(data);
}

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

async function send(
  thread: Thread,
  fn: string,
  first: OutgoingRequest,
  limitMs: number | null,
): Promise<Value> {
  const call = scriptCallOf(thread);
  const domains = call.domains ?? call.hook.layer?.allowedDomains ?? call.run.settings.allowedDomains;
  const { redirects } = SCRIPT_LIMITS;
  const answer = await followHttp(first, { domains, redirects }, async (asked) => {
    const hop = await exchange(fn, call, asked, limitMs);
    thread.charge(hop.body.length);
    return hop;
  });
  return 'refused' in answer ? fail(`${fn}: ${answer.refused}`) : response(answer);
}

async function exchange(
  fn: string,
  call: ScriptCall,
  asked: OutgoingRequest,
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

/** Plain data, so that it can be cached and encoded. */
function response({ status, headers, body }: HttpResponse): Value {
  return wrapJson({ status, ok: status >= 200 && status < 300, headers: { ...headers }, body });
}
