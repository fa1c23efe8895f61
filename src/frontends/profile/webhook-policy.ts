/**
 * Where the webhook of a profile may post to. Addresses are compared by their parts as the URL parser reads them, never
 * as text: `https://ops.example.com.evil.test` is not below `https://ops.example.com`.
 */

export type JudgedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly message: string };

/** https anywhere, http on this machine only. */
export function judgeWebhookUrl(written: string): JudgedUrl {
  if (!URL.canParse(written)) return refuse('wanted a URL such as https://ops.example.com/audit');
  const url = new URL(written);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`wanted an https address, got ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('an address with a user name or password is not allowed');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return refuse(`wanted https (http only for localhost), got http for ${url.hostname}`);
  }
  return { ok: true, url };
}

/** Names that stay on this machine, in the one spelling the URL parser leaves. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

interface Rule {
  /** Null where the entry names none, which then fits any. */
  readonly protocol: string | null;
  readonly host: string;
  /** `*.example.com`: the sub-domains and not the domain itself. */
  readonly below: boolean;
  readonly port: string | null;
  readonly path: readonly string[];
}

export interface AllowList {
  readonly rules: readonly Rule[];
  /** Entries that cannot be understood and so allow nothing. */
  readonly problems: readonly string[];
}

/** Entries are separated by commas: a host, `*.host`, or an address with a path that everything below fits. */
export function parseAllowList(written: string): AllowList {
  const rules: Rule[] = [];
  const problems: string[] = [];
  for (const entry of written.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const rule = parseRule(entry);
    if (rule === null) problems.push(`${JSON.stringify(entry)} is neither a host nor an https address`);
    else rules.push(rule);
  }
  return { rules, problems };
}

export function allows(list: AllowList, url: URL): boolean {
  return list.rules.some((rule) => fits(rule, url));
}

function parseRule(entry: string): Rule | null {
  const whole = /^https?:\/\//i.test(entry);
  if (!whole && entry.includes('://')) return null;
  const address = whole ? entry : `https://${entry}`;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null;
  const below = url.hostname.startsWith('*.');
  const host = hostOf(below ? url.hostname.slice(2) : url.hostname);
  if (host === '' || (host.includes('*') && host !== '*')) return null;
  return {
    protocol: whole ? url.protocol : null,
    host,
    below,
    // An address stands for one port, a bare host for all of them unless it names one.
    port: whole ? portOf(url) : url.port || null,
    path: segments(url),
  };
}

function fits({ protocol, host, below, port, path }: Rule, url: URL): boolean {
  if (protocol !== null && protocol !== url.protocol) return false;
  if (port !== null && port !== portOf(url)) return false;
  const name = hostOf(url.hostname);
  if (below ? !name.endsWith(`.${host}`) : host !== '*' && name !== host) return false;
  const way = segments(url);
  return path.every((segment, at) => segment === way[at]);
}

function hostOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** Without the empty one behind a closing slash, which says nothing. */
function segments(url: URL): string[] {
  const parts = url.pathname.split('/').slice(1);
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts;
}

function refuse(message: string): JudgedUrl {
  return { ok: false, message };
}
