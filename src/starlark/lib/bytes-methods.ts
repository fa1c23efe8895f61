/**
 * The methods of bytes.
 */
import { type Method, method } from '../run/signature.ts';
import type { Bytes } from '../values/bytes.ts';
import { BytesElems } from './string-iterables.ts';

const METHODS: readonly Method[] = [method('elems', '', (_thread, self: Bytes) => new BytesElems(self))];

export const BYTES_METHODS: ReadonlyMap<string, Method> = new Map(METHODS.map((each) => [each.name, each]));
