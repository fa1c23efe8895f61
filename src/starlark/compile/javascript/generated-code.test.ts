/**
 * The generated code is looked at as data: whatever the script is called or says, the code may only name what
 * this list allows.
 */
import { type Node, parse } from 'acorn';
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../../base/source.ts';
import { builtin } from '../../run/signature.ts';
import { Module } from '../../values/struct.ts';
import { compile, generatedCode } from '../program.ts';
import { SYNC_RUNTIME } from '../runtime.ts';

/** Variables: parameters, and what the code declares itself, by kind and number. */
const VARIABLE = /^(?:[TLRKpe]|undefined|[tckbgf]\d+|[vd]\d+_\d+|r_\w+)$/;
/** Properties: of the thread, of arrays and cursors, of callables and dicts. */
const PROPERTIES = new Set([
  ...['depth', 'maxDepth', 'tooDeep', 'steps', 'checkpoint', 'check', 'stack', 'at', 'globals'],
  ...['memory', 'maxMemory', 'outOfMemory'],
  ...['length', 'next', 'direct', 'set', 'value'],
  ...Object.keys(SYNC_RUNTIME),
]);
/**
 * Statements and expressions that may occur at all: no `with`, no `this`, no template, no class, no import.
 */
const NODES = new Set([
  ...['Program', 'ExpressionStatement', 'VariableDeclaration', 'VariableDeclarator', 'ReturnStatement'],
  ...[
    'FunctionDeclaration',
    'FunctionExpression',
    'ArrowFunctionExpression',
    'BlockStatement',
    'IfStatement',
  ],
  ...['ForStatement', 'WhileStatement', 'BreakStatement', 'ContinueStatement', 'TryStatement', 'CatchClause'],
  ...['ThrowStatement', 'Identifier', 'Literal', 'MemberExpression', 'CallExpression', 'NewExpression'],
  ...['AssignmentExpression', 'UpdateExpression', 'BinaryExpression', 'LogicalExpression', 'UnaryExpression'],
  ...['ConditionalExpression', 'SequenceExpression', 'ArrayExpression', 'AwaitExpression'],
]);

function problemsIn(code: string): string[] {
  const problems: string[] = [];
  const visit = (node: Node & Record<string, unknown>, property: boolean) => {
    if (!NODES.has(node.type)) problems.push(`node ${node.type}`);
    if (node.type === 'Identifier') {
      const name = node.name as string;
      if (!(property ? PROPERTIES.has(name) : VARIABLE.test(name))) problems.push(`name ${name}`);
    }
    if (node.type === 'Literal' && !isPlainLiteral(node.value))
      problems.push(`literal ${String(node.value)}`);
    for (const [key, child] of Object.entries(node)) {
      const isProperty = node.type === 'MemberExpression' && key === 'property' && node.computed === false;
      for (const each of Array.isArray(child) ? child : [child]) {
        if (typeof each === 'object' && each !== null && 'type' in each) visit(each, isProperty);
      }
    }
  };
  const tree: Node = parse(code, { ecmaVersion: 2022, allowReturnOutsideFunction: true });
  visit(tree as Node & Record<string, unknown>, false);
  return problems;
}

/** Numbers, and the fixed words of the generator itself. */
function isPlainLiteral(value: unknown): boolean {
  if (typeof value === 'string') return ['use strict', 'number', 'string'].includes(value);
  return typeof value === 'number' || typeof value === 'boolean' || value === null;
}

const WORDS = ['this', 'arguments', 'eval', 'new', 'var', 'let', 'enum', 'static', 'function', 'undefined'];
const HOSTILE_NAMES = [
  ...WORDS,
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'T',
  'R',
  'K',
  'p',
];

/** Every construct of the language, with the name in every place a name can stand. */
function everywhere(name: string): string {
  return `
load("m.star", loaded_${name} = "x${name}", "other")
def ${name}_function(${name}, b = 1, *args, k = [2], **kwargs):
    """${name} \${${name}} \\u2028 ' \\" \`"""
    ${name} += 1
    ${name} = [${name} for ${name} in [1, 2.5, ${2n ** 70n}] if ${name} not in (b"${name}", "${name}")]
    x = {"${name}": ${name}, 1: None}
    x["${name}"], y = 1, 2
    for i in range(10):
        for j, z in x.items():
            if j == "${name}" and not z or y < i if False else True:
                continue
            elif j != "":
                break
    while y > 0:
        y -= 1
        if y == 1:
            return lambda ${name} = y: ${name} + b
    x["${name}"] |= 3
    host.value.${name} = -y
    host.${name} //= ~y
    return x.${name}(${name} = 1, *args, **kwargs)[1:y:2][0], "a" + "b", {k: v for k, v in []}

${name} = ${name}_function(1, k = 3)
def caller():
    def inner():
        return ${name}
    return inner() + ${name}_function(k = 1, ${name} = 2) + host.call(${name}) + len("${name}") + min(1, 2)
`;
}

const environment = new Map([
  [
    'host',
    new Module(
      'host',
      new Map([
        ['call', builtin('call', 'x, /', (_, x) => x)],
        ['wait', builtin('wait', '', async () => null, { async: true })],
      ]),
    ),
  ],
]);
const dialect = { recursion: true, while: true, globalReassign: true, topLevelControl: true };

describe('generated JavaScript', () => {
  it.each(HOSTILE_NAMES)('names nothing outside the allowed list when the script is full of %s', (name) => {
    const source = new SourceFile('hostile.star', everywhere(name));
    expect(compile(source, { environment, dialect })).toMatchObject({ ok: true });
    const code = generatedCode(source, { environment, dialect });
    expect(problemsIn(code)).toEqual([]);
    expect(code).not.toContain('hostile');
  });

  it('keeps to the list when it awaits, and when it counts lines', () => {
    const text = `${everywhere('eval')}\nhost.wait()\n`;
    const code = generatedCode(new SourceFile('a.star', text), { environment, dialect, coverage: true });
    expect(code).toContain('await ');
    expect(problemsIn(code)).toEqual([]);
  });

  it('is found out by this test where it names anything else', () => {
    expect(problemsIn('return globalThis.process;')).toEqual(['name globalThis', 'name process']);
    expect(problemsIn('return T.constructor;')).toEqual(['name constructor']);
    expect(problemsIn("return k0['x'];")).toEqual(['literal x']);
    expect(problemsIn('return `x`;')).toContain('node TemplateLiteral');
  });

  it('has no text of the script in it, so that equal programs with other strings and names are equal code', () => {
    const code = (word: string) =>
      generatedCode(
        new SourceFile('a.star', `${word} = "${word}"\ndef f(x): return x.${word}(${word}) == '${word}'`),
      );
    expect(code('alpha')).toBe(code('omega'));
  });

  it('breaks up expressions that are deeper than the host parser should see', () => {
    const deep = (text: string) => generatedCode(new SourceFile('a.star', text), {});
    const nesting = (code: string) => {
      let [now, most] = [0, 0];
      for (const char of code) {
        if (char === '(') most = Math.max(most, ++now);
        if (char === ')') now--;
      }
      return most;
    };
    expect(nesting(deep(`x = ${Array(400).fill('1').join(' + ')}`))).toBeLessThan(100);
    expect(nesting(deep(`x = ${'['.repeat(400)}${']'.repeat(400)}`))).toBeLessThan(100);
  });
});
