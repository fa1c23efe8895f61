/**
 * What `harness validate` finds by looking into scripts: each of them alone, and then the chain they make together. A
 * policy that is opened to decide never comes here.
 */
import { ADAPTERS, loadAdapter } from '../adapters/load-adapter.ts';
import type { AgentProject } from '../agent/config/load-agent.ts';
import type { Problem } from '../base/errors.ts';
import { nearest } from '../base/spelling.ts';
import type { Hook } from '../hooks/hook.ts';
import { isBuiltIn } from '../hooks/layer.ts';
import type { Policy } from '../policy/policy.ts';
import { checkScript } from '../script/check/check-script.ts';
import type { ScriptCheck, ToolMention } from '../script/check/finding.ts';

export interface ScriptStudy {
  readonly check: ScriptCheck;
  /** What only the whole says: hooks that never run, tools nobody has. */
  together(agent: AgentProject): Promise<readonly Problem[]>;
}

export function studyScripts(): ScriptStudy {
  const mentions: (ToolMention & { readonly excerpt: string })[] = [];
  const blocking = new Set<string>();
  return {
    check: (script) => {
      const { findings, tools, alwaysBlocks } = checkScript(script);
      const lines = script.file.text.split('\n');
      for (const each of tools) mentions.push({ ...each, excerpt: lines[each.position.line - 1] ?? '' });
      if (alwaysBlocks) blocking.add(keyOf(script.file.name, script.hook ?? ''));
      return findings;
    },
    together: async (agent) => [
      ...shadowed(agent.policy, blocking),
      ...(await unknownTools(agent, mentions)),
    ],
  };
}

function keyOf(source: string, hook: string): string {
  return `${source} ${hook}`;
}

function shadowed({ hooks }: Policy, blocking: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  const walls: Hook[] = [];
  for (const hook of hooks) {
    if (isBuiltIn(hook) || hook.standIn === true) continue;
    const wall = walls.find((earlier) => hides(earlier, hook));
    if (wall !== undefined) problems.push(shadowedBy(hook, wall));
    if (hook.mode === 'enforce' && blocking.has(keyOf(hook.source, hook.name))) walls.push(hook);
  }
  return problems;
}

/** Whether the earlier hook, which blocks all it sees, sees all that the later one would. */
function hides(earlier: Hook, later: Hook): boolean {
  if (earlier.event !== later.event) return false;
  if (earlier.condition === null) return true;
  const { selects } = earlier.condition;
  const seen = later.condition?.selects;
  if (selects?.whole !== true || seen?.key !== selects.key) return false;
  // What begins or ends in some way may be any of many names.
  if (seen.prefixes !== undefined || seen.suffixes !== undefined || seen.args !== undefined) return false;
  return seen.values.every((value) => selects.values.includes(value));
}

function shadowedBy(hook: Hook, wall: Hook): Problem {
  const names = [hook, wall].map(({ name }) => JSON.stringify(name));
  return {
    severity: 'warning',
    code: 'GUARD_SHADOWED',
    message: `hook ${names[0]} never runs: ${names[1]} comes before it and blocks all it would see`,
    position: hook.line === undefined ? null : { file: hook.source, line: hook.line, col: 1 },
  };
}

/** Tools of MCP servers, and those an agent makes itself, are not known before it runs. */
async function unknownTools(
  { tools, config, policy }: AgentProject,
  mentions: readonly (ToolMention & { readonly excerpt: string })[],
): Promise<Problem[]> {
  const own = tools.filter(({ source }) => source.endsWith('.md')).map(({ name }) => name);
  if (own.length === 0 || config.mcpServers.length > 0 || config.meta !== null) return [];
  const names = new Set([...tools.map(({ name }) => name), 'delegate', 'done']);
  const left = mentions.filter(({ tool, excerpt }) => !names.has(tool) && !excerpt.includes(ACCEPTED));
  if (left.length === 0 || policy.empty) return [];
  for (const agent of Object.keys(ADAPTERS)) {
    for (const row of (await loadAdapter(agent))?.tools ?? []) names.add(row.name).add(row.native);
  }
  return left.flatMap(({ tool, position, excerpt }): Problem[] => {
    // A guard may well name tools of agents elsewhere: only one that looks like a slip is worth a word.
    const near = names.has(tool) ? undefined : nearest(tool, own);
    if (near === undefined || Math.abs(near.length - tool.length) > 1) return [];
    // Beside the right name it is another spelling, not a slip.
    const beside = (other: ToolMention) =>
      other.position.file === position.file && other.position.line === position.line;
    if (mentions.some((other) => other.tool === near && beside(other))) return [];
    const message = `no tool is called ${JSON.stringify(tool)} (did you mean ${JSON.stringify(near)}?)`;
    return [{ severity: 'warning', code: 'TOOL_UNKNOWN', message, position, excerpt }];
  });
}

const ACCEPTED = 'harness: ignore TOOL_UNKNOWN ';
