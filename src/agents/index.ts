/** One folder a coding agent: read, answer; install/ registers, import/ reads transcripts. */
export type { Adapter, Answer, EventRow, NativeCall, Verdict } from './adapter.ts';
export {
  dirPlace,
  launcher,
  managedPlace,
  namedAgents,
  ownerOf,
  ownLauncher,
  placeOf,
  refuseWindows,
  stateAt,
  textOnDisk,
  USER_COPY,
  userPlace,
} from './agent-options.ts';
export { agentVersion, programOf } from './agent-version.ts';
export { AGENTS, ALL_AGENTS, agentNamed, agentOfProgram } from './all-agents.ts';
export { callReports } from './call-reports.ts';
export { CANARY_VARIABLE, canaryAnswer, canaryPayload, canaryToken } from './canary.ts';
export { adapter } from './claude-code/index.ts';
export { switches as claudeSwitches } from './claude-code/switches.ts';
export type { CodingAgent } from './coding-agent.ts';
export { carriable, type Decided, decideNative } from './decide-native.ts';
export { degrade } from './degrade.ts';
export { denyAnswer, goOnAnswer } from './deny.ts';
export { ANSWERED, GUARD, MARK, projectEnvironment, quoted, unguardedAnswer } from './guard-line.ts';
export { heartbeat, type UnjudgedSession, unjudgedSessions, unjudgedText } from './heartbeat.ts';
export { type Imported, importFile, type Unimported } from './import/import-file.ts';
export { spentIn } from './import/spent-in.ts';
export { type Transcripts, transcriptsIn } from './import/transcripts-in.ts';
export {
  type Change,
  commitChanges,
  isChange,
  type Plan,
  type Problem,
  planChanges,
} from './install/change-files.ts';
export { type Missing, NO_WHOLE_ANSWER, notInstalledText } from './install/guard-script.ts';
export {
  guardPath,
  type Installer,
  type InstallTarget,
  isManaged,
  isUser,
  type Registered,
  type Registration,
  rootOf,
  type WantedFile,
} from './install/installer.ts';
export { readJsonc } from './install/jsonc.ts';
export {
  MCP_CLIENTS,
  type McpClient,
  openAddresses,
  proxyOf,
  serversIn,
  wrapAll,
  wrappedIn,
} from './install/mcp-clients.ts';
export { isSatisfied, type Operation } from './install/operation.ts';
export { allRecords, closeRecords, openRecords, recordsFolder } from './install/records.ts';
export {
  guardFile,
  guardTextOf,
  missingIn,
  registrationsOf,
  rowsUnder,
} from './install/registrations.ts';
export type { LiveFile, LivePlace, LiveRecipe } from './live/recipe.ts';
export { loadAdapter, loadGateSwitches, loadInstaller } from './load-adapter.ts';
export { type Action, type TargetSupport, targetSupport } from './on-target.ts';
export type {
  NativeToolCall,
  OrdinaryTools,
  ProjectFile,
} from './ordinary-calls.ts';
export { closeCall, openCall, refuseCall } from './pairing.ts';
export { isUnreadable } from './read-native.ts';
export { runningUnguarded } from './running-agents.ts';
export { gateSwitches, harmlessSwitchesOn, switchesOn } from './switches.ts';
export {
  matchabilityOfNames,
  misspelledName,
  requiredNames,
  type ToolMatchability,
  toolMatchability,
} from './tool-reach.ts';
export type { Spent } from './transcript.ts';
export { blockOf, verdictOf } from './verdict.ts';
