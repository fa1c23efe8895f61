/**
 * `harness-hooks/hooks`: the pipeline for programs that bring their own hooks and fire their own events.
 */
export type { Approval, ApprovalRequest, Approvals } from './approvals.ts';
export { emitted, OpenCall } from './call.ts';
export {
  FOLDER_ARGUMENTS,
  hasLocation,
  hostFolder,
  isLocationEvent,
  locateCall,
  locationFields,
  ownFolder,
  possibleFolders,
  relativeTo,
} from './call-place.ts';
export {
  CATALOG,
  type CatalogName,
  type EventArgument,
  type EventName,
  eventSpec,
  isGate,
  NATIVE_GATES,
  type PayloadFor,
  type PayloadOf,
} from './catalog.ts';
export { checkArguments, coerced, isTooDeep, problemsOf } from './check-arguments.ts';
export { schemaFault } from './check-schema.ts';
export type {
  Action,
  Ask,
  DecidingHook,
  Decision,
  DecisionSite,
  Effect,
  Failure,
  LogLevel,
  Mode,
  Outcome,
  ReminderSpec,
  TraceEntry,
} from './decision.ts';
export {
  checkPayload,
  describeEvents,
  type EventDescription,
  eventSchema,
  faultText,
  requireEvent,
} from './describe.ts';
export {
  changes,
  type DescribedOutcome,
  type Description,
  describeOutcome,
  effectText,
  ignoredText,
  isPlainAllow,
  notedRule,
  type Remark,
  remarksOn,
  rewritten,
} from './describe-outcome.ts';
export { type DecideOptions, Engine, type EngineOptions, type NestedOptions } from './engine.ts';
export { compileEventExpression, type EventExpression, isTruthy } from './event-expression.ts';
export type { Authority, EventSpec } from './event-spec.ts';
export { describeThrown, failure } from './failure.ts';
export { frozenCopy, frozenFields } from './frozen-copy.ts';
export { count } from './health.ts';
export type {
  Body,
  Condition,
  CoveredScript,
  FailureMode,
  FetchedTables,
  FrontEnd,
  Hook,
  HookCall,
  IndexableTest,
  MaybePromise,
  Origin,
  Reply,
} from './hook.ts';
export { LIMITS, ORIGINS } from './hook-limits.ts';
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
export { BUILT_IN, type HookLayer, IN_CODE, isBuiltIn, layerOf } from './layer.ts';
export { LayeredRegistry } from './layered-registry.ts';
export { answeredAsk } from './outcome.ts';
export { leavesWorkspace } from './outside.ts';
export { engineKeys } from './payload.ts';
export { sort } from './pipeline.ts';
export { type PolicyContents, withContents } from './policy-contents.ts';
export { isThenable, raceTimeout } from './race.ts';
export type { CallRecorder, DispatchRecorder, EngineRecorder, RecordedEngine, Recorder } from './recorder.ts';
export { Registry } from './registry.ts';
export { carrierOf, type RequestMessage } from './reminders/attach.ts';
export { applyEffects } from './reminders/effects.ts';
export { blockedText, contextText, outputText, renderReminder } from './reminders/render.ts';
export { type CheckedReminder, checkReminder } from './reminders/spec.ts';
export {
  type Reminder,
  type ReminderRecord,
  ReminderStore,
  type ReminderStoreOptions,
} from './reminders/store.ts';
export { denialText, repeatedDenial, type ShownDenials, STAYS_OPEN } from './repeated-denial.ts';
export { giveBack } from './reservations.ts';
export { aliasesOf, type EventParameter, isReached, type Resolved, resolveEvent } from './resolve.ts';
export {
  type CallableAgent,
  type Guards,
  guardsIn,
  type LogLine,
  type RunServices,
  type RunSettings,
  RunState,
  type SessionInfo,
  type SharedRun,
} from './run-state.ts';
export type { Steady } from './stores/area-clock.ts';
export { type AreaLine, AreaState, type Step } from './stores/area-state.ts';
export {
  MemoryRunStore,
  type MemoryRunStoreOptions,
  SteppedArea,
  type Steps,
} from './stores/memory-run-store.ts';
export {
  type Change,
  guardKey,
  nameInKey,
  type Reservation,
  type RunArea,
  type RunStore,
  type Stored,
} from './stores/run-store.ts';
export {
  type AccessedPath,
  accessOfTool,
  asCommand,
  commandReadings,
  hasPipedInput,
  isCommandKey,
  namesShell,
  narrows,
  type PathAccess,
  pathArguments,
  pathsOfCommand,
} from './tool-call.ts';
export {
  AGENT_TOOLS,
  bothNames,
  type CallNames,
  indexNames,
  isCanonicalName,
  isNameOfAgents,
  knownNames,
  namesTool,
  synonymsOf,
  toolGlob,
  wholeTool,
} from './tool-names.ts';
export type { ObservedEvent, SinkQuestion, ValueOrigin, ValueOrigins } from './value-origins.ts';
export {
  type Actor,
  type Caller,
  commonScopes,
  FIRST_CALLER,
  isOfSubAgent,
  type ReadActor,
  readActor,
  readScopes,
  resolveWho,
  UNKNOWN_WHO,
  type Who,
} from './who.ts';
export { withTimeout } from './with-timeout.ts';
