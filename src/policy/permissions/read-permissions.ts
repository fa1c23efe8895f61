/**
 * `permissions` of harness.md as a table. Its fields have the right types when they come here; a rule that can still not be
 * understood closes the whole table, because nobody can say what it meant to hold back.
 */

import { compileRegex } from '../../base/index.ts';
import type { WrittenPermissions } from '../../files/index.ts';
import { CLOSED_TABLE, type PermissionRule, type PermissionTable } from './policy.ts';
import type { ShellGuard } from './shell-guard.ts';

export interface ReadPermissions {
  readonly table: PermissionTable;
  readonly problems: readonly string[];
}

export function readPermissions(written: WrittenPermissions): ReadPermissions {
  const problems: string[] = [];
  const rules = (written.rules ?? []).map((rule, i) => readRule(rule, `rules[${i}]`, problems));
  const guards = (written.policies ?? []).map((guard, i) => readGuard(guard, `policies[${i}]`, problems));
  if (problems.length > 0) return { table: CLOSED_TABLE, problems };
  const { default: otherwise } = written;
  return { table: { rules, guards, ...(otherwise !== undefined && { otherwise }) }, problems };
}

type WrittenRule = NonNullable<WrittenPermissions['rules']>[number];
type WrittenGuard = NonNullable<WrittenPermissions['policies']>[number];

function readRule(
  { args = {}, zone, reason, ...rule }: WrittenRule,
  path: string,
  problems: string[],
): PermissionRule {
  const named = Object.entries(args).map(([name, globs]) => [name, saying(globs)] as const);
  return {
    tools: readTools(rule.tools, path, problems),
    zone,
    ...(named.length > 0 && { args: Object.fromEntries(named) }),
    ...(reason !== undefined && { reason }),
  };
}

function readGuard(guard: WrittenGuard, path: string, problems: string[]): ShellGuard {
  const { argument, otherwise } = guard;
  const tools = readTools(guard.tools, path, problems);
  const denyPatterns = saying(guard.deny_patterns);
  const allowPrefixes = saying(guard.allow_prefixes);
  if (denyPatterns.length + allowPrefixes.length === 0) {
    problems.push(`${path} guards nothing; want deny_patterns or allow_prefixes`);
  }
  for (const pattern of denyPatterns) {
    const compiled = compileRegex(pattern);
    if (!compiled.ok) {
      problems.push(`${path}.deny_patterns: ${JSON.stringify(pattern)} is no pattern: ${compiled.message}`);
    }
  }
  return {
    tools,
    denyPatterns,
    allowPrefixes,
    ...(argument !== undefined && { argument }),
    ...(otherwise !== undefined && { otherwise }),
  };
}

function readTools(written: string | readonly string[], path: string, problems: string[]): string[] {
  const tools = saying(written);
  if (tools.length === 0) problems.push(`${path}.tools names no tool; want a glob, "*" for all`);
  return tools;
}

/** The texts that are not blank. */
function saying(written: string | readonly string[] = []): string[] {
  return [written].flat().filter((text) => text.trim() !== '');
}
