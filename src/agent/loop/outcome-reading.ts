/**
 * What spans read from outcomes and payloads. Whatever is not of the expected shape is simply not there.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { Outcome } from '../../engine/index.ts';

/** The operation does not go on. */
export function isVeto({ action, failure }: Outcome): boolean {
  return action === 'block' || action === 'ask' || failure !== undefined;
}

export function deciderOf({ failure, hook }: Outcome): string | null {
  return failure?.hook ?? hook;
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
