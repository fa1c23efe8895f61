/**
 * JSON text into data, with the errors a person needs: line, column, what was wanted and what stands there. The fast way is the
 * platform's parser; only text it refuses is walked a second time to find the place.
 */
import type { Json } from './json.ts';

/** Deeper payloads are refused before anything that recurses over them can run out of stack. */
export const MAX_PAYLOAD_NESTING = 512;

export type JsonReading =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly line: number; readonly col: number };

export function readJson(text: string): JsonReading {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const deep = tooDeep(source);
  if (deep !== -1) return failure(source, deep, `nested deeper than ${MAX_PAYLOAD_NESTING} levels`);
  try {
    return { ok: true, value: JSON.parse(source) as Json };
  } catch {
    const { offset, wanted } = locate(source);
    return failure(source, offset, `wanted ${wanted}, got ${describe(source, offset)}`);
  }
}

/** The offset of the bracket that goes too deep, or -1. One pass over the text, no recursion. */
function tooDeep(text: string): number {
  if (text.length <= MAX_PAYLOAD_NESTING) return -1;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) {
      i = endOfString(text, i);
    } else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > MAX_PAYLOAD_NESTING) return i;
    } else if (unit === 0x5d || unit === 0x7d) {
      depth--;
    }
  }
  return -1;
}

/** The offset of the quote that closes the string opened at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Where text that is known to be wrong first goes wrong: the grammar, walked with a stack of its own. */
function locate(text: string): { offset: number; wanted: string } {
  const open: Array<'{' | '['> = [];
  let offset = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = offset;
    if (!pattern.test(text)) return false;
    offset = pattern.lastIndex;
    return true;
  };
  const take = (char: string): boolean => {
    skip(SPACE);
    if (text[offset] !== char) return false;
    offset++;
    return true;
  };
  // True after `{` and `[`, where the closing bracket may follow at once.
  let fresh = false;
  for (;;) {
    skip(SPACE);
    const inside = open.at(-1);
    const closing = inside === '{' ? '}' : ']';
    let closed = fresh && inside !== undefined && take(closing);
    if (!closed) {
      if (inside === '{') {
        skip(SPACE);
        const key = offset;
        if (!skip(STRING))
          return badString(text, key, fresh ? 'a key in double quotes or "}"' : 'a key in double quotes');
        if (!take(':')) return { offset, wanted: '":" after the key' };
        skip(SPACE);
      }
      const start = offset;
      const char = text[offset];
      if (char === '{' || char === '[') {
        open.push(char);
        offset++;
        fresh = true;
        continue;
      }
      if (!skip(STRING) && !skip(SCALAR)) return badString(text, start, 'a value');
    } else {
      open.pop();
    }
    // A value has ended: close whatever ends with it, then expect a comma or the end of the text.
    for (;;) {
      const around = open.at(-1);
      if (around === undefined) {
        skip(SPACE);
        return { offset, wanted: 'the end of the text' };
      }
      closed = take(around === '{' ? '}' : ']');
      if (!closed) break;
      open.pop();
    }
    if (!take(',')) return { offset, wanted: `"," or ${open.at(-1) === '{' ? '"}"' : '"]"'}` };
    fresh = false;
  }
}

/** A string that does not close or holds a raw control character goes wrong inside, not at its first quote. */
function badString(text: string, start: number, wanted: string): { offset: number; wanted: string } {
  if (text[start] !== '"') return { offset: start, wanted };
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i]!;
    if (char < ' ') return { offset: i, wanted: 'a closing quote (control characters must be escaped)' };
    if (char === '\\') {
      const known = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
      known.lastIndex = i;
      if (!known.test(text)) return { offset: i, wanted: 'a known escape such as \\n or \\u00e9' };
      i = known.lastIndex - 1;
    }
  }
  return { offset: text.length, wanted: 'a closing quote' };
}

function describe(text: string, offset: number): string {
  const point = text.codePointAt(offset);
  if (point === undefined) return 'the end of the text';
  if (point === 0x0a || point === 0x0d) return 'the end of the line';
  return point < 0x20
    ? `U+${point.toString(16).padStart(4, '0')}`
    : JSON.stringify(String.fromCodePoint(point));
}

function failure(text: string, offset: number, message: string): JsonReading {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const col = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  return { ok: false, message, line, col };
}
