/**
 * `harness-hooks/hooks`: the pipeline for programs that bring their own hooks and fire their own events, and the ways of
 * writing such hooks: the registry with its runtime, the Harn functions, reminders, and tool interceptors.
 */
export * from '../../hooks/index.ts';
export * from './harn/default-hooks.ts';
export type {
  PersonaEventName,
  PersonaEventOf,
  PersonaEvents,
  PostToolUseEvent,
  PreToolUseEvent,
  SessionEventName,
  SessionEventOf,
  SessionEvents,
} from './harn/events.ts';
export type { ReminderProvider } from './harn/providers.ts';
export {
  createHooks,
  type Dispose,
  HarnHooks,
  type HarnOptions,
  type PersonaHandler,
  type SessionHandler,
  type ToolHookConfig,
} from './harn/register.ts';
export type { PersonaAnswer, PostToolAnswer, PreToolAnswer, SessionAnswer } from './harn/returns.ts';
export type { HookContext, HookContexts, HookEvent } from './loom/context.ts';
export { ReminderInjector, type ReminderInjectorOptions } from './loom/injector.ts';
export { type HookFn, HookRegistry, type HookRegistryOptions, type HookSpec } from './loom/registry.ts';
export {
  createDefaultRegistry,
  defineTemplate,
  type ReminderEvent,
  type ReminderEventOf,
  type ReminderEventType,
  ReminderRegistry,
  type ReminderTemplate,
} from './loom/reminder-templates.ts';
export type { HookResult } from './loom/result.ts';
export { type HookRunResult, HookRuntime, type HookRuntimeOptions } from './loom/runtime.ts';
