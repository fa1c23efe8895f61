/**
 * Literals as values.
 */

import type { Literal } from '../syntax/ast.ts';
import { Bytes } from '../values/bytes.ts';
import { Float, type Value } from '../values/value.ts';

export function literalValue(e: Literal): Value {
  switch (e.type) {
    case 'float':
      return new Float(e.value as number);
    case 'bytes':
      return new Bytes(e.value as Uint8Array);
    default:
      return typeof e.value === 'string' ? ownText(e.value) : (e.value as number | bigint);
  }
}

/** What is longer is seldom compared or looked up, and costs more to copy. */
const SHORT = 1024;

/**
 * The text as a string of its own. A literal is cut out of the source, and such a slice is compared, searched for and
 * looked up many times slower than a string V8 knows as the name of a property.
 */
export function ownText(text: string): string {
  return text.length > SHORT ? text : Object.keys({ [text]: null })[0]!;
}
