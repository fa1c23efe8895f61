/** Whether two programs are the same but for where things stand: every other part of their trees is equal. */

const POSITION_FIELDS: ReadonlySet<string> = new Set([
  'start',
  'end',
  'openStart',
  'opStart',
  'dotStart',
  'nameStart',
  'moduleStart',
  'scope',
  'binding',
]);

export function sameTree(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = (node: object) => Object.keys(node).filter((key) => !POSITION_FIELDS.has(key));
  const [one, two] = [keys(a), keys(b)];
  if (one.length !== two.length) return false;
  return one.every((key) => sameTree((a as Tree)[key], (b as Tree)[key]));
}

type Tree = Readonly<Record<string, unknown>>;
