/**
 * `harness-hooks/agent`: a session loop that fires every event through the hooks, with tools and providers. Hooks in code are
 * in `harness-hooks/hooks`. Every name here is listed in test/package/exports.txt: what is added is added on purpose.
 */

export type { Approval, ApprovalRequest, Approvals } from '../hooks/approvals.ts';
export { ApprovalDesk, type DeskOptions, type Question } from '../policy/approvals/desk.ts';
export { type AnswerReceipt, type IgnoredAnswer, PendingApprovals } from '../policy/approvals/pending.ts';
export { type ShownCall, type ShowOptions, showCall } from '../policy/approvals/show-call.ts';
export type { Zone } from '../policy/permissions/layer.ts';
export type { Permission, PermissionCall, Permissions } from '../policy/permissions/permission.ts';
export { type PermissionRule, type PermissionTable, permissionPolicy } from '../policy/permissions/policy.ts';
export type { ShellGuard } from '../policy/permissions/shell-guard.ts';
export type { CompactionResult } from './compaction/compact.ts';
export {
  type CompactionSettings,
  type Summarise,
  type SummaryContext,
  summaryByModel,
} from './compaction/settings.ts';
export {
  type AgentConfig,
  type AgentProject,
  delegationOptions,
  loadAgentProject,
  type ModelSettings,
  offeredTools,
} from './config/index.ts';
export {
  type AgentDefinition,
  type AugmentationSettings,
  DelegationError,
  type DelegationLimits,
  type ServedModel,
  VerificationFailed,
  type Verifier,
} from './delegation/index.ts';
export type { FileEdit } from './loop/file-edits.ts';
export type { HookSource } from './loop/hook-source.ts';
export { type DaemonOptions, type DaemonResult, runDaemon } from './loop/idle.ts';
export type { ReminderSource } from './loop/model-reminders.ts';
export type { Run, RunResult } from './loop/run.ts';
export {
  DEFAULT_LIMITS,
  DEFAULT_RETRY,
  type RetryPolicy,
  type SessionLimits,
} from './loop/session-limits.ts';
export type { Message, ToolCall, Usage } from './message.ts';
export * from './personas/index.ts';
export { type OnFinish, type Pipeline, type PipelineOptions, runPipeline } from './pipeline/run-pipeline.ts';
export { type Bucket, type UnsettledSnapshot, UnsettledState } from './pipeline/unsettled.ts';
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
export { createProvider, type ProviderSources } from './providers/create-provider.ts';
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
export type { JobReceipt, JobStatus, ReplayRule, RetryHint } from './receipts/receipt.ts';
export { recordSession, type SessionTape } from './record/record-session.ts';
export {
  parseTranscript,
  type TranscriptEntry,
  type TranscriptHeader,
  transcriptLines,
} from './record/transcript.ts';
export { openTranscript, type TranscriptFile } from './record/transcript-file.ts';
export { type RunOptions, Session, type SessionOptions } from './session.ts';
export type { SessionConfig } from './session-config.ts';
export type { EndReason, SessionEvent } from './session-event.ts';
export type { Tool, ToolContext } from './tool.ts';
export {
  type ArgumentsOf,
  connectMcp,
  defineTool,
  type McpConnections,
  type McpFault,
  type McpOptions,
  type McpServer,
  type Parameter,
  type ToolSet,
  type ToolSpec,
  type ToolsPolicy,
} from './tools/index.ts';
export type { Span, SpanEvent, SpanKind } from './tracing/span.ts';
export { SpanCollector, type SpanOptions, spansOf } from './tracing/spans.ts';
export {
  type DrainDecision,
  type Permitted,
  type Worker,
  type WorkerState,
  Workers,
  type WorkersOptions,
} from './workers/workers.ts';
