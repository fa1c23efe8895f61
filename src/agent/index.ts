/**
 * `harness-hooks/agent`: a session loop that fires every event through the hooks, with tools and providers. Hooks in code are
 * in `harness-hooks/hooks`. Every name here is listed in test/package/exports.txt: what is added is added on purpose.
 */
export type { CompactionResult } from './compaction/compact.ts';
export {
  type CompactionSettings,
  type Summarise,
  type SummaryContext,
  summaryByModel,
} from './compaction/settings.ts';
export {
  type AgentProject,
  delegationOptions,
  loadAgent,
  loadAgentProject,
  offeredTools,
} from './config/load-agent.ts';
export { type ModelSettings, readModel } from './config/model.ts';
export type { AgentConfig } from './config/read-config.ts';
export type { AgentDefinition, DelegationLimits, Verifier } from './delegation/agent.ts';
export { DelegationError, VerificationFailed } from './delegation/errors.ts';
export type { AugmentationSettings } from './delegation/meta/augmentation.ts';
export { SCRIPT_CALL } from './delegation/meta/call-tool.ts';
export type { ServedModel } from './delegation/powers.ts';
export { readEvals } from './evals/eval-file.ts';
export { runEvals } from './evals/eval-run.ts';
export type { FileEdit } from './loop/file-edits.ts';
export type { HookSource } from './loop/hook-source.ts';
export { type DaemonOptions, type DaemonResult, runDaemon } from './loop/idle.ts';
export type { ReminderSource } from './loop/model-reminders.ts';
export { Run, type RunResult } from './loop/run.ts';
export {
  DEFAULT_LIMITS,
  DEFAULT_RETRY,
  type RetryPolicy,
  type SessionLimits,
} from './loop/session-limits.ts';
export type { Message, ToolCall, Usage } from './message.ts';
export type { Condition } from './model-server/condition.ts';
export type { DialectName, ModelRequest, OfferedTool, RequestMessage } from './model-server/model-request.ts';
export type { AnsweredBy, RecordedRequest } from './model-server/record.ts';
export type { ServerCompletion, ServerScript, SideRule } from './model-server/script.ts';
export { parseServerScript } from './model-server/script-file.ts';
export type { Delivery } from './model-server/send.ts';
export { type ModelServer, type ModelServerOptions, startModelServer } from './model-server/server.ts';
export { SIDE_RULES } from './model-server/side-requests.ts';
export type { BudgetOptions } from './personas/budget.ts';
export {
  type ApprovalQuestion,
  type CreatePersonaOptions,
  createPersona,
  type Handoff,
  Persona,
  type Step,
  step,
} from './personas/persona.ts';
export type { PersonaOptions } from './personas/stage.ts';
export { StepDenied } from './personas/step.ts';
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
export { type Resumed, resumeTranscript } from './record/resume.ts';
export {
  type Hide,
  parseTranscript,
  type TranscriptEntry,
  type TranscriptHeader,
  transcriptLines,
} from './record/transcript.ts';
export { openTranscript, type TranscriptFile } from './record/transcript-file.ts';
export { type RunOptions, Session, type SessionOptions } from './session.ts';
export type { SessionConfig } from './session-config.ts';
export { type EndReason, endedWell, type SessionEvent } from './session-event.ts';
export type { Tool, ToolContext } from './tool.ts';
export { type ArgumentsOf, defineTool, type Parameter, type ToolSpec } from './tools/define-tool.ts';
export { TOOL_BUILTINS } from './tools/environment.ts';
export {
  connectMcp,
  type McpConnections,
  type McpFault,
  type McpOptions,
  type McpServer,
} from './tools/mcp.ts';
export { TOOL_NAME, TOOL_NAME_RULE } from './tools/tool-name.ts';
export type { ToolSet, ToolsPolicy } from './tools/tool-set.ts';
export { decisionLog } from './tracing/decision-log.ts';
export { type Gauge, type LogRecord, otlpLogs, otlpMetrics, otlpTraces, type Scope } from './tracing/otlp.ts';
export { postOtlp } from './tracing/otlp-post.ts';
export { type Span, type SpanEvent, type SpanKind, withoutSecrets } from './tracing/span.ts';
export type { SpannedDecision } from './tracing/span-tree.ts';
export { SpanCollector, type SpanOptions, spansOf } from './tracing/spans.ts';
export {
  type DrainDecision,
  type Permitted,
  Worker,
  type WorkerState,
  Workers,
  type WorkersOptions,
} from './workers/workers.ts';
