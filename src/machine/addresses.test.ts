import { describe, expect, it } from 'vitest';
import { intersectDomains, judgeUrl, normaliseDomain } from './addresses.ts';

const may = (address: string, ...allowed: string[]) => judgeUrl(address, allowed).ok;

describe('[C065] which addresses a script may reach', () => {
  it('is none until a domain is listed, and then only what is listed', () => {
    expect(may('https://example.com/')).toBe(false);
    expect(may('https://example.com/', 'example.com')).toBe(true);
    expect(may('https://other.org/', 'example.com')).toBe(false);
  });

  it.each([
    ['a bare host matches itself and its sub-domains', 'http://api.example.com/', 'example.com', true],
    ['but not a host that only ends alike', 'http://badexample.com/', 'example.com', false],
    ['nor one that only begins alike', 'http://example.com.evil.org/', 'example.com', false],
    ['a wildcard matches sub-domains', 'http://a.b.example.com/', '*.example.com', true],
    ['but not the domain itself', 'http://example.com/', '*.example.com', false],
    ['a lone star matches every host', 'http://anything.test/', '*', true],
    ['case does not matter', 'HTTP://EXAMPLE.com/', 'example.com', true],
    ['nor does the port', 'http://example.com:8443/', 'example.com', true],
    ['nor a trailing dot', 'http://example.com./', 'example.com', true],
    ['an escaped host is unescaped first', 'http://ex%61mple.com/', 'example.com', true],
  ])('%s', (_, address, pattern, wanted) => {
    expect(may(address, pattern)).toBe(wanted);
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://127.0.0.1./',
  ])('refuses the IP address %s unless it or everything is allowed', (address) => {
    expect(judgeUrl(address, ['example.com', '0.0.1', '*.0.0.1', '10.0.0.1'])).toMatchObject({
      ok: false,
      message: expect.stringContaining('is an IP address'),
    });
    expect(may(address, '*')).toBe(true);
  });

  it('an address that is listed is that machine, however it is spelt, and nothing else', () => {
    const [four, six] = ['127.0.0.1', '[::1]'].map((text) => {
      const read = normaliseDomain(text);
      return read.ok ? read.pattern : '';
    });
    expect(may('http://2130706433:8080/x', four!)).toBe(true);
    expect(may('http://127.0.0.2/', four!)).toBe(false);
    expect(may('http://a.127.0.0.1/', four!)).toBe(false);
    expect(may('http://[0:0:0:0:0:0:0:1]/', six!)).toBe(true);
    expect(may('http://[::2]/', six!)).toBe(false);
    expect(normaliseDomain('*.10.0.0.1').ok).toBe(false);
    expect(intersectDomains(['10.0.0.1', 'example.com'], ['10.0.0.1'])).toEqual(['10.0.0.1']);
  });

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'data:,x', 'javascript:1'])(
    'refuses %s always',
    (address) => {
      expect(judgeUrl(address, ['*', 'example.com'])).toMatchObject({
        message: expect.stringContaining('only http: and https:'),
      });
    },
  );

  it('refuses a user name in the address, and what is no address', () => {
    expect(may('http://user@example.com/', 'example.com')).toBe(false);
    expect(may('http://example.com:pw@evil.org/', 'example.com')).toBe(false);
    expect(may('http://evil.org\\@example.com/', 'example.com')).toBe(false);
    expect(may('nonsense', '*')).toBe(false);
    expect(may('http://', '*')).toBe(false);
  });

  it('resolves a redirect against the address it came from and judges it alike', () => {
    const base = new URL('https://example.com/a/b');
    expect(judgeUrl('../c', ['example.com'], base)).toMatchObject({ ok: true });
    expect(judgeUrl('//evil.org/c', ['example.com'], base)).toMatchObject({ ok: false });
  });

  it('reads patterns as people write them and refuses what is no domain', () => {
    expect(normaliseDomain(' Example.COM. ')).toEqual({ ok: true, pattern: 'example.com' });
    expect(normaliseDomain('example.com:443')).toEqual({ ok: true, pattern: 'example.com' });
    expect(normaliseDomain('*.bücher.example')).toEqual({ ok: true, pattern: '*.xn--bcher-kva.example' });
    expect(normaliseDomain('::1')).toEqual(normaliseDomain('[::1]'));
    expect(normaliseDomain('2001:DB8::1')).toEqual({ ok: true, pattern: '[2001:db8::1]' });
    for (const bad of ['https://example.com', ':::', 'a:b:c', '', 'a b', '*.*.com', 'exa*mple.com']) {
      expect(normaliseDomain(bad).ok, bad).toBe(false);
    }
  });
});
