/**
 * Copies of what an agent is configured with, reduced to what concerns our hooks: the entries that `install` wrote as they
 * stand, and the switches that let them run or keep them from it. What is the user's alone is left out, keys above all.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { ReadText, Registered } from '../install/installer.ts';
import { jsonAt } from '../install/json-edit.ts';
import { isMarked } from '../install/operation.ts';
import type { LiveFile } from './recipe.ts';

/** A file that the agent cannot read either. */
const BROKEN = '{';

/** Our entries in `hooks`, and the settings at `kept`. Null if the file is not there. `places`: the place of an entry counts. */
export function jsonPart(
  path: string,
  textOf: ReadText,
  agent: string,
  kept: readonly (readonly string[])[],
  places = false,
  more: JsonObject = {},
): LiveFile | null {
  const text = textOf(path);
  if (text === null) return null;
  const whole = text.trim() === '' ? {} : jsonAt(text, []);
  if (whole === undefined || !isJsonObject(whole)) return { path, text: BROKEN, registers: true };
  let part = more;
  for (const keys of kept) part = withAt(part, keys, jsonAt(text, keys));
  const hooks = isJsonObject(whole.hooks) ? ourHooks(whole.hooks, agent, places) : {};
  const registers = Object.keys(hooks).length > 0;
  return { path, text: JSON.stringify(registers ? { ...part, hooks } : part), registers };
}

function ourHooks(hooks: JsonObject, agent: string, places: boolean): JsonObject {
  const lists = Object.entries(hooks).flatMap(([event, entries]): [string, Json[]][] => {
    const list = Array.isArray(entries) ? entries : [];
    const ours = list.flatMap((one): Json[] => {
      if (isMarked(JSON.stringify(one), agent)) return [one];
      // Nothing runs in its place, but what comes after it keeps its number.
      return places ? [{ hooks: [] }] : [];
    });
    return list.some((one) => isMarked(JSON.stringify(one), agent)) ? [[event, ours]] : [];
  });
  return Object.fromEntries(lists);
}

function withAt(into: JsonObject, [key, ...rest]: readonly string[], value: Json | undefined): JsonObject {
  if (key === undefined || value === undefined) return into;
  const inner = into[key];
  if (rest.length === 0) return { ...into, [key]: value };
  return { ...into, [key]: withAt(isJsonObject(inner) ? inner : {}, rest, value) };
}

/** Of a list in a file, the items that are ours. */
export function listOf(
  path: string,
  textOf: ReadText,
  key: string,
  isOurs: (item: string) => boolean,
): LiveFile | null {
  const text = textOf(path);
  if (text === null) return null;
  const list = jsonAt(text, [key]);
  const ours = (Array.isArray(list) ? list : []).filter((item) => typeof item === 'string' && isOurs(item));
  return { path, text: JSON.stringify({ [key]: ours }), registers: ours.length > 0 };
}

/** Files that are all ours, such as an extension. */
export function oursOf(registered: readonly Registered[], textOf: ReadText): LiveFile[] {
  const files = new Set(registered.map(({ file }) => file));
  return [...files].map((path) => ({ path, text: textOf(path) ?? '', registers: true }));
}
