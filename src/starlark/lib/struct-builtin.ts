/**
 * `struct(name = value, …)`, for hosts that want to predeclare it.
 */
import { builtin } from '../run/signature.ts';
import { Struct } from '../values/struct.ts';

export const STRUCT = builtin('struct', '**fields', (thread, fields) => {
  thread.charge(32 + 48 * fields.size);
  thread.spend(fields.size);
  return new Struct(fields);
});
