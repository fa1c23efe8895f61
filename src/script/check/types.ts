/**
 * What an expression certainly is, as far as it can be known without running it: from literals, from the shape of the
 * event's payload, from the table of built-ins and from variables that are bound once. Everything else is unknown, and
 * nothing is ever said about it.
 */
import type { Field } from '../../base/index.ts';
import {
  type Binding,
  Builtin,
  type Call,
  type Def,
  type Expr,
  type FunctionNode,
  Module,
  StarFunction,
  typeName,
  UNIVERSE,
  type Value,
} from '../../starlark/index.ts';
import { DECISIONS } from '../builtins/decisions.ts';
import { textOf, unwrap } from '../expressions.ts';
import { RECORDS, RETURNED, type RecordField } from '../shell-records.ts';
import type { ProgramUses } from './uses.ts';

/** The types a value may have, under the names `type()` gives them. */
export type TypeName =
  | 'NoneType'
  | 'bool'
  | 'bytes'
  | 'decision'
  | 'dict'
  | 'float'
  | 'function'
  | 'int'
  | 'list'
  | 'string'
  | 'tuple';

export type Type =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'value'; readonly name: TypeName }
  /** The name of the event. */
  | { readonly kind: 'event' }
  /** The payload or a part of it; `path` is how the author got there. */
  | { readonly kind: 'field'; readonly field: Field; readonly path: string; readonly whole: boolean }
  | { readonly kind: 'builtin'; readonly name: string; readonly value: Value }
  /** A value of a built-in with fields of its own, or a list of such; see shell-records.ts. */
  | { readonly kind: 'record'; readonly name: string; readonly list: boolean }
  /** A text that is one of these. */
  | { readonly kind: 'words'; readonly words: readonly string[] };

export const UNKNOWN: Type = { kind: 'unknown' };

const value = (name: TypeName): Type => ({ kind: 'value', name });

export interface TypeContext {
  readonly uses: ProgramUses;
  readonly environment: ReadonlyMap<string, Value>;
  /** What is known before anything is looked at: the event and the payload. */
  readonly given: ReadonlyMap<Binding, Type>;
  /** Names that come from a library, and what they are: it has run already. */
  readonly loads?: ReadonlyMap<Binding, Value>;
}

export type TypeOfExpr = (expr: Expr) => Type;

