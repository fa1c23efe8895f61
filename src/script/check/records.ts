/**
 * Values of built-ins that are records: fields that they do not have, and comparisons with a text that a field never is.
 */
import { didYouMean } from '../../base/index.ts';
import { ZONE_NAMES } from '../../shell/index.ts';
import type { Binary, Call, Dot } from '../../starlark/index.ts';
import { textOf, unwrap } from '../expressions.ts';
import { RECORDS } from '../shell-records.ts';
import type { CheckContext } from './look.ts';

export function checkRecords(look: CheckContext): void {
  for (const expr of look.uses.exprs) {
    if (expr.kind === 'dot') checkField(look, expr);
    else if (expr.kind === 'binary') checkWords(look, expr);
    else if (expr.kind === 'call') checkZones(look, expr);
  }
}

function checkField(look: CheckContext, { object, name, nameStart }: Dot): void {
  const type = look.typeOf(object);
  if (type.kind !== 'record' || type.list) return;
  const fields = RECORDS[type.name]!;
  if (fields.has(name)) return;
  const hint = didYouMean(name, [...fields.keys()]);
  look.say('error', 'BUILTIN_MEMBER', `a ${type.name} has no .${name}${hint}`, nameStart);
}

/** `e.kind == "delte"`, `p.zone in ["hme"]`. */
function checkWords(look: CheckContext, { op, left, right }: Binary): void {
  if (op !== '==' && op !== '!=' && op !== 'in' && op !== 'not in') return;
  const sides = [left, right].map(unwrap);
  const asked = sides.find((side) => look.typeOf(side).kind === 'words');
  if (asked === undefined) return;
  const type = look.typeOf(asked);
  if (type.kind !== 'words') return;
  const given = sides.find((side) => side !== asked)!;
  const items = given.kind === 'list' || given.kind === 'tuple' ? given.items : [given];
  for (const item of items) {
    const text = textOf(item);
    if (text !== undefined && !type.words.includes(text))
      look.say(
        'error',
        'CONDITION_CONSTANT',
        `this is never ${JSON.stringify(text)}${didYouMean(text, type.words)}`,
        item.start,
      );
  }
}

/** `e.touches("hme")`. */
function checkZones(look: CheckContext, call: Call): void {
  const callee = unwrap(call.callee);
  if (callee.kind !== 'dot' || callee.name !== 'touches') return;
  const type = look.typeOf(callee.object);
  if (type.kind !== 'record' || type.name !== 'shell.effect') return;
  const known: readonly string[] = ZONE_NAMES;
  for (const { value } of call.args) {
    const text = textOf(value);
    if (text !== undefined && !known.includes(text))
      look.say(
        'error',
        'BUILTIN_CALL',
        `there is no zone ${JSON.stringify(text)}${didYouMean(text, known)}`,
        value.start,
      );
  }
}
