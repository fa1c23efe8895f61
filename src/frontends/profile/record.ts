/**
 * What webhooks post and files collect: one event as a line of JSON, free of known secrets.
 */
import type { Json } from '../../base/index.ts';
import type { HookCall } from '../../engine/index.ts';
import type { HookContext } from '../code/registry/context.ts';
import { redactedJson, secretsOf } from './redact.ts';

export function recordText(profile: string, context: HookContext, call: HookCall): string {
  const record = { v: 1, ts: call.host.now(), profile, event: context.event, context };
  return redactedJson(record as unknown as Json, secretsOf(call));
}
