/**
 * Statements as JavaScript lines.
 */
import type { Assign, AugAssign, Def, Expr, If, Load, Stmt, While } from '../../syntax/ast.ts';
import { augmentedHelper } from '../helpers.ts';
import { parallelParts } from '../walk.ts';
import { type Body, isAtom } from './body.ts';
import { condition, ident, kindOf, sequence, value } from './expressions.ts';
import { withFloats } from './floats.ts';
import { functionValue, leave, topLevelFunctionValue } from './functions.ts';
import { assign, forLoop, step } from './loops.ts';
import { arithmetic } from './operators.ts';

export function block(body: Body, statements: readonly Stmt[]): void {
  for (const stmt of statements) body.statement(() => statement(body, stmt));
}

function statement(body: Body, stmt: Stmt): void {
  const { coverage } = body.unit;
  if (coverage !== null) body.line(`${body.unit.constant(coverage.counts)}[${coverage.slot(stmt)}]++;`);
  switch (stmt.kind) {
    case 'expr': {
      const text = value(body, stmt.value);
      if (!isAtom(text)) body.line(`${text};`);
      break;
    }
    case 'assign':
      assignment(body, stmt);
      break;
    case 'augAssign':
      augmented(body, stmt);
      break;
    case 'def':
      def(body, stmt);
      break;
    case 'if':
      conditional(body, stmt);
      break;
    case 'for':
      forLoop(body, stmt.target, stmt.iterable, stmt.start, () => block(body, stmt.body));
      break;
    case 'while':
      loop(body, stmt);
      break;
    case 'return':
      leave(body, stmt.value === null ? 'null' : body.hold(value(body, stmt.value)));
      break;
    case 'break':
    case 'continue':
      body.line(`${stmt.kind};`);
      break;
    case 'load':
      load(body, stmt);
      break;
    case 'pass':
  }
}

function assignment(body: Body, stmt: Assign): void {
  const parts = parallelParts(stmt);
  if (parts !== null) {
    const values = sequence(body, parts.values).map((text) => body.copy(text));
    parts.targets.forEach((target, i) => {
      assign(body, target, values[i]!, stmt.opStart);
    });
    return;
  }
  const text = value(body, stmt.value);
  if (stmt.target.kind === 'ident') body.line(`${body.unit.variable(stmt.target.binding!)} = ${text};`);
  else assign(body, stmt.target, body.hold(text), stmt.opStart);
}

function augmented(body: Body, stmt: AugAssign): void {
  const { unit } = body;
  const { target } = stmt;
  const combined = (current: string, right: Expr): string => {
    const operand = { text: value(body, right), kind: kindOf(body, right) };
    const left = { text: current, kind: 'any' as const };
    return arithmetic(body, stmt.op, left, operand, stmt.opStart, augmentedHelper(stmt.op));
  };
  if (target.kind === 'ident') {
    const current = ident(body, target);
    const before = unit.needsLines(stmt.value) ? body.hold(current) : current;
    const formula = { ...stmt, kind: 'binary' as const, left: target, right: stmt.value };
    const text = withFloats(body, formula, () => combined(before, stmt.value));
    body.line(`${unit.variable(target.binding!)} = ${text};`);
  } else if (target.kind === 'index') {
    const [object, key] = sequence(body, [target.object, target.index]).map((text) => body.hold(text));
    body.line(`p = ${target.openStart};`);
    const current = body.copy(`${unit.helper('index')}(T, ${object}, ${key})`);
    const result = body.hold(combined(current, stmt.value));
    body.line(`p = ${target.openStart}; ${unit.helper('setIndex')}(T, ${object}, ${key}, ${result});`);
  } else {
    const object = body.hold(value(body, target.object));
    const name = unit.constant(target.name);
    body.line(`p = ${target.dotStart};`);
    const current = body.copy(`${unit.helper('getAttr')}(T, ${object}, ${name})`);
    const result = body.hold(combined(current, stmt.value));
    body.line(`p = ${target.dotStart}; ${unit.helper('setAttr')}(T, ${object}, ${name}, ${result});`);
  }
}

function def(body: Body, stmt: Def): void {
  const info = body.unit.analysis.functions.get(stmt.fn)!;
  const made = info.topLevelDef === stmt ? topLevelFunctionValue(body, info) : functionValue(body, stmt.fn);
  body.line(`${body.unit.variable(stmt.ident.binding!)} = ${made};`);
}

function conditional(body: Body, stmt: If): void {
  body.line(`if (${condition(body, stmt.condition)}) {`);
  block(body, stmt.then);
  if (stmt.otherwise.length > 0) {
    body.line('} else {');
    block(body, stmt.otherwise);
  }
  body.line('}');
}

function loop(body: Body, stmt: While): void {
  body.line('while (true) {');
  body.statement(() => body.line(`if (!${condition(body, stmt.condition)}) break;`));
  step(body, stmt.start);
  block(body, stmt.body);
  body.line('}');
}

function load(body: Body, stmt: Load): void {
  const { unit } = body;
  const module = unit.constant(stmt.module);
  for (const { from, ident: target, start } of stmt.bindings) {
    body.line(`p = ${start};`);
    const loaded = `${unit.helper('loaded')}(L, ${module}, ${unit.constant(from)})`;
    body.line(`${unit.variable(target.binding!)} = ${loaded};`);
  }
}
