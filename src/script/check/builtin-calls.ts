/**
 * Calls of built-ins: members that are not there, arguments they do not take, patterns that do not compile. The words
 * are those of the run, because the same functions say them.
 */
import { didYouMean, nearest } from '../../base/index.ts';
import {
  Builtin,
  bindBuiltin,
  type Call,
  type Dot,
  Module,
  RE_MODULE,
  type Signature,
  STRING_METHODS,
  StarFunction,
  StarlarkError,
  Thread,
  type Value,
} from '../../starlark/index.ts';
import { CallableModule } from '../builtins/callable-module.ts';
import { textOf, unwrap } from '../expressions.ts';
import { ABSENT_MEMBERS } from '../unknown-members.ts';
import type { CheckContext } from './look.ts';
import { nameOf, type TypeName } from './types.ts';

export function checkBuiltins(look: CheckContext): void {
  for (const expr of look.uses.exprs) {
    if (expr.kind === 'dot') checkMember(look, expr);
    else if (expr.kind === 'call') checkCall(look, expr);
  }
}

function checkMember(look: CheckContext, { object, name, nameStart }: Dot): void {
  const type = look.typeOf(object);
  if (type.kind !== 'builtin') return;
  const family = type.value;
  if (!(family instanceof Module || family instanceof Builtin)) return;
  if (family.attr(name, null) !== undefined) return;
  const path = `${type.name}.${name}`;
  if (!(family instanceof Module || family instanceof CallableModule)) {
    const message = `${type.name} is a function and has no .${name}: call it, ${type.name}(${family.signature.text})`;
    look.say('error', 'BUILTIN_MEMBER', message, nameStart);
    return;
  }
  const names = family.attrNames();
  const near = nearest(name, names);
  const known = ABSENT_MEMBERS[path] ?? ABSENT_MEMBERS[`${type.name}.*`];
  const hint =
    known !== undefined
      ? `: ${known}`
      : near !== undefined
        ? ` (did you mean ${type.name}.${near}?)`
        : `; it has ${names.slice(0, 12).join(', ')}`;
  look.say('error', 'BUILTIN_MEMBER', `${type.name} has no ${name}${hint}`, nameStart);
}

function checkCall(look: CheckContext, call: Call): void {
  const callee = unwrap(call.callee);
  const type = look.typeOf(callee);
  if (type.kind === 'builtin' && type.value instanceof Builtin) {
    if (!checkArguments(look, call, type.name, type.value.signature)) return;
    checkTypes(look, call, type.name, type.value.signature);
    if (type.name.startsWith('re.') && look.script.environment.get('re') === RE_MODULE)
      checkPattern(look, call, type.name);
    return;
  }
  if (type.kind === 'builtin' && type.value instanceof StarFunction) {
    checkShared(look, call, type.name, type.value);
    return;
  }
  if (type.kind === 'builtin' && type.value instanceof Module) {
    const names = type.value.attrNames().slice(0, 3);
    const message = `${type.name} is a module, not a function: want ${names.map((name) => `${type.name}.${name}`).join(', ')}, …`;
    look.say('error', 'BUILTIN_CALL', message, call.start);
    return;
  }
  if (callee.kind !== 'dot' || nameOf(look.typeOf(callee.object)) !== 'string') return;
  const method = STRING_METHODS.get(callee.name);
  if (method !== undefined) checkArguments(look, call, method.name, method.signature);
}

/** A function of a library: the run would say the same, later. */
function checkShared(
  look: CheckContext,
  { args, start }: Call,
  name: string,
  { params }: StarFunction,
): void {
  if (args.some(({ kind }) => kind === 'star' || kind === 'starstar')) return;
  const given = args.filter(({ kind }) => kind === 'positional').length;
  const named = args.flatMap((argument) => (argument.kind === 'named' ? [argument.name!] : []));
  const want = `${name}(${params.names.join(', ')})`;
  if (given > params.positional && !params.variadic) {
    const message = `${name} takes ${params.positional} arguments, got ${given}: ${want}`;
    look.say('error', 'BUILTIN_CALL', message, start);
    return;
  }
  const unknown = named.find((each) => !params.names.includes(each));
  if (unknown !== undefined && !params.keywords) {
    const hint = didYouMean(unknown, params.names);
    look.say('error', 'BUILTIN_CALL', `${name} takes no argument ${unknown}${hint}: ${want}`, start);
    return;
  }
  const missing = params.names.filter(
    (each, at) => params.required[at] === true && at >= given && !named.includes(each),
  );
  if (missing.length === 0) return;
  const message = `${name} is missing ${missing.join(', ')}: ${want}`;
  look.say('error', 'BUILTIN_CALL', message, start);
}

