/**
 * Folders of this machine that a command finds under other names: what a container mounts, and the new root of `chroot`. Paths
 * of such a command are said as they stand on this machine.
 */
import { normalPath } from '../base/index.ts';
import type { Field } from './known/values.ts';
import { resolvePath } from './paths.ts';
import type { PathUses } from './programs/roles.ts';

export interface Mount {
  readonly host: string;
  /** Absolute, where the command finds it. */
  readonly at: string;
}

export type Mounts = readonly Mount[];
export const NO_MOUNTS: Mounts = [];

const COLONS = /^((?:[A-Za-z]:(?=[\\/]))?[^:]+):(\/[^:]*)(?::(?!(?:.*,)?ro\b).*)?$/;

/** `-v HOST:TARGET` and `--mount type=bind,source=HOST,target=TARGET`; null for a volume by name, and for what cannot be written. */
export function mountIn({ text }: Field, cwd: string | null): Mount | null {
  const keys = new Map(
    text.split(',').map((pair): [string, string] => {
      const [key = '', ...value] = pair.split('=');
      return [key, value.join('=')];
    }),
  );
  const target = keys.get('target') ?? keys.get('dst') ?? keys.get('destination');
  const [, from, to] =
    target === undefined
      ? (COLONS.exec(text) ?? [])
      : ['', keys.get('source') ?? keys.get('src') ?? '', target];
  if (from === undefined || to === undefined || !/^[./~$\\]|^[A-Za-z]:[\\/]|[/\\]/.test(from)) return null;
  if (
    target !== undefined &&
    [keys.get('readonly'), keys.get('ro')].some((said) => said === '' || said === 'true')
  )
    return null;
  return { host: hostPath(from, cwd), at: normalPath(to) };
}

export function hostPath(text: string, cwd: string | null): string {
  return resolvePath(cwd, { text, tilde: text.startsWith('~') });
}

/** The paths on this machine that a path of the command is. */
export function onHost(path: string, mounts: Mounts): readonly string[] {
  if (mounts.length === 0) return [path];
  // Where the command starts is said by the image alone: in any of them.
  if (!/^[/~$]/.test(path)) return mounts.map(({ host }) => normalPath(`${host}/${path}`));
  const [nearest] = mounts.filter(({ at }) => isBelow(path, at)).sort((a, b) => b.at.length - a.at.length);
  if (nearest === undefined) return [path];
  const rest = path.slice(nearest.at === '/' ? 0 : nearest.at.length);
  return [rest === '' ? nearest.host : normalPath(`${nearest.host}/${rest}`)];
}

/** What is mounted below a path: it goes with it. */
function mountedBelow(path: string, mounts: Mounts): readonly string[] {
  const sign = path.search(/[*?[{$]/);
  const folder = sign === -1 ? path : path.slice(0, Math.max(path.lastIndexOf('/', sign), 1));
  return mounts.filter(({ at }) => at !== path && isBelow(at, folder)).map(({ host }) => host);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

export function usesOnHost({ reads, writes, deletes, modes }: PathUses, mounts: Mounts): PathUses {
  // Another root may be that of a whole system: its `/etc` counts as one as well.
  const isRoot = mounts.some(({ at }) => at === '/');
  const each = (paths: readonly string[]) =>
    paths.flatMap((path) => [...(isRoot && path.startsWith('/') ? [path] : []), ...onHost(path, mounts)]);
  const whole = (paths: readonly string[]) => [
    ...each(paths),
    ...paths.flatMap((path) => mountedBelow(path, mounts)),
  ];
  return { reads: each(reads), writes: each(writes), deletes: whole(deletes), modes: whole(modes) };
}
