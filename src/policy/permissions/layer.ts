/**
 * One layer of permission: it puts a call into a zone, and knows nothing of the other layers.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { CallNames } from '../../engine/index.ts';
import type { Permission } from './permission.ts';

/** From the widest to the strictest. */
export const ZONES = ['auto', 'ask', 'never'] as const;
export type Zone = (typeof ZONES)[number];

export type Layer = (tool: CallNames, args: JsonObject) => Permission;

export function inZone(decision: Zone, reason: string): Permission {
  return decision === 'auto' ? { decision } : { decision, reason };
}

/** An argument by its name, or by a dotted path into it. */
export function valueAt(args: JsonObject, path: string): Json | undefined {
  if (Object.hasOwn(args, path)) return args[path];
  let value: Json | undefined = args;
  for (const key of path.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
