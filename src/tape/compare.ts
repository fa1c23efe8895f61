/**
 * Whether two records are the same, and where they differ. A placeholder for a secret fits whatever stands in its place.
 */
import { isJsonObject, type Json } from '../base/json.ts';

export interface Mismatch {
  /** `effects[0].message`; empty for the whole. */
  readonly path: string;
  /** Absent where there is nothing on that side. */
  readonly recorded?: Json;
  readonly replayed?: Json;
}

/** Quick, and sure if it says yes; a no is worth a second look, since what JSON cannot hold never is the same. */
export function sameJson(recorded: unknown, replayed: unknown): boolean {
  if (recorded === replayed) return true;
  if (typeof recorded !== 'object' || typeof replayed !== 'object') return false;
  if (recorded === null || replayed === null) return false;
  if (Array.isArray(recorded)) {
    if (!Array.isArray(replayed) || recorded.length !== replayed.length) return false;
    for (let i = 0; i < recorded.length; i++) if (!sameJson(recorded[i], replayed[i])) return false;
    return true;
  }
  if (Array.isArray(replayed) || 'toJSON' in replayed) return false;
  const keys = Object.keys(replayed);
  if (Object.keys(recorded).length !== keys.length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(recorded, key)) return false;
    const [was, is] = [
      (recorded as Record<string, unknown>)[key],
      (replayed as Record<string, unknown>)[key],
    ];
    if (!sameJson(was, is)) return false;
  }
  return true;
}

export function sameRecord(recorded: unknown, replayed: unknown): boolean {
  return mismatches(recorded as Json, replayed as Json, 1).length === 0;
}

/** In the order of the recorded keys, at most `limit` of them. */
export function mismatches(recorded: Json | undefined, replayed: Json | undefined, limit = 20): Mismatch[] {
  const found: Mismatch[] = [];
  walk('', recorded, replayed, found, limit);
  return found;
}

function walk(
  path: string,
  recorded: Json | undefined,
  replayed: Json | undefined,
  found: Mismatch[],
  limit: number,
): void {
  if (found.length >= limit || recorded === replayed || isPlaceholder(recorded)) return;
  if (Array.isArray(recorded) && Array.isArray(replayed)) {
    for (let at = 0; at < Math.max(recorded.length, replayed.length); at++) {
      walk(`${path}[${at}]`, recorded[at] as Json, replayed[at] as Json, found, limit);
    }
  } else if (isJsonObject(recorded) && isJsonObject(replayed)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(replayed)])) {
      walk(path === '' ? key : `${path}.${key}`, own(recorded, key), own(replayed, key), found, limit);
    }
  } else {
    found.push({
      path,
      ...(recorded !== undefined && { recorded }),
      ...(replayed !== undefined && { replayed }),
    });
  }
}

function own(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isPlaceholder(value: Json | undefined): boolean {
  return (
    isJsonObject(value) && (typeof value.$redacted === 'string' || typeof value.$unrecordable === 'string')
  );
}
