/**
 * Which layer of a policy a hook comes from. Layers are ranked: 0 is the built-in one, and a higher number means less
 * authority. A hook never loosens what a hook of a smaller rank said.
 */
import type { Json } from '../base/index.ts';
import type { Hook } from './hook.ts';

export interface HookLayer {
  /** `built-in`, `managed`, `user`, `project`, or `project:sub/folder` for a folder inside another. */
  readonly name: string;
  readonly rank: number;
  /** Tells the layers of one name in different places apart, where guards keep what they count. */
  readonly place?: string;
  /** Tables that hooks of this layer read, by name; see `.harness/data`. */
  readonly data?: ReadonlyMap<string, Json>;
  /** Those of them that are fetched for a hook whose script names them. */
  readonly remote?: ReadonlySet<string>;
  /** Hosts that scripts of this layer may reach; absent: what the run says. */
  readonly allowedDomains?: readonly string[];
}

export const BUILT_IN: HookLayer = { name: 'built-in', rank: 0 };

/** Hooks that a program registers. Files judge again what such a hook rewrites behind them. */
export const IN_CODE: HookLayer = { name: 'code', rank: 900 };

/** Hooks that an agent adds to itself. */
const AT_RUN_TIME: HookLayer = { name: 'runtime', rank: 1000 };

export function layerOf(hook: Hook): HookLayer {
  return hook.layer ?? (hook.origin === 'runtime' ? AT_RUN_TIME : IN_CODE);
}

/** Built-in hooks run last and cannot be removed. */
export function isBuiltIn(hook: Hook): boolean {
  return hook.layer !== undefined && hook.layer.rank === BUILT_IN.rank;
}
