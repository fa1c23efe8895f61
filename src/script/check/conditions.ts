/**
 * Conditions that can never hold, or always do: comparisons of literals, of the event with another event's name, of a
 * field with what it cannot be, and `x == "a" or "b"`. Also collects the tools a hook asks for by name.
 */
import { didYouMean } from '../../base/index.ts';
import { resolveEvent, wholeTool } from '../../engine/index.ts';
import type { Binary, Expr } from '../../starlark/index.ts';
import { textOf, unwrap } from '../expressions.ts';
import { type CheckContext, written } from './look.ts';
import { nameOf, withArticle } from './types.ts';

export function checkConditions(look: CheckContext): void {
  for (const expr of look.uses.exprs) if (expr.kind === 'binary') checkComparison(look, expr);
  if (look.condition !== null) checkTruth(look, look.condition, true);
  for (const stmt of look.uses.stmts) if (stmt.kind === 'if') checkTruth(look, stmt.condition, true);
  for (const expr of look.uses.exprs) if (expr.kind === 'conditional') checkTruth(look, expr.condition, true);
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '==': 'never',
  '!=': 'always',
  in: 'never',
  'not in': 'always',
};

function checkComparison(look: CheckContext, expr: Binary): void {
  if (!Object.hasOwn(OPPOSITES, expr.op)) return;
  const [left, right] = [unwrap(expr.left), unwrap(expr.right)];
  const swapped = (expr.op === '==' || expr.op === '!=') && left.kind === 'literal';
  const [asked, given] = swapped ? [right, left] : [left, right];
  const items =
    expr.op === '==' || expr.op === '!='
      ? [given]
      : given.kind === 'list' || given.kind === 'tuple'
        ? given.items
        : [];
  for (const item of items) checkLiteral(look, asked, unwrap(item), OPPOSITES[expr.op]!);
}

function checkLiteral(look: CheckContext, asked: Expr, item: Expr, holds: string): void {
  if (item.kind !== 'literal') return;
  const text = textOf(item);
  if (asked.kind === 'literal') {
    // Two literals are compared: the result is known, whichever it is.
    const message = `both sides are literals: ${written(look, asked)} and ${written(look, item)}`;
    look.say('warning', 'CONDITION_CONSTANT', message, asked.start);
    return;
  }
  const type = look.typeOf(asked);
  if (type.kind === 'event' && text !== undefined) {
    const resolved = resolveEvent(text);
    if (resolved.ok && resolved.event === look.event) return;
    const why = resolved.ok ? `the hook listens to ${look.event}` : `there is no such event${resolved.hint}`;
    look.say(
      'warning',
      'CONDITION_CONSTANT',
      `this ${holds} holds for ${JSON.stringify(text)}: ${why}`,
      item.start,
    );
    return;
  }
  if (type.kind !== 'field') return;
  const { field, path } = type;
  if (text !== undefined && field.enum !== undefined && !field.enum.includes(text)) {
    const hint = didYouMean(text, field.enum) || `; it is one of ${field.enum.join(', ')}`;
    const message = `this ${holds} holds: ${path} is never ${JSON.stringify(text)}${hint}`;
    look.say('warning', 'CONDITION_CONSTANT', message, item.start);
    return;
  }
  const [is, literal] = [nameOf(type), nameOf(look.typeOf(item))];
  if (is !== undefined && literal !== undefined && is !== literal && !(is === 'int' && literal === 'float')) {
    const message = `this ${holds} holds: ${path} is ${withArticle(is)}, ${written(look, item)} is ${withArticle(literal)}`;
    look.say('warning', 'CONDITION_CONSTANT', message, item.start);
    return;
  }
  const names = look.spec?.index === 'name' && look.event.startsWith('tool.');
  if (text !== undefined && names && path === 'payload["name"]') look.mention(text, item.start);
}

/** What decides whether something holds: the expression itself and the operands of and, or, not. */
function checkTruth(look: CheckContext, expr: Expr, outermost: boolean): void {
  const inner = unwrap(expr);
  if (inner.kind === 'unary' && inner.op === 'not') {
    checkTruth(look, inner.operand, false);
    return;
  }
  if (inner.kind === 'binary' && (inner.op === 'and' || inner.op === 'or')) {
    const parts = partsOf(inner, inner.op);
    checkParts(look, parts, inner.op);
    for (const part of parts) checkTruth(look, part, false);
    return;
  }
  const text = textOf(inner);
  if (text !== undefined && text !== '' && !outermost) {
    const message = `${written(look, inner)} alone always holds: compare it, x == "a" or x == "b", or x in ["a", "b"]`;
    look.say('warning', 'CONDITION_CONSTANT', message, inner.start);
  } else if (inner.kind === 'literal') {
    const holds = text === '' || inner.value === 0 || inner.value === 0n ? 'never' : 'always';
    look.say('warning', 'CONDITION_CONSTANT', `this ${holds} holds: it is a literal`, inner.start);
  } else {
    const type = look.typeOf(inner);
    if (type.kind !== 'builtin' && !(type.kind === 'value' && type.name === 'function')) return;
    const what = `${written(look, inner)} is a ${type.kind === 'builtin' ? 'built-in' : 'function'}`;
    look.say('warning', 'CONDITION_CONSTANT', `this always holds: ${what} that is not called`, inner.start);
  }
}

/** `x == "a" and x == "b"` never holds, `x != "a" or x != "b"` always does. */
function checkParts(look: CheckContext, parts: readonly Expr[], joined: 'and' | 'or'): void {
  const op = joined === 'and' ? '==' : '!=';
  const seen = new Map<string, string>();
  for (const part of parts) {
    const inner = unwrap(part);
    if (inner.kind !== 'binary' || inner.op !== op) continue;
    const value = textOf(inner.right);
    if (value === undefined) continue;
    const asked = written(look, inner.left);
    const before = seen.get(asked);
    seen.set(asked, value);
    // Two names of one tool are both its name.
    if (before === undefined || wholeTool(before) === wholeTool(value)) continue;
    const holds = op === '==' ? 'never' : 'always';
    const other = op === '==' ? 'or' : 'and';
    const message = `this ${holds} holds: ${asked} cannot be both ${JSON.stringify(before)} and ${JSON.stringify(value)}; want ${other}`;
    look.say('warning', 'CONDITION_CONSTANT', message, inner.start);
  }
}

/** The operands of a chain of one operator, in order. */
function partsOf(chain: Expr, op: 'and' | 'or'): Expr[] {
  const parts: Expr[] = [];
  let rest = unwrap(chain);
  while (rest.kind === 'binary' && rest.op === op) {
    parts.push(rest.right);
    rest = unwrap(rest.left);
  }
  return [...parts, rest].reverse();
}
