/**
 * An event has several spellings, and a script may compare `event` with any of them. `event` is the name the author
 * subscribed with; a literal that is another spelling of the same event is folded to that name when the script is compiled,
 * so that no comparison is false because of a spelling.
 */
import { resolveEvent } from '../engine/index.ts';
import {
  type Expr,
  type FileNode,
  type FunctionNode,
  partsOf,
  type SyntaxNode as Tree,
} from '../starlark/index.ts';

export interface EventNames {
  readonly canonical: string;
  /** As the author wrote it. */
  readonly written: string;
}

/** The name that a literal stands for, or null if it is left as it is. */
type Spell = (literal: string) => string | null;

interface Folding {
  /** Whether this expression is the name of the event, where these identifiers hold the event. */
  readonly isName: (node: Tree, idents: ReadonlySet<string>) => boolean;
  /** Whether the first parameter of a function of this name holds the event. */
  readonly isHandler: (name: string | null) => boolean;
  readonly spell: Spell;
}

const PARAMETER = 'def handle(event,';

/** Whether a script, or a condition, can compare the event: most say its name at most once, as a parameter. */
export function namesEvent(text: string, kind: 'script' | 'condition'): boolean {
  const at = text.indexOf('event');
  if (kind === 'condition') return at !== -1;
  return !text.startsWith(PARAMETER, at - PARAMETER.indexOf('event')) || text.indexOf('event', at + 1) !== -1;
}

/** Changes literals in place: the tree has just been parsed and belongs to nobody else. */
export function foldEventNames(tree: FileNode | Expr, { canonical, written }: EventNames): void {
  const spell: Spell = (literal) => {
    const resolved = resolveEvent(literal);
    return resolved.ok && resolved.event === canonical ? written : null;
  };
  const folding: Folding = { isName: isIdent, isHandler: (name) => name === 'handle', spell };
  visit(tree as unknown as Tree, folding, new Set(['event']));
}

/** The same in a module whose functions are given a dict: there the name is `event["event"]`. */
export function foldEventKeys(tree: FileNode | Expr, spell: Spell): void {
  visit(tree as unknown as Tree, { isName: isKeyOfEvent, isHandler: () => true, spell }, new Set(['event']));
}

function visit(node: Tree, folding: Folding, idents: ReadonlySet<string>): void {
  const known = node.kind === 'def' ? withFirstParameter(node, folding, idents) : idents;
  if (node.kind === 'binary' && COMPARISONS.has(node.op as string)) {
    const [left, right] = [bare(node.left as Tree), bare(node.right as Tree)];
    if (folding.isName(left, known)) fold(right, folding.spell);
    else if (folding.isName(right, known)) fold(left, folding.spell);
  }
  for (const part of partsOf(node)) visit(part, folding, known);
}

const COMPARISONS = new Set(['==', '!=', 'in', 'not in']);

function bare(node: Tree): Tree {
  return node.kind === 'paren' ? bare(node.inner as Tree) : node;
}

function isIdent(node: Tree, idents: ReadonlySet<string>): boolean {
  return node.kind === 'ident' && idents.has(node.name as string);
}

/** `event["event"]` and `event.get("event")`. */
function isKeyOfEvent(node: Tree, idents: ReadonlySet<string>): boolean {
  if (node.kind === 'index') return isIdent(node.object as Tree, idents) && isKey(node.index as Tree);
  const callee = node.kind === 'call' ? (node.callee as Tree) : node;
  if (callee.kind !== 'dot' || callee.name !== 'get' || !isIdent(callee.object as Tree, idents)) return false;
  return isKey((node.args as Tree[])[0]?.value as Tree | undefined);
}

const isKey = (node: Tree | undefined): boolean => node?.kind === 'literal' && node.value === 'event';

function fold(node: Tree, spell: Spell): void {
  if (node.kind === 'paren') fold(node.inner as Tree, spell);
  if (node.kind === 'list' || node.kind === 'tuple')
    for (const item of node.items as Tree[]) fold(item, spell);
  if (node.kind !== 'literal' || node.type !== 'string') return;
  const name = spell(node.value as string);
  if (name !== null) (node as { value: string }).value = name;
}

/** `def handle(e, payload)` calls the event by another name. */
function withFirstParameter(
  { fn }: Tree,
  { isHandler }: Folding,
  idents: ReadonlySet<string>,
): ReadonlySet<string> {
  const { name, params } = fn as FunctionNode;
  const first = params[0]?.ident?.name;
  return isHandler(name) && first !== undefined ? new Set([...idents, first]) : idents;
}