/** Types of one tree. Each variable is looked at once; one that leads back to itself is unknown. */
export function typesOf(context: TypeContext): TypeOfExpr {
  const { uses, environment, given, loads } = context;
  const known = new Map<Binding, Type>(given);
  const seen = new Map<Expr, Type>();
  const returned = new Map<Def, Type>();

  const typeOf = (written: Expr): Type => {
    const expr = unwrap(written);
    let type = seen.get(expr);
    if (type === undefined) seen.set(expr, (type = judge(expr)));
    return type;
  };

  const judge = (expr: Expr): Type => {
    switch (expr.kind) {
      case 'literal':
        return value(expr.type);
      case 'list':
      case 'tuple':
      case 'dict':
        return value(expr.kind);
      case 'comprehension':
        return value(expr.result);
      case 'lambda':
        return value('function');
      case 'ident':
        return expr.binding === undefined ? UNKNOWN : ofBinding(expr.binding);
      case 'unary':
        return expr.op === 'not' ? value('bool') : UNKNOWN;
      case 'binary':
        return ofOperator(expr.op, expr.left, expr.right);
      case 'conditional':
        return either(typeOf(expr.then), typeOf(expr.otherwise));
      case 'dot':
        return ofMember(typeOf(expr.object), expr.name);
      case 'index': {
        const object = typeOf(expr.object);
        return object.kind === 'record' ? itemOf(object) : partOf(object, textOf(expr.index));
      }
      case 'call':
        return ofCall(expr);
      default:
        return UNKNOWN;
    }
  };

  const ofBinding = (binding: Binding): Type => {
    const before = known.get(binding);
    if (before !== undefined) return before;
    known.set(binding, UNKNOWN);
    const type = lookAt(binding);
    known.set(binding, type);
    return type;
  };

  const lookAt = (binding: Binding): Type => {
    const { name, kind } = binding;
    if (kind === 'predeclared' || kind === 'universal') {
      if (CONSTANTS[name] !== undefined && kind === 'universal') return CONSTANTS[name]!;
      const found = kind === 'predeclared' ? environment.get(name) : UNIVERSE.get(name);
      return found === undefined ? UNKNOWN : { kind: 'builtin', name, value: found };
    }
    if (binding.bindings !== 1) return UNKNOWN;
    const shared = loads?.get(binding);
    if (shared !== undefined) return ofShared(name, shared);
    const origin = uses.origins.get(binding);
    if (origin === undefined) return UNKNOWN;
    if (origin.kind === 'def') return value('function');
    if (origin.kind === 'value') return typeOf(origin.value);
    if (origin.kind === 'item') return itemOf(typeOf(origin.of));
    return passed(origin.fn, origin.at);
  };

  /** A parameter of a helper is what every call passes, if all of them are seen and agree. */
  const passed = (fn: FunctionNode, at: number): Type => {
    const calls = uses.callsOf(fn);
    if (calls === null || calls.length === 0) return UNKNOWN;
    const types = calls.map((call) => {
      const argument = call.args[at];
      return argument?.kind === 'positional' ? typeOf(argument.value) : UNKNOWN;
    });
    return types.reduce(either);
  };

  const ofCall = (call: Call): Type => {
    const callee = unwrap(call.callee);
    if (callee.kind === 'ident') {
      const def = callee.binding?.kind === 'global' ? callee.binding.definedBy : null;
      if (def !== null && def !== undefined) return answerOf(def);
    }
    if (callee.kind === 'dot' && callee.name === 'get') {
      const object = typeOf(callee.object);
      if (object.kind === 'field') {
        const part = partOf(object, call.args[0] === undefined ? undefined : textOf(call.args[0].value));
        // Without a default it may be None; with one, whatever that is.
        const otherwise = call.args[1] === undefined ? part : typeOf(call.args[1].value);
        return sameName(part, otherwise) ? part : UNKNOWN;
      }
    }
    const type = typeOf(callee);
    if (type.kind !== 'builtin') return UNKNOWN;
    if (DECISIONS.get(type.name) === type.value) return value('decision');
    const record = Object.hasOwn(RETURNED, type.name) ? RETURNED[type.name]! : undefined;
    if (record !== undefined) return { kind: 'record', name: record, list: false };
    const gives = GIVES[type.name];
    return gives === undefined || environment.has(type.name) ? UNKNOWN : value(gives);
  };

  /** A helper that returns decisions and nothing else. */
  const answerOf = (def: Def): Type => {
    const before = returned.get(def);
    if (before !== undefined) return before;
    returned.set(def, UNKNOWN);
    const values = uses.returnsOf(def.fn);
    const types = values.map((each) => (each === null ? UNKNOWN : typeOf(each)));
    const type = types.length === 0 ? UNKNOWN : types.reduce(either);
    const answer = type.kind === 'value' && type.name === 'decision' ? type : UNKNOWN;
    returned.set(def, answer);
    return answer;
  };

  const ofOperator = (op: string, left: Expr, right: Expr): Type => {
    if (COMPARISONS.has(op)) return value('bool');
    if (op !== '+' && op !== '%' && op !== 'or') return UNKNOWN;
    const [a, b] = [typeOf(left), typeOf(right)];
    if (op === '%') return nameOf(a) === 'string' ? value('string') : UNKNOWN;
    return nameOf(a) !== undefined && nameOf(a) === nameOf(b)
      ? op === '+'
        ? value(nameOf(a)!)
        : a
      : UNKNOWN;
  };

  return typeOf;
}

