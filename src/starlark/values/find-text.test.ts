import { describe, expect, it } from 'vitest';
import { Thread } from '../run/thread.ts';
import { indexOfText, lastIndexOfText, PartFinder } from './find-text.ts';

function* cases(): Generator<[text: string, part: string]> {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  for (let i = 0; i < 400; i++) {
    const letters = 1 + random(2);
    const make = (length: number): string =>
      Array.from({ length }, () => String.fromCharCode(97 + random(letters * (1 + random(2))))).join('');
    const unit = make(1 + random(90));
    const text = unit.repeat(1 + random(8)) + make(random(300)) + unit.repeat(random(4));
    const from = random(text.length);
    const part = random(3) === 0 ? make(1 + random(150)) : text.slice(from, from + 1 + random(200));
    yield [text, part];
  }
}

describe('substring search', () => {
  it('finds what the engine finds, forward and backward', () => {
    for (const [text, part] of cases()) {
      const thread = new Thread();
      expect(indexOfText(thread, text, part)).toBe(text.indexOf(part));
      expect(lastIndexOfText(thread, text, part)).toBe(text.lastIndexOf(part));
    }
  });

  it('finds every occurrence one after another, also after patience has run out', () => {
    for (const [text, part] of cases()) {
      const finder = new PartFinder(new Thread(), text, part);
      const wanted: number[] = [];
      for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) wanted.push(at);
      const found: number[] = [];
      for (let at = finder.after(0); at !== -1; at = finder.after(at + 1)) found.push(at);
      expect(found).toEqual(wanted);
      const back = new PartFinder(new Thread(), text, part, 'backward');
      const foundBack: number[] = [];
      for (let at = back.before(text.length); at !== -1; at = back.before(at + part.length - 1))
        foundBack.push(at);
      expect(foundBack).toEqual([...wanted].reverse());
    }
  });

  it('stays linear on text made to be slow', () => {
    const text = 'a'.repeat(400_000);
    const part = `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`;
    const before = process.cpuUsage();
    expect(indexOfText(new Thread(), text, part)).toBe(-1);
    expect(lastIndexOfText(new Thread(), text, `${'a'.repeat(200_000)}b`)).toBe(-1);
    expect(lastIndexOfText(new Thread(), text, `b${'a'.repeat(200_000)}`)).toBe(-1);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
