/**
 * A tool has the name that policies use and the one its agent uses, and a script may compare `payload["name"]` with either.
 * What compares, looks up or matches the name of a tool is folded when the script is compiled, so that none of it is false because
 * of a spelling. What may hold the name is told from the text, generously: at run time a value counts only if it is the name.
 */
import { isCanonicalName, isNameOfAgents } from '../engine/index.ts';
import {
  type Call,
  type Expr,
  type FileNode,
  type FunctionNode,
  isNode,
  nodesIn,
  partsOf,
  type SyntaxNode as Tree,
} from '../starlark/index.ts';
import { TOOL_NAMES_MODULE } from './builtins/tool-names.ts';
import { HOOK_BUILTINS } from './environment.ts';

type NodeTest = (node: Tree) => boolean;

const KEY = /["']name["']/;

/** Changes the tree in place: it has just been parsed and belongs to nobody else. */
export function foldToolNames(tree: FileNode | Expr, text: string): void {
  if (KEY.test(text)) foldIn(tree as unknown as Tree, []);
}

/** A library is given the name as an argument. Most have nothing to do with tools, and none of those is changed. */
export function foldToolNamesInLibrary(tree: FileNode): void {
  const root = tree as unknown as Tree;
  const nodes = nodesIn(root);
  if (!nodes.some(mentionsTool)) return;
  foldIn(
    root,
    nodes.flatMap(({ fn }) => (isFunction(fn) ? namesOf(fn) : [])),
  );
}

function mentionsTool(node: Tree): boolean {
  return isText(node) && node.value.split(/\W+/).some(isNameOfAgents);
}

/** `given`: names of variables that hold the name of the tool from the start. */
function foldIn(tree: Tree, given: readonly string[]): void {
  const holders = holdersIn(tree, given);
  const known = new WeakMap<Tree, boolean>();
  const holds: NodeTest = (node) => {
    let answer = known.get(node);
    if (answer === undefined) {
      answer = node.kind === 'ident' ? holders.has(node.name as string) : isNameRead(node);
      known.set(node, (answer ||= partsOf(node).some(holds)));
    }
    return answer;
  };
  // The root stays the object it is and becomes what a copy of it is folded to.
  const made = folded({ ...tree }, holds);
  for (const key of Object.keys(tree)) delete (tree as Record<string, unknown>)[key];
  Object.assign(tree, made);
}

/** Names of variables, parameters and functions that may hold the name of the tool, or something made from it. */
function holdersIn(tree: Tree, given: readonly string[]): ReadonlySet<string> {
  const leadsTo = new Map<string, string[]>();
  const open = [...given];
  for (const { to, from } of flowsIn(tree)) {
    for (const node of nodesIn(from)) {
      if (isNameRead(node)) open.push(to);
      if (node.kind !== 'ident') continue;
      const next = leadsTo.get(node.name as string);
      if (next === undefined) leadsTo.set(node.name as string, [to]);
      else next.push(to);
    }
  }
  const holders = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (holders.has(name)) continue;
    holders.add(name);
    open.push(...(leadsTo.get(name) ?? []));
  }
  return holders;
}

/** What is made from `from` may be found under the name `to`. */
interface Flow {
  readonly to: string;
  readonly from: Tree;
}

function flowsIn(tree: Tree): Flow[] {
  const nodes = nodesIn(tree);
  const functions = new Map<string, FunctionNode>();
  for (const { kind, fn } of nodes) if (kind === 'def' && isFunction(fn)) functions.set(fn.name, fn);
  return nodes.flatMap((node): Flow[] => {
    switch (node.kind) {
      case 'assign':
      case 'augAssign':
        return targetsOf(node.target as Tree).map((to) => ({ to, from: node.value as Tree }));
      case 'for':
      case 'forClause':
        return targetsOf(node.target as Tree).map((to) => ({ to, from: node.iterable as Tree }));
      case 'def':
        return returnsOf(node.fn as FunctionNode);
      case 'call':
        return argumentsOf(node as unknown as Call, functions);
      default:
        return [];
    }
  });
}

/** What is bound, and of `a["x"] = …` the `a`. */
function targetsOf(target: Tree): string[] {
  if (target.kind === 'ident') return [target.name as string];
  if (target.kind === 'index' || target.kind === 'dot') return targetsOf(target.object as Tree);
  return partsOf(target).flatMap(targetsOf);
}