/** What a library has made: a function keeps its parameters, anything else its type. */
function ofShared(name: string, shared: Value): Type {
  if (shared instanceof StarFunction) return { kind: 'builtin', name, value: shared };
  const type = typeName(shared) as TypeName;
  return SHARED_TYPES.has(type) ? value(type) : UNKNOWN;
}

const SHARED_TYPES: ReadonlySet<TypeName> = new Set(['bool', 'dict', 'int', 'list', 'string', 'tuple']);

const COMPARISONS = new Set(['==', '!=', '<', '>', '<=', '>=', 'in', 'not in']);

const CONSTANTS: Readonly<Record<string, Type>> = {
  None: value('NoneType'),
  True: value('bool'),
  False: value('bool'),
};

/** What functions of the language return. */
const GIVES: Readonly<Record<string, TypeName>> = {
  str: 'string',
  repr: 'string',
  type: 'string',
  len: 'int',
  int: 'int',
  bool: 'bool',
  any: 'bool',
  all: 'bool',
  dict: 'dict',
  list: 'list',
  sorted: 'list',
  tuple: 'tuple',
};

function either(a: Type, b: Type): Type {
  if (a.kind === 'value' && b.kind === 'value') return a.name === b.name ? a : UNKNOWN;
  if (a.kind === 'field' && b.kind === 'field') return a.field === b.field ? a : UNKNOWN;
  return a.kind === b.kind && a.kind === 'event' ? a : UNKNOWN;
}

function sameName(a: Type, b: Type): boolean {
  return nameOf(a) !== undefined && nameOf(a) === nameOf(b);
}

function ofMember(object: Type, name: string): Type {
  if (object.kind === 'record' && !object.list) return ofField(RECORDS[object.name]!.get(name));
  if (object.kind !== 'builtin') return UNKNOWN;
  const { value: family } = object;
  // A built-in may be a family as well: `log(…)` and `log.info(…)`.
  const member = family instanceof Module || family instanceof Builtin ? family.attr(name, null) : undefined;
  return member === undefined ? UNKNOWN : { kind: 'builtin', name: `${object.name}.${name}`, value: member };
}

function ofField(field: RecordField | undefined): Type {
  if (field?.record !== undefined) return { kind: 'record', name: field.record, list: false };
  if (field?.items !== undefined) return { kind: 'record', name: field.items, list: true };
  return field?.words === undefined ? UNKNOWN : { kind: 'words', words: field.words };
}

/** What stands under a key of an object of a shape. */
export function partOf(object: Type, key: string | undefined): Type {
  if (object.kind !== 'field' || key === undefined) return UNKNOWN;
  const fields = object.field.fields;
  if (fields === undefined || !Object.hasOwn(fields, key)) return UNKNOWN;
  const path = `${object.path}[${JSON.stringify(key)}]`;
  return { kind: 'field', field: fields[key]!, path, whole: false };
}

function itemOf(list: Type): Type {
  if (list.kind === 'record') return list.list ? { ...list, list: false } : UNKNOWN;
  if (list.kind !== 'field' || list.field.kind !== 'array' || list.field.items === undefined) return UNKNOWN;
  return { kind: 'field', field: list.field.items, path: `${list.path}[…]`, whole: false };
}

const FIELD_NAMES: Readonly<Partial<Record<Field['kind'], TypeName>>> = {
  string: 'string',
  integer: 'int',
  boolean: 'bool',
  object: 'dict',
  array: 'list',
};

/** `a string`, `an int` */
export function withArticle(name: TypeName): string {
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** The name of a type, if there is only one it can have where it is not None. */
export function nameOf(type: Type): TypeName | undefined {
  if (type.kind === 'value') return type.name;
  if (type.kind === 'event' || type.kind === 'words') return 'string';
  if (type.kind === 'field') return FIELD_NAMES[type.field.kind];
  return type.kind === 'builtin' && type.value instanceof Builtin ? 'function' : undefined;
}
