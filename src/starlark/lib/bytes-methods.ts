/**
 * The methods of bytes.
 */
import { type Method, method } from '../run/signature.ts';
import type { Bytes } from '../values/bytes.ts';
import { ITERABLE } from '../values/size.ts';
import { BytesElems } from './string-iterables.ts';

const METHODS: readonly Method[] = [
  method('elems', '', (thread, self: Bytes) => {
    thread.charge(ITERABLE);
    return new BytesElems(self);
  }),
];

export const BYTES_METHODS: ReadonlyMap<string, Method> = new Map(METHODS.map((each) => [each.name, each]));