function returnsOf({ name, body }: FunctionNode): Flow[] {
  const nodes = (body as readonly unknown[] as readonly Tree[]).flatMap(nodesIn);
  return nodes.flatMap(({ kind, value }) =>
    kind === 'return' && isNode(value) ? [{ to: name, from: value }] : [],
  );
}

function argumentsOf({ callee, args }: Call, functions: ReadonlyMap<string, FunctionNode>): Flow[] {
  const fn = callee.kind === 'ident' ? functions.get(callee.name) : undefined;
  if (fn === undefined) return [];
  const names = namesOf(fn);
  return args.flatMap(({ kind, name, value }, at): Flow[] => {
    const to = kind === 'positional' ? names.slice(at, at + 1) : kind === 'named' ? [name!] : names;
    return to.map((each) => ({ to: each, from: value as unknown as Tree }));
  });
}

/** Of the parameters. */
function namesOf({ params }: FunctionNode): string[] {
  return params.flatMap(({ ident }) => (ident === null ? [] : [ident.name]));
}

/** `x["name"]` and `x.get("name")`. */
function isNameRead(node: Tree): boolean {
  if (node.kind === 'index') return isKey(node.index as Tree);
  const callee = node.kind === 'call' ? (node.callee as Tree) : null;
  return callee?.kind === 'dot' && callee.name === 'get' && isKey((node.args as Tree[])[0]?.value as Tree);
}

function isKey(node: Tree | undefined): boolean {
  return node !== undefined && isText(node) && node.value === 'name';
}

function fold(node: Tree, holds: NodeTest): void {
  // What is assigned to is no table that is read.
  replaceParts(node, (part, key) => (key === 'target' ? part : folded(part, holds)));
}

function folded(node: Tree, holds: NodeTest): Tree {
  fold(node, holds);
  if (node.kind === 'binary') return foldedComparison(node, holds);
  if (node.kind === 'index') return foldedLookup(node, holds);
  return node.kind === 'call' ? foldedCall(node, holds) : node;
}

const COMPARISONS: Readonly<Record<string, readonly [member: string, negated: boolean]>> = {
  '==': ['same', false],
  '!=': ['same', true],
  in: ['among', false],
  'not in': ['among', true],
};

function foldedComparison(node: Tree, holds: NodeTest): Tree {
  const { op, left, right } = node as { op: string; left: Tree; right: Tree };
  if (!Object.hasOwn(COMPARISONS, op) || isOf(left, isNoText) || isOf(right, isNoText)) return node;
  if (!holds(left) && !holds(right)) return node;
  const [member, negated] = COMPARISONS[op]!;
  const aware = helper(member, node, left, right);
  // Nearly every call meets a canonical name by that name: the built-in is asked about the others.
  const usual = isOf(left, isCanonical) || isOf(right, isCanonical);
  const plain = { ...copy(node), op: member === 'same' ? '==' : 'in' };
  const holding = usual && canRepeat(node) ? eitherOf(node, plain, aware) : aware;
  const made = negated ? { ...placeOf(node), kind: 'unary', op: 'not', operand: holding } : holding;
  return { ...made, written: node };
}

function eitherOf(at: Tree, left: Tree, right: Tree): Tree {
  const place = placeOf(at);
  return { ...place, kind: 'binary', op: 'or', opStart: place.start, left, right };
}

function isOf(node: Tree, test: (node: Tree) => boolean): boolean {
  if (node.kind === 'paren') return isOf(node.inner as Tree, test);
  if (node.kind === 'list' || node.kind === 'tuple')
    return (node.items as Tree[]).every((item) => isOf(item, test));
  return test(node);
}

const CONSTANTS: readonly unknown[] = ['None', 'True', 'False'];

function isNoText(node: Tree): boolean {
  if (node.kind === 'ident') return CONSTANTS.includes(node.name);
  return node.kind === 'literal' && !isText(node);
}

function isCanonical(node: Tree): boolean {
  return isText(node) && isCanonicalName(node.value);
}

/** `TABLE[payload["name"]]` */
function foldedLookup(node: Tree, holds: NodeTest): Tree {
  const { object, index } = node as { object: Tree; index: Tree };
  if (!holds(index) || !isTable(object)) return node;
  return { ...node, index: helper('key', index, copy(object), index) };
}

