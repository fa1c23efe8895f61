/**
 * A request to the domains somebody listed, redirects included: every hop is judged again, and credentials go only to the host
 * they were given for.
 */
import { judgeUrl } from './addresses.ts';
import type { HttpRequest, HttpResponse } from './host.ts';

export type OutgoingRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** `exchange` makes one hop; whatever it throws comes out. */
export async function followHttp(
  first: OutgoingRequest,
  { domains, redirects }: { readonly domains: readonly string[]; readonly redirects: number },
  exchange: (asked: OutgoingRequest) => Promise<HttpResponse>,
): Promise<HttpResponse | { readonly refused: string }> {
  let asked = first;
  let from: URL | undefined;
  for (let hops = 0; ; hops++) {
    const judged = judgeUrl(asked.url, domains, from);
    if (!judged.ok) return { refused: judged.message };
    const answer = await exchange({ ...asked, url: judged.url.href });
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
    if (hops >= redirects) return { refused: `more than ${redirects} redirects` };
    asked = redirected(asked, answer.status, location, judged.url);
    from = judged.url;
  }
}

function redirected(asked: OutgoingRequest, status: number, location: string, from: URL): OutgoingRequest {
  const sameOrigin = URL.canParse(location, from.href) && new URL(location, from).origin === from.origin;
  const { authorization: _a, cookie: _c, ...open } = asked.headers;
  const headers = sameOrigin ? asked.headers : open;
  if (status === 307 || status === 308) return { ...asked, url: location, headers };
  const { 'content-type': _t, ...bare } = headers;
  return { method: 'GET', url: location, headers: bare, body: null };
}
