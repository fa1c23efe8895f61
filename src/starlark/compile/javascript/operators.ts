/**
 * Operators as JavaScript: the common case of two small ints, or of two strings, in line; everything else by
 * a helper.
 */
import type { ArithmeticOp, CompareOp } from '../../syntax/ast.ts';
import { ARITHMETIC, ORDER } from '../helpers.ts';
import type { Runtime } from '../runtime.ts';
import { type Body, isAtom } from './body.ts';

/**
 * What is known of a value before the run; a `string` is short enough that comparing it costs nothing worth
 * counting.
 */
export type Kind = 'int' | 'bool' | 'string' | 'none' | 'any';

export interface Operand {
  readonly text: string;
  readonly kind: Kind;
}

const MAX = Number.MAX_SAFE_INTEGER;

/** The test and the value of the in-line case, for operands that are ints; `t` may hold the result. */
const INLINE: Partial<
  Record<ArithmeticOp, (a: string, b: string, t: string) => [test: string, value: string]>
> = {
  '+': (a, b, t) => [`(${t} = ${a} + ${b}) <= ${MAX} && ${t} >= -${MAX}`, t],
  '-': (a, b, t) => [`(${t} = ${a} - ${b}) <= ${MAX} && ${t} >= -${MAX}`, t],
  // Adding 0 turns -0 into 0.
  '*': (a, b, t) => [`(${t} = ${a} * ${b} + 0) <= ${MAX} && ${t} >= -${MAX}`, t],
  '%': (a, b) => [`${a} >= 0 && ${b} > 0`, `${a} % ${b}`],
  // For safe integers the rounded quotient never crosses the integer above.
  '//': (a, b) => [`${a} >= 0 && ${b} > 0`, `(${a} - ${a} % ${b}) / ${b}`],
  '&': (a, b) => [`(${a} | 0) === ${a} && (${b} | 0) === ${b}`, `${a} & ${b}`],
  '|': (a, b) => [`(${a} | 0) === ${a} && (${b} | 0) === ${b}`, `${a} | ${b}`],
  '^': (a, b) => [`(${a} | 0) === ${a} && (${b} | 0) === ${b}`, `${a} ^ ${b}`],
};

/** `a op b`. The operands are evaluated left to right before anything else happens. */
export function arithmetic(
  body: Body,
  op: ArithmeticOp,
  left: Operand,
  right: Operand,
  at: number,
  helper: keyof Runtime = ARITHMETIC[op],
): string {
  const [setup, a, b] = atoms(body, left, right);
  const slow = `(p = ${at}, ${body.unit.helper(helper)}(T, ${a}, ${b}))`;
  const inline = INLINE[op];
  const tests = intTests(left, right, a, b);
  if (inline === undefined || tests === null) return group(setup, slow);
  const [test, value] = inline(a, b, body.temp());
  return group(setup, `${[...tests, test].join(' && ')} ? ${value} : ${slow}`);
}

/** `a op b` as a JavaScript boolean. */
export function comparison(body: Body, op: CompareOp, left: Operand, right: Operand, at: number): string {
  if (op === '==' || op === '!=') return equality(body, op, left, right, at);
  const [setup, a, b] = atoms(body, left, right);
  if (op === 'in' || op === 'not in') {
    const not = op === 'in' ? '' : '!';
    return group(setup, `(p = ${at}, ${not}${body.unit.helper('isIn')}(T, ${a}, ${b}))`);
  }
  const slow = `(p = ${at}, ${body.unit.helper(ORDER[op])}(T, ${a}, ${b}))`;
  const tests = intTests(left, right, a, b);
  if (tests === null) return group(setup, slow);
  const fast = `${a} ${op} ${b}`;
  return group(setup, tests.length === 0 ? fast : `${tests.join(' && ')} ? ${fast} : ${slow}`);
}

function equality(body: Body, op: '==' | '!=', left: Operand, right: Operand, at: number): string {
  const same = op === '==' ? '===' : '!==';
  // No value of another type equals a string, a bool or None, so identity decides.
  const exact = [left.kind, right.kind].some(
    (kind) => kind === 'string' || kind === 'bool' || kind === 'none',
  );
  if (exact) return `(${left.text} ${same} ${right.text})`;
  const [setup, a, b] = atoms(body, left, right);
  const tests = intTests(left, right, a, b) ?? [];
  const fast = `${a} ${same} ${b}`;
  if (tests.length === 0) return group(setup, fast);
  const not = op === '==' ? '' : '!';
  const slow = `(p = ${at}, ${not}${body.unit.helper('equal')}(T, ${a}, ${b}))`;
  return group(setup, `${tests.join(' && ')} ? ${fast} : ${slow}`);
}

/**
 * What must hold for both to be ints that are JavaScript numbers; null if one is known to be something
 * else.
 */
function intTests(left: Operand, right: Operand, a: string, b: string): string[] | null {
  const tests: string[] = [];
  for (const [operand, name] of [[left, a] as const, [right, b] as const]) {
    if (operand.kind === 'any') tests.push(`typeof ${name} === 'number'`);
    else if (operand.kind !== 'int') return null;
  }
  return tests;
}

function atoms(body: Body, left: Operand, right: Operand): [setup: string[], a: string, b: string] {
  const setup: string[] = [];
  const names = [left, right].map(({ text }) => {
    if (isAtom(text)) return text;
    const temp = body.temp();
    setup.push(`${temp} = ${text}`);
    return temp;
  });
  return [setup, names[0]!, names[1]!];
}

function group(setup: readonly string[], value: string): string {
  return setup.length === 0 ? `(${value})` : `(${setup.join(', ')}, ${value})`;
}