function foldedCall(node: Tree, holds: NodeTest): Tree {
  const { callee, args } = node as { callee: Tree; args: Tree[] };
  if (callee.kind !== 'dot') return node;
  const object = callee.object as Tree;
  const values = args.map(({ value }) => value as Tree);
  if (callee.name === 'get') {
    const [key] = values;
    if (key === undefined || !holds(key) || !isTable(object)) return node;
    const found = { ...args[0], value: helper('key', key, copy(object), key) };
    return { ...node, args: [found, ...args.slice(1)] };
  }
  const isPattern = PATTERN_METHODS.has(callee.name as string)
    ? holds(object)
    : isPatternFunction(callee) && values.some(holds);
  return isPattern && [object, ...values].every(canRepeat) ? triedOnBoth(node, holds) : node;
}

const PATTERN_METHODS: ReadonlySet<string> = new Set(['startswith', 'endswith']);
const PATTERN_FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  re: ['match', 'search', 'findall'],
  path: ['match'],
};

function isPatternFunction({ object, name }: Tree): boolean {
  const module = (object as Tree).kind === 'ident' ? ((object as Tree).name as string) : '';
  return Object.hasOwn(PATTERN_FUNCTIONS, module) && PATTERN_FUNCTIONS[module]!.includes(name as string);
}

/** `match(p, name) or match(p, own name)` where there are two, and the call as it stands where there is one. */
function triedOnBoth(node: Tree, holds: NodeTest): Tree {
  const place = placeOf(node);
  const then = eitherOf(node, copy(node), withOwnName(copy(node), holds));
  const condition = helper('renamed', node);
  return { ...place, kind: 'conditional', condition, then, otherwise: node, written: node };
}

/** With the agent's own name wherever the name is read. */
function withOwnName(node: Tree, holds: NodeTest): Tree {
  if (isNameRead(node) || (node.kind === 'ident' && holds(node))) return helper('own', node, node);
  replaceParts(node, (part) => withOwnName(part, holds));
  return node;
}

/** A family of built-ins has a `get` of its own, which may have to be waited for, and is no table. */
function isTable(node: Tree): boolean {
  return canRepeat(node) && !(node.kind === 'ident' && HOOK_BUILTINS.has(node.name as string));
}

/** Methods of texts and dicts that change nothing. */
const QUIET = new Set(['get', 'lower', 'upper', 'strip', 'lstrip', 'rstrip', 'replace']);

/** Evaluated twice it is what it is once. What has been folded is not repeated: copies of copies would have no end. */
function canRepeat(node: Tree): boolean {
  if (node.kind === 'lambda' || node.kind === 'comprehension' || node.written !== undefined) return false;
  if (node.kind !== 'call') return partsOf(node).every(canRepeat);
  const callee = node.callee as Tree;
  return callee.kind === 'dot' && QUIET.has(callee.name as string) && partsOf(node).every(canRepeat);
}

/** `structuredClone` is not there in every place that the pure part runs. */
function copy(node: Tree): Tree {
  return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, copied(part)]));
}

function copied(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(copied);
  return isNode(part) ? copy(part) : part;
}

/** A call of one of the built-ins in builtins/tool-names.ts. */
function helper(member: string, at: Tree, ...values: Tree[]): Tree {
  const place = placeOf(at);
  const object = { ...place, kind: 'ident', name: TOOL_NAMES_MODULE };
  const callee = {
    ...place,
    kind: 'dot',
    object,
    name: member,
    dotStart: place.start,
    nameStart: place.start,
  };
  const args = values.map((value) => ({ ...placeOf(value), kind: 'positional', name: null, value }));
  return { ...place, kind: 'call', callee, args, openStart: place.start };
}

function placeOf({ start, end }: Tree): { readonly start: number; readonly end: number } {
  return { start: start as number, end: end as number };
}

function replaceParts(node: Tree, replace: (part: Tree, key: string) => Tree): void {
  for (const key in node) {
    const part = node[key];
    if (Array.isArray(part)) {
      for (const [at, item] of part.entries()) if (isNode(item)) part[at] = replace(item, key);
    } else if (isNode(part)) (node as Record<string, unknown>)[key] = replace(part, key);
  }
}

function isFunction(value: unknown): value is FunctionNode {
  return isNode(value) && Array.isArray(value.params);
}

function isText(node: Tree): node is Tree & { readonly value: string } {
  return node.kind === 'literal' && node.type === 'string';
}

/** The expression as its author wrote it, for those who look into conditions. */
export function writtenForm(expr: Expr): Expr {
  return (expr as { readonly written?: Expr }).written ?? expr;
}
