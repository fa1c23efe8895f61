/**
 * Arithmetic. Its result is a number that is not worked out; what matters is what it runs: substitutions in it, and in bash
 * commands hidden in the values of the variables it names, since a subscript inside of a value is evaluated too.
 */
import { variable } from '../run/state.ts';
import type { ArithPart, Part, Word } from '../syntax/tree.ts';
import { isSound } from './arithmetic-syntax.ts';
import { expandValue, type Scope } from './expand.ts';
import { number, type Value } from './values.ts';

const VARIABLE_NAMES = /[A-Za-z_]\w*/g;
const ASSIGNED =
  /([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;
const DEEPEST = 4;
/** Nobody writes more; the rest of a longer one is not looked at, and said so. */
const MOST_NAMES = 200;

/** `stops`: an error in it ends the line. That is so in `$((…))`, and not in `((…))`. */
export function evaluateArithmetic(scope: Scope, { text, parts, at }: ArithPart, stops = true): Value {
  let numbers = true;
  for (const part of parts) if (!checkExpansion(scope, part, at)) numbers = false;
  checkText(scope, text, at, 0);
  assignNames(scope, text, at);
  if (stops && !isSound(text, numbers)) mayStopLine(scope, at);
  return number();
}

/** In bash and zsh some errors end the line, and the next one runs with what was set before. */
export function mayStopLine({ run, frame }: Scope, at: number): void {
  if (frame.dialect.name === 'dash' || !frame.lines) return;
  run.error('code', 'an error may end the line here, and the next one runs', at);
}

/** `[…]` behind a name, an offset of a substring: its value if it is a plain number. */
export function evaluateSubscript(scope: Scope, word: Word, at: number): number | null {
  const value = expandValue(scope, word);
  const text = value.alts.length === 1 && value.alts[0]!.known ? value.alts[0]!.text : null;
  if (text !== null && /^\d{1,6}$/.test(text)) return Number(text);
  checkValue(scope, value, at);
  mayStopLine(scope, at);
  return null;
}

/** A value that is evaluated as arithmetic. */
export function checkValue(scope: Scope, value: Value, at: number): void {
  for (const alt of value.alts) {
    if (!alt.known && !value.numeric) unsure(scope, at);
    if (!alt.known) continue;
    checkText(scope, alt.text, at, 1);
    assignNames(scope, alt.text, at);
  }
}

/** True if it surely is a number. */
function checkExpansion(scope: Scope, part: Part, at: number): boolean {
  const word: Word = { start: at, end: at, text: '', parts: [part], quoted: true, glob: false, brace: false };
  const value = expandValue(scope, word);
  const outside = part.kind === 'param' && scope.state.get(part.name) === undefined;
  for (const alt of value.alts) {
    if (alt.known) checkText(scope, alt.text, at, 1);
    else if (!value.numeric && !outside) unsure(scope, at);
  }
  return value.alts.every((alt) => (alt.known ? /^\d{1,9}$/.test(alt.text) : value.numeric));
}

/** Looks through the names of an expression, and the names in their values. */
function checkText(scope: Scope, text: string, at: number, depth: number): void {
  if (!scope.frame.dialect.arithmeticRuns) {
    if (depth > 0 && /[$`]/.test(text)) scope.run.differs = true;
    return;
  }
  // On the first level substitutions have been read; in a value they are text that arithmetic expands.
  if (depth > 0 && /[$`]/.test(text)) unsure(scope, at);
  if (depth > DEEPEST) {
    unsure(scope, at);
    return;
  }
  let seen = 0;
  for (const [name] of text.matchAll(VARIABLE_NAMES)) {
    if (++seen > MOST_NAMES) {
      unsure(scope, at);
      return;
    }
    const held = scope.state.get(name);
    if (held === undefined || held.value.numeric) continue;
    if (held.list !== null) continue;
    for (const alt of held.value.alts) {
      if (!alt.known) unsure(scope, at);
      else if (!/^[-+]?\d*$/.test(alt.text)) checkText(scope, alt.text, at, depth + 1);
    }
  }
}

function unsure(scope: Scope, at: number): void {
  if (scope.frame.dialect.arithmeticRuns) {
    scope.run.error('code', 'arithmetic on a value that may hold commands', at);
  }
}

function assignNames(scope: Scope, text: string, at: number): void {
  if (!/[=+-]/.test(text)) return;
  for (const [, before, after] of text.matchAll(ASSIGNED)) {
    const name = before ?? after!;
    if (scope.state.get(name)?.frozen === true) mayStopLine(scope, at);
    scope.state.set(name, variable(number(`\${${name}}`), scope.state.get(name)));
    scope.run.version++;
  }
}
