/**
 * `harness-hooks/agent`: a session loop that fires every event through the hooks, with tools and providers.
 */

export { ReminderInjector } from '../frontends/code/loom/injector.ts';
export { HookRegistry } from '../frontends/code/loom/registry.ts';
export { createDefaultRegistry } from '../frontends/code/loom/reminder-templates.ts';
export { HookRuntime } from '../frontends/code/loom/runtime.ts';
export { ToolHookRegistry } from '../hooks/interceptors.ts';
export { ReminderStore } from '../hooks/reminders/store.ts';
export type { CompactionResult } from './compaction/compact.ts';
export {
  type CompactionSettings,
  type Summarise,
  type SummaryContext,
  summaryByModel,
} from './compaction/settings.ts';
export * from './config/index.ts';
export * from './delegation/index.ts';
export type { FileEdit } from './file-edits.ts';
export type { HookSource } from './hook-source.ts';
export { type DaemonOptions, type DaemonResult, runDaemon } from './idle.ts';
export { DEFAULT_LIMITS, DEFAULT_RETRY, type RetryPolicy, type SessionLimits } from './limits.ts';
export { addUsage, type Message, NO_USAGE, type ToolCall, type Usage } from './message.ts';
export * from './permissions/index.ts';
export type { Permission, PermissionCall, Permissions } from './permissions.ts';
export * from './personas/index.ts';
export { type OnFinish, type Pipeline, type PipelineOptions, runPipeline } from './pipeline/run-pipeline.ts';
export { BUCKETS, type Bucket, type UnsettledSnapshot, UnsettledState } from './pipeline/unsettled.ts';
export type {
  Attempt,
  Completion,
  CompletionRequest,
  Provider,
  ProviderFailure,
  StopReason,
  ToolDefinition,
} from './provider.ts';
export { type AnthropicOptions, anthropicProvider } from './providers/anthropic.ts';
export { createProvider, modelNameOf, type ProviderSources } from './providers/create-provider.ts';
export { type OpenAiOptions, openAiProvider } from './providers/openai.ts';
export {
  type Script,
  type ScriptedCompletion,
  type ScriptedProvider,
  type ScriptedToolCall,
  scriptedProvider,
} from './providers/scripted.ts';
export { type ParsedScript, parseScript } from './providers/scripted-file.ts';
export type { Price, ServiceOptions } from './providers/sdk.ts';
export {
  ContextMaintenance,
  type JobOutput,
  type MaintenanceJob,
  type MaintenanceOptions,
} from './receipts/maintenance.ts';
export {
  dedupeKey,
  type JobReceipt,
  type JobStatus,
  RECEIPT_SCHEMA,
  type ReplayRule,
  type RetryHint,
} from './receipts/receipt.ts';
export { type Note, recordSession } from './record-session.ts';
export type { Run, RunResult } from './run.ts';
export { type RunOptions, Session, type SessionOptions } from './session.ts';
export type { SessionConfig } from './session-config.ts';
export type { EndReason, SessionEvent } from './session-event.ts';
export { ATTRIBUTES, type Span, type SpanEvent, type SpanKind } from './span.ts';
export { SpanCollector, type SpanOptions, spansOf } from './spans.ts';
export type { ReminderSource } from './told.ts';
export type { Tool, ToolContext } from './tool.ts';
export * from './tools/index.ts';
export {
  parseTranscript,
  type TranscriptEntry,
  type TranscriptHeader,
  transcriptLines,
} from './transcript.ts';
export { openTranscript, type TranscriptFile } from './transcript-file.ts';
export {
  type DrainDecision,
  type Permitted,
  type Worker,
  type WorkerState,
  Workers,
  type WorkersOptions,
} from './workers.ts';
