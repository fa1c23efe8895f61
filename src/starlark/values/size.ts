/**
 * What things weigh: the bytes a thread is charged for what a script makes, close to what they take on a 64-bit engine
 * and never less than half of it. test/starlark/limits-hold.limits.test.ts measures every one of them.
 */

/** One element of a list or tuple: its place, room to grow, and the box of a number that is not small. */
export const SLOT = 16;
/** A list, or an array that may become one. The first element appended makes room for many. */
export const LIST = 112;
export const TUPLE = 96;
export const DICT = 128;
/** One entry of a dict, a set or a struct. */
export const ENTRY = 48;
/** What finds a tuple among keys, beside its entry. */
export const TUPLE_KEY = 32;
export const SET = 192;
export const STRUCT_SIZE = 192;
export const FLOAT = 48;
export const RANGE = 64;
/** A string, beside its characters. */
export const TEXT = 16;
/** What the engine keeps for each piece of a text that is put together: nothing flattens it until it is read. */
export const PIECE = 24;
/** Bytes, beside the bytes. */
export const BYTES = 96;
/** An iterable over the elements of something else. */
export const ITERABLE = 48;
/** A function, beside the defaults of its parameters, one SLOT each. */
export const FUNCTION = 208;
/** The variables of a call that some function made in it may go on using, beside one SLOT for each. */
export const FRAME = 176;
/** A method taken off its object. */
export const BOUND_METHOD = 192;
/** A whole number of the host that is too large for a JavaScript number. */
export const HOST_INT = 80;

/** The characters of a string and what they are kept in. */
export function textBytes(length: number): number {
  return TEXT + length;
}

export function listBytes(length: number): number {
  return LIST + SLOT * length;
}

export function tupleBytes(length: number): number {
  return TUPLE + SLOT * length;
}
