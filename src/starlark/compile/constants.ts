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
      return e.value as number | bigint | string;
  }
}
