/**
 * Which addresses a script may reach. Nothing is allowed until a domain is listed; an address that cannot be judged by
 * its name is refused.
 */
import { quote } from '../base/text.ts';

export type Judged =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly message: string };

/** Judges one hop. `base` is the address a redirect came from. */
export function judgeUrl(address: string, allowed: readonly string[], base?: URL): Judged {
  // URL.canParse came with Node 20; the constructor normalises every odd spelling of a host before it is judged.
  if (!URL.canParse(address, base?.href)) return refuse(`${quote(address)} is not a URL`);
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return refuse(`${quote(url.protocol)} addresses are not allowed, only http: and https:`);
  }
  if (url.username !== '' || url.password !== '')
    return refuse('an address with a user name or password is not allowed');
  const host = url.hostname.replace(/\.$/, '').toLowerCase();
  if (host === '') return refuse(`${quote(address)} names no host`);
  if (allowed.length === 0) {
    return refuse(`${quote(host)} cannot be reached: network.allowed_domains lists no domain`);
  }
  if (isAddress(host) && !allowed.includes('*') && !allowed.includes(host)) {
    return refuse(
      `${quote(host)} is an IP address, which only network.allowed_domains can allow: by itself, or with "*"`,
    );
  }
  if (allowed.some((pattern) => matches(host, pattern))) return { ok: true, url };
  return refuse(`${quote(host)} is not in network.allowed_domains (${allowed.join(', ')})`);
}

/** A pattern as it is compared, or what is wrong with it. */
export function normaliseDomain(
  written: string,
): { ok: true; pattern: string } | { ok: false; message: string } {
  const text = written.trim();
  if (text === '*') return { ok: true, pattern: '*' };
  const wildcard = text.startsWith('*.');
  const bracketed = /^\[[\da-f:.]+\](?::\d+)?$/i.test(text);
  const name = (wildcard ? text.slice(2) : text).replace(/:\d+$/, '').replace(/\.$/, '');
  const host = !bracketed && /[\s/@\\?#*:]/.test(name) ? '' : hostOf(name);
  if (host === '' || host.split('.').includes('')) {
    return { ok: false, message: `${quote(text)} is not a domain: want example.com, *.example.com or *` };
  }
  if (isAddress(host) && wildcard)
    return { ok: false, message: `${quote(text)} is no domain: an address has no sub-domains` };
  return { ok: true, pattern: wildcard ? `*.${host}` : host };
}

/** As an address would hold it, so that the two can be compared: lower case, punycode. Empty for what is no host. */
function hostOf(name: string): string {
  const address = `http://${name}`;
  return URL.canParse(address) ? new URL(address).hostname : '';
}

function matches(host: string, pattern: string): boolean {
  if (pattern === '*') return true;
  // An address is one machine: nothing stands below it.
  if (isAddress(pattern) || isAddress(host)) return host === pattern;
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
  return pattern.startsWith('*.') && !wider.startsWith('*.') && host === wider ? true : matches(host, wider);
}

/** The URL parser has turned decimal, octal and hexadecimal spellings into dotted ones and put IPv6 in brackets. */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

function refuse(message: string): Judged {
  return { ok: false, message };
}
