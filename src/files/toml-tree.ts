/**
 * TOML text as a positioned tree.
 */
import { parse, TomlDate, TomlError } from 'smol-toml';
import { type MapEntry, type MapNode, mapNode, type Tree } from '../base/index.ts';
import { pathKey, type TomlLocations, type TomlPath, tomlLocations } from './toml-places.ts';

export type TomlTree =
  | { readonly ok: true; readonly root: MapNode }
  | { readonly ok: false; readonly message: string; readonly line: number; readonly col: number };

export function readTomlTree(text: string): TomlTree {
  try {
    const root = nodeOf(parse(text), tomlLocations(text), [], 0);
    return { ok: true, root: root as MapNode };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    // The rest of the message is an excerpt, which the report makes itself.
    const [message = ''] = thrown.message.split('\n');
    const { line, column } = thrown;
    return { ok: false, message: message.replace(/^Invalid TOML document: /, ''), line, col: column };
  }
}

/** Something without a place of its own stands where what holds it does. */
function nodeOf(value: unknown, places: TomlLocations, path: TomlPath, around: number): Tree {
  const start = places.get(pathKey(path))?.value ?? around;
  if (Array.isArray(value)) {
    return {
      kind: 'list',
      start,
      items: value.map((item, at) => nodeOf(item, places, [...path, at], start)),
    };
  }
  if (value instanceof TomlDate) return { kind: 'scalar', start, value: value.toISOString() };
  if (typeof value !== 'object' || value === null) {
    return { kind: 'scalar', start, value: value as string | number | boolean };
  }
  const entries = new Map<string, MapEntry>();
  for (const [key, inner] of Object.entries(value)) {
    const below = [...path, key];
    const keyStart = places.get(pathKey(below))?.key ?? start;
    entries.set(key, { key, keyStart, value: nodeOf(inner, places, below, start) });
  }
  return mapNode(start, entries);
}
