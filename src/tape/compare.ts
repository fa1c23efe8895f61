/**
 * Where a replayed record differs from the recorded one. A placeholder for a secret fits whatever stands in its place.
 */
import { isJsonObject, type Json, jsonDifferences } from '../base/index.ts';

export interface Mismatch {
  /** `effects[0].message`; empty for the whole. */
  readonly path: string;
  /** Absent where there is nothing on that side. */
  readonly recorded?: Json;
  readonly replayed?: Json;
}

export function sameRecord(recorded: unknown, replayed: unknown): boolean {
  return mismatches(recorded as Json, replayed as Json, 1).length === 0;
}

/** In the order of the recorded keys, at most `limit` of them. */
export function mismatches(recorded: Json | undefined, replayed: Json | undefined, limit = 20): Mismatch[] {
  const options = { lists: true, limit, fitsAll: isPlaceholder };
  return jsonDifferences(recorded, replayed, options).map(({ path, left, right }) => ({
    path,
    ...(left !== undefined && { recorded: left }),
    ...(right !== undefined && { replayed: right }),
  }));
}

function isPlaceholder(value: Json | undefined): boolean {
  return (
    isJsonObject(value) && (typeof value.$redacted === 'string' || typeof value.$unrecordable === 'string')
  );
}
