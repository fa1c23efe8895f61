/**
 * Looks at what the JavaScript back end writes: every identifier is one it declared itself or a parameter, no text of the
 * script is in it, and it uses a small part of the language that can reach nothing.
 */
import { type AnyNode, parse } from 'acorn';
import { expect } from 'vitest';
import { builtin, compile, type Dialect, SourceFile, type Value } from '../../src/exports/starlark.ts';
import { generatedCode } from '../../src/starlark/compile/program.ts';
import { SYNC_RUNTIME } from '../../src/starlark/compile/runtime.ts';
import { assertions, modules } from './environment.ts';

const NODES = new Set(
  `Program FunctionExpression FunctionDeclaration ArrowFunctionExpression AwaitExpression BlockStatement ExpressionStatement
   EmptyStatement VariableDeclaration VariableDeclarator ReturnStatement IfStatement ForStatement WhileStatement BreakStatement
   ContinueStatement LabeledStatement TryStatement CatchClause ThrowStatement Identifier Literal ArrayExpression
   SequenceExpression AssignmentExpression BinaryExpression LogicalExpression ConditionalExpression UnaryExpression
   UpdateExpression MemberExpression CallExpression NewExpression ParenthesizedExpression SpreadElement RestElement`.split(
    /\s+/,
  ),
);
/** The account of the thread, the elements of our own collections, iteration, and the fast entrance of a function. */
const PROPERTIES = new Set([
  ...Object.keys(SYNC_RUNTIME),
  ...'depth maxDepth steps checkpoint check tooDeep stack at globals memory maxMemory outOfMemory'.split(' '),
  ...'direct length value next close push set'.split(' '),
]);
/** `use strict` and what `typeof` answers. */
const STRINGS = new Set(['use strict', 'number', 'string', 'boolean']);
const GENERATED_NAME = /^(R|K|T|L|p|e|undefined|r_[A-Za-z0-9]+|[a-z]{1,4}\d+(_\d+)?)$/;

interface Visit {
  readonly node: AnyNode;
  readonly parent: AnyNode | null;
  /** The property of the parent that holds the node. */
  readonly role: string;
}

function* visits(node: AnyNode, parent: AnyNode | null = null, role = ''): Generator<Visit> {
  yield { node, parent, role };
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child)
        yield* visits(child as AnyNode, node, key);
    }
  }
}

function declaredNames(all: readonly Visit[]): Set<string> {
  const declared = new Set(['R', 'K', 'undefined']);
  for (const { node, parent, role } of all) {
    if (node.type !== 'Identifier' || parent === null) continue;
    const declares =
      (parent.type === 'VariableDeclarator' && role === 'id') ||
      (/Function/.test(parent.type) && (role === 'id' || role === 'params')) ||
      (parent.type === 'CatchClause' && role === 'param') ||
      parent.type === 'RestElement';
    if (declares) declared.add(node.name);
  }
  return declared;
}

/** Everything in the text that is not on a list. */
export function offences(text: string): string[] {
  const tree = parse(`(async function (R, K) {${text}})`, {
    ecmaVersion: 2022,
    allowAwaitOutsideFunction: true,
  });
  const all = [...visits(tree)];
  const declared = declaredNames(all);
  const found = new Set<string>();
  for (const { node, parent, role } of all) {
    if (!NODES.has(node.type)) found.add(`node ${node.type}`);
    if (node.type === 'Literal' && typeof node.value === 'string' && !STRINGS.has(node.value)) {
      found.add(`string ${JSON.stringify(node.value)}`);
    }
    if (node.type === 'Literal' && node.value instanceof RegExp) found.add(`regular expression ${node.raw}`);
    if (node.type === 'UnaryExpression' && node.operator === 'delete') found.add('delete');
    // Only classes of the runtime are made.
    if (
      node.type === 'NewExpression' &&
      !(node.callee.type === 'Identifier' && /^r_/.test(node.callee.name))
    ) {
      found.add('new');
    }
    if (node.type !== 'Identifier') continue;
    const isProperty = parent?.type === 'MemberExpression' && role === 'property' && !parent.computed;
    const isLabel = parent !== null && /^(Labeled|Break|Continue)Statement$/.test(parent.type);
    if (isProperty) {
      if (!PROPERTIES.has(node.name)) found.add(`property ${node.name}`);
    } else if (!GENERATED_NAME.test(node.name)) {
      found.add(`name ${node.name}`);
    } else if (!isLabel && !declared.has(node.name)) {
      found.add(`undeclared ${node.name}`);
    }
  }
  return [...found];
}

export const environment = new Map<string, Value>([
  ...assertions(),
  ...modules(),
  ['catch', builtin('catch', 'fn', () => null)],
]);
export const later = new Map<string, Value>([
  ...environment,
  ['fetch', builtin('fetch', 'x', async () => null, { async: true, pure: false })],
]);

export function check(text: string, dialect: Dialect, names: ReadonlyMap<string, Value> = environment): void {
  const source = new SourceFile('test.star', text);
  if (!compile(source, { environment: names, dialect }).ok) return;
  expect(offences(generatedCode(source, { environment: names, dialect })), text).toEqual([]);
  const counted = generatedCode(source, { environment: names, dialect, coverage: true });
  expect(offences(counted), `with coverage: ${text}`).toEqual([]);
}
