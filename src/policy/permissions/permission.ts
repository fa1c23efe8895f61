/**
 * Permission: whether a tool call runs by itself, waits for somebody, or never runs. A layer of its own behind the hooks,
 * so that nothing a hook allows can widen it.
 */
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../hooks/hook.ts';

export interface PermissionCall {
  readonly id: string;
  readonly name: string;
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
