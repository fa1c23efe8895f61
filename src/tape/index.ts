/**
 * The tape for programs: record what an engine decides, prove it, decide it again.
 */
export { AUDIT_COLUMNS, type AuditRow, auditTape } from './audit.ts';
export { Backtest, type ChangedDecision, type TapeResult } from './backtest/backtest-tape.ts';
export { type Traffic, trafficOf } from './backtest/traffic.ts';
export { type EntryBody, hashLine, MAX_LINE_BYTES } from './chain.ts';
export { cleanData } from './clean.ts';
export { type CountedTape, countsOf, countTape, isCountedTape, type TapeCounts } from './counts.ts';
export { Days } from './days.ts';
export { Durations } from './durations.ts';
export type {
  CallRecord,
  CallVerdict,
  DecisionRecord,
  Entry,
  Header,
  HookPart,
  Reading,
  RunRecord,
  SharedPrefix,
  TapeRecord,
} from './entry.ts';
export { linkOf } from './envelope.ts';
export { factsOf, hasText, mayMatch, type Search, type TapeFacts } from './facts.ts';
export { FileTapeStore, type FileTapeStoreOptions } from './file-store.ts';
export { type Start, TapeFollower } from './follow.ts';
export { type EntryMark, mayBeLostToPower } from './go-on.ts';
export { chapterAt, startsBefore } from './locate.ts';
export { MemoryTapeStore } from './memory-store.ts';
export {
  type CallReport,
  type OpenTape,
  type OpenTapeOptions,
  openTape,
  type Recording,
  type RunReport,
  redactorFor,
} from './open-tape.ts';
export { tapeOptions } from './policy-tape.ts';
export { prometheusText } from './prometheus.ts';
export { type RecordSink, TapeRecorder, type TapeRecorderOptions } from './record.ts';
export { createRedactor, type Redact, type RedactionRule, type RedactOptions } from './redact.ts';
export { readHeader, readTail } from './repair.ts';
export {
  type Difference,
  type NotReplayable,
  type ReplayOptions,
  type ReplayReport,
  replayTape,
} from './replay.ts';
export {
  parseSignedHead,
  readSignedHead,
  readSigningKey,
  readVerifyingKey,
  type SignedHead,
  signatureProblem,
  writeKeyPair,
} from './sign.ts';
export { type Counts, isFailOpen, TapeStats, total } from './stats.ts';
export { FileUnchangedCheck } from './still-there.ts';
export type {
  Appended,
  Line,
  StoredTape,
  TapeAt,
  TapeBatch,
  TapeFilter,
  TapeInfo,
  TapeSource,
  TapeStore,
} from './store.ts';
export {
  type Chapter,
  chapters,
  type HookFailedRecord,
  type HookReturnedRecord,
  hasFailure,
  includes,
  isWanted,
  readable,
  type Story,
  type StoryFilter,
  type StoryRecord,
  storyRecords,
  type Turn,
  toolIn,
  toolOf,
} from './stories.ts';
export { readLines, storedFile } from './tape-file.ts';
export { headerOf, parseEntry, parseHeader, readTape, type Tape, type TapeLater } from './tape-reader.ts';
export type { TapeSummary } from './tape-summary.ts';
export { ChainAtEntry, tellStory } from './tell-story.ts';
export { type ChainPart, type ProvingPart, proveOn, type Verification, verifyTape } from './verify.ts';
export { type Acknowledge, type TapeOptions, TapeWriter } from './writer.ts';
