/**
 * Tools under the names that settings.json knows, which are those of Claude Code, and under the names that policies use. An outside
 * agent's call is judged under the latter: a matcher holds for both, and scripts find the fields they were written for.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type CallNames, indexNames, namesTool, wholeTool } from '../../engine/index.ts';

interface ToolNamePair {
  /** The first stands for all tools that are none of the others. */
  readonly tools: readonly string[];
  /** From our argument to theirs. */
  readonly args: Readonly<Record<string, string>>;
}

const FILE = { path: 'file_path' };

export const TOOL_NAMES: Readonly<Record<string, ToolNamePair>> = {
  run_command: { tools: ['Bash'], args: {} },
  read_file: { tools: ['Read'], args: FILE },
  write_file: { tools: ['Write'], args: FILE },
  edit_file: {
    tools: ['Edit', 'MultiEdit', 'NotebookEdit'],
    args: { ...FILE, old: 'old_string', new: 'new_string' },
  },
  list_files: { tools: ['Glob', 'LS'], args: {} },
  search_files: { tools: ['Grep'], args: {} },
  fetch_url: { tools: ['WebFetch'], args: {} },
  web_search: { tools: ['WebSearch'], args: {} },
  delegate: { tools: ['Agent', 'Task'], args: { agent: 'subagent_type' } },
};

const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.entries(TOOL_NAMES).flatMap(([name, { tools }]) => tools.map((tool) => [tool, name] as const)),
);

/** All names under which a tool is known, its own first. What is narrower than the tool is no name of it. */
export function namesOfTool(name: string): readonly string[] {
  const canonical = CANONICAL.get(name);
  if (canonical !== undefined) return [name, canonical];
  return [name, ...(namesOf(name)?.tools ?? []).filter((tool) => wholeTool(tool) === name)];
}

/** What the name on a payload has to be for a matcher that has these names to hold. */
export function indexedNames(names: readonly string[]): readonly string[] {
  return indexNames(names.flatMap((name) => [name, ...(namesOf(name)?.tools ?? [])]));
}

/** What a hook sees as `tool_name`: a host that gives the call of another agent is answered in these names. */
export function viewedToolName(payload: Json): Json | undefined {
  if (!isJsonObject(payload)) return undefined;
  const names = ofOutsideAgent(payload);
  if (names === null) return payload.name;
  const spelled = (payload.native as JsonObject).name as string;
  return names.tools.includes(spelled) ? spelled : names.tools[0]!;
}

/**
 * What a hook sees whose matcher names the tool by another of its names: the name it was written for. A script that looks at
 * `tool_name` again would otherwise let every such call pass.
 */
export function asMatched(seen: Json, tools: readonly string[], call: CallNames | null): Json {
  if (!isJsonObject(seen) || typeof seen.tool_name !== 'string') return seen;
  const own = seen.tool_name;
  const spelled =
    namesOfTool(own).find((name) => tools.includes(name)) ??
    tools.find((name) => call !== null && namesTool(call, name)) ??
    own;
  if (spelled === own) return seen;
  return { ...seen, tool_name: spelled, tool_input: bothNames(seen.tool_input, namesOf(own)) ?? null };
}

/** The arguments, under our names and beside them under theirs. */
export function viewedToolInput(payload: Json): Json | undefined {
  return isJsonObject(payload) ? bothNames(payload.args, ofOutsideAgent(payload)) : undefined;
}

function bothNames(args: Json | undefined, names: ToolNamePair | null | undefined): Json | undefined {
  if (names === null || names === undefined || !isJsonObject(args)) return args;
  const theirs = Object.entries(names.args).filter(([ours]) => Object.hasOwn(args, ours));
  return { ...args, ...Object.fromEntries(theirs.map(([ours, name]) => [name, args[ours]!])) };
}

function ofOutsideAgent({ name, native }: JsonObject): ToolNamePair | null {
  const isOutside = isJsonObject(native) && typeof native.name === 'string';
  return isOutside && typeof name === 'string' ? (namesOf(name) ?? null) : null;
}

function namesOf(name: string): ToolNamePair | undefined {
  return Object.hasOwn(TOOL_NAMES, name) ? TOOL_NAMES[name] : undefined;
}
