/**
 * The names that agents have for the tools policies know, and which of them a policy may use for which call. A call of an
 * outside agent has two names: the canonical one and the agent's own. Calls of a policy's or a program's tools have one.
 */
import { compileGlob, isJsonObject, isLiteral } from '../base/index.ts';

interface AgentNames {
  /** Names of the whole tool: each stands for the tool in every agent. */
  readonly same: readonly string[];
  /** Names of something that does less than the tool: each stands for itself. */
  readonly narrower: readonly string[];
}

/** By canonical name. The tables of the adapters use these names and no others; a test compares them. */
export const AGENT_NAMES: Readonly<Record<string, AgentNames>> = {
  run_command: {
    same: [
      ...['Bash', 'bash', 'Shell', 'shell', 'local_shell', 'developer__shell'],
      ...['exec_command', 'shell_command', 'run_shell_command', 'run_commands'],
    ],
    // The input of a command that runs already, and a shell of one system.
    narrower: ['write_stdin', 'write_bash', 'powershell', 'PowerShell'],
  },
  read_file: { same: ['Read', 'read', 'read_files', 'view'], narrower: ['read_many_files', 'view_image'] },
  write_file: { same: ['Write', 'write', 'create'], narrower: [] },
  edit_file: {
    same: ['Edit', 'edit', 'editor', 'replace'],
    narrower: ['MultiEdit', 'NotebookEdit', 'notebook_edit', 'Delete', 'apply_patch', 'patch'],
  },
  list_files: {
    same: ['Glob', 'glob', 'find'],
    narrower: ['LS', 'ls', 'list', 'list_directory', 'tree'],
  },
  search_files: {
    same: ['Grep', 'grep', 'rg', 'grep_search', 'search_file_content', 'search_codebase'],
    narrower: [],
  },
  fetch_url: { same: ['WebFetch', 'web_fetch', 'webfetch', 'fetch_web_content'], narrower: [] },
  web_search: { same: ['WebSearch', 'websearch', 'google_web_search'], narrower: [] },
  delegate: {
    same: ['Agent', 'agent', 'spawn_agent', 'invoke_agent'],
    narrower: ['Task', 'task'],
  },
};

const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries(AGENT_NAMES).flatMap(([name, { same }]) => same.map((other) => [other, name] as const)),
);

const LISTED: ReadonlySet<string> = new Set(
  Object.entries(AGENT_NAMES).flatMap(([name, { same, narrower }]) => [name, ...same, ...narrower]),
);

/** The canonical names. */
export const AGENT_TOOLS: ReadonlySet<string> = new Set(Object.keys(AGENT_NAMES));

/** Every canonical name and every name of an agent. */
export function knownNames(): Iterable<string> {
  return LISTED;
}

export function isNameOfAgents(name: string): boolean {
  return LISTED.has(name);
}

export function isCanonicalName(name: string): boolean {
  return Object.hasOwn(AGENT_NAMES, name);
}

/** The canonical name of the tool that a name stands for as a whole, or the name itself. */
export function wholeTool(name: string): string {
  return SAME.get(name) ?? name;
}

/** Names a policy may use for every call of this canonical name. */
export function synonymsOf(canonical: string): readonly string[] {
  return isCanonicalName(canonical) ? AGENT_NAMES[canonical]!.same : [];
}

export interface CallNames {
  /** As on the payload: canonical, if the agent's tool is known. */
  readonly name: string;
  /** The agent's own name; null for a tool of the policy or of the embedding program, which has no other names. */
  readonly own: string | null;
}

/** Null for a payload without the name of a tool. */
export function callNames(payload: unknown): CallNames | null {
  if (!isJsonObject(payload) || typeof payload.name !== 'string') return null;
  return { name: payload.name, own: ownNameIn(payload) };
}

export function ownNameIn({ native }: { readonly [key: string]: unknown }): string | null {
  return isJsonObject(native) && typeof native.name === 'string' ? native.name : null;
}

/** Whether a literal names the tool of the call. */
export function namesTool({ name, own }: CallNames, literal: string): boolean {
  if (literal === name) return true;
  return own !== null && (literal === own || SAME.get(literal) === name);
}

/** What a pattern is tried on. */
export function bothNames({ name, own }: CallNames): readonly string[] {
  return own === null || own === name ? [name] : [name, own];
}

/** A glob over the names of tools; one without wildcards is a literal. */
export function toolGlob(pattern: string): (call: CallNames) => boolean {
  if (isLiteral(pattern)) return (call) => namesTool(call, pattern);
  const glob = compileGlob(pattern);
  return (call) => bothNames(call).some(glob);
}

/** What the payload's `name`, or the agent's own name, has to be for one of these literals to name the tool: see `IndexableTest`. */
export function indexNames(literals: readonly string[]): readonly string[] {
  return [...new Set(literals.flatMap((literal) => [literal, wholeTool(literal)]))];
}
