/** What can be asked about a policy folder: validate, tests, status, doctor, tapes, backtests. */
export { pack, packTest, plainHook, sampleOf, tool, toolHook, toolTest } from './artifacts.ts';
export { type BacktestTask, reporterOf, type TapeReport } from './backtest/one-tape.ts';
export { isWorker, runPool, serve } from './backtest/pool.ts';
export { backtestData, callText, markdown, printBacktest } from './backtest/print.ts';
export { Summary } from './backtest/summary.ts';
export { marksOf } from './command-marks.ts';
export { type CanaryResult, runCanaries } from './doctor/canaries.ts';
export { type Inspection, inspect, unregisteredHooks } from './doctor/inspect.ts';
export { type LiveResult, proveLive } from './doctor/live/prove.ts';
export { mcpProblem, mcpServers } from './doctor/mcp-servers.ts';
export {
  judgeOrdinary,
  type OrdinaryReport,
  type OrdinaryRequest,
  ordinaryWords,
} from './doctor/ordinary.ts';
export { sandboxData, sandboxWords } from './doctor/sandbox.ts';
export { shippedTestProblems } from './doctor/shipped-tests.ts';
export { storeProblems } from './doctor/stores.ts';
export { judgeCall, outcomeWithout, placeText } from './judge.ts';
export { recordedCalls } from './recorded-calls.ts';
export { knownPacks, type MatchedRule, modeOf, studyCommand } from './rules.ts';
export { runTests, type TestRun, testKey } from './run-tests.ts';
export { idleIn, NO_AGENT, type Status, statusOf } from './status.ts';
export { Calls, type Refusal, UNDONE } from './suggest/refusals.ts';
export { type Form, hookFile, type Suggestion, suggestionsFor } from './suggest/rules.ts';
export {
  type Checkpoint,
  type Lost,
  lostTapes,
  readCheckpoint,
  sessionOf,
  writeCheckpoint,
} from './tapes/checkpoint.ts';
export { type DecidingPlace, decidingPlace, policyOfTape } from './tapes/deciding-place.ts';
export { filterOf } from './tapes/filter.ts';
export { findIndex, readFacts } from './tapes/find-index.ts';
export {
  type FoundTape,
  findTapes,
  foldersHere,
  headerAt,
  newestTape,
  oneTape,
  PRUNED,
  progressOf,
  runFolders,
  tapesIn,
} from './tapes/find-tapes.ts';
export type { LastDecision } from './tapes/last-decision.ts';
export { lastPayload, payloadAt } from './tapes/last-payload.ts';
export { sinceOf } from './tapes/since.ts';
export { printStory, readingText, storyData } from './tapes/story.ts';
export { chapterOf, namingEntries, summarise, summariseAll, summaryOf } from './tapes/summary.ts';
export { TapeTelemetry, type Telemetry } from './tapes/telemetry.ts';
export { beginInit, endInit, isOfUnfinishedInit } from './unfinished-init.ts';
export { type FolderProblems, problemsIn, validateFolder } from './validate.ts';
export { studyScripts } from './validate-scripts.ts';
export {
  idleProblems,
  installedIn,
  neverMatching,
  printTarget,
  reportOn,
  runsIn,
  type TargetReport,
  targetsOf,
} from './validate-targets.ts';
