/**
 * Names of tools and arguments from an agent's words to those that policies use, and back for a rewrite. Mechanical, from
 * the agent's table; a tool that is not in it keeps its own name and arguments.
 */
import { type Json, type JsonObject, sameJson } from '../base/index.ts';
import type { ToolRow } from './adapter.ts';

export interface CanonicalCall {
  readonly name: string;
  readonly args: JsonObject;
  /** The agent's own name for this part of a call, if it is not that of the tool: a patch inside a command. */
  readonly own?: string;
}

export function toolRow(tools: readonly ToolRow[], native: string): ToolRow | null {
  return tools.find((row) => row.native === native) ?? null;
}

/**
 * An argument of the table wins over one that has the canonical name by itself: the tool reads the first, and nobody may
 * hide it behind the second, which is left out.
 */
export function toCanonical(tools: readonly ToolRow[], native: string, input: JsonObject): CanonicalCall {
  const row = toolRow(tools, native);
  if (row === null) return { name: native, args: input };
  const named = Object.entries(row.args).filter(([from]) => Object.hasOwn(input, from));
  const taken = new Set(named.flat());
  const rest = Object.entries(input).filter(([key]) => !taken.has(key));
  const args = Object.fromEntries([...named.map(([from, to]) => [to, input[from]!] as const), ...rest]);
  return { name: row.name, args: row.shell === undefined ? args : { ...args, shell: row.shell } };
}

/**
 * The whole native input with what a policy changed: `before` and `after` are canonical arguments. What was not changed is as
 * the agent gave it.
 */
export function toNativeInput(
  tools: readonly ToolRow[],
  native: string,
  input: JsonObject,
  after: JsonObject,
): JsonObject {
  const { args: before } = toCanonical(tools, native, input);
  const back = nativeNames(toolRow(tools, native), input);
  const result: Record<string, Json> = { ...input };
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) delete result[back.get(key) ?? key];
  for (const [key, value] of Object.entries(after)) {
    if (Object.hasOwn(before, key) && sameJson(before[key], value)) continue;
    result[back.get(key) ?? key] = value;
  }
  return result;
}

/** By canonical name. If several arguments of the agent are one of ours, the one it gave. */
function nativeNames(row: ToolRow | null, input: JsonObject): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [from, to] of Object.entries(row?.args ?? {})) {
    if (!names.has(to) || Object.hasOwn(input, from)) names.set(to, from);
  }
  return names;
}
