/**
 * The order of a chain: priority, then source path, then place in the source. Total, and stable for hooks that are equal
 * in all three, so that the same files give the same chain on every machine.
 */
import type { Hook } from './hook.ts';

export function compareHooks(a: Hook, b: Hook): number {
  return a.priority - b.priority || compareText(a.source, b.source) || a.position - b.position;
}

/** A new list in the order of the chain. Equal hooks keep the order they were registered in. */
export function sortChain(hooks: Iterable<Hook>): Hook[] {
  return [...hooks].sort(compareHooks);
}

/** By code unit: a locale would order the same files differently on another machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
