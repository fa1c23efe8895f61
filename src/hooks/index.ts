/**
 * `harness-hooks/hooks`: the pipeline for programs that bring their own hooks and fire their own events.
 */
export type {
  Action,
  Decision,
  Effect,
  Failure,
  LogLevel,
  Mode,
  Outcome,
  ReminderSpec,
  TraceEntry,
} from '../events/decision.ts';
export type { Approval, ApprovalRequest, Approvals } from './approvals.ts';
export { type DecideOptions, Engine, type EngineOptions } from './engine.ts';
export type {
  Body,
  Condition,
  FrontEnd,
  Hook,
  HookCall,
  MaybePromise,
  Origin,
  Reply,
} from './hook.ts';
export {
  type AfterToolHook,
  type BeforeHookResult,
  type BeforeToolHook,
  type InterceptorFailure,
  type InterceptorOptions,
  ToolHookRegistry,
  type ToolInput,
  type ToolResult,
} from './interceptors.ts';
export { Registry } from './registry.ts';
export type { RequestMessage } from './reminders/attach.ts';
export { applyEffects } from './reminders/effects.ts';
export { renderReminder } from './reminders/render.ts';
export { type CheckedReminder, checkReminder } from './reminders/spec.ts';
export {
  type Reminder,
  type ReminderRecord,
  ReminderStore,
  type ReminderStoreOptions,
} from './reminders/store.ts';
export { type LogLine, type RunServices, type RunSettings, RunState } from './run-state.ts';
