/**
 * The questions of one Starlark script, from its tree: which keys it reads, and what it compares their values with. Names that
 * hold a value of the payload stand for its key.
 */
import type { Json } from '../../base/index.ts';
import { nodesIn, type SyntaxNode as Tree } from '../../starlark/index.ts';
import type { Clue, Scope } from './vocabulary.ts';

export function scriptScope(event: string, text: string, tree: object): Scope {
  const reader = new ScriptReader();
  // Twice: a name may be used before the walk has met what it stands for.
  reader.walk(tree);
  reader.clues.length = 0;
  reader.walk(tree);
  const { clues, keys, asksWho } = reader;
  return { event, text, clues, keys: [...keys], asksWho };
}

const COMPARISONS = ['==', '!=', '<', '>', '<=', '>='];

class ScriptReader {
  readonly clues: Clue[] = [];
  readonly keys = new Set<string>();
  asksWho = false;
  private readonly names = new Map<string, string>();

  /** Comparisons count as their author wrote them. */
  walk(tree: object): void {
    for (const node of nodesIn(tree)) this.look((node.written ?? node) as Tree);
  }

  private look(node: Tree): void {
    if (node.kind === 'ident' && (node.name === 'actor' || node.name === 'caller')) this.asksWho = true;
    else if (node.kind === 'literal') this.literal(node);
    else if (node.kind === 'assign') this.assign(node);
    else if (node.kind === 'binary') this.binary(node);
    else if (node.kind === 'index') this.key(literalOf(node.index));
    else if (node.kind === 'call') this.call(node);
  }

  private literal({ type, value }: Tree): void {
    if (type === 'string' && value !== '') this.add(null, 'has', value as string);
    else if (type === 'int') this.add(null, 'is', Number(value));
  }

  private assign(node: Tree): void {
    const target = (node.target ?? node.left) as Tree | undefined;
    const key = this.keyOf((node.value ?? node.right) as Tree | undefined);
    if (target?.kind === 'ident' && key !== null) this.names.set(target.name as string, key);
  }

  private binary({ op, left, right }: Tree): void {
    const [a, b] = [left as Tree, right as Tree];
    if (op === 'in' || op === 'not in') {
      const word = literalOf(a);
      if (word !== undefined) this.add(this.keyOf(b), 'has', word);
      for (const value of literalsIn(b)) this.add(this.keyOf(a), 'is', value);
      if (word !== undefined && typeof word === 'string') this.key(word);
    } else if (COMPARISONS.includes(op as string)) {
      const value = literalOf(b) ?? literalOf(a);
      const key = this.keyOf(literalOf(b) === undefined ? b : a);
      if (value === undefined) return;
      this.add(key, 'is', value);
      if (typeof value === 'number') for (const near of [value - 1, value + 1]) this.add(key, 'is', near);
    }
  }

  private call(node: Tree): void {
    const callee = node.callee as Tree;
    const args = ((node.args ?? []) as Tree[]).map((each) => each.value as Tree);
    if (callee.kind !== 'dot') return;
    const name = callee.name as string;
    const first = literalOf(args[0]);
    if (name === 'get') this.key(first);
    if ((name === 'startswith' || name === 'endswith') && args[0] !== undefined) {
      const kind = name === 'startswith' ? 'starts' : 'ends';
      const key = this.keyOf(callee.object as Tree);
      for (const value of [first, ...literalsIn(args[0])])
        if (value !== undefined) this.add(key, kind, value);
    }
    if (
      (callee.object as Tree).kind === 'ident' &&
      (callee.object as Tree).name === 're' &&
      first !== undefined
    )
      this.add(
        args
          .slice(1)
          .map((each) => this.keyOf(each))
          .find((key) => key !== null) ?? null,
        'regex',
        first,
      );
    for (const value of args.map(literalOf))
      if (typeof value === 'string' && /[*?]/.test(value)) this.add(null, 'glob', value);
  }

  /** The key of the payload whose value an expression is. */
  private keyOf(node: Tree | undefined): string | null {
    if (node?.kind === 'ident') return this.names.get(node.name as string) ?? null;
    if (node?.kind === 'index') return textOf(literalOf(node.index));
    if (node?.kind === 'binary' && node.op === 'or') return this.keyOf(node.left as Tree);
    if (node?.kind !== 'call') return null;
    const callee = node.callee as Tree;
    const [first] = ((node.args ?? []) as Tree[]).map((each) => each.value as Tree);
    if (callee.kind === 'ident') return this.keyOf(first);
    if (callee.kind !== 'dot') return null;
    return callee.name === 'get' ? textOf(literalOf(first)) : this.keyOf(callee.object as Tree);
  }

  private key(value: Json | undefined): void {
    if (typeof value === 'string' && value !== '') this.keys.add(value);
  }

  private add(key: string | null, kind: Clue['kind'], value: Json): void {
    this.clues.push({ key, kind, value });
  }
}

function literalOf(node: unknown): Json | undefined {
  const { kind, type, value, name } = (node ?? {}) as Tree;
  if (kind === 'literal')
    return type === 'string' ? (value as string) : type === 'bytes' ? undefined : Number(value);
  if (kind !== 'ident') return undefined;
  return name === 'True' ? true : name === 'False' ? false : name === 'None' ? null : undefined;
}

function literalsIn(node: unknown): Json[] {
  const { kind, items } = (node ?? {}) as Tree;
  if (kind !== 'list' && kind !== 'tuple') return [];
  return (items as unknown[]).map(literalOf).filter((value) => value !== undefined);
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
