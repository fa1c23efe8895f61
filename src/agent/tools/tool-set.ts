/**
 * Which of the tools there are a model is offered. What the policy denies is not merely refused when it is called: the
 * model never hears of it, and the loop does not have it.
 */

import { compileGlob, isLiteral, nearest } from '../../base/index.ts';
import type { Tool } from '../tool.ts';

export interface ToolsPolicy {
  readonly mode: 'allowlist' | 'denylist';
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Every tool is offered. */
export const OPEN_POLICY: ToolsPolicy = { mode: 'denylist', allow: [], deny: [] };

/** No tool is offered: what stands for a policy that cannot be read. */
export const CLOSED_POLICY: ToolsPolicy = { mode: 'allowlist', allow: [], deny: ['*'] };

/** A list of what is allowed, where there is one, is the whole of what is allowed. */
export function toolsPolicy(given: Partial<ToolsPolicy> = {}): ToolsPolicy {
  const allow = given.allow ?? [];
  return { mode: given.mode ?? (allow.length > 0 ? 'allowlist' : 'denylist'), allow, deny: given.deny ?? [] };
}

export type Verdict = { readonly offered: true } | { readonly offered: false; readonly why: string };

/** Deny beats allow. */
export function judgeTool(policy: ToolsPolicy, name: string): Verdict {
  const denied = policy.deny.find((pattern) => compileGlob(pattern)(name));
  if (denied !== undefined) return { offered: false, why: `tools_policy denies ${JSON.stringify(denied)}` };
  if (policy.mode === 'denylist' || policy.allow.some((pattern) => compileGlob(pattern)(name))) {
    return { offered: true };
  }
  return { offered: false, why: 'tools_policy does not allow it' };
}

export interface ToolSet {
  /** In the order they were given; what a session gets. */
  readonly offered: readonly Tool[];
  readonly denied: readonly { readonly tool: Tool; readonly why: string }[];
}

/** Of two tools with one name the first is taken. */
export function toolSet(tools: readonly Tool[], policy: ToolsPolicy = OPEN_POLICY): ToolSet {
  const offered = new Map<string, Tool>();
  const denied: { tool: Tool; why: string }[] = [];
  for (const tool of tools) {
    const verdict = judgeTool(policy, tool.name);
    if (!verdict.offered) denied.push({ tool, why: verdict.why });
    else if (!offered.has(tool.name)) offered.set(tool.name, tool);
  }
  return { offered: [...offered.values()], denied };
}

/** A pattern without effect is most often a misspelt name, and then a rule that is silently off. */
export function idlePatterns(
  policy: ToolsPolicy,
  names: readonly string[],
): { readonly list: 'allow' | 'deny'; readonly pattern: string; readonly hint: string | undefined }[] {
  const idle = [];
  for (const list of ['allow', 'deny'] as const) {
    for (const pattern of policy[list]) {
      if (pattern === '*' || names.some((name) => compileGlob(pattern)(name))) continue;
      idle.push({ list, pattern, hint: isLiteral(pattern) ? nearest(pattern, names) : undefined });
    }
  }
  return idle;
}
