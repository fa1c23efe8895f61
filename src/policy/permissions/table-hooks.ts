/**
 * Permission tables of a layer as hooks of the built-in layer, with what is wrong in them.
 */
import type { Problem } from '../../base/index.ts';
import type { Hook, HookLayer } from '../../engine/index.ts';
import type { PermissionsInFile } from '../../frontends/index.ts';
import { permissionHook } from '../built-in.ts';
import { CLOSED_TABLE, permissionPolicy } from './policy.ts';
import { readPermissions } from './read-permissions.ts';

export interface ReadTable {
  readonly hook: Hook;
  readonly problems: readonly Problem[];
}

/** `place` keeps the tables of several layers in their order. */
export function tableHooks(
  written: readonly PermissionsInFile[],
  layer: HookLayer,
  place: number,
): readonly ReadTable[] {
  return written.map(({ file, line, table }, i) => {
    const read = table === null ? { table: CLOSED_TABLE, problems: [] } : readPermissions(table);
    const source = { permissions: permissionPolicy(read.table), source: file, layer };
    return {
      hook: { ...permissionHook(source, 1 + place + i), line },
      problems: read.problems.map((message) => ({
        severity: 'error',
        code: 'CONFIG_INVALID',
        message: `permissions.${message}`,
        position: { file, line, col: 1 },
      })),
    };
  });
}
