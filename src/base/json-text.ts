/**
 * JSON text into data, with the errors a person needs: line, column, what was wanted and what was there. The fast way is the
 * platform's parser; only text it refuses is walked a second time to find the place. A key that stands twice in one object
 * is refused: two programs would read two different things.
 */
import type { Json, JsonObject } from './json.ts';

/** Deeper payloads are refused before anything that recurses over them can run out of stack. */
export const MAX_PAYLOAD_NESTING = 512;

export type JsonReading =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly line: number; readonly col: number };

/** `repeats`: the caller looks for repeated keys itself, and the last one counts. */
export function readJson(text: string, { repeats = false } = {}): JsonReading {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const { deep, members } = survey(source);
  if (deep !== -1) return failure(source, deep, `nested deeper than ${MAX_PAYLOAD_NESTING} levels`);
  let value: Json;
  try {
    value = JSON.parse(source) as Json;
  } catch {
    const { offset, wanted } = locate(source);
    return failure(source, offset, `wanted ${wanted}, got ${describe(source, offset)}`);
  }
  if (repeats || members === countKeys(value)) return { ok: true, value };
  const { offset, key } = secondKey(source);
  return failure(source, offset, `the key ${JSON.stringify(key)} stands twice in one object`);
}

interface Survey {
  /** The offset of the bracket that goes too deep, or -1. */
  readonly deep: number;
  /** How many keys are written. */
  readonly members: number;
}

/** One pass over the text, no recursion. */
function survey(text: string): Survey {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) {
      i = endOfString(text, i);
    } else if (unit === 0x3a) {
      members++;
    } else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > MAX_PAYLOAD_NESTING) return { deep: i, members };
    } else if (unit === 0x5d || unit === 0x7d) {
      depth--;
    }
  }
  return { deep: -1, members };
}

/** How many keys were kept; the depth is known to be bounded. */
function countKeys(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item);
    return count;
  }
  const object = value as JsonObject;
  for (const key of Object.keys(object)) {
    count++;
    const item = object[key]!;
    if (typeof item === 'object') count += countKeys(item);
  }
  return count;
}

/** Where a key stands for the second time, in text that is known to have one. */
function secondKey(text: string): { offset: number; key: string } {
  const open: (Set<string> | null)[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x7b) open.push(new Set());
    else if (unit === 0x5b) open.push(null);
    else if (unit === 0x5d || unit === 0x7d) open.pop();
    else if (unit === 0x22) {
      const start = i;
      i = endOfString(text, start);
      const keys = open.at(-1);
      if (!keys || !/^[ \t\r\n]*:/.test(text.slice(i + 1, i + 64))) continue;
      const key = JSON.parse(text.slice(start, i + 1)) as string;
      if (keys.has(key)) return { offset: start, key };
      keys.add(key);
    }
  }
  return { offset: 0, key: '' };
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
