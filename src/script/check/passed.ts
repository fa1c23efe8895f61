/**
 * What a library does with what it is passed: a key of the payload that the event does not have is as wrong there as in the hook. It
 * is said where the function is called, since only that call knows the event.
 */
import { formatPosition } from '../../base/index.ts';
import type { Binding, Call, Def } from '../../starlark/index.ts';
import { LIBRARY_ENVIRONMENT } from '../environment.ts';
import { unwrap } from '../expressions.ts';
import type { CheckContext } from './look.ts';
import { checkPayloadKeys } from './payload-keys.ts';
import { type Type, typesOf } from './types.ts';
import { usesOf } from './uses.ts';

export function checkPassed(look: CheckContext): void {
  for (const stmt of look.uses.stmts) {
    const found = stmt.kind === 'load' ? look.script.library?.find(stmt.module) : undefined;
    if (stmt.kind !== 'load' || found?.ok !== true) continue;
    const { file, source } = found.program;
    for (const { from, ident } of stmt.bindings) {
      const def = file.body.find((each): each is Def => each.kind === 'def' && each.ident.name === from);
      if (def === undefined || ident.binding === undefined) continue;
      for (const call of callsOf(look, ident.binding)) {
        const given = passedBy(look, call, def);
        if (given.size === 0) continue;
        const uses = usesOf(file);
        checkPayloadKeys({
          ...look,
          script: { ...look.script, source },
          uses,
          typeOf: typesOf({ uses, environment: LIBRARY_ENVIRONMENT, given }),
          say: (severity, code, message, offset) =>
            look.say(
              severity,
              code,
              `${message} (in ${formatPosition(source.position(offset))})`,
              call.start,
            ),
        });
      }
    }
  }
}

function callsOf({ uses }: CheckContext, binding: Binding): Call[] {
  return uses.exprs.filter((expr): expr is Call => {
    const callee = expr.kind === 'call' ? unwrap(expr.callee) : null;
    return callee?.kind === 'ident' && callee.binding === binding;
  });
}

/** The parameters that are the payload or a part of it. */
function passedBy(look: CheckContext, { args }: Call, { fn }: Def): ReadonlyMap<Binding, Type> {
  const given = new Map<Binding, Type>();
  for (const [at, argument] of args.entries()) {
    const param =
      argument.kind === 'positional'
        ? fn.params[at]
        : fn.params.find(({ ident }) => argument.kind === 'named' && ident?.name === argument.name);
    const binding = param?.kind === 'plain' ? param.ident?.binding : undefined;
    const type = look.typeOf(argument.value);
    if (binding?.bindings === 1 && type.kind === 'field') given.set(binding, type);
  }
  return given;
}
