/**
 * The packs that ship, compiled when they are first asked for. Their text is made from `packs/*.yaml` by `npm run docs`, so
 * that nothing has to be found on disk or parsed as YAML when a policy is opened.
 */
import { hash } from 'node:crypto';
import { compilePack, type Pack, type SharedNames, sharedNames } from './pack.ts';
import type { WrittenPack, WrittenShared } from './shape.ts';
import { SHIPPED_TEXT } from './shipped-text.ts';

interface Shipped {
  readonly shared: WrittenShared;
  readonly packs: readonly WrittenPack[];
}

let written: Shipped | null = null;
let shared: SharedNames | null = null;
const compiled = new Map<string, Pack>();

function shipped(): Shipped {
  written ??= JSON.parse(SHIPPED_TEXT) as Shipped;
  return written;
}

export function shippedShared(): SharedNames {
  shared ??= sharedNames(shipped().shared);
  return shared;
}

/** In the order in which they are shown. */
export function shippedNames(): readonly string[] {
  return shipped().packs.map(({ pack }) => pack);
}

export function shippedPack(name: string): Pack | null {
  const before = compiled.get(name);
  if (before !== undefined) return before;
  const text = shipped().packs.find(({ pack }) => pack === name);
  if (text === undefined) return null;
  const digest = hash('sha256', JSON.stringify([shipped().shared, text]), 'hex');
  const { pack } = compilePack(text, shippedShared(), digest, 'before');
  compiled.set(name, pack);
  return pack;
}

export function shippedPacks(): readonly Pack[] {
  return shippedNames().map((name) => shippedPack(name)!);
}