/** Whether the arguments can be bound; if not, it has been said. */
function checkArguments(look: CheckContext, call: Call, name: string, signature: Signature): boolean {
  const { args } = call;
  if (args.some(({ kind }) => kind === 'star' || kind === 'starstar')) return true;
  const named = args.flatMap((argument) => (argument.kind === 'named' ? [argument.name!] : []));
  const values: Value[] = args.map(() => null);
  try {
    bindBuiltin(name, signature, values, named.length === 0 ? null : named);
    return true;
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    const message = `${error.message}: ${name}(${signature.text})`;
    look.say('error', 'BUILTIN_CALL', message, call.start);
    return false;
  }
}

/** Parameters that want one type, where the run would raise for any other. */
const PARAMETER_TYPES: Readonly<Record<string, Readonly<Record<string, TypeName>>>> = {
  block: { reason: 'string' },
  ask: { reason: 'string' },
  permit: { reason: 'string' },
  ...Object.fromEntries(
    ['re.search', 're.match', 're.fullmatch', 're.findall', 're.split', 're.replace'].map((name) => [
      name,
      { pattern: 'string', text: 'string' } as const,
    ]),
  ),
  ...Object.fromEntries(
    ['cache', 'ctx'].flatMap((family) =>
      ['get', 'set', 'has', 'delete'].map((name) => [`${family}.${name}`, { key: 'string' } as const]),
    ),
  ),
  ...Object.fromEntries(
    ['incr', 'set', 'get'].map((name) => [`metrics.${name}`, { name: 'string' } as const]),
  ),
  'json.decode': { x: 'string' },
  'hash.sha256': { text: 'string' },
};

function checkTypes(look: CheckContext, { args }: Call, name: string, { names }: Signature): void {
  const wants = Object.hasOwn(PARAMETER_TYPES, name) ? PARAMETER_TYPES[name]! : {};
  for (const [at, argument] of args.entries()) {
    if (argument.kind === 'star' || argument.kind === 'starstar') return;
    const parameter = argument.kind === 'named' ? argument.name! : names[at];
    const wanted = parameter === undefined || !Object.hasOwn(wants, parameter) ? undefined : wants[parameter];
    const given = nameOf(look.typeOf(argument.value));
    if (wanted === undefined || given === undefined || given === wanted) continue;
    const message = `${name}: for parameter ${parameter}: got ${given}, want ${wanted}`;
    look.say('error', 'BUILTIN_CALL', message, argument.start);
  }
}

/** The steps a pattern may cost to compile here. */
const PATTERN_STEPS = 1_000_000;

function checkPattern(look: CheckContext, { args }: Call, name: string): void {
  const [first] = args;
  const pattern = first?.kind === 'positional' ? literalOf(look, first.value) : undefined;
  const search = RE_MODULE.attr('search');
  if (pattern === undefined || !(search instanceof Builtin)) return;
  try {
    void search.invoke(new Thread({ limits: { steps: PATTERN_STEPS } }), [pattern, ''], null);
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    const message = error.message.replace('re.search', name);
    const hint = LOOK_AROUND.test(pattern) ? ': RE2 has no look-around and no back-references' : '';
    look.say('error', 'PATTERN_INVALID', message + hint, first!.start);
  }
}

const LOOK_AROUND = /\(\?<?[=!]|\\[1-9]/;

/** A literal, or a variable that is only ever one. */
function literalOf(look: CheckContext, expr: Call['args'][number]['value']): string | undefined {
  const inner = unwrap(expr);
  const text = textOf(inner);
  if (text !== undefined || inner.kind !== 'ident' || inner.binding?.bindings !== 1) return text;
  const origin = look.uses.origins.get(inner.binding);
  return origin?.kind === 'value' ? textOf(origin.value) : undefined;
}
