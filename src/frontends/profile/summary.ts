/**
 * One line about an event that can be shown to anybody: names and sizes, never what somebody wrote.
 */
import { clip, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { HookContext } from '../code/registry/context.ts';

/** Values that are names, numbers of something, or states. Everything else is told by its size. */
const SHOWN_FIELDS = new Set([
  'turnIndex',
  'toolName',
  'isError',
  'model',
  'messageCount',
  'stopReason',
  'inputTokens',
  'outputTokens',
  'costUsd',
  'toolCallCount',
  'reason',
  'code',
  'sessionId',
]);

const LONGEST_NAME = 80;
const MOST_KEYS = 12;

export function summary({ event, ...fields }: HookContext): string {
  const parts = Object.entries(fields as unknown as JsonObject).map(([name, value]) =>
    SHOWN_FIELDS.has(name) && !isJsonObject(value)
      ? `${name}=${oneLineName(value)}`
      : `${name}: ${size(value)}`,
  );
  return [event, ...parts].join(' ');
}

/** A name on one line, whatever came in its place. */
function oneLineName(value: Json): string {
  const text = String(value).replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ');
  return clip(text, LONGEST_NAME) || '-';
}

function size(value: Json): string {
  if (typeof value === 'string') return `${value.length} characters`;
  if (Array.isArray(value)) return `${value.length} items`;
  if (!isJsonObject(value)) return value === null ? 'nothing' : `a ${typeof value}`;
  const keys = Object.keys(value);
  const shown = keys.slice(0, MOST_KEYS).map((key) => `${oneLineName(key)} (${sizeWithin(value[key]!)})`);
  if (keys.length > MOST_KEYS) shown.push(`and ${keys.length - MOST_KEYS} more`);
  return `{${shown.join(', ')}}`;
}

function sizeWithin(value: Json): string {
  return isJsonObject(value) ? `${Object.keys(value).length} keys` : size(value);
}
