/** One opened policy for every host: layers, permissions, floor, approvals, trust, digest. */
export { ApprovalDesk, callDigest, type DeskOptions, type Question } from './approvals/desk.ts';
export { askStats } from './approvals/history.ts';
export { type AnswerReceipt, type IgnoredAnswer, PendingApprovals } from './approvals/pending.ts';
export { askPlace, ruleName, type Scope } from './approvals/question.ts';
export {
  ApprovalQueue,
  type Entry,
  LONGEST_MS,
  openQueue,
  type Receipt,
  SEEN_TO_RUN,
} from './approvals/queue.ts';
export { queuedApprovals } from './approvals/queued.ts';
export type { RuleCount } from './approvals/rule-count.ts';
export { type ShownCall, type ShowOptions, showCall } from './approvals/show-call.ts';
export {
  askToAccept,
  isAccepted,
  POLICY_CHANGE,
  waitForAccept,
} from './approvals/waiting-change.ts';
export { takeSigned, webhookAsker } from './approvals/webhook.ts';
export type { Person } from './approvals/with-queue.ts';
export { floorHook, permissionHook } from './built-in.ts';
export { checkPolicy } from './check-policy.ts';
export { missingPolicy } from './contributors.ts';
export type { ComparedOutcome } from './diff/decide-both.ts';
export {
  type Finding,
  type FindingGroup,
  type SearchOptions,
  type SearchResult,
  type Side,
  searchDifferences,
} from './diff/search.ts';
export { ScriptCollector } from './diff/vocabulary.ts';
export { mayName } from './environment.ts';
export { DONE_FLAG, DONE_TOOL, needsDone } from './exit-policy.ts';
export { fleetFolder, registeredTapes, registerTapes } from './fleet-folder.ts';
export {
  checkedFile,
  currentFile,
  type FleetCheck,
  type FleetPlace,
  type FleetPolicy,
  readFleetCheck,
  readFleetPolicy,
  staleSince,
  WHEN_STALE,
  type WhenStale,
} from './fleet-policy.ts';
export { flooredHost } from './floor.ts';
export { FoundPaths } from './found-paths.ts';
export type { Identified, Identify } from './identify.ts';
export { type LayerPlaces, layerPlaces } from './layers.ts';
export { type CopiedLayer, guards, type LoadedLayer } from './loaded-layer.ts';
export { openPolicy, type PolicyOptions } from './open-policy.ts';
export { appendPauseLog, currentPause, LONGEST_PAUSE_MS, pauseFile, pauseText } from './pause.ts';
export type { Zone } from './permissions/layer.ts';
export type { Permission, PermissionCall, Permissions } from './permissions/permission.ts';
export { type PermissionRule, type PermissionTable, permissionPolicy } from './permissions/policy.ts';
export type { ShellGuard } from './permissions/shell-guard.ts';
export {
  type AskPerson,
  askThrough,
  type Fire,
  type Permitted,
  type PersonsQuestion,
  permit,
} from './permit.ts';
export {
  type HostParts,
  type PermitOptions,
  Policy,
  type PolicyDecideOptions,
  type PolicySettings,
} from './policy.ts';
export {
  describeHook,
  type LayerDigest,
  type PolicyDigest,
  type PolicyHook,
  type PolicySource,
  policyChanges,
  policyDigest,
} from './policy-digest.ts';
export { fullFingerprint } from './policy-fingerprint.ts';
export { looseningBetween } from './policy-loss.ts';
export { Protected } from './protected.ts';
export { refusedStart } from './protected-calls.ts';
export {
  folderProblem,
  openFolder,
  removeOrphanedSessions,
  removeSessions,
  SESSIONS_OF,
  sessionsOf,
  stateFolder,
} from './state-folder.ts';
export { FileRunStore, type FileRunStoreOptions } from './stores/file-run-store.ts';
export { journalProblem } from './stores/journal.ts';
export {
  type LoadedRun,
  loadRunState,
  runStateChanges,
  runStateFrom,
  saveRunState,
} from './stores/run-state-store.ts';
export { userRunStore } from './stores/user-run-store.ts';
export { mayBeOff } from './strict.ts';
export { systemFolder } from './system-folders.ts';
export type { TapeSettings } from './tape-settings.ts';
export { openPolicies, Policies, type PoliciesOptions } from './tenants.ts';
export {
  type Coverage,
  coverageOf,
  type HookCoverage,
  type LibraryCoverage,
  percent,
  type ScriptCoverage,
  type Share,
  scriptCoverageOf,
  share,
  VisitCounter,
} from './testing/coverage.ts';
export type { Mismatch } from './testing/expectations.ts';
export { frozenHost } from './testing/frozen-host.ts';
export { GOLDEN_FILES, goldenPath } from './testing/golden-files.ts';
export { RuleCounter, type RuleCoverage, rulesInForce } from './testing/rule-coverage.ts';
export { type CaseResult, type GoldenFiles, runCase, testsOf } from './testing/run-tests.ts';
export { DEFAULT_CASE, DEFAULT_CLOCK, type TestCase } from './testing/test-case.ts';
export { untestedGuards } from './testing/untested.ts';
export { removeRecord, trustFolderOf, writeRecord } from './trust/records.ts';
export type { FolderTrust, Voucher } from './trust/trust.ts';
export { type PolicyChange, type PolicyWatch, type WatchOptions, watchPolicy } from './watch.ts';
export { workspaceFrom } from './workspace.ts';
