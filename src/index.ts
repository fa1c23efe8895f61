/**
 * `harness-hooks`: open the policy of a folder and decide events with it; a session with hooks in code. The rest of the session
 * is in `harness-hooks/agent`, of hooks in code in `harness-hooks/hooks`. Every name here is listed in
 * test/package/exports.txt: what is added is added on purpose.
 *
 * ```ts
 * const policy = await openPolicy('my-agent');
 * const outcome = await policy.decide('tool.pre', { id: '1', name: 'run_command', args: { command: 'ls' } });
 * if (outcome.mayRun) run(outcome.payload);
 * ```
 */

export type { SessionConfig } from './agent/index.ts';
export { Session } from './agent/index.ts';
export type { Json, JsonObject } from './base/index.ts';
export {
  ERRORS,
  type ErrorCode,
  formatPosition,
  HarnessError,
  type Position,
  type Problem,
} from './base/index.ts';
export type {
  Action,
  Approval,
  ApprovalRequest,
  Approvals,
  Ask,
  Authority,
  Body,
  CatalogName,
  Condition,
  DecidingHook,
  Decision,
  Effect,
  EventName,
  Failure,
  FrontEnd,
  Hook,
  HookCall,
  HookLayer,
  LogLevel,
  MaybePromise,
  Mode,
  Origin,
  Outcome,
  PayloadOf,
  Recorder,
  ReminderSpec,
  Reply,
  Reservation,
  RunArea,
  RunStore,
  Stored,
  TraceEntry,
} from './engine/index.ts';
export {
  type Actor,
  type Caller,
  checkPayload,
  type DecideOptions,
  describeEvents,
  Engine,
  type EngineOptions,
  type EventDescription,
  eventSchema,
  giveBack,
  type LogLine,
  MemoryRunStore,
  type MemoryRunStoreOptions,
  Registry,
  type Resolved,
  type RunServices,
  type RunSettings,
  RunState,
  readActor,
  resolveEvent,
  ToolHookRegistry,
  type Who,
} from './engine/index.ts';
export {
  createDefaultRegistry,
  type HookContext,
  type HookEvent,
  HookRegistry,
  type HookResult,
  HookRuntime,
  type HookSpec,
  ReminderInjector,
} from './exports/hooks.ts';
export type { Capability as Power, CapabilityKind as PowerKind } from './frontends/index.ts';
export { loadProject, type Project } from './frontends/index.ts';
export { type Host, type HttpRequest, type HttpResponse, machineHost } from './machine/index.ts';
export type {
  FolderTrust,
  Identified,
  Identify,
  LayerPlaces,
  LoadedLayer,
  PolicyDigest,
  PolicyHook,
  Voucher,
} from './policy/index.ts';
export {
  FileRunStore,
  type FileRunStoreOptions,
  type HostParts,
  openPolicies,
  openPolicy,
  type PermitOptions,
  type Policies,
  type PoliciesOptions,
  Policy,
  type PolicyChange,
  type PolicyDecideOptions,
  type PolicyOptions,
  type PolicySettings,
  type PolicyWatch,
  type WatchOptions,
  watchPolicy,
} from './policy/index.ts';
export {
  createRedactor as createSecretRedactor,
  type Found,
  findSecrets,
  type Redaction,
  type Redactor,
  redactSecrets,
} from './secrets/index.ts';
