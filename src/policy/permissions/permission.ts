/**
 * Permission: whether a tool call runs by itself, waits for somebody, or never runs. A layer of its own behind the hooks,
 * so that nothing a hook allows can widen it.
 */
import type { JsonObject } from '../../base/index.ts';
import type { MaybePromise } from '../../engine/index.ts';

export interface PermissionCall {
  readonly id: string;
  readonly name: string;
  /** What an outside agent calls the tool; null or absent: it is a tool of the policy or of the program. */
  readonly own?: string | null;
  /** As the hooks left them. */
  readonly args: JsonObject;
}

export type Permission =
  | { readonly decision: 'auto' }
  | { readonly decision: 'ask'; readonly reason: string }
  | { readonly decision: 'never'; readonly reason: string };

export interface Permissions {
  /** One that throws denies the call. */
  decide(call: PermissionCall, signal: AbortSignal): MaybePromise<Permission>;
}
