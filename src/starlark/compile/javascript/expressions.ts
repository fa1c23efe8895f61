/**
 * Expressions as JavaScript. `value` gives one expression text; whatever cannot be part of one (a loop, or
 * nesting the host's parser might not take) is written as lines before it.
 */
import { UNIVERSE } from '../../lib/universe.ts';
import type {
  ArithmeticOp,
  CompareOp,
  Comprehension,
  Conditional,
  DictExpr,
  Expr,
  Ident,
  Literal,
  Slice,
  Unary,
} from '../../syntax/ast.ts';
import { isPlainKey } from '../../values/hash-table.ts';
import { literalValue } from '../constants.ts';
import { UNARY } from '../helpers.ts';
import { type Body, isAtom } from './body.ts';
import { call } from './calls.ts';
import { withFloats } from './floats.ts';
import { functionValue } from './functions.ts';
import { forLoop } from './loops.ts';
import { arithmetic, comparison, type Kind } from './operators.ts';

/** The value of an expression. */
export function value(body: Body, e: Expr): string {
  const held = body.formula?.get(e);
  if (held !== undefined) return held;
  body.unit.budget.tick();
  const text = body.unit.count(written(body, e));
  return body.unit.breaksHere(e) && !isAtom(text) ? body.hold(text) : text;
}

/** Values of expressions evaluated in order; all of them are still good when the last one is. */
export function sequence(body: Body, exprs: readonly Expr[]): string[] {
  const lastWithLines = exprs.findLastIndex((e) => body.unit.needsLines(e));
  return exprs.map((e, i) => (i < lastWithLines ? body.hold(value(body, e)) : value(body, e)));
}

/** The truth of an expression, as a JavaScript boolean. */
export function condition(body: Body, e: Expr): string {
  if (body.unit.needsLines(e)) return truth(body, value(body, e));
  switch (e.kind) {
    case 'paren':
      return condition(body, e.inner);
    case 'unary':
      if (e.op === 'not') return `!${condition(body, e.operand)}`;
      break;
    case 'binary':
      if (e.op === 'and') return `(${condition(body, e.left)} && ${condition(body, e.right)})`;
      if (e.op === 'or') return `(${condition(body, e.left)} || ${condition(body, e.right)})`;
      break;
    default:
  }
  const text = value(body, e);
  return kindOf(body, e) === 'bool' ? text : truth(body, text);
}

/** Writes a comma list that evaluates each value and ends with `p` at the given place. */
export function positioned(
  body: Body,
  values: readonly string[],
  at: number,
  use: (values: string[]) => string,
) {
  const last = values.findLastIndex((text) => !isAtom(text));
  if (last === -1) return `(p = ${at}, ${use([...values])})`;
  const temp = body.temp();
  return use(values.map((text, i) => (i === last ? `(${temp} = ${text}, p = ${at}, ${temp})` : text)));
}

/** What is known of a value without running anything. */
export function kindOf(body: Body, e: Expr): Kind {
  switch (e.kind) {
    case 'paren':
      return kindOf(body, e.inner);
    case 'literal':
      if (e.type === 'string') return (e.value as string).length < LONG_TEXT ? 'string' : 'any';
      return e.type === 'int' && typeof e.value === 'number' ? 'int' : 'any';
    case 'ident': {
      const known = body.unit.analysis.constant(e);
      if (known === null) return 'none';
      return typeof known === 'boolean' ? 'bool' : 'any';
    }
    case 'unary':
      return e.op === 'not' ? 'bool' : negativeLiteral(e) === null ? 'any' : 'int';
    case 'binary':
      if (e.op === 'and' || e.op === 'or') {
        const kind = kindOf(body, e.left);
        return kind === kindOf(body, e.right) ? kind : 'any';
      }
      return COMPARES.has(e.op) ? 'bool' : 'any';
    case 'call': {
      const callee = body.unit.analysis.constant(e.callee);
      return callee !== undefined && callee === UNIVERSE.get('len') ? 'int' : 'any';
    }
    default:
      return 'any';
  }
}

/** Comparing strings from here on is charged, which the helper does. */
const LONG_TEXT = 256;

const COMPARES: ReadonlySet<string> = new Set(['==', '!=', '<', '>', '<=', '>=', 'in', 'not in']);

