/**
 * What Harn handlers may return, as types: an editor completes them, and a misspelt key does not compile.
 */
import type { Json, JsonObject } from '../../../base/index.ts';
import type { ReminderSpec } from '../../../engine/index.ts';

type Nothing = null | undefined;

/** A reminder alone, or one wrapped around a decision. */
export type WithReminder<Control> =
  | ReminderSpec
  | { readonly reminder: ReminderSpec; readonly then?: Control | WithReminder<Control> }
  | ({ readonly reminder: ReminderSpec } & Exclude<Control, string | boolean | null | undefined>)
  | { readonly type: 'reminder'; readonly spec: ReminderSpec }
  | { readonly effects: readonly ReminderEffect[] };

export type ReminderEffect =
  | ReminderSpec
  | { readonly reminder: ReminderSpec }
  | { readonly type: 'reminder'; readonly spec: ReminderSpec };

type PreToolControl = Nothing | { readonly deny: string } | { readonly args: JsonObject };
type PostToolControl =
  | Nothing
  | string
  | { readonly result: Json }
  | { readonly result: Json; readonly truncated: true; readonly dropped_bytes: number }
  | { readonly result: Json; readonly denial: { readonly kind: string; readonly message: string } };
type PersonaControl =
  | Nothing
  | 'Allow'
  | 'Pass'
  | { readonly deny: string }
  | { readonly reason: string }
  | { readonly action: 'deny'; readonly reason?: string }
  | { readonly args: readonly Json[] }
  | { readonly output: Json }
  | { readonly result: Json }
  | { readonly modify: Json };
type SessionControl =
  | Nothing
  | boolean
  | { readonly block: boolean; readonly reason?: string }
  | { readonly decision: 'allow' | 'deny' | 'ask'; readonly reason?: string }
  | { readonly modify: Json };

export type PreToolAnswer = PreToolControl | WithReminder<PreToolControl>;
export type PostToolAnswer = PostToolControl | WithReminder<PostToolControl>;
export type PersonaAnswer = PersonaControl | WithReminder<PersonaControl>;
export type SessionAnswer = SessionControl | WithReminder<SessionControl> | readonly ReminderEffect[];
