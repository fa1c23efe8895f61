/**
 * What comparisons with the name of a tool become when a script is compiled, see ../tool-names.ts. A value counts as the name
 * of the tool if it equals the name on the payload; any other value is compared as the language says.
 */
import { type CallNames, type HookCall, namesTool, synonymsOf } from '../../engine/index.ts';
import { builtin, Dict, equal, isIn, Module, type Thread, type Value } from '../../starlark/index.ts';

/** No script can write it, so that none can hide it. */
export const TOOL_NAMES_MODULE = '<tool names>';

type Renamed = CallNames & { readonly own: string };

/** Of a call of an outside agent; null for any other, and where a library or a script is loaded. */
function namesIn({ host }: Thread): Renamed | null {
  const names = (host as Partial<HookCall> | null | undefined)?.toolNames ?? null;
  return names === null || names.own === null ? null : (names as Renamed);
}

function same(thread: Thread, a: Value, b: Value): Value {
  const names = typeof a === 'string' && typeof b === 'string' ? namesIn(thread) : null;
  if (names === null) return equal(thread, a, b);
  if (a === names.name) return namesTool(names, b as string);
  return b === names.name ? namesTool(names, a as string) : a === b;
}

function among(thread: Thread, a: Value, container: Value): Value {
  if (isIn(thread, a, container)) return true;
  const names = namesIn(thread);
  if (names === null) return false;
  // A part of a text is a pattern, which is tried on both names.
  if (typeof container === 'string') {
    if (a === names.name) return isIn(thread, names.own, container);
    return container === names.name && isIn(thread, a, names.own);
  }
  return a === names.name && otherNames(names).some((other) => isIn(thread, other, container));
}

/** The key under which a table has the tool: the name as it is, if it has none. */
function keyIn(thread: Thread, table: Value, key: Value): Value {
  const names = namesIn(thread);
  if (names === null || key !== names.name || !(table instanceof Dict) || isIn(thread, key, table))
    return key;
  return otherNames(names).find((other) => isIn(thread, other, table)) ?? key;
}

function otherNames({ name, own }: Renamed): readonly string[] {
  return [own, ...synonymsOf(name)];
}

function own(thread: Thread, value: Value): Value {
  const names = namesIn(thread);
  return names !== null && value === names.name ? names.own : value;
}

const MODULE = new Module(
  TOOL_NAMES_MODULE,
  new Map<string, Value>([
    ['same', builtin('same', 'a, b', same)],
    ['among', builtin('among', 'a, container', among)],
    ['key', builtin('key', 'table, key', keyIn)],
    ['own', builtin('own', 'value', own)],
    [
      'renamed',
      builtin('renamed', '', (thread) => {
        const names = namesIn(thread);
        return names !== null && names.own !== names.name;
      }),
    ],
  ]),
);

const extended = new WeakMap<ReadonlyMap<string, Value>, ReadonlyMap<string, Value>>();

/** An environment with these functions in it. The same for the same: what was compiled with it is linked with it. */
export function withToolNames(environment: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  let made = extended.get(environment);
  if (made === undefined)
    extended.set(environment, (made = new Map([...environment, [TOOL_NAMES_MODULE, MODULE]])));
  return made;
}
