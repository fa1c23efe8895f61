import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { expandBraces, sizeOfBraces } from './braces.ts';
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
    matchPath('x', `${'{a,b}'.repeat(8)}{x,y}`);
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});

describe('braces of a pattern', () => {
  it.each([
    ['a{b,c}d', ['abd', 'acd']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['{a,b{c,d}}e', ['ae', 'bce', 'bde']],
    ['{,a}b', ['b', 'ab']],
    ['{a/b,c}/**', ['a/b/**', 'c/**']],
    ['{a}', ['{a}']],
    ['{a,{b}}', ['a', '{b}']],
    ['{a,{b,c}', ['{a,b', '{a,c']],
    ['a,b}{', ['a,b}{']],
    ['$\x7bHOME}/{a,b}', ['$\x7bHOME}/a', '$\x7bHOME}/b']],
  ])('%s stand for %j', (pattern, wanted) => {
    expect(expandBraces(pattern)).toEqual(wanted);
    const characters = wanted.join('').length;
    expect(sizeOfBraces(pattern)).toEqual({ alternatives: wanted.length, characters });
  });

  it.each([
    ['one list of many', `{${'a,'.repeat(100_000)}b}`],
    ['lists behind one another', '{a,b}'.repeat(40)],
    ['empty lists behind one another', '{,}'.repeat(2000)],
    ['lists inside one another', `${'{a,b'.repeat(30)}${'}{c,d}'.repeat(30)}`],
    ['few of long texts', `{${'a'.repeat(9000)},b}`.repeat(5)],
    ['a long text with a brace', `{a,b}${'x'.repeat(300_000)}`],
  ])('are refused before they are written out where they stand for too much: %s', (_, pattern) => {
    expect(expandBraces(pattern)).toBeNull();
    expect(sizeOfBraces(pattern)).toBeNull();
    expect(() => matchPath('x', pattern)).toThrow('braces stand for more than 1000 alternatives');
  });

  it('may be nested as deep as the pattern is long', () => {
    const n = 100_000;
    expect(expandBraces('{'.repeat(n))).toEqual(['{'.repeat(n)]);
    expect(expandBraces(`${'{'.repeat(n)}${'}'.repeat(n)}`)).toHaveLength(1);
    expect(expandBraces(`${'{a,'.repeat(900)}b${'}'.repeat(900)}`)).toHaveLength(901);
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
