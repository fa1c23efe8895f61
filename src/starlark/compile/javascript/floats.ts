/**
 * Formulas over floats. Where a float literal shows what a formula is about, it is computed in one go on the
 * bare numbers, with a single box at the end, provided that its variables turn out to be floats. The script
 * is charged for a box at every operator all the same; where there is no room for them the general code finds
 * out which one is too many.
 */
import type { Binary, Expr } from '../../syntax/ast.ts';
import { FLOAT } from '../../values/size.ts';
import { type Body, isAtom } from './body.ts';
import { ident } from './expressions.ts';

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
  readonly literals: number;
  readonly operators: number;
  readonly variables: ReadonlySet<string>;
  /** What must not be zero. */
  readonly divisors: readonly string[];
}

/**
 * `test ? value`, to be completed with what happens otherwise; null if the expression is no such formula.
 */
export function floatFormula(body: Body, e: Binary): string | null {
  if (!TOTAL.has(e.op)) return null;
  const formula = formulaOf(body, e);
  if (formula === null || formula.literals === 0 || formula.variables.size === 0) return null;
  const float = body.unit.helper('Float');
  const tests = [...formula.variables].map((name) => `${name} instanceof ${float}`);
  const bytes = FLOAT * formula.operators;
  tests.push(...formula.divisors.map((text) => `${text} !== 0`), `T.memory + ${bytes} <= T.maxMemory`);
  return `${tests.join(' && ')} ? (T.memory += ${bytes}, new ${float}(${formula.text}))`;
}

function formulaOf(body: Body, e: Expr): Formula | null {
  switch (e.kind) {
    case 'paren':
      return formulaOf(body, e.inner);
    case 'literal':
      if (e.type === 'float')
        return { ...operand(numberText(e.value as number)), isFloat: true, literals: 1 };
      if (e.type !== 'int' || typeof e.value !== 'number') return null;
      return operand(numberText(e.value));
    case 'ident': {
      const text = ident(body, e);
      if (!isAtom(text) || body.unit.analysis.constant(e) !== undefined) return null;
      return { ...operand(`${text}.value`), isFloat: true, variables: new Set([text]) };
    }
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
        literals: left.literals + right.literals,
        operators: left.operators + right.operators + 1,
        variables: new Set([...left.variables, ...right.variables]),
        divisors: [...left.divisors, ...right.divisors, ...(e.op === '/' ? [right.text] : [])],
      };
    }
    default:
      return null;
  }
}

/** An int literal; others add what they know. */
function operand(text: string): Formula {
  return { text, isFloat: false, literals: 0, operators: 0, variables: new Set(), divisors: [] };
}

function numberText(value: number): string {
  return value < 0 || Object.is(value, -0) ? `(${value})` : String(value);
}
