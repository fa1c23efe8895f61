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

  it('to a name of any length, among candidates of any number and length, is found or given up at once', () => {
    const before = process.cpuUsage().user;
    const long = 'a'.repeat(30_000);
    expect(nearest(long, [`${long}b`])).toBeUndefined();
    expect(nearest('froze', [`${long}b`, 'freeze'])).toBe('freeze');
    expect(nearest('x'.repeat(64), ['İ'.repeat(64), `${'x'.repeat(63)}y`])).toBe(`${'x'.repeat(63)}y`);
    let asked = 0;
    function* endless(): Generator<string> {
      for (;;) yield `name_number_${asked++}`;
    }
    expect(nearest('name_nomber_7', endless())).toBe('name_number_7');
    expect(asked).toBeLessThan(10_000);
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
  });

  it('is suggested in brackets, or nothing is', () => {
    expect(didYouMean('froze', ['freeze'])).toBe(' (did you mean freeze?)');
    expect(didYouMean('a', ['f'])).toBe('');
  });
});
