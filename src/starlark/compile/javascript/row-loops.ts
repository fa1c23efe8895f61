/**
 * Loops that take the rows of `zip` or `enumerate` apart at once, as JavaScript lines: they go over columns, and no row is
 * made. What is charged, counted and reported is what the calls charge, count and report.
 */
import { UNIVERSE } from '../../lib/universe.ts';
import type { Call, Expr, Target } from '../../syntax/ast.ts';
import { isPlainCall, stripParens } from '../walk.ts';
import type { Body } from './body.ts';
import { sequence, value } from './expressions.ts';
import { assign, step } from './loops.ts';

/** More columns are seldom, and each is a variable. */
const MOST_COLUMNS = 4;

/** Whether it wrote the loop. */
export function rowLoop(body: Body, target: Target, iterable: Expr, at: number, inside: () => void): boolean {
  const e = stripParens(iterable);
  const parts = stripParens(target);
  if (e.kind !== 'call' || !isPlainCall(e) || (parts.kind !== 'tuple' && parts.kind !== 'list')) return false;
  const items = parts.items as Target[];
  const callee = body.unit.analysis.constant(e.callee);
  if (callee === undefined) return false;
  if (callee === UNIVERSE.get('zip') && e.args.length === items.length && items.length <= MOST_COLUMNS) {
    zipLoop(body, e, items, at, inside);
    return true;
  }
  const start = e.args.length === 2 ? smallInt(e.args[1]!.value) : 0;
  if (callee !== UNIVERSE.get('enumerate') || items.length !== 2 || e.args.length === 0 || start === null)
    return false;
  enumerateLoop(body, e, items, start, at, inside);
  return true;
}

/** What `enumerate` begins with, if it cannot count beyond the small ints from there. */
function smallInt(e: Expr): number | null {
  const isInt = e.kind === 'literal' && e.type === 'int' && typeof e.value === 'number';
  return isInt && (e.value as number) < 2 ** 31 ? (e.value as number) : null;
}

function zipLoop(body: Body, e: Call, targets: readonly Target[], at: number, inside: () => void): void {
  const { unit } = body;
  const args = sequence(
    body,
    e.args.map((arg) => arg.value),
  ).map((text) => body.hold(text));
  body.line(`p = ${body.insideBuiltin(e.openStart, 'zip')};`);
  const all = body.copy(`${unit.helper('zipColumns')}(T, [${args.join(', ')}])`);
  const columns = args.map((_, i) => body.copy(`${all}[${i}]`));
  const index = body.temp();
  body.line(`for (${index} = 0; ${index} < ${columns[0]}.length; ${index}++) {`);
  step(body, at);
  assignAll(
    body,
    targets,
    columns.map((column) => `${column}[${index}]`),
    at,
  );
  inside();
  body.line('}');
}

function enumerateLoop(
  body: Body,
  e: Call,
  targets: readonly Target[],
  start: number,
  at: number,
  inside: () => void,
): void {
  const { unit } = body;
  const items = body.hold(value(body, e.args[0]!.value));
  body.line(`p = ${body.insideBuiltin(e.openStart, 'enumerate')};`);
  const column = body.copy(`${unit.helper('enumerated')}(T, ${items})`);
  const index = body.temp();
  body.line(`for (${index} = 0; ${index} < ${column}.length; ${index}++) {`);
  step(body, at);
  assignAll(body, targets, [start === 0 ? index : `${index} + ${start}`, `${column}[${index}]`], at);
  inside();
  body.line('}');
}

/** Neither columns nor index change meanwhile, so nothing has to be held. */
function assignAll(body: Body, targets: readonly Target[], values: readonly string[], at: number): void {
  targets.forEach((target, i) => {
    assign(body, target, values[i]!, at);
  });
}
