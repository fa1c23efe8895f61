import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './spelling.ts';

describe('the nearest name', () => {
  it.each([
    ['froze', ['freeze', 'assert'], 'freeze'],
    ['lenght', ['length', 'len'], 'length'],
    ['on_eror', ['on_error', 'mode'], 'on_error'],
    ['Priority', ['priority'], 'priority'],
    ['strat', ['start', 'end'], 'start'],
    ['teh', ['the', 'ten'], 'the'],
    ['uper', ['lower', 'upper'], 'upper'],
  ])('to %s among %j is %s', (name, candidates, wanted) => {
    expect(nearest(name, candidates)).toBe(wanted);
  });

  it.each([
    ['a', ['f', 'b']],
    ['ab', ['cd']],
    ['kye', ['reverse']],
    ['tools', ['hooks']],
    ['payload', ['event', 'priority']],
    ['same', ['same']],
  ])('to %s among %j is none', (name, candidates) => {
    expect(nearest(name, candidates)).toBeUndefined();
  });

  it('is not looked for where no name is so long', () => {
    const began = performance.now();
    expect(nearest(`x${'a'.repeat(20_000)}`, ['a'.repeat(20_000)])).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('is suggested in brackets, or nothing is', () => {
    expect(didYouMean('froze', ['freeze'])).toBe(' (did you mean freeze?)');
    expect(didYouMean('a', ['f'])).toBe('');
  });
});
