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
export { Registry } from './registry.ts';
export { type LogLine, type RunServices, type RunSettings, RunState } from './run-state.ts';
