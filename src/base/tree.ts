/**
 * Data that remembers where it stood in its file. YAML, JSON and TOML are all read into this one tree, so that they are
 * checked by the same shapes and every problem has a line and a column.
 */
import type { Json } from './json.ts';

export type Tree = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: null | boolean | number | string;
  /** An offset into the file. */
  readonly start: number;
  /** How YAML wrote it and where it ends: positions inside a script need both. Other formats embed none. */
  readonly style?: ScalarStyle;
  readonly end?: number;
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface ListNode {
  readonly kind: 'list';
  readonly start: number;
  readonly items: readonly Tree[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly start: number;
  readonly entries: ReadonlyMap<string, MapEntry>;
  /** Of a key that JSON has twice the last one counts, as for every JSON parser; here are the others. */
  readonly repeated: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyStart: number;
  readonly value: Tree;
}

/** The way from the root of a tree or a value to something inside it. */
export type Path = readonly (string | number)[];

export function mapNode(
  start: number,
  entries: ReadonlyMap<string, MapEntry> = new Map(),
  repeated: readonly MapEntry[] = [],
): MapNode {
  return { kind: 'map', start, entries, repeated };
}

/** The plain data of a tree. A key may be `__proto__`, which `fromEntries` takes for a key like any other. */
export function toData(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(toData);
  return Object.fromEntries([...tree.entries].map(([key, { value }]) => [key, toData(value)]));
}

/** The text under a key, also an empty one; undefined if something else stands there. */
export function textAt(map: MapNode | null, key: string): string | undefined {
  const node = map?.entries.get(key)?.value;
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** An empty value: `key:` in YAML, null in JSON. */
export function isNothing(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}
