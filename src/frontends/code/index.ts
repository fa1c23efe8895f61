/**
 * `harness-hooks/hooks`: the pipeline for programs that bring their own hooks and fire their own events, and the ways of
 * writing such hooks: the registry with its runtime, the Harn functions, reminders, and tool interceptors.
 */
export * from '../../hooks/index.ts';
export * from './functions/default-hooks.ts';
export type {
  PersonaEventName,
  PersonaEventOf,
  PersonaEvents,
  PostToolUseEvent,
  PreToolUseEvent,
  SessionEventName,
  SessionEventOf,
  SessionEvents,
} from './functions/events.ts';
export type { ReminderProvider } from './functions/providers.ts';
export {
  createHooks,
  type Dispose,
  HarnHooks,
  type HarnOptions,
  type PersonaHandler,
  type SessionHandler,
  type ToolHookConfig,
} from './functions/register.ts';
export type { PersonaAnswer, PostToolAnswer, PreToolAnswer, SessionAnswer } from './functions/returns.ts';
export type { HookContext, HookContexts, HookEvent } from './registry/context.ts';
export { ReminderInjector, type ReminderInjectorOptions } from './registry/injector.ts';
export { type HookFn, HookRegistry, type HookRegistryOptions, type HookSpec } from './registry/registry.ts';
export {
  createDefaultRegistry,
  defineTemplate,
  type ReminderEvent,
  type ReminderEventOf,
  type ReminderEventType,
  ReminderRegistry,
  type ReminderTemplate,
} from './registry/reminder-templates.ts';
export type { HookResult } from './registry/result.ts';
export { type HookRunResult, HookRuntime, type HookRuntimeOptions } from './registry/runtime.ts';
