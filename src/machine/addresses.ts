/**
 * Which addresses may be reached: one reading of an address and one of a domain, for scripts (`network.allowed_domains`) and for the
 * webhooks of profiles (the operator's list). Addresses are compared by their parts as the URL parser reads them, never as
 * text; what cannot be judged by its name is refused.
 *
 * A domain stands for itself and its sub-domains, `*.domain` for the sub-domains alone, `*` for every host. An entry that is
 * a whole address (`https://ops.example.com/hooks`) stands for that host, that port and what is below that path.
 */
import { quote } from '../base/index.ts';

export type JudgedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly message: string };

/** An http address without a user name; `base` is the address a redirect came from. */
function readAddress(written: string, base?: URL): JudgedUrl {
  if (!URL.canParse(written, base?.href)) return refuse(`${quote(written)} is not a URL`);
  // The constructor normalises every odd spelling of a host before it is judged.
  const url = new URL(written, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return refuse(`${quote(url.protocol)} addresses are not allowed, only http: and https:`);
  }
  if (url.username !== '' || url.password !== '')
    return refuse('an address with a user name or password is not allowed');
  return { ok: true, url };
}

/** Whether a script may reach an address; judges one hop. Nothing is allowed until a domain is listed. */
export function judgeUrl(address: string, allowed: readonly string[], base?: URL): JudgedUrl {
  const read = readAddress(address, base);
  if (!read.ok) return read;
  const host = plainHost(read.url);
  if (host === '') return refuse(`${quote(address)} names no host`);
  if (allowed.length === 0) {
    return refuse(`${quote(host)} cannot be reached: network.allowed_domains lists no domain`);
  }
  if (isIpAddress(host) && !allowed.includes('*') && !allowed.includes(host)) {
    return refuse(
      `${quote(host)} is an IP address, which only network.allowed_domains can allow: by itself, or with "*"`,
    );
  }
  if (allowed.some((pattern) => fitsDomain(host, pattern))) return read;
  return refuse(`${quote(host)} is not in network.allowed_domains (${allowed.join(', ')})`);
}

/** Whether a webhook may have an address at all: https anywhere, http on this machine only. */
export function judgeWebhookUrl(written: string): JudgedUrl {
  return judgeSecureUrl(written, 'https://ops.example.com/audit');
}

/** An address to which something is sent that is not for everybody: https anywhere, http on this machine only. */
export function judgeSecureUrl(written: string, example: string): JudgedUrl {
  const read = readAddress(written);
  if (!read.ok) return refuse(`wanted an https address such as ${example}: ${read.message}`);
  const { url } = read;
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return refuse(`wanted https (http only for localhost), got http for ${url.hostname}`);
  }
  return read;
}

/** Names that stay on this machine, as a URL or the address of a server has them. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}

/** A domain as it is compared, or what is wrong with it. */
export function normaliseDomain(
  written: string,
): { ok: true; pattern: string } | { ok: false; message: string } {
  const given = written.trim();
  // In an address IPv6 stands in brackets; a list of hosts need not have them.
  const text = /^[\da-f.]*(?::[\da-f.]*){2,}$/i.test(given) ? `[${given}]` : given;
  if (text === '*') return { ok: true, pattern: '*' };
  const wildcard = text.startsWith('*.');
  const bracketed = /^\[[\da-f:.]+\](?::\d+)?$/i.test(text);
  const name = (wildcard ? text.slice(2) : text).replace(/:\d+$/, '').replace(/\.$/, '');
  const host = !bracketed && /[\s/@\\?#*:]/.test(name) ? '' : hostNamed(name);
  if (host === '' || host.split('.').includes('')) {
    return {
      ok: false,
      message: `${quote(text)} is not a domain: want example.com, *.example.com, an IP address or *`,
    };
  }
  if (isIpAddress(host) && wildcard)
    return { ok: false, message: `${quote(text)} is no domain: an address has no sub-domains` };
  return { ok: true, pattern: wildcard ? `*.${host}` : host };
}

/** As an address would hold it, so that the two can be compared: lower case, punycode. Empty for what is no host. */
function hostNamed(name: string): string {
  const address = `http://${name}`;
  return URL.canParse(address) ? new URL(address).hostname : '';
}

function plainHost(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.$/, '');
}

function fitsDomain(host: string, pattern: string): boolean {
  if (pattern === '*') return true;
  // An address is one machine: nothing stands below it.
  if (isIpAddress(pattern) || isIpAddress(host)) return host === pattern;
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1));
  return host === pattern || host.endsWith(`.${pattern}`);
}

/** What both lists allow. */
export function intersectDomains(a: readonly string[], b: readonly string[]): readonly string[] {
  const covered = (list: readonly string[], by: readonly string[]) =>
    list.filter((pattern) => by.some((wider) => covers(wider, pattern)));
  return [...new Set([...covered(a, b), ...covered(b, a)])];
}

function covers(wider: string, pattern: string): boolean {
  if (wider === '*' || wider === pattern) return true;
  if (pattern === '*') return false;
  const host = pattern.replace(/^\*\./, '');
  return pattern.startsWith('*.') && !wider.startsWith('*.') && host === wider
    ? true
    : fitsDomain(host, wider);
}

interface Rule {
  /** A domain, or null for an address, which is compared by its own parts. */
  readonly domain: string | null;
  readonly address: URL;
  /** Null: any. */
  readonly port: string | null;
}

export interface AllowList {
  readonly rules: readonly Rule[];
  /** Entries that cannot be understood and so allow nothing. */
  readonly problems: readonly string[];
}

/** Entries are separated by commas: a domain, with a port and a path or without, or a whole address. */
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

/** Whether a list has an entry for an address. */
export function allows(list: AllowList, url: URL): boolean {
  return list.rules.some(({ domain, address, port }) => {
    if (port !== null && port !== portOf(url)) return false;
    if (domain === null && address.protocol !== url.protocol) return false;
    const host = plainHost(url);
    if (domain === null ? plainHost(address) !== host : !fitsDomain(host, domain)) return false;
    const way = segments(url);
    return segments(address).every((segment, at) => segment === way[at]);
  });
}

function parseRule(entry: string): Rule | null {
  const whole = /^https?:\/\//i.test(entry);
  if (!whole && entry.includes('://')) return null;
  const read = readAddress(whole ? entry : `https://${entry}`);
  if (!read.ok || read.url.search !== '' || read.url.hash !== '') return null;
  const host = plainHost(read.url);
  const bare = host.replace(/^\*\./, '');
  if (bare === '' || (bare.includes('*') && host !== '*') || (whole && host !== bare && host !== '*'))
    return null;
  // An address stands for one port, a domain for all of them if it names none.
  const port = whole ? portOf(read.url) : read.url.port || null;
  return { domain: whole ? null : host, address: read.url, port };
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** Without the empty one behind a closing slash, which says nothing. */
function segments(url: URL): string[] {
  const parts = url.pathname.split('/').slice(1);
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts;
}

/** The URL parser has turned decimal, octal and hexadecimal spellings into dotted ones and put IPv6 in brackets. */
function isIpAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

function refuse(message: string): JudgedUrl {
  return { ok: false, message };
}
