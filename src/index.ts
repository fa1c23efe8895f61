/**
 * `harness-hooks`: open the policy of a folder and decide events with it; a session with hooks in code. The rest of the session
 * is in `harness-hooks/agent`, of hooks in code in `harness-hooks/hooks`. Every name here is listed in
 * test/package/exports.txt: what is added is added on purpose.
 *
 * ```ts
 * const policy = await openPolicy('my-agent');
 * const outcome = await policy.decide('tool.pre', { id: '1', name: 'run_command', args: { command: 'ls' } });
 * ```
 */
export { Session } from './agent/session.ts';
export type { SessionConfig } from './agent/session-config.ts';
export { ERRORS, type ErrorCode, HarnessError, type Problem } from './base/errors.ts';
export { type Host, type HttpRequest, type HttpResponse, machineHost } from './base/host.ts';
export type { Json, JsonObject } from './base/json.ts';
export { formatPosition, type Position } from './base/source.ts';
export type { Authority, CatalogName, EventName, PayloadOf } from './events/catalog.ts';
export type {
  Action,
  Ask,
  DecidingHook,
  Decision,
  Effect,
  Failure,
  LogLevel,
  Mode,
  Outcome,
  ReminderSpec,
  TraceEntry,
} from './events/decision.ts';
export { checkPayload, describeEvents, type EventDescription, eventSchema } from './events/describe.ts';
export { type Resolved, resolveEvent } from './events/resolve.ts';
export {
  createDefaultRegistry,
  type HookContext,
  type HookEvent,
  HookRegistry,
  type HookResult,
  HookRuntime,
  type HookSpec,
  ReminderInjector,
} from './frontends/code/index.ts';
export type { Power, PowerKind } from './frontends/power.ts';
export { loadProject, type Project } from './frontends/project.ts';
export type { Approval, ApprovalRequest, Approvals } from './hooks/approvals.ts';
export { type DecideOptions, Engine, type EngineOptions } from './hooks/engine.ts';
export type {
  Body,
  Condition,
  FrontEnd,
  Hook,
  HookCall,
  MaybePromise,
  Origin,
  Reply,
} from './hooks/hook.ts';
export { ToolHookRegistry } from './hooks/interceptors.ts';
export type { HookLayer } from './hooks/layer.ts';
export type { Recorder } from './hooks/recorder.ts';
export { Registry } from './hooks/registry.ts';
export { giveBack } from './hooks/reservations.ts';
export { type LogLine, type RunServices, type RunSettings, RunState } from './hooks/run-state.ts';
export { MemoryRunStore, type MemoryRunStoreOptions } from './hooks/stores/memory-run-store.ts';
export type { Reservation, RunArea, RunStore, Stored } from './hooks/stores/run-store.ts';
export { type Actor, type Caller, readActor, type Who } from './hooks/who.ts';
export { createRedactor as createSecretRedactor, type Redactor } from './match/secrets/redactor.ts';
export { type Found, findSecrets, type Redaction, redactSecrets } from './match/secrets/secrets.ts';
export type { Identified, Identify } from './policy/identify.ts';
export type { LayerPlaces } from './policy/layers.ts';
export type { LoadedLayer } from './policy/loaded-layer.ts';
export { openPolicy, type PolicyOptions } from './policy/open-policy.ts';
export type { LeftOpen, Permitted } from './policy/permit.ts';
export { type HostParts, Policy, type PolicyDecideOptions, type PolicySettings } from './policy/policy.ts';
export type { PolicyDigest, PolicyHook } from './policy/policy-digest.ts';
export { FileRunStore, type FileRunStoreOptions } from './policy/stores/file-run-store.ts';
export { openPolicies, type Policies, type PoliciesOptions } from './policy/tenants.ts';
export type { FolderTrust, Voucher } from './policy/trust/trust.ts';
export { type PolicyChange, type PolicyWatch, type WatchOptions, watchPolicy } from './policy/watch.ts';