function isComparison(op: CompareOp | ArithmeticOp): op is CompareOp {
  return COMPARES.has(op);
}

function truth(body: Body, text: string): string {
  if (isAtom(text)) return `(${text} === true || ${text} !== false && ${body.unit.helper('truth')}(${text}))`;
  return truthOf(body, body.temp(), text);
}

/** The truth of a value that is kept in `temp`. */
function truthOf(body: Body, temp: string, text: string): string {
  return `((${temp} = ${text}) === true || ${temp} !== false && ${body.unit.helper('truth')}(${temp}))`;
}

function written(body: Body, e: Expr): string {
  const { unit } = body;
  switch (e.kind) {
    case 'paren':
      return value(body, e.inner);
    case 'ident':
      return ident(body, e);
    case 'literal':
      return literal(body, e);
    case 'list':
    case 'tuple':
      return positioned(
        body,
        sequence(body, e.items),
        e.start,
        (values) => `${unit.helper(e.kind)}(T, [${values.join(', ')}])`,
      );
    case 'dict': {
      const parts = sequence(
        body,
        e.entries.flatMap((entry) => [entry.key, entry.value]),
      );
      if (parts.length === 0) return `(p = ${e.start}, ${unit.helper('emptyDict')}(T))`;
      const offsets = unit.constant(e.entries.map((entry) => entry.start));
      const keys = plainKeys(e);
      if (keys !== null) {
        const constant = unit.constant(keys);
        const values = parts.filter((_, i) => i % 2 === 1);
        const fill = (all: string[]) =>
          `${unit.helper('record')}(T, ${constant}, [${all.join(', ')}], ${offsets})`;
        return positioned(body, values, e.start, fill);
      }
      const make = (values: string[]) => `${unit.helper('dict')}(T, [${values.join(', ')}], ${offsets})`;
      return positioned(body, parts, e.start, make);
    }
    case 'comprehension':
      return comprehension(body, e);
    case 'unary':
      if (e.op === 'not') return `!${condition(body, e.operand)}`;
      return negativeLiteral(e) === null ? unary(body, e.op, e.operand, e.start) : `(${negativeLiteral(e)})`;
    case 'binary': {
      if (e.op === 'and' || e.op === 'or') return shortCircuit(body, e.op, e.left, e.right);
      const { op } = e;
      return withFloats(body, e, () => {
        const [left, right] = sequence(body, [e.left, e.right]);
        const operands = [
          { text: left!, kind: kindOf(body, e.left) },
          { text: right!, kind: kindOf(body, e.right) },
        ] as const;
        return isComparison(op)
          ? comparison(body, op, ...operands, e.opStart)
          : arithmetic(body, op, ...operands, e.opStart);
      });
    }
    case 'conditional':
      return conditional(body, e);
    case 'call':
      return call(body, e);
    case 'index': {
      const parts = sequence(body, [e.object, e.index]);
      return positioned(
        body,
        parts,
        e.openStart,
        (values) => `${unit.helper('index')}(T, ${values.join(', ')})`,
      );
    }
    case 'slice':
      return slice(body, e);
    case 'dot': {
      const known = unit.analysis.constant(e);
      if (known !== undefined) return unit.constant(known);
      const name = unit.constant(e.name);
      return positioned(
        body,
        [value(body, e.object)],
        e.dotStart,
        (values) => `${unit.helper('getAttr')}(T, ${values}, ${name})`,
      );
    }
    case 'lambda':
      return functionValue(body, e.fn);
  }
}

/** The keys of a dict display if they are plain texts, all different. */
function plainKeys(e: DictExpr): readonly string[] | null {
  const keys = new Set<string>();
  for (const { key } of e.entries) {
    const text = key.kind === 'literal' && key.type === 'string' ? (literalValue(key) as string) : '\0';
    if (!isPlainKey(text)) return null;
    keys.add(text);
  }
  return keys.size === e.entries.length ? [...keys] : null;
}

/** `-1`: written as a number. */
function negativeLiteral(e: Unary): number | null {
  const { operand } = e;
  if (e.op !== '-' || operand.kind !== 'literal' || operand.type !== 'int') return null;
  return typeof operand.value === 'number' && operand.value !== 0 ? -operand.value : null;
}

