/**
 * One request to a collector. A collector that is busy is asked again after a while, as its specification says; what it refuses of a
 * request is counted, since sending it again would not help.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type Host, pause } from '../../machine/index.ts';

const TIMEOUT_MS = 30_000;
const MOST_ANSWER = 1_000_000;
const BUSY = [429, 502, 503, 504];
const WAITS_MS = [500, 2000, 5000];

export type PostResult =
  | { readonly ok: true; readonly rejected: number; readonly why: string }
  | { readonly ok: false; readonly message: string };

/** `path` is below the collector's address: `v1/logs`, `v1/traces` or `v1/metrics`. */
export async function postOtlp(
  http: Host['http'],
  collector: URL,
  path: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<PostResult> {
  const url = new URL(`${collector.pathname.replace(/\/$/, '')}/${path}`, collector).href;
  for (const wait of [...WAITS_MS, null]) {
    try {
      const request = {
        ...{ method: 'POST' as const, url, headers: { 'content-type': 'application/json' } },
        ...{ body: JSON.stringify(body), timeoutMs: TIMEOUT_MS, maxBytes: MOST_ANSWER },
      };
      const { status, body: answer } = await http(request, signal);
      if (status >= 200 && status < 300) return { ok: true, ...rejectedOf(answer) };
      if (!BUSY.includes(status) || wait === null) return { ok: false, message: `${url} answered ${status}` };
    } catch (thrown) {
      return { ok: false, message: `${url} cannot be reached: ${(thrown as Error).message}` };
    }
    if (!(await pause(wait, signal))) return { ok: false, message: 'interrupted' };
  }
  return { ok: false, message: `${url} is busy` };
}

/** A collector may take a part, and says so. */
function rejectedOf(answer: string): { rejected: number; why: string } {
  let said: Json = null;
  try {
    said = JSON.parse(answer) as Json;
  } catch {
    // Not JSON: all was taken.
  }
  const part = isJsonObject(said) && isJsonObject(said.partialSuccess) ? said.partialSuccess : {};
  const rejected = Number(part.rejectedSpans ?? part.rejectedLogRecords ?? part.rejectedDataPoints ?? 0);
  return { rejected, why: String(part.errorMessage ?? 'it does not say why') };
}
