/**
 * An event has several spellings, and a script may compare `event` with any of them. `event` is the name the author
 * subscribed with; a literal that is another spelling of the same event is folded to that name when the script is compiled,
 * so that no comparison is false because of a spelling.
 */
import { resolveEvent } from '../events/resolve.ts';
import type { Expr, FileNode, FunctionNode } from '../starlark/syntax/ast.ts';

export interface EventNames {
  readonly canonical: string;
  /** As the author wrote it. */
  readonly written: string;
}

type Tree = Readonly<Record<string, unknown>>;

/** Changes literals in place: the tree has just been parsed and belongs to nobody else. */
export function foldEventNames(tree: FileNode | Expr, names: EventNames): void {
  visit(tree as unknown as Tree, names, new Set(['event']));
}

function visit(node: Tree, names: EventNames, idents: ReadonlySet<string>): void {
  const known = node.kind === 'def' ? withFirstParameter(node, idents) : idents;
  if (node.kind === 'binary' && COMPARISONS.has(node.op as string)) {
    const [left, right] = [node.left as Tree, node.right as Tree];
    if (isEvent(left, known)) fold(right, names);
    else if (isEvent(right, known)) fold(left, names);
  }
  for (const part of Object.values(node)) {
    if (Array.isArray(part)) for (const item of part) visitPart(item, names, known);
    else visitPart(part, names, known);
  }
}

function visitPart(part: unknown, names: EventNames, idents: ReadonlySet<string>): void {
  if (typeof part === 'object' && part !== null) visit(part as Tree, names, idents);
}

const COMPARISONS = new Set(['==', '!=', 'in', 'not in']);

function isEvent(node: Tree, idents: ReadonlySet<string>): boolean {
  if (node.kind === 'paren') return isEvent(node.inner as Tree, idents);
  return node.kind === 'ident' && idents.has(node.name as string);
}

function fold(node: Tree, names: EventNames): void {
  if (node.kind === 'paren') fold(node.inner as Tree, names);
  if (node.kind === 'list' || node.kind === 'tuple')
    for (const item of node.items as Tree[]) fold(item, names);
  if (node.kind !== 'literal' || node.type !== 'string') return;
  const resolved = resolveEvent(node.value as string);
  if (resolved.ok && resolved.event === names.canonical) (node as { value: string }).value = names.written;
}

/** `def handle(e, payload)` calls the event by another name. */
function withFirstParameter({ fn }: Tree, idents: ReadonlySet<string>): ReadonlySet<string> {
  const { name, params } = fn as FunctionNode;
  const first = params[0]?.ident?.name;
  return name === 'handle' && first !== undefined ? new Set([...idents, first]) : idents;
}
