/** A syntax tree as nodes of any kind, for readers that look at every node. */

export type SyntaxNode = Readonly<Record<string, unknown>> & { readonly kind?: string };

/** What resolving and folding have added leads out of the tree, and back. */
const ADDED: ReadonlySet<string> = new Set(['binding', 'scope', 'written']);

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** The parts of a node that are nodes, in the order of the text. Loops: every script is gone through in processes that decide once. */
export function partsOf(node: SyntaxNode): SyntaxNode[] {
  const parts: SyntaxNode[] = [];
  for (const key in node) {
    const part = ADDED.has(key) ? null : node[key];
    if (Array.isArray(part)) parts.push(...part.filter(isNode));
    else if (isNode(part)) parts.push(part);
  }
  return parts;
}

/** The node itself and all below it, in the order of the text. */
export function nodesIn(root: object): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const add = (node: SyntaxNode): void => {
    found.push(node);
    for (const part of partsOf(node)) add(part);
  };
  add(root as SyntaxNode);
  return found;
}
