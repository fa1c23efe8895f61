/**
 * The JavaScript back end: a program as one function text, made a function by `new Function`. The text names
 * nothing but its parameters R (the runtime) and K (the constants) and what it declares itself.
 */
import type { FileNode } from '../../syntax/ast.ts';
import type { PositionalFn } from '../../values/value.ts';
import type { BackEnd, Execute, TranslationInput } from '../back-end.ts';
import { ASYNC_RUNTIME, SYNC_RUNTIME } from '../runtime.ts';
import { defaultsOf } from '../walk.ts';
import { Body } from './body.ts';
import { functionText, wrap } from './functions.ts';
import { block } from './statements.ts';
import { Unit } from './unit.ts';

export const javascript: BackEnd = {
  file(input, file) {
    const unit = new Unit(input);
    return build(input, unit, moduleText(unit, file)) as Execute;
  },
  expression(input, fn) {
    const unit = new Unit(input);
    const info = input.analysis.functions.get(fn)!;
    return build(input, unit, functionText(unit, info, fn, fn.scope!)) as PositionalFn;
  },
};

/** The text of a whole program, for those who want to look at it. */
export function generatedText(input: TranslationInput, file: FileNode): string {
  const unit = new Unit(input);
  return programText(unit, moduleText(unit, file));
}

function build(input: TranslationInput, unit: Unit, text: string): unknown {
  const make = new Function('R', 'K', programText(unit, text));
  return make(input.analysis.async ? ASYNC_RUNTIME : SYNC_RUNTIME, unit.constants);
}

function programText(unit: Unit, text: string): string {
  return `'use strict';\n${unit.prologue()}return ${text};\n`;
}

/** `function f0(T, L) { … }`: runs the top level and returns the globals, unbound ones as undefined. */
function moduleText(unit: Unit, file: FileNode): string {
  const { top } = unit.analysis;
  const scope = file.scope!;
  const body = new Body(unit, top);
  const globals = scope.globals.map((binding) => unit.variable(binding));
  // For a function of the host that wants to freeze them; a program that calls none needs nothing of the kind.
  const mayBeAsked = [...unit.analysis.functions.values(), top].some((info) => info.tracked);
  if (mayBeAsked) body.line(`T.globals = () => [${globals.join(', ')}];`);
  block(body, file.body);
  body.line(`T.depth--; return [${globals.join(', ')}];`);

  const functions = file.body.flatMap((stmt) => {
    const info = stmt.kind === 'def' ? unit.analysis.functions.get(stmt.fn)! : null;
    return info === null ? [] : [info];
  });
  const defaults = functions.flatMap((info) => defaultsOf(info.node!).map((_, i) => `d${info.id}_${i}`));
  const locals = scope.locals.map((binding) => unit.variable(binding));
  const texts = functions.map((info) => functionText(unit, info, info.node!, info.node!.scope!));
  return wrap(body, 'f0(T, L)', [...globals, ...locals, ...defaults], file.start, texts);
}
