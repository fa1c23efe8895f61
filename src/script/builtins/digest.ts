/**
 * `hash` and `base64`: pure functions of text. `hash(x)` alone stays what the language says it is.
 */

import { fromBase64, sha256Hex, toBase64 } from '../../base/index.ts';
import {
  builtin,
  Callable,
  fail,
  Module,
  type Thread,
  UNIVERSE,
  type Value,
  wantString,
} from '../../starlark/index.ts';
import { CallableModule } from './callable-module.ts';

export const HASH = new CallableModule(
  'hash',
  'x, /',
  (thread, x) => {
    const plain = UNIVERSE.get('hash');
    if (!(plain instanceof Callable)) return fail('hash: not available');
    return plain.direct(thread, x) as Value;
  },
  {},
  new Map<string, Value>([
    [
      'sha256',
      builtin('hash.sha256', 'text', (thread, text) => {
        return sha256Hex(spent(thread, wantString('hash.sha256', 'text', text)));
      }),
    ],
  ]),
);

export const BASE64 = new Module(
  'base64',
  new Map<string, Value>([
    [
      'encode',
      builtin('base64.encode', 'text', (thread, text) => {
        const bytes = new TextEncoder().encode(spent(thread, wantString('base64.encode', 'text', text)));
        return toBase64(bytes);
      }),
    ],
    [
      'decode',
      builtin('base64.decode', 'text', (thread, text) => {
        return decode(spent(thread, wantString('base64.decode', 'text', text)));
      }),
    ],
  ]),
);

function decode(text: string): string {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) fail('base64.decode: for parameter text: not base64');
  const bytes = fromBase64(text);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('base64.decode: for parameter text: what it encodes is not UTF-8 text');
  }
}

function spent(thread: Thread, text: string): string {
  thread.spend(1 + (text.length >> 4));
  // Three bytes of UTF-8 for a character, and four letters for them.
  thread.charge(7 * text.length);
  return text;
}
