/**
 * Formulas over floats, computed in one go on the bare numbers, with a single box at the end, provided that their operands turn out to be
 * floats. The script is charged for a box at every operator all the same; where there is no room for them the general code
 * finds out which one is too many.
 */
import type { Binary, Expr, Ident } from '../../syntax/ast.ts';
import { FLOAT } from '../../values/size.ts';
import { type Body, isAtom } from './body.ts';
import { ident, value } from './expressions.ts';

/** Operators that cannot fail on floats, once no divisor is zero. */
const TOTAL: ReadonlySet<string> = new Set(['+', '-', '*', '/']);

/**
 * A formula is written beside the general code for it, and for each part of it, so it had better be short.
 */
const MAX_LENGTH = 200;

interface Formula {
  readonly text: string;
  /** Some operand is a float for certain, so the result is one. */
  readonly isFloat: boolean;
  readonly operators: number;
  readonly variables: ReadonlySet<string>;
  /** What must not be zero. */
  readonly divisors: readonly string[];
}

/** `general` writes the same expression for operands of any kind; it finds them where they are held. */
export function withFloats(body: Body, e: Binary, general: () => string): string {
  const isCandidate = TOTAL.has(e.op) && body.formula === null && !body.unit.needsLines(e);
  const operands = isCandidate ? operandsOf(body, e) : null;
  if (operands === null) return general();
  const setup: string[] = [];
  const held = new Map<Expr, string>();
  for (const operand of operands.filter((each) => !isSimple(body, each))) {
    const text = value(body, operand);
    held.set(operand, body.temp());
    setup.push(`${held.get(operand)} = ${text}`);
  }
  body.formula = held;
  const formula = formulaOf(body, e);
  const text = general();
  body.formula = null;
  const all = formula === null ? text : `${test(body, formula)} : ${text}`;
  return `(${[...setup, all].join(', ')})`;
}

function test(body: Body, formula: Formula): string {
  const float = body.unit.helper('Float');
  const tests = [...formula.variables].map((name) => `${name} instanceof ${float}`);
  const bytes = FLOAT * formula.operators;
  tests.push(...formula.divisors.map((text) => `${text} !== 0`), `T.memory + ${bytes} <= T.maxMemory`);
  return `${tests.join(' && ')} ? (T.memory += ${bytes}, new ${float}(${formula.text}))`;
}

/**
 * The operands of a formula that is worth it, in the order of evaluation; else null. There must be a float literal, or a box to save and no
 * sign of ints. After the first operator only what cannot fail may follow: it is evaluated before all operators.
 */
function operandsOf(body: Body, e: Binary): Expr[] | null {
  const operands: Expr[] = [];
  const literals = { int: 0, float: 0 };
  let operators = 0;
  const isFit = (part: Expr): boolean => {
    if (part.kind === 'paren') return isFit(part.inner);
    if (part.kind === 'binary' && TOTAL.has(part.op)) {
      const fits = isFit(part.left) && isFit(part.right);
      operators++;
      return fits;
    }
    if (part.kind === 'literal' && (part.type === 'int' || part.type === 'float')) literals[part.type]++;
    else if (part.kind === 'literal' || body.unit.needsLines(part)) return false;
    operands.push(part);
    return operators === 0 || isSimple(body, part);
  };
  if (!isFit(e) || operands.every((part) => part.kind === 'literal')) return null;
  return literals.float > 0 || (operators > 1 && literals.int === 0) ? operands : null;
}

function isSimple(body: Body, e: Expr): boolean {
  return e.kind === 'literal' || (e.kind === 'ident' && isAtom(ident(body, e)));
}

function formulaOf(body: Body, e: Expr): Formula | null {
  switch (e.kind) {
    case 'paren':
      return formulaOf(body, e.inner);
    case 'literal':
      if (e.type === 'float') return { ...operand(numberText(e.value as number)), isFloat: true };
      if (e.type !== 'int' || typeof e.value !== 'number') return null;
      return operand(numberText(e.value));
    case 'binary': {
      if (!TOTAL.has(e.op)) return null;
      const left = formulaOf(body, e.left);
      const right = left === null ? null : formulaOf(body, e.right);
      // Two ints make an int, by other rules.
      if (left === null || right === null || !(left.isFloat || right.isFloat)) return null;
      const text = `(${left.text} ${e.op} ${right.text})`;
      if (text.length > MAX_LENGTH) return null;
      return {
        text,
        isFloat: true,
        operators: left.operators + right.operators + 1,
        variables: new Set([...left.variables, ...right.variables]),
        divisors: [...left.divisors, ...right.divisors, ...(e.op === '/' ? [right.text] : [])],
      };
    }
    default: {
      const text = body.formula!.get(e) ?? ident(body, e as Ident);
      return { ...operand(`${text}.value`), isFloat: true, variables: new Set([text]) };
    }
  }
}

/** An int literal; others add what they know. */
function operand(text: string): Formula {
  return { text, isFloat: false, operators: 0, variables: new Set(), divisors: [] };
}

function numberText(value: number): string {
  return value < 0 || Object.is(value, -0) ? `(${value})` : String(value);
}
