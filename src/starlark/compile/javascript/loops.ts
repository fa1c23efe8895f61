/**
 * `for`, in statements and comprehensions, and the assignment to targets, as JavaScript lines. A list is
 * walked by index under its lock, a range of the language is counted, everything else goes through a cursor.
 */
import { UNIVERSE } from '../../lib/universe.ts';
import type { Expr, Target } from '../../syntax/ast.ts';
import { RANGE } from '../../values/size.ts';
import { isPlainCall, stripParens } from '../walk.ts';
import type { Body } from './body.ts';
import { sequence, value } from './expressions.ts';
import { charge } from './functions.ts';
import { rowLoop } from './row-loops.ts';

/**
 * Writes a loop over `iterable`; `inside` writes what happens for each element, once the targets are
 * assigned.
 */
export function forLoop(body: Body, target: Target, iterable: Expr, at: number, inside: () => void): void {
  const range = countedRange(body, iterable);
  if (range !== null) countingLoop(body, target, range, at, inside);
  else if (!rowLoop(body, target, iterable, at, inside)) cursorLoop(body, target, iterable, at, inside);
}

function cursorLoop(body: Body, target: Target, iterable: Expr, at: number, inside: () => void): void {
  const { unit } = body;
  const source = body.hold(value(body, iterable));
  const [items, index] = [body.temp(), body.temp()];
  const cursor = body.openLoop();
  body.line(`p = ${at}; ${items} = ${unit.helper('lockItems')}(T, ${source});`);
  body.line(`${cursor} = ${items} !== null ? ${source} : ${unit.helper('iterate')}(T, ${source});`);
  body.line(`for (${index} = 0; ; ${index}++) {`);
  const item = simpleName(body, target) ?? body.temp();
  body.line(
    `if (${items} !== null) { if (${index} >= ${items}.length) break; ${item} = ${items}[${index}]; }`,
  );
  const next = body.temp();
  body.line(`else { ${next} = ${cursor}.next(); if (${next} === undefined) break; ${item} = ${next}; }`);
  step(body, at);
  if (simpleName(body, target) === null) assign(body, target, item, at);
  inside();
  body.line('}');
  body.closeLoop();
}

const MAX = Number.MAX_SAFE_INTEGER;

interface CountedRange {
  /** One to three arguments, as `range` takes them. */
  readonly args: readonly Expr[];
  readonly step: number;
  readonly at: number;
}

/** A call of the language's own `range` whose direction is known. */
function countedRange(body: Body, iterable: Expr): CountedRange | null {
  const e = stripParens(iterable);
  if (e.kind !== 'call' || !isPlainCall(e) || e.args.length < 1 || e.args.length > 3) return null;
  const callee = body.unit.analysis.constant(e.callee);
  if (callee === undefined || callee !== UNIVERSE.get('range')) return null;
  const args = e.args.map((arg) => arg.value);
  const step = args.length < 3 ? 1 : smallInt(args[2]!);
  return step === null || step === 0 ? null : { args, step, at: e.openStart };
}

function smallInt(e: Expr): number | null {
  if (e.kind === 'literal' && e.type === 'int' && typeof e.value === 'number') return e.value;
  if (e.kind !== 'unary' || e.op !== '-') return null;
  const inner = smallInt(e.operand);
  return inner === null ? null : 0 - inner;
}

function countingLoop(body: Body, target: Target, range: CountedRange, at: number, each: () => void): void {
  const { unit } = body;
  const values = sequence(body, range.args.slice(0, 2)).map((text) => body.hold(text));
  const variable = values.filter((text) => !/^\d+$/.test(text));
  const inside = body.insideBuiltin(range.at, 'range');
  if (variable.length > 0) {
    const unfit = variable.map((text) => `typeof ${text} !== 'number'`);
    if (values.length === 2)
      unfit.push(`${values[1]} - ${values[0]} > ${MAX} || ${values[0]} - ${values[1]} > ${MAX}`);
    // The built-in itself says what is wrong with its arguments.
    const given = range.args.length === 3 ? [...values, `(${range.step})`] : values;
    body.line(
      `if (${unfit.join(' || ')}) { p = ${inside}; ${unit.helper('badRange')}(T, [${given.join(', ')}]); }`,
    );
  }
  // No range is made, but a script pays for one: it must not matter how it is translated.
  body.line(`p = ${inside}; ${charge(RANGE)}`);
  const [start, last] = values.length === 1 ? ['0', values[0]!] : [values[0]!, values[1]!];
  const index = body.temp();
  // The loop may assign to the variable its end came from.
  const stop = /^[vg]/.test(last) ? body.copy(last) : last;
  const [test, next] = range.step > 0 ? ['<', `+= ${range.step}`] : ['>', `-= ${-range.step}`];
  body.line(`for (${index} = ${start}; ${index} ${test} ${stop}; ${index} ${next}) {`);
  step(body, at);
  assign(body, target, index, at);
  each();
  body.line('}');
}

/** Counts one iteration. */
export function step(body: Body, at: number): void {
  body.line(`if (++T.steps > T.checkpoint) { p = ${at}; T.check(); }`);
}

function simpleName(body: Body, target: Target): string | null {
  const inner = stripParens(target);
  return inner.kind === 'ident' ? body.unit.variable(inner.binding!) : null;
}

/** Assigns a value that is already in a variable; what a target evaluates is evaluated now, left to right. */
export function assign(body: Body, target: Target, held: string, at: number): void {
  const { unit } = body;
  switch (target.kind) {
    case 'ident':
      body.line(`${unit.variable(target.binding!)} = ${held};`);
      return;
    case 'paren':
      assign(body, target.inner as Target, held, at);
      return;
    case 'index': {
      const [object, key] = sequence(body, [target.object, target.index]).map((text) => body.hold(text));
      body.line(`p = ${target.openStart}; ${unit.helper('setIndex')}(T, ${object}, ${key}, ${held});`);
      return;
    }
    case 'dot': {
      const object = body.hold(value(body, target.object));
      const name = unit.constant(target.name);
      body.line(`p = ${target.dotStart}; ${unit.helper('setAttr')}(T, ${object}, ${name}, ${held});`);
      return;
    }
    default: {
      const parts = body.temp();
      const items = target.items.map(() => body.temp());
      body.line(`p = ${at}; ${parts} = ${unit.helper('unpack')}(T, ${held}, ${target.items.length});`);
      // Taken out first: assigning to one target may change the list the others come from.
      for (const [i, item] of items.entries()) body.line(`${item} = ${parts}[${i}];`);
      target.items.forEach((item, i) => {
        assign(body, item as Target, items[i]!, at);
      });
    }
  }
}
