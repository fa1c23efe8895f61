/**
 * Functions as JavaScript: entry, exit and unwinding around a translated body, and the making of function
 * values.
 */
import type { Binding, FunctionScope } from '../../resolve/binding.ts';
import type { FunctionNode } from '../../syntax/ast.ts';
import type { FunctionInfo } from '../analyze.ts';
import { parameterIdents } from '../arguments.ts';
import { defaultsOf } from '../walk.ts';
import { Body } from './body.ts';
import { positioned, sequence } from './expressions.ts';
import { block } from './statements.ts';
import type { Unit } from './unit.ts';

/** The value of a `def` or `lambda` made where it stands, once its defaults are evaluated. */
export function functionValue(body: Body, fn: FunctionNode): string {
  const { unit } = body;
  const info = unit.analysis.functions.get(fn)!;
  const names = defaultsOf(fn).map((_, i) => `d${info.id}_${i}`);
  const values = sequence(
    body,
    defaultsOf(fn).map((param) => param.default!),
  );
  const made = `${unit.helper('makeFunction')}(${[
    'T',
    unit.constant(unit.code(info)),
    functionText(unit, info, fn, fn.scope!),
    captured(unit, fn, names),
  ].join(', ')})`;
  // The thread goes in as an argument: captured, it would be slower to reach for all of the function around.
  const withDefaults = (all: readonly string[]) =>
    `((${['T', ...names].join(', ')}) => ${made})(${['T', ...all].join(', ')})`;
  return positioned(body, values, fn.start, (all) => (names.length === 0 ? made : withDefaults(all)));
}

/** The same for a `def` of the top level, whose JavaScript function and defaults are declared there once. */
export function topLevelFunctionValue(body: Body, info: FunctionInfo): string {
  const { unit } = body;
  const fn = info.node!;
  const names = defaultsOf(fn).map((_, i) => `d${info.id}_${i}`);
  const values = sequence(
    body,
    defaultsOf(fn).map((param) => param.default!),
  );
  names.forEach((name, i) => {
    body.line(`${name} = ${values[i]};`);
  });
  body.line(`p = ${fn.start};`);
  const code = unit.constant(unit.code(info));
  return `${unit.helper('makeFunction')}(T, ${code}, ${unit.functionName(info)}, ${captured(unit, fn, names)})`;
}

/** What freezing the function has to reach: its defaults and the variables of functions around it. */
function captured(unit: Unit, fn: FunctionNode, defaults: readonly string[]): string {
  const free = fn.scope!.free.map((binding) => unit.variable(binding));
  const all = [...defaults, ...free];
  return all.length === 0 ? 'null' : `() => [${all.join(', ')}]`;
}

/** `function f3(T, …) { … }` */
export function functionText(unit: Unit, info: FunctionInfo, fn: FunctionNode, scope: FunctionScope): string {
  const params = parameterIdents(fn).map((ident) => ident.binding!);
  const body = new Body(unit, info);
  defaultsOf(fn).forEach((param, i) => {
    const name = unit.variable(param.ident!.binding!);
    body.line(`if (${name} === undefined) ${name} = d${info.id}_${i};`);
  });
  unit.nested(() => block(body, fn.body));
  leave(body, 'null');
  const isParam = new Set(params);
  const locals = scope.locals.filter((binding) => !isParam.has(binding)).map((b) => unit.variable(b));
  const header = `${unit.functionName(info)}(${['T', ...params.map((b: Binding) => unit.variable(b))].join(', ')})`;
  return wrap(body, header, locals, fn.start);
}

/** A body between entry and unwinding. */
export function wrap(
  body: Body,
  header: string,
  locals: readonly string[],
  start: number,
  inner: readonly string[] = [],
): string {
  const { unit, info } = body;
  const code = unit.constant(unit.code(info));
  const entry = [
    'if (++T.depth > T.maxDepth) T.tooDeep();',
    'if (++T.steps > T.checkpoint) T.check();',
    ...(info.checksEntry ? [`if (T.depth > 1) ${unit.helper('refuseRecursion')}(T, ${code});`] : []),
    ...(info.tracked ? [`T.stack[T.depth] = ${code};`] : []),
    ...(info.frameBytes > 0 ? [charge(info.frameBytes)] : []),
  ];
  const closing = body.closeAll();
  return [
    `${info.suspends ? 'async ' : ''}function ${header} {`,
    unit.declaration([`p = ${start}`, ...locals, ...body.locals()]),
    ...inner,
    'try {',
    ...entry,
    ...body.lines,
    '} catch (e) {',
    `T.depth--; ${closing}throw ${unit.helper('unwind')}(e, ${code}, p);`,
    '}',
    '}',
  ].join('\n');
}

/** What `Thread.charge` does, in line. */
export function charge(bytes: number): string {
  return `if ((T.memory += ${bytes}) > T.maxMemory) T.outOfMemory();`;
}

/** Leaves the function: closes what is open, then returns a value that is already evaluated. */
export function leave(body: Body, held: string): void {
  const close = body.loops.map((name) => `${body.unit.helper('close')}(${name}); `).reverse();
  body.line(`${close.join('')}T.depth--; return ${held};`);
}
