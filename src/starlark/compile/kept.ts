/**
 * Programs that were translated before, as data: the JavaScript, and the constants it is given. What was kept is the same
 * program; where a host cannot run it, it is compiled from its source as if nothing had been kept. A program with a constant
 * that is not listed here is not kept.
 */

import type { SourceFile } from '../../base/source.ts';
import { attrNames, lookupMethod } from '../lib/attributes.ts';
import { UNIVERSE } from '../lib/universe.ts';
import { fail } from '../run/errors.ts';
import { Builtin, Method } from '../run/signature.ts';
import { Dict } from '../values/dict.ts';
import type { ParameterList } from '../values/function.ts';
import { List } from '../values/list.ts';
import { Live } from '../values/live.ts';
import { Module } from '../values/struct.ts';
import { Callable, Float, type Value } from '../values/value.ts';
import { Code } from './code.ts';
import { ownText } from './constants.ts';
import { ASYNC_RUNTIME, SYNC_RUNTIME } from './runtime.ts';

/** The JavaScript of a program, with what it names. */
export interface Translated {
  readonly text: string;
  readonly constants: readonly unknown[];
  readonly async: boolean;
}

/** The same as data that can be written as JSON. */
export interface KeptCode {
  readonly text: string;
  readonly constants: readonly KeptConstant[];
  readonly async: boolean;
}

type Part = 'value' | 'direct' | 'full';

/** A text, a number, a truth value, or what a tag says. */
export type KeptConstant =
  | string
  | number
  | boolean
  | readonly ['list', readonly (string | number)[]]
  | readonly ['int', string]
  | readonly ['float', number]
  | readonly ['code', string, ParameterList, readonly (readonly [number, string])[]]
  | readonly ['name', Part, string, string?]
  | readonly ['method', 'direct' | 'full', number, string];

type Environment = ReadonlyMap<string, Value>;

/** One value of each type whose methods are known when a program is translated. */
const SAMPLES: readonly Value[] = ['', new Dict(), new List([])];

/** Null if it cannot be written down. */
export function keepCode({ text, constants, async }: Translated, environment: Environment): KeptCode | null {
  const named = namesIn(environment);
  const kept: KeptConstant[] = [];
  for (const constant of constants) {
    const written = named.get(constant) ?? keepConstant(constant);
    if (written === null) return null;
    kept.push(written);
  }
  return { text, constants: kept, async };
}

/** What the text makes of itself. Throws where this host does not let text become code. */
export function linkCode(
  { text, constants, async }: KeptCode,
  source: SourceFile,
  environment: Environment,
): unknown {
  const values = constants.map((constant) => constantOf(constant, source, environment));
  return new Function('R', 'K', text)(async ? ASYNC_RUNTIME : SYNC_RUNTIME, values);
}

function keepConstant(value: unknown): KeptConstant | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : null;
    case 'bigint':
      return ['int', String(value)];
    default:
  }
  if (value instanceof Float)
    return Number.isFinite(value.value) && !Object.is(value.value, -0) ? ['float', value.value] : null;
  if (value instanceof Code) return ['code', value.name, value.params, [...value.builtins]];
  const plain =
    Array.isArray(value) && value.every((item) => typeof item === 'string' || Number.isSafeInteger(item));
  return plain ? ['list', value as (string | number)[]] : null;
}

function constantOf(kept: KeptConstant, source: SourceFile, environment: Environment): unknown {
  if (typeof kept === 'string') return ownText(kept);
  if (!Array.isArray(kept)) return kept;
  switch (kept[0]) {
    case 'list':
      return (kept[1] as (string | number)[]).map((item) =>
        typeof item === 'string' ? ownText(item) : item,
      );
    case 'int':
      return BigInt(kept[1] as string);
    case 'float':
      return new Float(kept[1] as number);
    case 'code': {
      const code = new Code(kept[1] as string, source, kept[2] as ParameterList);
      for (const [offset, name] of kept[3] as [number, string][]) code.builtins.set(offset, name);
      return code;
    }
    case 'name': {
      const [, part, name, member] = kept as readonly ['name', Part, string, string?];
      const found = environment.get(name) ?? UNIVERSE.get(name);
      const value = member === undefined ? found : memberOf(found, member);
      return value === undefined ? fail(`${name} is not there any more`) : partOf(value, part);
    }
    default: {
      const [, part, sample, name] = kept as readonly ['method', 'direct' | 'full', number, string];
      const method = lookupMethod(SAMPLES[sample]!, name);
      return method === undefined ? fail(`.${name} is not there any more`) : method[part];
    }
  }
}

function partOf(value: Value, part: Part): unknown {
  if (part === 'value') return value;
  if (part === 'full') return value instanceof Builtin ? value.full : fail('not a built-in');
  return value instanceof Callable ? value.direct : fail('not a function');
}

function memberOf(value: Value | undefined, name: string): Value | undefined {
  return value instanceof Module || value instanceof Builtin ? value.attr(name, null) : undefined;
}

/** Everything that a name of the environment, or a method, may have become in a table of constants. */
function namesIn(environment: Environment): ReadonlyMap<unknown, KeptConstant> {
  const found = new Map<unknown, KeptConstant>();
  const add = (value: Value | undefined, ...path: [string, string?]) => {
    // Texts and numbers are written as what they are.
    if (!(value instanceof Live || value instanceof Module || value instanceof Callable)) return;
    if (!found.has(value)) found.set(value, ['name', 'value', ...path]);
    if (value instanceof Builtin && !found.has(value.full)) found.set(value.full, ['name', 'full', ...path]);
    if (value instanceof Callable && !found.has(value.direct))
      found.set(value.direct, ['name', 'direct', ...path]);
  };
  // What the environment names hides what the language does.
  for (const [name, value] of [...environment, ...[...UNIVERSE].filter(([each]) => !environment.has(each))]) {
    add(value, name);
    for (const member of value instanceof Module || value instanceof Builtin ? value.attrNames() : [])
      add(memberOf(value, member), name, member);
  }
  for (const [at, sample] of SAMPLES.entries()) {
    for (const [name, method] of methodsOf(sample)) {
      if (!found.has(method.full)) found.set(method.full, ['method', 'full', at, name]);
      if (!found.has(method.direct)) found.set(method.direct, ['method', 'direct', at, name]);
    }
  }
  return found;
}

function methodsOf(sample: Value): [string, Method][] {
  return attrNames(sample).flatMap((name) => {
    const method = lookupMethod(sample, name);
    return method instanceof Method ? [[name, method]] : [];
  });
}
