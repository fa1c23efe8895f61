import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { compileRegex } from './regex.ts';

describe('regular expressions of policies', () => {
  it('are found anywhere in the text, unless anchored', () => {
    const compiled = compileRegex('mcp__.*');
    expect(compiled.ok && [compiled.test('x mcp__a'), compiled.test('mcp')]).toEqual([true, false]);
  });

  it('that RE2 does not have are refused with what is wrong [C044]', () => {
    expect(compileRegex('(')).toEqual({ ok: false, message: 'missing closing ): `(`' });
    expect(compileRegex('(?!a)')).toMatchObject({ ok: false });
  });

  it('take time by the text, whatever the pattern', () => {
    const compiled = compileRegex('(a+)+$');
    const began = cpuTime();
    expect(compiled.ok && compiled.test(`${'a'.repeat(5000)}b`)).toBe(false);
    expect(cpuTime() - began).toBeLessThan(1000);
  });
});