function unary(body: Body, op: keyof typeof UNARY, operand: Expr, at: number): string {
  return positioned(
    body,
    [value(body, operand)],
    at,
    (values) => `${body.unit.helper(UNARY[op])}(T, ${values})`,
  );
}

export function ident(body: Body, e: Ident): string {
  const { unit } = body;
  const binding = e.binding!;
  if (binding.kind === 'predeclared' || binding.kind === 'universal') {
    const live = unit.analysis.live(e);
    if (live !== null) return `${unit.constant(live)}.read(T)`;
    const known = unit.analysis.constant(e)!;
    return known === null || typeof known === 'boolean' ? String(known) : unit.constant(known);
  }
  const name = unit.variable(binding);
  if (!unit.analysis.unsafeReads.has(e)) return name;
  const unbound = unit.helper(binding.kind === 'global' ? 'unboundGlobal' : 'unboundLocal');
  return `(${name} === undefined ? (p = ${e.start}, ${unbound}(${unit.constant(e.name)})) : ${name})`;
}

function literal(body: Body, e: Literal): string {
  if (e.type === 'int' && typeof e.value === 'number') return String(e.value);
  return body.unit.constant(literalValue(e));
}

function slice(body: Body, e: Slice): string {
  const given = [e.low, e.high, e.step];
  const parts = sequence(body, [e.object, ...given.filter((part) => part !== null)]);
  let next = 1;
  const all = [parts[0]!, ...given.map((part) => (part === null ? 'null' : parts[next++]!))];
  return positioned(
    body,
    all,
    e.openStart,
    (values) => `${body.unit.helper('slice')}(T, ${values.join(', ')})`,
  );
}

function conditional(body: Body, e: Conditional): string {
  const test = condition(body, e.condition);
  if (![e.then, e.otherwise].some((branch) => body.unit.needsLines(branch))) {
    return `(${test} ? ${value(body, e.then)} : ${value(body, e.otherwise)})`;
  }
  const result = body.temp();
  body.line(`if (${test}) {`);
  body.line(`${result} = ${value(body, e.then)};`);
  body.line('} else {');
  body.line(`${result} = ${value(body, e.otherwise)};`);
  body.line('}');
  return result;
}

/** `a and b` and `a or b` give one of their operands, not a bool. */
function shortCircuit(body: Body, op: 'and' | 'or', left: Expr, right: Expr): string {
  const first = value(body, left);
  const result = body.temp();
  if (!body.unit.needsLines(right)) {
    if (kindOf(body, left) === 'bool')
      return `(${first} ${op === 'and' ? '&&' : '||'} ${value(body, right)})`;
    const test = truthOf(body, result, first);
    const second = value(body, right);
    return op === 'and' ? `(${test} ? ${second} : ${result})` : `(${test} ? ${result} : ${second})`;
  }
  body.line(`${result} = ${first};`);
  body.line(`if (${op === 'and' ? '' : '!'}${truth(body, result)}) {`);
  body.line(`${result} = ${value(body, right)};`);
  body.line('}');
  return result;
}

function comprehension(body: Body, e: Comprehension): string {
  const { unit } = body;
  const result = body.temp();
  const empty = e.result === 'list' ? `${unit.helper('emptyItems')}(T)` : `${unit.helper('emptyDict')}(T)`;
  body.line(`p = ${e.start}; ${result} = ${empty};`);
  const clause = (at: number): void => {
    const current = e.clauses[at];
    if (current === undefined) {
      const parts = sequence(body, e.key === null ? [e.body] : [e.key, e.body]);
      const put = e.key === null ? `${unit.helper('push')}(T, ${result}, ` : `${result}.set(T, `;
      body.line(
        `${positioned(body, parts, e.key?.start ?? e.start, (values) => `${put}${values.join(', ')})`)};`,
      );
    } else if (current.kind === 'ifClause') {
      body.line(`if (${condition(body, current.condition)}) {`);
      clause(at + 1);
      body.line('}');
    } else {
      forLoop(body, current.target, current.iterable, current.start, () => clause(at + 1));
    }
  };
  clause(0);
  return e.result === 'list' ? `${unit.helper('listOf')}(${result})` : result;
}
