/**
 * The order of a chain: built-in hooks last, then priority, then source path, then place in the source, then layer. Total, and stable for hooks that are equal
 * in all three, so that the same files give the same chain on every machine.
 */
import type { Hook } from './hook.ts';
import { isBuiltIn, layerOf } from './layer.ts';

export function compareHooks(a: Hook, b: Hook): number {
  return (
    Number(isBuiltIn(a)) - Number(isBuiltIn(b)) ||
    a.priority - b.priority ||
    compareText(a.source, b.source) ||
    a.position - b.position ||
    layerOf(a).rank - layerOf(b).rank
  );
}

/** A new list in the order of the chain. Equal hooks keep the order they were registered in. */
export function sortChain(hooks: Iterable<Hook>): Hook[] {
  return [...hooks].sort(compareHooks);
}

/** By code unit: a locale would order the same files differently on another machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
