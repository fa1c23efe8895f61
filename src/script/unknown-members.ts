/**
 * Names that a module of the environment does not have: `re.sub`, `ctx.agent`. They would fail when the line first runs, which
 * for a guard is too late, so they are found when the script is read.
 */

import type { SourceFile } from '../base/source.ts';
import { didYouMean } from '../base/spelling.ts';
import { Module, type Value } from '../starlark/index.ts';
import type { FileNode } from '../starlark/syntax/ast.ts';
import { CallableModule } from './builtins/callable-module.ts';
import type { Mistake } from './compile-script.ts';

type Tree = { readonly kind?: string; readonly [key: string]: unknown };

/** `hints` says of `module.member` what to do instead. */
export function unknownMembers(
  file: FileNode,
  source: SourceFile,
  environment: ReadonlyMap<string, Value>,
  hints: Readonly<Record<string, string>>,
): Mistake[] {
  const mistakes: Mistake[] = [];
  visit(file as unknown as Tree, (node) => {
    const found = accessOf(node, environment);
    if (found === null) return;
    const { module, member, members, at } = found;
    if (members.includes(member)) return;
    const name = `${module}.${member}`;
    const hint = hints[name] ?? hints[`${module}.*`];
    const more = hint === undefined ? didYouMean(member, members) : `: ${hint}`;
    mistakes.push({ message: `${module} has no ${member}${more}`, position: source.position(at) });
  });
  return mistakes;
}

interface Access {
  readonly module: string;
  readonly member: string;
  readonly members: readonly string[];
  readonly at: number;
}

function accessOf(node: Tree, environment: ReadonlyMap<string, Value>): Access | null {
  if (node.kind !== 'dot') return null;
  const object = node.object as Tree & { readonly binding?: { readonly kind: string } };
  if (object.kind !== 'ident' || object.binding?.kind !== 'predeclared') return null;
  const module = String(object.name);
  const value = environment.get(module);
  if (!(value instanceof Module) && !(value instanceof CallableModule)) return null;
  return { module, member: String(memberOf(node)), members: value.attrNames(), at: Number(node.start ?? 0) };
}

function memberOf(node: Tree): unknown {
  const name = node.name as string | Tree;
  return typeof name === 'string' ? name : name?.name;
}

/** Each node once: the tree refers to scopes and bindings as well, which refer back to it. */
function visit(root: Tree, look: (node: Tree) => void): void {
  const seen = new Set<object>();
  const stack: object[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (typeof (node as Tree).kind === 'string') look(node as Tree);
    for (const [key, part] of Object.entries(node)) {
      if (typeof part === 'object' && part !== null && !BACK.has(key)) stack.push(part as object);
    }
  }
}

const BACK = new Set(['binding', 'scope', 'owner', 'parent', 'definedBy']);
