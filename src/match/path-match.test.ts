import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileParts, isDisk, isWithin, matchPath, normalForm, partsOf } from './path-match.ts';

const CASES = parse(readFileSync(new URL('path-match.cases.yaml', import.meta.url), 'utf8')) as {
  readonly fits: [string, string][];
  readonly fits_not: [string, string][];
  readonly disks: string[];
};

describe('paths as guards ask about them', () => {
  it.each(CASES.fits)('%s fits %s', (path, glob) => {
    expect(matchPath(path, glob)).toBe(true);
  });

  it.each(CASES.fits_not)('%s does not fit %s', (path, glob) => {
    expect(matchPath(path, glob)).toBe(false);
  });

  it.each([
    ['/a/b', '/a', true],
    ['/a', '/a/', true],
    ['/ab', '/a', false],
    ['/a/../b', '/a', false],
    ['a/b', '.', true],
    ['../a', '.', false],
    ['/a', '.', false],
    ['/a', '/', true],
    ['/home/ann/x', '~', true],
    ['$HOME/x', '~', true],
    ['~/x', '/home', false],
  ])('%s within %s: %s', (path, folder, wanted) => {
    expect(isWithin(path, folder)).toBe(wanted);
  });

  it.each(CASES.disks)('%s is a disk', (path) => {
    expect(isDisk(path)).toBe(true);
  });

  it.each([
    '/dev/null',
    '/dev/fd0',
    '/dev/fd/1',
    '/dev/loop0',
    '/dev/tty',
    '/dev/shm/x',
    '/dev/stdout',
    'sda',
    '/x/dev/sda',
    '/dev/mapper/control',
  ])('%s is none', (path) => {
    expect(isDisk(path)).toBe(false);
  });

  it.each([
    ['$HOME', '~'],
    ['$HOMER/x', '$HOMER/x'],
    ['/', '/'],
    ['a/', 'a'],
    ['/../a', '/a'],
    ['', ''],
  ])('the normal form of %s is %s', (path, wanted) => {
    expect(normalForm(path)).toBe(wanted);
  });

  it('takes time in proportion to the two lengths, whatever they hold', () => {
    const before = process.cpuUsage();
    matchPath('a*'.repeat(20_000), '*b'.repeat(200));
    matchPath('[['.repeat(100_000), '[a'.repeat(100));
    matchPath('$\x7b'.repeat(100_000), '**/'.repeat(50));
    matchPath('x', '{a,b}'.repeat(40));
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});

describe('parts of paths', () => {
  const matches = (pattern: string, path: string) => compileParts(partsOf(pattern))(partsOf(path));

  it.each([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/b/c/d', true],
    ['/a/b', '/a/bc', false],
    ['/a/b', '/a', false],
    ['/a/*.ts', '/a/x.ts', true],
    ['/a/*.ts', '/a/b/x.ts', false],
    ['/a/**/*.ts', '/a/x.ts', true],
    ['/a/**/*.ts', '/a/b/c/x.ts', true],
    ['/**/.env', '/.env', true],
    ['/**/.env', '/p/q/.env', true],
    ['/**/.env', '/p/q/.envrc', false],
    ['/a/**', '/a/b', true],
    ['/a/**', '/b', false],
    ['/a/b', '/a/?', true],
  ])('%s holds for %s and below: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it('are without dots and doubled slashes, and never climb above the top', () => {
    expect(partsOf('/a/./b//c/../d')).toEqual(['a', 'b', 'd']);
    expect(partsOf('/../../etc')).toEqual(['etc']);
    expect(partsOf('C:\\x\\y')).toEqual(['C:', 'x', 'y']);
  });

  it('are not slow on a pattern made to be', () => {
    const before = process.cpuUsage();
    expect(matches('/**/a/**/a/**/a/**/a/**/b', `/${'a/'.repeat(2000)}c`)).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
