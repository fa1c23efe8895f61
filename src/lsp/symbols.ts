/**
 * Names in a script: what stands under the cursor, where it was made, and every place it is used. The resolver says which variable a
 * name means, so that a rename touches that one and no other of the same name.
 */
import { SourceFile } from '../base/index.ts';
import type { Library } from '../script/index.ts';
import {
  type Binding,
  Budget,
  type Def,
  type FileNode,
  type Ident,
  type Load,
  nodesIn,
  parse,
  parseExpression,
  resolve,
  resolveExpression,
  UNIVERSE,
  type Value,
} from '../starlark/index.ts';
import type { Region } from './regions.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Script {
  readonly idents: readonly Ident[];
  readonly file: FileNode | null;
}

/** The names of a script, each with what it means; as far as the text can be parsed. */
export function readScript({ kind, text }: Region, environment: ReadonlyMap<string, Value>): Script {
  const source = new SourceFile('script', text);
  const budget = new Budget();
  const options = { source, predeclared: environment, universal: UNIVERSE, budget };
  if (kind === 'condition') {
    const { expr } = parseExpression(source, budget);
    if (expr === null) return { idents: [], file: null };
    resolveExpression(expr, ['event', 'payload'], options);
    return { idents: identsIn(expr), file: null };
  }
  const { file, errors } = parse(source, budget);
  resolve(file, { ...options, partial: errors.length > 0 });
  return { idents: identsIn(file), file };
}

function identsIn(tree: object): Ident[] {
  const idents = nodesIn(tree).filter(({ kind }) => kind === 'ident') as unknown as Ident[];
  return idents.sort((a, b) => a.start - b.start);
}

export function identAt({ idents }: Script, offset: number): Ident | null {
  return idents.find(({ start, end }) => start <= offset && offset <= end) ?? null;
}

/** Every place of the variable under the cursor; none for what the script does not make itself. */
export function placesOf(script: Script, offset: number): Span[] {
  const binding = identAt(script, offset)?.binding;
  if (binding === undefined || !isOwn(binding)) return [];
  return script.idents.filter((each) => each.binding === binding);
}

export function isOwn({ kind }: Binding): boolean {
  return kind === 'local' || kind === 'global';
}

export type Target =
  | { readonly kind: 'here'; readonly span: Span }
  /** In a library: the file, and the name there if it is one. */
  | { readonly kind: 'library'; readonly file: string; readonly offset: number };

/** Where what stands under the cursor was made. */
export function definitionOf(script: Script, offset: number, library: Library | null): Target | null {
  const load = loadsOf(script).find(({ start, end }) => start <= offset && offset <= end);
  if (load !== undefined) {
    const bound = load.bindings.find(({ start, end }) => start <= offset && offset <= end);
    return inLibrary(library, load.module, bound?.from ?? null);
  }
  const ident = identAt(script, offset);
  if (ident?.binding === undefined || !isOwn(ident.binding)) return null;
  for (const { module, bindings } of loadsOf(script)) {
    const bound = bindings.find((each) => each.ident.binding === ident.binding);
    if (bound !== undefined) return inLibrary(library, module, bound.from);
  }
  const first = script.idents.find(({ binding }) => binding === ident.binding);
  const def = ident.binding.definedBy?.ident ?? first;
  return def === undefined ? null : { kind: 'here', span: def };
}

export function loadsOf({ file }: Script): Load[] {
  return file?.body.filter((stmt): stmt is Load => stmt.kind === 'load') ?? [];
}

function inLibrary(library: Library | null, path: string, name: string | null): Target | null {
  const found = library?.find(path);
  if (found?.ok !== true) return null;
  const { file, source } = found.program;
  const def = name === null ? undefined : defOf(file, name);
  const offset = def?.ident.start ?? assignedAt(file, name) ?? 0;
  return { kind: 'library', file: source.name, offset };
}

export function defOf({ body }: FileNode, name: string): Def | undefined {
  return body.find((stmt): stmt is Def => stmt.kind === 'def' && stmt.ident.name === name);
}

function assignedAt({ body }: FileNode, name: string | null): number | undefined {
  for (const stmt of body) {
    if (stmt.kind === 'assign' && stmt.target.kind === 'ident' && stmt.target.name === name)
      return stmt.start;
  }
  return undefined;
}

/** `inside(path, root)` and what its author says of it. */
export function describeDef(def: Def, text: string): { readonly signature: string; readonly doc: string } {
  const params = def.fn.params.map(({ start, end }) => text.slice(start, end)).join(', ');
  const [first] = def.fn.body;
  const value = first?.kind === 'expr' ? first.value : undefined;
  const doc = value?.kind === 'literal' && value.type === 'string' ? String(value.value).trim() : '';
  return { signature: `${def.ident.name}(${params})`, doc };
}
