/**
 * JSON data: what JSON.parse gives. Inside a chain a payload may also hold texts that are not written yet; that is another
 * type, `LazyJson` of base/lazy-json.ts, and everything that leaves the engine has been settled to this one.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
