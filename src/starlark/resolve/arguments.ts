/**
 * The rules of parameter lists and argument lists that the grammar leaves open: order, repetition, number.
 */
import type { Argument, Call, FunctionNode, Parameter } from '../syntax/ast.ts';
import { MAX_ARGUMENTS } from '../syntax/limits.ts';
import type { Report } from '../syntax/literals.ts';

/** `def f(a, b=1, *args, c, d=2, **kwargs)`: in this order, each name once, and something after a bare `*`. */
export function checkParameters(fn: FunctionNode, report: Report): void {
  let optional = false;
  let star: Parameter | null = null;
  let starStar: Parameter | null = null;
  let keywordOnly = 0;
  const seen = new Set<string>();
  for (const param of fn.params) {
    const after = starStar === null ? '' : `**${starStar.ident?.name}`;
    const { start } = param;
    if (param.kind === 'starstar') {
      if (starStar !== null) report(start, 'multiple ** parameters not allowed');
      starStar ??= param;
    } else if (param.kind === 'plain') {
      const what = param.default === null ? 'required' : 'optional';
      if (starStar !== null) report(start, `${what} parameter may not follow ${after}`);
      else if (star !== null) keywordOnly++;
      else if (optional && param.default === null)
        report(start, 'required parameter may not follow optional');
      if (param.default !== null) optional = true;
    } else if (starStar !== null) report(start, `* parameter may not follow ${after}`);
    else if (star !== null) report(start, 'multiple * parameters not allowed');
    else star = param;

    const name = param.ident?.name;
    if (name === undefined) continue;
    if (seen.has(name)) report(param.ident!.start, `duplicate parameter: ${name}`);
    seen.add(name);
  }
  if (star?.kind === 'bare' && keywordOnly === 0) {
    report(star.start, 'bare * must be followed by keyword-only parameters');
  }
  if (fn.params.length > MAX_ARGUMENTS) {
    report(fn.start, `${fn.params.length} parameters, limit is ${MAX_ARGUMENTS}`);
  }
}

/** `f(a, b=1, *args, **kwargs)`: in this order, each keyword once. */
export function checkArguments(call: Call, report: Report): void {
  const { args } = call;
  // By far the commonest call has positional arguments only.
  if (args.every(isPositional) && args.length <= MAX_ARGUMENTS) return;
  let star = false;
  let starStar = false;
  const names = new Set<string>();
  for (const { kind, name, start } of args) {
    const after = star ? '*args' : starStar ? '**kwargs' : names.size > 0 ? 'named' : '';
    switch (kind) {
      case 'positional':
        if (after !== '') report(start, `positional argument may not follow ${after}`);
        break;
      case 'named':
        if (starStar) report(start, 'keyword argument may not follow **kwargs');
        else if (star) report(start, 'keyword argument may not follow *args');
        if (names.has(name!)) report(start, `keyword argument ${JSON.stringify(name)} is repeated`);
        names.add(name!);
        break;
      case 'star':
        if (starStar) report(start, '*args may not follow **kwargs');
        else if (star) report(start, 'multiple *args not allowed');
        star = true;
        break;
      case 'starstar':
        if (starStar) report(start, 'multiple **kwargs not allowed');
        starStar = true;
    }
  }
  if (args.length > MAX_ARGUMENTS) {
    report(call.openStart, `${args.length} arguments in call, limit is ${MAX_ARGUMENTS}`);
  }
}

function isPositional(argument: Argument): boolean {
  return argument.kind === 'positional';
}
