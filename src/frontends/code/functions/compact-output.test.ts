import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactOutput } from './compact-output.ts';

const lines = (count: number, line = (n: number) => `line ${n} of the output`) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

describe('compacting long output', () => {
  it('[C098] leaves what is within the limit', () => {
    expect(compactOutput('x'.repeat(4000), 4000)).toBeNull();
    expect(compactOutput('ä'.repeat(2001), 4000)).not.toBeNull();
  });

  it('[C098] [C099] a limit with room for nothing else keeps the beginning, and says what is gone', () => {
    for (const limit of [0, 2, 3, 10, 199]) {
      const { text, droppedBytes } = compactOutput('ä'.repeat(2000), limit)!;
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
      expect(text).toMatch(limit < 3 ? /^$/ : /^ä*…$/);
      expect(droppedBytes).toBe(4000 - Buffer.byteLength(text.replace('…', '')));
    }
  });

  it('[C098] keeps whole lines of the beginning and of the end', () => {
    const text = lines(1000);
    const { text: shorter } = compactOutput(text, 1000)!;
    expect(shorter.split('\n').filter((line) => !line.startsWith('[…'))).toSatisfy((kept: string[]) =>
      kept.every((line) => text.split('\n').includes(line)),
    );
    expect(shorter.startsWith('line 0 ')).toBe(true);
    expect(shorter.endsWith('line 999 of the output')).toBe(true);
  });

  it('[C098] keeps lines between that look like diagnostics, at most 32', () => {
    const text = lines(2000, (n) =>
      n % 20 === 10 ? `src/a.ts:${n}: error: no ${n}` : `compiling module ${n}`,
    );
    const few = compactOutput(text, 1000)!.text;
    expect(few).toContain('error: no 210');
    const many = compactOutput(text, 20_000)!.text;
    const between = many.slice(many.indexOf('[…'), many.lastIndexOf('[…'));
    expect(between.match(/error: no/g)).toHaveLength(32);
  });

  it('[C099] says how many bytes are gone: what is dropped and what is kept make the whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('plain text', 'an error here', 'ünïcödé 😀', ''), {
          minLength: 60,
          maxLength: 400,
        }),
        fc.integer({ min: 200, max: 900 }),
        (given, limit) => {
          const text = given.join('\n');
          const compacted = compactOutput(text, limit);
          if (compacted === null) return Buffer.byteLength(text) <= limit;
          expect(Buffer.byteLength(compacted.text)).toBeLessThanOrEqual(limit);
          expect(compacted.droppedBytes).toBeGreaterThan(0);
          expect(compacted.text).toContain(`${compacted.droppedBytes} bytes left out`);
          expect(compacted.text).not.toContain('\uFFFD');
          return true;
        },
      ),
    );
  });

  it('cuts one endless line between characters', () => {
    const compacted = compactOutput('😀'.repeat(5000), 300)!;
    expect(compacted.text).toMatch(/^(?:😀)+\n\[… \d+ bytes left out …\]\n(?:😀)+$/u);
    expect(Buffer.byteLength(compacted.text)).toBeLessThanOrEqual(300);
  });
});
