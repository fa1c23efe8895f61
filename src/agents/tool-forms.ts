/**
 * How a native tool call becomes the calls that policies judge, and how rewritten ones go back. Most tools only change names,
 * by the agent's table; a tool that takes a list, a patch or words of a command line has a form of its own. A call whose
 * meaning cannot be told is a problem, and blocks: nobody would have looked at it.
 */
import { isJsonObject, type Json, type JsonObject, kindOf, sameJson } from '../base/index.ts';
import type { ToolRow } from './adapter.ts';
import { type CanonicalCall, toCanonical, toNativeInput, toolRow } from './tools.ts';

/** Why a call cannot be judged, in words. */
export interface NotACall {
  readonly problem: string;
}

export interface ToolForm {
  /** One call or more. */
  split(input: Json): readonly CanonicalCall[] | NotACall;
  /** The native input with the arguments in place, in the order of `split`; null if this form cannot carry them back. */
  join(input: Json, after: readonly JsonObject[]): Json | null;
}

/** What one agent calls its tools, and the few that are more than another name. */
export interface ToolSet {
  readonly tools: readonly ToolRow[];
  readonly forms: Readonly<Record<string, ToolForm>>;
}

/** Without these a guard of the tool has nothing to look at. */
const REQUIRED: Readonly<Record<string, string>> = {
  run_command: 'command',
  read_file: 'path',
  write_file: 'path',
  edit_file: 'path',
};

export function isNotACall(value: object): value is NotACall {
  return 'problem' in value;
}

export function formOf({ tools, forms }: ToolSet, name: string): ToolForm {
  return (Object.hasOwn(forms, name) ? forms[name] : undefined) ?? renaming(tools, name);
}

/** The calls of a native one, each with what its guards need. */
export function splitCall(set: ToolSet, name: string, input: Json): readonly CanonicalCall[] | NotACall {
  const calls = formOf(set, name).split(input);
  if (isNotACall(calls)) return { problem: `${name}: ${calls.problem}` };
  // A tool in no table is judged by what it gives, even if it has the name of one that we know.
  if (toolRow(set.tools, name) === null) return calls;
  for (const call of calls) {
    const key = Object.hasOwn(REQUIRED, call.name) ? REQUIRED[call.name]! : null;
    if (key !== null && typeof call.args[key] !== 'string') {
      return { problem: `${name}: want ${key} to be a text, got ${kindOf(call.args[key])}` };
    }
  }
  return calls;
}

/** Another name and other names of arguments. An input that is no object has one argument, `input`. */
export function renaming(tools: readonly ToolRow[], native: string): ToolForm {
  const row = toolRow(tools, native);
  return {
    split(input) {
      const twice = row !== null && isJsonObject(input) ? duplicateArgument(row, input) : null;
      if (twice !== null) return { problem: `${twice} is given twice, with different values` };
      if (isJsonObject(input)) return [toCanonical(tools, native, input)];
      if (row !== null) return { problem: `want an object of arguments, got ${kindOf(input)}` };
      return [{ name: native, args: input === null ? {} : { input } }];
    },
    join(input, [after]) {
      if (after === undefined) return null;
      if (isJsonObject(input)) return toNativeInput(tools, native, input, after);
      return Object.keys(after).every((key) => key === 'input') ? (after.input ?? null) : null;
    },
  };
}

/** Two of the agent's arguments that are one of ours: which of them counts, only the agent knows. */
function duplicateArgument({ args }: ToolRow, input: JsonObject): string | null {
  const values = new Map<string, Json>();
  for (const [from, to] of Object.entries(args)) {
    if (!Object.hasOwn(input, from)) continue;
    if (values.has(to) && !sameJson(values.get(to), input[from])) return to;
    values.set(to, input[from]!);
  }
  return null;
}

/** One item of a list: what it is for policies, and the item with rewritten arguments. */
export interface ItemForm {
  split(item: Json): CanonicalCall | NotACall;
  join(item: Json, after: JsonObject): Json | null;
}

/**
 * A tool that takes a list under one of these keys, or one item in its place, or the list or the item alone. `rest` says
 * whether the other arguments belong to each of the calls.
 */
export function listOf(keys: readonly string[], form: ItemForm, { rest = false } = {}): ToolForm {
  const find = (input: Json) => {
    if (!isJsonObject(input)) return { items: asList(input), key: null, isList: Array.isArray(input) };
    const key = keys.find((each) => Object.hasOwn(input, each));
    // An object without the list is one item.
    if (key === undefined) return { items: [input] as readonly Json[], key: null, isList: false };
    return { items: asList(input[key]!), key, isList: Array.isArray(input[key]) };
  };
  const others = (input: Json, key: string | null): JsonObject =>
    rest && key !== null && isJsonObject(input)
      ? Object.fromEntries(Object.entries(input).filter(([name]) => name !== key))
      : {};
  return {
    split(input) {
      const { items, key } = find(input);
      if (items.length === 0) return { problem: `want something in ${key ?? 'the list'}, got an empty list` };
      const calls: CanonicalCall[] = [];
      for (const item of items) {
        const call = form.split(item);
        if (isNotACall(call)) return call;
        calls.push({ name: call.name, args: { ...others(input, key), ...call.args } });
      }
      return calls;
    },
    join(input, after) {
      const { items, key, isList } = find(input);
      const shared = others(input, key);
      if (items.length !== after.length || after.some((args) => !has(args, shared))) return null;
      const joined: Json[] = [];
      for (const [i, item] of items.entries()) {
        const own = Object.entries(after[i]!).filter(([name]) => !Object.hasOwn(shared, name));
        const back = form.join(item, Object.fromEntries(own));
        if (back === null) return null;
        joined.push(back);
      }
      const value = isList ? joined : joined[0]!;
      return key === null ? value : { ...(input as JsonObject), [key]: value };
    },
  };
}

/** Whether what belongs to all calls of a list is as it was: it cannot be another for one of them. */
function has(args: JsonObject, shared: JsonObject): boolean {
  return Object.entries(shared).every(([name, value]) => sameJson(args[name], value));
}

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}

/** An item that is a text, or an object that holds the text under one of these names. */
export function textItem(name: string, arg: string, keys: readonly string[]): ItemForm {
  const keyOf = (item: JsonObject) => keys.find((key) => Object.hasOwn(item, key)) ?? keys[0]!;
  return {
    split(item) {
      if (typeof item === 'string') return { name, args: { [arg]: item } };
      if (!isJsonObject(item)) return { problem: `want a text or an object, got ${kindOf(item)}` };
      const key = keyOf(item);
      const { [key]: text, ...more } = item;
      if (typeof text !== 'string') return { problem: `want ${key} to be a text, got ${kindOf(text)}` };
      return { name, args: { ...more, [arg]: text } };
    },
    join(item, after) {
      const { [arg]: text, ...more } = after;
      if (typeof text !== 'string') return null;
      if (typeof item === 'string') return Object.keys(more).length === 0 ? text : null;
      return { ...more, [keyOf(item as JsonObject)]: text };
    },
  };
}

/** A tool that deletes the file it names. */
export function deleting(tools: readonly ToolRow[], native: string): ToolForm {
  const plain = renaming(tools, native);
  return {
    split(input) {
      const calls = plain.split(input);
      if (isNotACall(calls)) return calls;
      return calls.map(({ name, args }) => ({ name, args: { ...args, delete: true } }));
    },
    join(input, [after]) {
      if (after?.delete !== true) return null;
      const { delete: _, ...args } = after;
      return plain.join(input, [args]);
    },
  };
}
