/**
 * Arguments and parameters as both back ends see them: in which order arguments are evaluated, and which
 * parameter each one fills where that can be told before the run.
 */
import type { Call, Expr, FunctionNode, Ident } from '../syntax/ast.ts';
import type { ParameterList } from '../values/function.ts';

export interface CallArguments {
  /** Positional arguments, then named ones. `*` and `**` are evaluated after all of them. */
  readonly values: readonly Expr[];
  /** The names of the last values, or null. */
  readonly names: readonly string[] | null;
  readonly star: Expr | null;
  readonly starStar: Expr | null;
}

export function argumentsOf(call: Call): CallArguments {
  const of = (kind: string) => call.args.filter((arg) => arg.kind === kind);
  const named = of('named');
  return {
    values: [...of('positional'), ...named].map((arg) => arg.value),
    names: named.length === 0 ? null : named.map((arg) => arg.name!),
    star: of('star')[0]?.value ?? null,
    starStar: of('starstar')[0]?.value ?? null,
  };
}

export function parameterList(fn: FunctionNode): ParameterList {
  const { ordinary, positional } = ordinaryParameters(fn);
  return {
    names: ordinary.map((param) => param.ident!.name),
    positional,
    required: ordinary.map((param) => param.default === null),
    variadic: fn.params.some((param) => param.kind === 'star'),
    keywords: fn.params.some((param) => param.kind === 'starstar'),
  };
}

/** Parameters in the order a compiled function takes them: ordinary ones, then `*args`, then `**kwargs`. */
export function parameterIdents(fn: FunctionNode): Ident[] {
  const rest = ['star', 'starstar'].flatMap((kind) => fn.params.filter((param) => param.kind === kind));
  return [...ordinaryParameters(fn).ordinary, ...rest].map((param) => param.ident!);
}

function ordinaryParameters(fn: FunctionNode) {
  const ordinary = fn.params.filter((param) => param.kind === 'plain');
  const marker = fn.params.findIndex((param) => param.kind === 'star' || param.kind === 'bare');
  return { ordinary, positional: marker === -1 ? ordinary.length : marker };
}

/** Which argument goes where, by its place among the values of a call. */
export interface BoundArguments {
  /** For each ordinary parameter the argument that fills it, or null for its default. */
  readonly slots: readonly (number | null)[];
  /** What `*args` and `**kwargs` collect; null if the function has none. */
  readonly rest: readonly number[] | null;
  readonly keywords: readonly { readonly name: string; readonly value: number }[] | null;
}

/** Null if the call must be bound at run time, or is wrong and must be reported there. */
export function bindStatically(fn: FunctionNode, args: CallArguments): BoundArguments | null {
  if (args.star !== null || args.starStar !== null) return null;
  const { ordinary, positional } = ordinaryParameters(fn);
  const { variadic, keywords: collects } = parameterList(fn);
  const plain = args.values.length - (args.names?.length ?? 0);
  if (plain > positional && !variadic) return null;
  const slots: (number | null)[] = ordinary.map((_, i) => (i < Math.min(plain, positional) ? i : null));
  const keywords: { name: string; value: number }[] = [];
  for (const [i, name] of (args.names ?? []).entries()) {
    const at = ordinary.findIndex((param) => param.ident!.name === name);
    if (at === -1 ? !collects : slots[at] !== null) return null;
    if (at === -1) keywords.push({ name, value: plain + i });
    else slots[at] = plain + i;
  }
  if (slots.some((slot, i) => slot === null && ordinary[i]!.default === null)) return null;
  const rest = Array.from({ length: Math.max(0, plain - positional) }, (_, i) => positional + i);
  return { slots, rest: variadic ? rest : null, keywords: collects ? keywords : null };
}
