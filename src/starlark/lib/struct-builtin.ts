/**
 * `struct(name = value, …)`, for hosts that want to predeclare it.
 */
import { builtin } from '../run/signature.ts';
import { ENTRY, STRUCT_SIZE } from '../values/size.ts';
import { Struct } from '../values/struct.ts';

export const STRUCT = builtin('struct', '**fields', (thread, fields) => {
  thread.charge(STRUCT_SIZE + ENTRY * fields.size);
  // Fields are kept in the order of their names: putting them there reads the names, the long ones at length.
  let compared = 0;
  for (const name of fields.keys()) compared += 1 + (name.length >> 4);
  thread.spend(compared * Math.ceil(Math.log2(fields.size + 1)));
  return new Struct(fields);
});
