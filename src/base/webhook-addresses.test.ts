import { describe, expect, it } from 'vitest';
import { allows, judgeUrl, judgeWebhookUrl, parseAllowList } from '../machine/addresses.ts';

describe('the address of a webhook', () => {
  it.each([
    'https://ops.example.com/audit',
    'https://ops.example.com:8443/audit?x=1',
    'http://localhost:9999/x',
    'http://127.0.0.1/x',
    'http://[::1]:80/x',
    // The URL parser reads this as 127.0.0.1.
    'http://2130706433/x',
  ])('[C131] %s is accepted', (url) => {
    expect(judgeWebhookUrl(url).ok).toBe(true);
  });

  it.each([
    ['http://ops.example.com/audit', 'wanted https'],
    ['http://localhost.example.com/x', 'wanted https'],
    ['http://127.0.0.1.example.com/x', 'wanted https'],
    ['http://192.168.0.1/x', 'wanted https'],
    ['ftp://ops.example.com/x', '"ftp:" addresses are not allowed'],
    ['file:///etc/passwd', '"file:" addresses are not allowed'],
    ['https://user:pass@ops.example.com/', 'user name or password'],
    ['http://localhost@evil.example.com/', 'user name or password'],
    ['ops.example.com/audit', 'is not a URL'],
    ['', 'is not a URL'],
  ])('[C131] %s is refused', (url, message) => {
    const judged = judgeWebhookUrl(url);
    expect(judged.ok ? '' : judged.message).toContain(message);
  });
});

describe('the allow-list of the operator', () => {
  const reaches = (list: string, url: string) => allows(parseAllowList(list), new URL(url));

  it.each([
    ['https://ops.example.com/', 'https://ops.example.com/audit', true],
    ['https://ops.example.com', 'https://ops.example.com/audit', true],
    ['https://OPS.example.com', 'https://ops.EXAMPLE.com./audit', true],
    ['ops.example.com', 'https://ops.example.com:8443/audit', true],
    ['ops.example.com:8443', 'https://ops.example.com:8443/audit', true],
    ['*.example.com', 'https://a.b.example.com/x', true],
    ['*', 'https://anything.test/x', true],
    // As in network.allowed_domains: a domain is its sub-domains too, an address is one host.
    ['example.com', 'https://ops.example.com/x', true],
    ['https://example.com', 'https://ops.example.com/x', false],
    ['https://ops.example.com/hooks', 'https://ops.example.com/hooks', true],
    ['https://ops.example.com/hooks/', 'https://ops.example.com/hooks/a/b', true],
    ['https://other.test, https://ops.example.com', 'https://ops.example.com/x', true],
    // What a comparison of texts would have let through.
    ['https://ops.example.com', 'https://ops.example.com.evil.test/x', false],
    ['https://ops.example.com', 'https://ops.example.community/x', false],
    ['https://ops.example.com/hooks', 'https://ops.example.com/hooks-evil', false],
    ['https://ops.example.com/hooks', 'https://ops.example.com/hooks/../admin', false],
    ['https://ops.example.com/hooks', 'https://ops.example.com/hooks/%2e%2e/admin', false],
    ['https://ops.example.com', 'https://ops.example.com:8443/x', false],
    ['ops.example.com', 'https://evil.test/ops.example.com', false],
    ['*.example.com', 'https://example.com/x', false],
    ['*.example.com', 'https://badexample.com/x', false],
    ['https://localhost', 'http://localhost/x', false],
  ])('[C130] with %j, %s: %s', (list, url, expected) => {
    expect(reaches(list, url)).toBe(expected);
  });

  it('an entry that cannot be understood is named and allows nothing', () => {
    const list = parseAllowList('ftp://ops.example.com, https://a*b.test, user@host.test, ok.test');
    expect(list.problems).toHaveLength(3);
    expect(list.problems[0]).toContain('"ftp://ops.example.com"');
    expect(list.rules).toHaveLength(1);
    expect(allows(list, new URL('https://ops.example.com/x'))).toBe(false);
  });

  it.each([
    ['example.com', 'https://example.com/'],
    ['example.com', 'https://a.example.com/'],
    ['example.com', 'https://badexample.com/'],
    ['*.example.com', 'https://example.com/'],
    ['*.example.com', 'https://a.b.example.com/'],
    ['*', 'https://anything.test/'],
  ])('says of %s and %s what network.allowed_domains says', (domain, url) => {
    expect(reaches(domain, url)).toBe(judgeUrl(url, [domain]).ok);
  });
});
