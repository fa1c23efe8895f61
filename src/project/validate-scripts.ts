/**
 * What `harness validate` finds by looking into scripts: each of them alone, and then the chain they make together. A
 * policy that is opened to decide never comes here.
 */

import type { AgentProject } from '../agent/index.ts';
import { misspelledName, requiredNames } from '../agents/index.ts';
import { nearest, type Problem } from '../base/index.ts';
import { type Hook, isBuiltIn, knownNames } from '../engine/index.ts';
import type { Policy } from '../policy/index.ts';
import { checkScript, type ScriptCheck, type ToolMention } from '../script/index.ts';
import { isAboutTools, permissionRows } from './validate-targets.ts';

export interface ScriptStudy {
  readonly check: ScriptCheck;
  /** What only the whole says: hooks that never run, tools nobody has. */
  together(agent: AgentProject): readonly Problem[];
}

export function studyScripts(): ScriptStudy {
  const mentions: Mention[] = [];
  const blocking = new Set<string>();
  return {
    check: (script) => {
      const { findings, tools, alwaysBlocks } = checkScript(script);
      const lines = script.file.text.split('\n');
      for (const each of tools) mentions.push({ ...each, excerpt: lines[each.position.line - 1] ?? '' });
      if (alwaysBlocks) blocking.add(keyOf(script.file.name, script.hook ?? ''));
      return findings;
    },
    together: (agent) => [...shadowed(agent.policy, blocking), ...unknownTools(agent, mentions)],
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
  const { indexable } = earlier.condition;
  const seen = later.condition?.indexable;
  if (indexable?.whole !== true || seen?.key !== indexable.key) return false;
  // What begins or ends in some way may be any of many names.
  if (seen.prefixes !== undefined || seen.suffixes !== undefined) return false;
  return seen.values.every((value) => indexable.values.includes(value));
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
function unknownTools({ tools, config, policy }: AgentProject, written: readonly Mention[]): Problem[] {
  if (policy.empty || config.mcpServers.length > 0 || config.meta !== null) return [];
  const own = tools.filter(({ source }) => source.endsWith('.md')).map(({ name }) => name);
  const names = new Set([...tools.map(({ name }) => name), 'delegate', 'done', ...knownNames()]);
  const mentions = [...written, ...mentionsIn(policy)];
  return mentions.flatMap(({ tool, position, excerpt }): Problem[] => {
    if (names.has(tool) || excerpt?.includes(ACCEPTED)) return [];
    // A guard may well name tools of agents elsewhere: only one that looks like a slip is worth a word.
    const near = nearOwn(tool, own) ?? misspelledName(tool, knownNames());
    if (near === undefined) return [];
    // Beside the right name it is another spelling, not a slip.
    const beside = (other: Mention) =>
      other.position.file === position.file && other.position.line === position.line;
    if (mentions.some((other) => other.tool === near && beside(other))) return [];
    const message = `no tool is called ${JSON.stringify(tool)} (did you mean ${JSON.stringify(near)}?)`;
    const shown = excerpt === undefined ? {} : { excerpt };
    return [{ severity: 'warning', code: 'TOOL_UNKNOWN', message, position, ...shown }];
  });
}

type Mention = ToolMention & { readonly excerpt?: string };

function nearOwn(tool: string, own: readonly string[]): string | undefined {
  const near = nearest(tool, own);
  return near === undefined || Math.abs(near.length - tool.length) > 1 ? undefined : near;
}

/** In matchers, patterns and tables of permissions, which are no scripts. */
function mentionsIn({ hooks, layers }: Policy): Mention[] {
  const matched = hooks.flatMap((hook): Mention[] => {
    if (isBuiltIn(hook) || hook.frontEnd.name === 'markdown' || !isAboutTools(hook)) return [];
    const position = { file: hook.source, line: hook.line ?? 1, col: 1 };
    return (requiredNames(hook.condition?.indexable) ?? []).map((tool) => ({ tool, position }));
  });
  const permitted = permissionRows(layers).flatMap(({ names, source, line }) =>
    names.map((tool): Mention => ({ tool, position: { file: source, line, col: 1 } })),
  );
  return [...matched, ...permitted];
}

const ACCEPTED = 'harness: ignore TOOL_UNKNOWN ';
