/**
 * `permissions` of harness.md as a table. Its fields have the right types when they come here; a rule that can still not be
 * understood closes the whole table, because nobody can say what it meant to hold back.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { compileRegex } from '../../match/regex.ts';
import type { Zone } from './layer.ts';
import { CLOSED_TABLE, type PermissionRule, type PermissionTable } from './policy.ts';
import type { ShellGuard } from './shell-guard.ts';

export interface ReadPermissions {
  readonly table: PermissionTable;
  readonly problems: readonly string[];
}

export function readPermissions(written: JsonObject): ReadPermissions {
  const problems: string[] = [];
  const rules = objects(written.rules).map((rule, i) => readRule(rule, `rules[${i}]`, problems));
  const guards = objects(written.policies).map((guard, i) => readGuard(guard, `policies[${i}]`, problems));
  if (problems.length > 0) return { table: CLOSED_TABLE, problems };
  const otherwise = written.default === undefined ? {} : { otherwise: written.default as Zone };
  return { table: { rules, guards, ...otherwise }, problems };
}

function readRule(rule: JsonObject, path: string, problems: string[]): PermissionRule {
  const tools = texts(rule.tools);
  if (tools.length === 0) problems.push(`${path}.tools names no tool; want a glob, "*" for all`);
  if (rule.zone === undefined) problems.push(`${path}.zone is missing; want auto, ask or never`);
  const args = Object.entries(isJsonObject(rule.args) ? rule.args : {}).map(
    ([name, globs]) => [name, texts(globs)] as const,
  );
  return {
    tools,
    zone: (rule.zone ?? 'never') as Zone,
    ...(args.length > 0 && { args: Object.fromEntries(args) }),
    ...(typeof rule.reason === 'string' && { reason: rule.reason }),
  };
}

function readGuard(guard: JsonObject, path: string, problems: string[]): ShellGuard {
  const tools = texts(guard.tools);
  const denyPatterns = texts(guard.deny_patterns);
  const allowPrefixes = texts(guard.allow_prefixes);
  if (tools.length === 0) problems.push(`${path}.tools names no tool; want a glob, "*" for all`);
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
    ...(typeof guard.argument === 'string' && { argument: guard.argument }),
    ...(guard.otherwise !== undefined && { otherwise: guard.otherwise as Zone }),
  };
}

function objects(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function texts(value: Json | undefined): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String).filter((text) => text.trim() !== '');
}
