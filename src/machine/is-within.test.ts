import { expect, it } from 'vitest';
import { isWithin } from './is-within.ts';

it.each([
  ['/a/b', '/a/b', true],
  ['/a/b/c', '/a/b', true],
  ['/a/b/c', '/a/b/', true],
  ['/a/b/..c', '/a/b', true],
  ['/a', '/', true],
  ['/a/bc', '/a/b', false],
  ['/a', '/a/b', false],
  ['/a/b/../c', '/a/b', false],
  ['/a/c/../b/d', '/a/b', true],
  ['/a/b/c', '/a/x/../b', true],
  ['b', '/a', false],
])('%s is within %s: %s', (path, folder, within) => {
  expect(isWithin(path, folder)).toBe(within);
});
