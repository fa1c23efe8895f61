import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD_NESTING, readJson } from './json-text.ts';

describe('reading JSON text', () => {
  it.each([
    ['', 1, 1, 'wanted a value, got the end of the text'],
    ['{', 1, 2, 'wanted a key in double quotes or "}", got the end of the text'],
    ['{"a":}', 1, 6, 'wanted a value, got "}"'],
    ['{"a" 1}', 1, 6, 'wanted ":" after the key, got "1"'],
    ['{"a":1,}', 1, 8, 'wanted a key in double quotes, got "}"'],
    ['{a:1}', 1, 2, 'wanted a key in double quotes or "}", got "a"'],
    ['[1,\n 2,\n oops]', 3, 2, 'wanted a value, got "o"'],
    ['[1 2]', 1, 4, 'wanted "," or "]", got "2"'],
    ['{"a":[1,{"b":2]}', 1, 15, 'wanted "," or "}", got "]"'],
    ['{} x', 1, 4, 'wanted the end of the text, got "x"'],
    ['"é\nb"', 1, 3, 'wanted a closing quote (control characters must be escaped), got the end of the line'],
    ['"abc', 1, 5, 'wanted a closing quote, got the end of the text'],
    ['"a\\x"', 1, 3, 'wanted a known escape such as \\n or \\u00e9, got "\\\\"'],
    ["{'a':1}", 1, 2, 'wanted a key in double quotes or "}", got "\'"'],
    ['NaN', 1, 1, 'wanted a value, got "N"'],
    ['01', 1, 2, 'wanted the end of the text, got "1"'],
    ['["😀" 1]', 1, 6, 'wanted "," or "]", got "1"'],
  ])('%j goes wrong at %i:%i', (text, line, col, message) => {
    expect(readJson(text)).toEqual({ ok: false, line, col, message });
  });

  it('refuses what is nested too deep, however deep, before parsing it', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(readJson(nested(MAX_PAYLOAD_NESTING)).ok).toBe(true);
    const message = `nested deeper than ${MAX_PAYLOAD_NESTING} levels`;
    const col = MAX_PAYLOAD_NESTING + 1;
    expect(readJson(nested(MAX_PAYLOAD_NESTING + 1))).toEqual({ ok: false, line: 1, col, message });
    expect(readJson(nested(100_000))).toEqual({ ok: false, line: 1, col, message });
  });

  it('brackets inside strings do not count as nesting', () => {
    const text = JSON.stringify({ a: `${'['.repeat(2000)}"\\` });
    expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it('a byte order mark is no error', () => {
    expect(readJson('\ufeff{}')).toEqual({ ok: true, value: {} });
  });

  it('a __proto__ key is data like any other', () => {
    const reading = readJson('{"__proto__":{"admin":true},"a":1}');
    expect(reading.ok && Object.keys(reading.value as object)).toEqual(['__proto__', 'a']);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it('agrees with the platform on every text, and always names a place inside it', () => {
    const soup = fc.string({
      unit: fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        'a',
        '1',
        '-',
        '.',
        'e',
        ' ',
        '\n',
        'true',
        'null',
      ),
      maxLength: 24,
    });
    fc.assert(
      fc.property(fc.oneof(soup, fc.json()), (text) => {
        const reading = readJson(text);
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {
          expect(reading.ok).toBe(false);
          if (!reading.ok) {
            const lines = text.split('\n');
            expect(reading.line).toBeLessThanOrEqual(lines.length);
            expect(reading.col).toBeLessThanOrEqual([...lines[reading.line - 1]!].length + 1);
          }
          return;
        }
        expect(reading).toEqual({ ok: true, value: parsed });
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a key that stands twice in one object', () => {
  it.each([
    ['{"a":1,"a":1}', 1, 8],
    ['{"x":{"b":[{"c":1, "c" : 2}]}}', 1, 20],
    ['{"\\u0061":1,\n"a":2}', 2, 1],
    ['{"__proto__":1,"__proto__":2}', 1, 16],
  ])('is refused with its place: %s', (text, line, col) => {
    expect(readJson(text)).toMatchObject({ ok: false, line, col, message: expect.stringContaining('twice') });
  });

  it('is none if the objects differ, or if it is inside a text', () => {
    for (const text of ['[{"a":1},{"a":2}]', '{"a":{"a":1}}', '{"a":"\\"a\\":1,\\"a\\":2"}', '[":",":"]']) {
      expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }
  });
});
