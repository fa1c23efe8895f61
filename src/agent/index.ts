/**
 * `harness-hooks/agent`: a session loop that fires every event through the hooks, with tools and providers.
 */
export type { SessionConfig } from './config.ts';
export type { HookSource, ReminderSource } from './hook-source.ts';
export { DEFAULT_LIMITS, DEFAULT_RETRY, type RetryPolicy, type SessionLimits } from './limits.ts';
export { addUsage, type Message, NO_USAGE, type ToolCall, type Usage } from './message.ts';
export type { Approval, Permission, PermissionCall, Permissions } from './permissions.ts';
export type {
  Attempt,
  Completion,
  CompletionRequest,
  Provider,
  ProviderFailure,
  StopReason,
  ToolDefinition,
} from './provider.ts';
export {
  type Script,
  type ScriptedCompletion,
  type ScriptedProvider,
  type ScriptedToolCall,
  scriptedProvider,
} from './providers/scripted.ts';
export { type ParsedScript, parseScript } from './providers/scripted-file.ts';
export type { Run, RunResult } from './run.ts';
export { type RunOptions, Session, type SessionOptions } from './session.ts';
export type { EndReason, SessionEvent } from './session-event.ts';
export type { Tool, ToolContext } from './tool.ts';
export { parseTranscript, type TranscriptEntry, transcriptLines } from './transcript.ts';
