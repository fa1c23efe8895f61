import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { compileShape, prefixesOf } from './shape.ts';

const end = (shape: string, text: string, at = 0) => compileShape(shape).match(text, at);

describe('a shape', () => {
  it('is matched at one place: literals, classes, counts, groups', () => {
    expect(end('ghp_[A-Za-z0-9]{3}', 'ghp_aB9')).toBe(7);
    expect(end('ghp_[A-Za-z0-9]{3}', 'x ghp_aB9', 2)).toBe(9);
    expect(end('ghp_[A-Za-z0-9]{3}', 'ghp_aB-')).toBe(-1);
    expect(end('s(k|rk)?_[a-f]{1,}', 's_abc!')).toBe(5);
    expect(end('s(k|rk)?_[a-f]{1,}', 'srk_a')).toBe(5);
    expect(end('([0-9]{2}-){2}x', '12-34-x')).toBe(7);
    expect(end('a\\.b\\$', 'a.b$')).toBe(4);
    expect(end('ab{2}c', 'abbc')).toBe(4);
    expect(end('ab?c', 'ac')).toBe(2);
    expect(end('[a-z_-]{3}', 'a_-')).toBe(3);
  });

  it('takes all a run can have, and never goes back', () => {
    expect(end('[ab]{1,}b', 'aab')).toBe(-1);
    expect(end('[a]{1,2}', 'aaa')).toBe(2);
  });

  it('fits a part if one of its alternatives does', () => {
    const { fits } = compileShape('[a-f]{4}|[a-f]{8}');
    expect([fits('abcdefab', 0, 8), fits('abcd', 0, 4), fits('abcdef', 0, 6)]).toEqual([true, true, false]);
  });

  it('knows what would go on with it', () => {
    const { continues } = compileShape('x[a-c-]{2}');
    expect(['a', '-', 'd', 'é'].map((char) => continues(char.charCodeAt(0)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(compileShape('[a]{2}x').continues(97)).toBe(false);
  });

  it('begins with literal texts, by which it is found', () => {
    expect(prefixesOf('ghp_[a-z]{3}')).toEqual(['ghp_']);
    expect(prefixesOf('gh[po]_[a-z]{3}')).toEqual(['gho_', 'ghp_']);
    expect(prefixesOf('(sk|rk)_(live|test)_[a-z]{3}')).toContain('rk_test_');
    expect(prefixesOf('SG\\.[a-z]{3}')).toEqual(['SG.']);
    expect(prefixesOf('[a-z]{3}x')).toEqual(['']);
  });

  it.each(['a.b', 'a*', '(a', '[a', 'a)', 'a{2', '\\d', 'a{x}'])(
    'outside the language is an error: %s',
    (shape) => {
      expect(() => compileShape(shape)).toThrow(/^shape /);
    },
  );

  it('takes time that grows with the text, whatever both are', () => {
    const shape = compileShape('([a-f]{1,}-?){1,}x');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'f', '-') }), (text) => {
        expect(shape.match(text, 0)).toBe(-1);
      }),
    );
    const began = cpuTime();
    shape.match('abcdef-'.repeat(50_000), 0);
    expect(cpuTime() - began).toBeLessThan(1000);
  });
});
