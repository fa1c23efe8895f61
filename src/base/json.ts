/**
 * JSON data as the engine handles it: what JSON.parse gives. A payload may also hold `LazyText` values (see starlark/),
 * which serialise themselves; everything that leaves the engine has been settled to plain data.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
