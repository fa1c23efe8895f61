/**
 * The permission policy of a project: a table of rules that puts each call into a zone (auto, ask, never), and guards that
 * read command lines. They are layers of their own, outside of the hooks, and the strictest of them counts.
 */
import { compileGlob, type Glob, type Json } from '../../base/index.ts';
import { toolGlob } from '../../engine/index.ts';
import { inZone, type Layer, valueAt, ZONES, type Zone } from './layer.ts';
import type { Permission, Permissions } from './permission.ts';
import { type ShellGuard, shellGuard } from './shell-guard.ts';

export interface PermissionRule {
  /** Globs over the names of tools, see match/tool-names.ts. */
  readonly tools: readonly string[];
  /** By argument, dotted for one inside another: globs of which one must match. All arguments named here must. */
  readonly args?: Readonly<Record<string, readonly string[]>>;
  readonly zone: Zone;
  readonly reason?: string;
}

export interface PermissionTable {
  /** The first rule that fits a call decides. */
  readonly rules: readonly PermissionRule[];
  /** Where none fits; `auto` by default. */
  readonly otherwise?: Zone;
  readonly guards?: readonly ShellGuard[];
}

/** What stands for a table that cannot be read: nothing runs. */
export const CLOSED_TABLE: PermissionTable = { rules: [], otherwise: 'never' };

/** Throws for a guard whose pattern is no regular expression. */
export function permissionPolicy(table: PermissionTable): Permissions {
  const layers = [zones(table), ...(table.guards ?? []).map(shellGuard)];
  return {
    decide: ({ name, own = null, args }) => {
      const said = layers.map((layer) => layer({ name, own }, args));
      return said.reduce((strictest, next) => (rank(next) > rank(strictest) ? next : strictest));
    },
  };
}

function rank({ decision }: Permission): number {
  return ZONES.indexOf(decision);
}

function zones({ rules, otherwise = 'auto' }: PermissionTable): Layer {
  const compiled = rules.map((rule) => ({
    rule,
    tools: rule.tools.map(toolGlob),
    args: Object.entries(rule.args ?? {}).map(([path, globs]) => ({ path, globs: globs.map(compileGlob) })),
  }));
  return (tool, args) => {
    const found = compiled.find(
      (each) =>
        each.tools.some((glob) => glob(tool)) &&
        each.args.every(({ path, globs }) => fits(valueAt(args, path), globs)),
    );
    if (found === undefined) return inZone(otherwise, `no rule lets ${tool.name} run by itself`);
    const { zone, reason } = found.rule;
    return inZone(zone, reason ?? `the rule for ${found.rule.tools.join(', ')} says ${zone}`);
  };
}

function fits(value: Json | undefined, globs: readonly Glob[]): boolean {
  if (value === undefined) return false;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return globs.some((glob) => glob(text));
}
