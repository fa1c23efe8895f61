/**
 * String and bytes literals as `repr` writes them: in double quotes, escaped so that the text shows what is there.
 */
import { TextBuilder } from './text-builder.ts';

const PLAIN = /^[ !#-[\]-~]*$/;
const SPECIAL = /[^ !#-[\]-~]/gu;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);

/** What stands between the quotes. */
export function escapeText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(SPECIAL, escaped);
}

/** Bytes that are valid UTF-8 show as text, all others as `\xNN`. */
export function quoteBytes(data: Uint8Array): string {
  const out = new TextBuilder();
  out.add('b"');
  for (let at = 0; at < data.length; ) {
    const size = sequenceLength(data, at);
    if (size === 0) out.add(`\\x${hex(data[at++]!, 2)}`);
    else out.add(escaped(STRICT.decode(data.subarray(at, (at += size)))));
  }
  out.add('"');
  return out.finish();
}

function escaped(char: string): string {
  const code = char.codePointAt(0)!;
  const short = SHORT_ESCAPES.get(code);
  if (short !== undefined) return short;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code < 0x7f || PRINTABLE.test(char)) return char;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

// Without `ignoreBOM` a leading U+FEFF would vanish.
const STRICT = new TextDecoder('utf-8', { ignoreBOM: true });

/** How many bytes of valid UTF-8 make the code point at an offset; 0 where there is none. */
export function sequenceLength(data: Uint8Array, at: number): number {
  const first = data[at]!;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + size > data.length) return 0;
  for (let i = 1; i < size; i++) if ((data[at + i]! & 0xc0) !== 0x80) return 0;
  // Overlong forms, surrogates, and code points past U+10FFFF.
  const second = data[at + 1]!;
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  return size;
}
