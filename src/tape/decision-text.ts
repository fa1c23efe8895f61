/**
 * The canonical JSON of a decision. Records are made with their keys in sorted order, and then the platform writes the same text
 * faster; only what comes from outside may stand otherwise, and takes the long way.
 */
import { type Canonical, CanonicalWriter, canonicalWithOrder } from '../base/canonical-json.ts';
import type { DecisionRecord, HookPart, Said } from './entry.ts';

/** Throws a TypeError for what JSON cannot hold. */
export function decisionText(record: DecisionRecord): Canonical {
  const out = saidText(record.out);
  if (out === null) return canonicalWithOrder(record);
  const writer = new CanonicalWriter();
  // The record itself has an opening brace too.
  writer.objects = 1;
  const fired = writer.write(record.in, 1);
  return { text: `{"in":${fired},"out":${out},"type":"decision"}`, order: writer.order };
}

/** What came of it, as it stands in a decision; null if it holds data whose keys may stand in any order. */
export function saidText(said: Said): string | null {
  if (said.payload !== undefined || said.request !== undefined || said.failure !== undefined) return null;
  return said.hooks?.every(isPlain) === false ? null : JSON.stringify(said);
}

function isPlain({ effects, failure, payload, raw, readings }: HookPart): boolean {
  if (failure !== undefined || payload !== undefined || raw !== undefined) return false;
  if (effects !== undefined && !(Array.isArray(effects) && effects.every(hasPlainValues))) return false;
  return readings === undefined || (Array.isArray(readings) && readings.every(hasPlainValues));
}

/** Nothing in it is data of its own, and nothing JSON cannot hold. */
function hasPlainValues(object: object): boolean {
  for (const key in object) {
    const value: unknown = object[key as keyof object];
    if (typeof value !== 'string' && !Number.isFinite(value) && typeof value !== 'boolean') return false;
  }
  return true;
}
